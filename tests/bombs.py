"""Short texts that ask for endless work: a family of them, the same in every run, for tests and benchmarks.

Powers of sums of quotients, nested to the limit; differences of them that cancel; roots, logarithms and exponentials of
all that; long sums of functions; and formulas drawn at random from the whole grammar.
"""

from __future__ import annotations

from random import Random

LONGEST = 200
_SUMS = (
    "B/T",
    "B+T",
    "B-T",
    "(B+T)/(D+V)",
    "(B+T/7)/(D+V/11)",
    "B/7+T/11+D/13",
    "1-1/B",
    "2*B/3",
    "B*T/(D-V)",
    "1/(1+1/(1+1/B))",
    "B+T+D+V",
    "999999999999999999999999999989*B+1",
)
_POWERS = ((12, 1), (12, 2), (12, 3), (12, 5), (2, 15), (3, 9), (-12, 3), (7, 2))
_NUMBERS = ("2", "7", "12", "1/3", "999983", "2.5", "123456789012345678901234567891", "1e30", "0.000001")


def raised(text, power=12, times=5):
    """Return a text to a power, as often inside itself as said."""
    return "(" * times + text + f")^({power})" * times if power < 0 else "(" * times + text + f")^{power}" * times


def formulas():
    """Yield bombs in the letters B, T, D and V, each short enough to be read."""
    return list(dict.fromkeys(text for text in _formulas() if len(text) <= LONGEST))


def _formulas():
    for one in _SUMS:
        for power, times in _POWERS:
            first = raised(one, power, times)
            yield first
            for function in ("ln", "sqrt", "exp", "log2"):
                yield f"{function}({first})"
            for other in _SUMS:
                second = raised(other, power, times)
                yield f"{first}+{second}"
                yield f"B*T+{first}-{second}"
                yield f"({first}+{second})^12"
                yield f"ln({first}+{second})"
                yield f"sqrt({first}-{second})"
                yield f"ln({first})-ln({second})+B*T"
                yield f"sqrt({first})*sqrt({second})"
                yield f"exp({first})/exp({second})"
            yield f"B*T+{first}-{first}"
            yield f"B*T/({first})*({first})"
            yield f"1/(1/({first})-1/({first}+1))"
            yield f"ln({first}^2)/2-ln({first})"
            yield f"{first}-sqrt({first}^2)"
    yield from _long()
    draw = Random(12)
    for _ in range(1500):
        yield _drawn(draw, draw.choice((20, 60, 120, 190)))


def _long():
    """Yield sums, products, quotients and powers of many short pieces."""
    pieces = ("ln(B+{})", "sqrt(B+{})", "exp(B/{})", "(B+{})", "ln(B^12+{})", "sqrt(B-{})", "1/(B+{})", "exp(ln(B+{}))")
    for piece in pieces:
        for sign in ("+", "-", "*", "/"):
            for step in (1, 97, 10**9 + 7):
                text = ""
                for count in range(2, 60):
                    text += (sign if text else "") + piece.format(count * step)
                    if len(text) > LONGEST - 2:
                        break
                    last = text
                yield last
                yield f"ln({last})"
                yield f"({last})^12"
    for size in (2, 3, 4, 6, 8, 12):
        yield f"ln((B+T+D+V+1)^{size}-1)"
        yield f"ln(B^{size}-T^{size})-ln(D^{size}-V^{size})"
        yield f"ln((B+T)^{size}+(D+V)^{size})-ln(B^{size}+T^{size}+1)"
        yield f"sqrt((B+T)^{size}-(D+V)^{size})*sqrt((B-T)^{size}-1)"
        yield f"ln(B^{size}*720720+B*30030+720720)"
        yield f"ln(B^{size}*99999999999999999999999999989-99999999999999999999999999971)"
        yield f"exp((B+T+D+V)^{size})-exp((B+T)^{size})"
        yield f"exp(ln(B)*(B+1)^{size})"
        yield f"ln(exp(B*T)+exp(D^{size}))"
        yield f"ln((B^{size}-1)*(T^{size}-1)*(D^{size}-1))-ln((B^{size}+1)*(T+1))"
    for hard in ("100000000000031*100000000000067", "(2^12)^10*2^7-1", "(10^12)^10+7", "(10^12)^12*10^6+1"):
        yield f"ln({hard})"
        yield f"sqrt({hard})"
        yield f"B/({hard})"
        yield f"ln({hard}*B+1)-ln({hard})"
        yield f"sqrt({hard}*B+1)+sqrt({hard}+B)+sqrt({hard}-2)"
    yield "+".join(f"ln({10**14 + 31 + 2 * step})" for step in range(9))
    yield "*".join(f"sqrt({10**14 + 31 + 2 * step})" for step in range(8))
    nested = "B"
    for step in range(18):
        nested = f"({nested}+T)*D" if step % 2 else f"({nested}-V)/T"
    yield nested
    yield "1/(1+" * 18 + "B" + ")" * 18
    yield "2^" * 90 + "2"
    yield "(B/" * 19 + "T" + ")" * 19
    yield "ln(B)*" * 30 + "B"
    yield "(1+B)" * 39


def _drawn(draw, length):
    """Return a formula drawn from the grammar, about so long."""
    if length < 6:
        return draw.choice(("B", "T", "D", "V", *_NUMBERS))
    shape = draw.randrange(10)
    if shape < 2:
        return f"({_drawn(draw, length - 4)})^{draw.choice((2, 3, 7, 12))}"
    if shape == 2:
        return f"{draw.choice(('ln', 'sqrt', 'exp'))}({_drawn(draw, length - 5)})"
    cut = draw.randrange(2, length - 2)
    left, right = _drawn(draw, cut), _drawn(draw, length - cut)
    sign = draw.choice("+-*/")
    return f"({left}){sign}({right})" if shape < 7 else f"{left}{sign}{right}"


def numbers():
    """Yield bombs without letters, for answers that are numbers."""
    return list(dict.fromkeys(text for text in _numbers() if len(text) <= LONGEST))


def _numbers():
    values = dict(zip("BTDV", ("7", "2.5", "1/3", "99999999999999999999999999989"), strict=True))
    for text in formulas()[::3]:
        yield "".join(values.get(sign, sign) for sign in text)
    for function in ("ln", "sqrt", "exp", "log2", "log10"):
        for sign in ("+", "-", "*", "/"):
            for step in (1, 97, 10**9 + 7):
                yield sign.join(f"{function}({count * step})" for count in range(2, 13))
    for large in (99, 500, 2000, 200000, 10**12):
        yield f"exp({large})"
        yield f"exp(-{large})"
        yield f"exp({large})-exp({large})+ln(7)"
        yield f"ln(7)+exp({large})/exp({large}+1)"
        yield f"e^-{large}"
    yield "1.0000000001^0.5" * 3
    yield "+".join(f"{count}^{count}.5" for count in range(2, 12))
    yield "*".join("1e30" for _ in range(40))
    yield "/".join("1e30" for _ in range(40))
    yield "+".join(f"1/{10**9 + count}" for count in range(16))


def lists():
    """Yield bombs for lists, sets, tensors and options: long runs of one sign, deep brackets, and drawn ones."""
    return list(dict.fromkeys(text for text in _lists() if 0 < len(text) <= LONGEST))


_LIST_PIECES = (
    *"[](){}<>,;:.-+=&|\\\"'`\n",
    *("7", "0", "12", "1/2", "1.5", "2-9", "0..60", "to", "and", "or", "[MASK]", "mask_id", "ignore", "T", "False"),
    *("tensor(", "tensor([[", "dtype=torch.int64", "position ", "positions", "labels =", "none", "A", "b)", "nan"),
    *("index error", "all", "1e30", "\\frac{1}{2}", "\u00bd", "\u2212", "\u2205", "9" * 30),
)


def _lists():
    for piece in _LIST_PIECES:
        for joined in ("", " ", ",", ", ", ";", "\n", "]["):
            count = LONGEST // (len(piece) + len(joined) or 1)
            run = joined.join([piece] * count)
            yield run
            yield f"[{run[: LONGEST - 2]}]"
            yield f"{run[: LONGEST - 4]} idk"
    for opening, closing in ("[]", "()", "{}", "<>"):
        for depth in (2, 19, 20, 21, 95):
            yield opening * depth + "7" + closing * depth
            yield opening * depth
            yield f"{opening}{closing}" * depth
    for count in (2, 9, 40):
        yield ",".join(f"{low}-{low + 60}" for low in range(0, 100 * count, 100))
        yield f"0-{10**count}"
        yield "[" + ",".join(["[1,2]"] * count) + "]"
        yield "\n".join(["1 0 1"] * count)
        yield ", ".join(["masked"] * count)
        yield f"tensor([1], {'dtype=torch.int64, ' * count})"
    draw = Random(12)
    for _ in range(1500):
        text = ""
        while len(text) < draw.choice((10, 60, 195)):
            text += draw.choice(_LIST_PIECES) + draw.choice(("", "", " ", ","))
        yield text[:LONGEST]
