r"""Reads TeX maths into a small tree and writes it as MathML and as plain text; Typst gets the tree itself as data.

latex2mathml does the reading. Its own text output is not used, for it does not escape what stands in `\text{}`; and
tex2typst is not used, for its result is Typst markup, which would have to be evaluated, and a quote within `\text{}`
breaks out of it. From the element tree only the kinds below are taken; everything else is refused.

    ["row", nodes] ["i", letter or word] ["n", number] ["o", sign] ["t", words] ["frac", over, under] ["sqrt", node]
    ["attach", base, below or None, above or None] ["space", em] ["grid", rows of cells] ["fence", sign]
"""

from __future__ import annotations

import functools
import html
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

Maths: TypeAlias = list[Any]

_ATTACH: Final = {
    "msub": (1, 0),
    "msup": (0, 1),
    "msubsup": (1, 2),
    "munder": (1, 0),
    "mover": (0, 1),
    "munderover": (1, 2),
}
_LIMITS: Final = frozenset("∑∏⋃⋂") | {"lim", "max", "min", "arg max", "arg min"}
_RELATIONS: Final = frozenset("=<>≤≥≠≈∈∉→⇒≡∼⊂⊆:")
_BINARY: Final = frozenset("+−×⋅·÷∗±")
_DEPTH: Final = 40


class MathsError(ValueError):
    """TeX that cannot be set; the message says which piece."""


@functools.lru_cache(maxsize=4096)
def read(tex: str) -> Maths:
    """Return the tree of a piece of TeX. Callers must not change it. Raises MathsError."""
    from latex2mathml.converter import convert_to_element  # noqa: PLC0415  only where maths is written

    if len(tex) > 2000:
        raise MathsError("this formula is too long")
    try:
        element = convert_to_element(tex)
    except Exception as error:  # noqa: BLE001  its reader raises whatever it happens upon
        raise MathsError(f"cannot read the maths {tex!r}: {error or type(error).__name__}") from None
    return _node(element, 0)


def _node(element: Element, depth: int) -> Maths:  # noqa: PLR0911  one return a kind
    if depth > _DEPTH:
        raise MathsError("this formula is nested too deeply")
    tag = element.tag
    if tag in {"math", "mrow", "mstyle"}:
        return _row([_node(child, depth + 1) for child in element])
    if tag in {"mi", "mn", "mo", "mtext"}:
        return _leaf(tag, element)
    if tag == "mspace":
        return ["space", _em(element.get("width", ""))]
    if tag == "mtable":
        return ["grid", [[_row([_node(item, depth + 1) for item in cell]) for cell in row] for row in element]]
    kids = [_node(child, depth + 1) for child in element]
    if tag == "mfrac" and len(kids) == 2:
        return ["frac", *kids]
    if tag == "msqrt":
        return ["sqrt", _row(kids)]
    if tag in _ATTACH and len(kids) == 1 + max(_ATTACH[tag]):
        below, above = _ATTACH[tag]
        return ["attach", kids[0], kids[below] if below else None, kids[above] if above else None]
    raise MathsError(f"<{tag}> is not used in questions")


def _leaf(tag: str, element: Element) -> Maths:
    text = html.unescape(element.text or "").replace("\u2009", " ").replace("\u2006", " ")
    if text.startswith("\\"):
        raise MathsError(f"unknown maths command {text}")
    if tag == "mo":
        if text.isalpha() and len(text) > 1:  # \operatorname{softmax}
            return ["i", text]
        return ["fence" if element.get("fence") == "true" else "o", text]
    return [{"mi": "i", "mn": "n", "mtext": "t"}[tag], text]


def _row(kids: list[Maths]) -> Maths:
    """Make a row flat: rows inside of it are taken apart, and single upright letters made into a word stay together."""
    flat: list[Maths] = []
    for kid in kids:
        if kid[0] == "row" and not any(inner[0] == "fence" for inner in kid[1]):
            flat.extend(kid[1])
        else:
            flat.append(kid)
    return flat[0] if len(flat) == 1 else ["row", flat]


def _em(width: str) -> float:
    try:
        return max(0.0, min(2.0, float(width.removesuffix("em"))))
    except ValueError:
        return 0.0


def _is_limit(base: Maths) -> bool:
    return base[0] in {"i", "o"} and base[1] in _LIMITS


def mathml(tree: Maths, *, display: bool = False) -> str:
    """Write a tree as MathML for a page."""
    kind = "block" if display else "inline"
    return f'<math display="{kind}">{_ml(tree, display=display)}</math>'


def _ml(tree: Maths, *, display: bool) -> str:  # noqa: PLR0911  one return a kind
    kind = tree[0]
    match kind:
        case "row":
            return f"<mrow>{''.join(_ml_row(tree[1], display=display))}</mrow>"
        case "i" | "n" | "t":
            tag = {"i": "mi", "n": "mn", "t": "mtext"}[kind]
            return f"<{tag}>{html.escape(tree[1])}</{tag}>"
        case "o":
            return f'<mo stretchy="false">{html.escape(tree[1])}</mo>'
        case "fence":
            return f"<mo>{html.escape(tree[1])}</mo>"
        case "frac":
            return f"<mfrac>{_ml(tree[1], display=False)}{_ml(tree[2], display=False)}</mfrac>"
        case "sqrt":
            return f"<msqrt>{_ml(tree[1], display=display)}</msqrt>"
        case "space":
            return f'<mspace width="{tree[1]:g}em"></mspace>'
        case "attach":
            return _ml_attach(tree, display=display)
        case _:  # grid
            rows = ("".join(f"<mtd>{_ml(cell, display=False)}</mtd>" for cell in row) for row in tree[1])
            return f"<mtable>{''.join(f'<mtr>{row}</mtr>' for row in rows)}</mtable>"


def _ml_row(kids: list[Maths], *, display: bool) -> list[str]:
    out = []
    for kid, after in zip(kids, [*kids[1:], None], strict=True):
        out.append(_ml(kid, display=display))
        if _is_word(kid) and after is not None and after[0] not in {"o", "fence", "space"}:
            out.append('<mspace width="0.17em"></mspace>')
    return out


def _is_word(node: Maths) -> bool:
    """Tell whether a node is a function's name such as ln, alone or with something attached."""
    base = node[1] if node[0] == "attach" else node
    return bool(base[0] == "i" and len(base[1]) > 1)


def _ml_attach(tree: Maths, *, display: bool) -> str:
    _, base, below, above = tree
    names = ("munder", "mover", "munderover") if display and _is_limit(base) else ("msub", "msup", "msubsup")
    tag = names[2] if below and above else names[0] if below else names[1]
    kids = "".join(_ml(kid, display=False) for kid in (base, below, above) if kid)
    return f"<{tag}>{kids}</{tag}>"


def words(tree: Maths) -> str:  # noqa: PLR0911  one return a kind
    """Write a tree as plain text, as a person would type it: `(B, T, D)`, `L = (a + b)/2`, `k_0 + k_1`."""
    match tree[0]:
        case "row":
            return _words_row(tree[1])
        case "o" | "fence":
            return "-" if tree[1] == "−" else str(tree[1])
        case "frac":
            return f"{_words_closed(tree[1])}/{_words_closed(tree[2])}"
        case "sqrt":
            return f"sqrt({words(tree[1])})"
        case "space":
            return " "
        case "attach":
            below = f"_{_words_closed(tree[2])}" if tree[2] else ""
            above = f"^{_words_closed(tree[3])}" if tree[3] else ""
            return f"{words(tree[1])}{below}{above}"
        case "grid":
            return "; ".join(", ".join(words(cell) for cell in row) for row in tree[1])
        case _:
            return str(tree[1])


def _words_closed(tree: Maths) -> str:
    text = words(tree)
    return f"({text})" if tree[0] in {"row", "frac"} and not _is_bracketed(tree) else text


def _is_bracketed(tree: Maths) -> bool:
    kids = tree[1] if tree[0] == "row" else []
    signs = [kid[1] for kid in kids if kid[0] in {"o", "fence"} and kid[1] in {"(", ")", "|"}]
    return bool(kids) and len(signs) == 2 and kids[0][1] == signs[0] and kids[-1][1] == signs[1]


def _words_row(kids: list[Maths]) -> str:
    out = ""
    before: Maths | None = None
    bars = 0
    for kid in kids:
        text = words(kid)
        sign = kid[1] if kid[0] == "o" else ""
        if sign in _RELATIONS or (sign in _BINARY and _ends_value(before, bars)):
            out = f"{out.rstrip()} {text} "
        elif sign in {",", ";"}:
            out = f"{out.rstrip()}{text} "
        elif before is not None and (_ends_value(before, bars) or _is_word(before)) and _begins_value(kid):
            out = f"{out.rstrip()} {text}"
        else:
            out += text
        bars += sign == "|"
        before = kid
    return " ".join(out.split())


def _ends_value(node: Maths | None, bars: int) -> bool:
    """Tell whether a value ends here; of two bars the second closes (`bars` counts them)."""
    if node is None or node[0] == "space":
        return False
    if node[0] in {"o", "fence"}:
        return node[1] in {")", "]", "}", "…"} or (node[1] == "|" and bars % 2 == 0)
    return not _is_word(node)


def _begins_value(node: Maths) -> bool:
    return node[0] in {"i", "n", "t", "frac", "sqrt", "attach"}


def flat(tree: Maths) -> list[Any] | None:
    """Return maths that is only letters, numbers and signs in a row as pieces of text; None when it has more in it.

    A piece is text, ["i", letter] (slanted), ["sub", pieces] or ["super", pieces]. Signs have their blanks, which break
    a line only in long formulas.
    """
    pieces = _flat(tree)
    if pieces is not None and sum(len(piece) for piece in pieces if isinstance(piece, str)) <= _SHORT:
        return [piece.replace(" ", "\N{NO-BREAK SPACE}") if isinstance(piece, str) else piece for piece in pieces]
    return pieces


_SHORT: Final = 24


def _flat(tree: Maths) -> list[Any] | None:
    if tree[0] != "row":
        return _flat_one(tree)
    pieces: list[Any] = []
    before: Maths | None = None
    bars = 0
    for kid in tree[1]:
        inner = _flat_one(kid)
        if inner is None:
            return None
        sign = kid[1] if kid[0] == "o" else ""
        if sign in _RELATIONS or (sign in _BINARY and _ends_value(before, bars)):
            inner = [f" {sign} "]
        elif sign in {",", ";"}:
            inner = [f"{sign} "]
        elif before is not None and _begins_value(kid) and (_is_word(before) or kid[0] == "t" or before[0] == "t"):
            inner = ["\N{THIN SPACE}", *inner]
        pieces += inner
        bars += sign == "|"
        before = kid
    return _joined(pieces)


def _flat_one(node: Maths) -> list[Any] | None:
    match node[0]:
        case "i":
            return [node[1] if len(node[1]) > 1 else ["i", node[1]]]
        case "o":
            return None if node[1] in _LIMITS else [node[1]]
        case "n" | "t":
            return [node[1]]
        case "space":
            return [" "] if node[1] else []
        case "attach" if not (node[2] and node[3]):
            base, low = _flat_one(node[1]), _flat(node[2] or node[3])
            kind = "sub" if node[2] else "super"
            return None if base is None or low is None else [*base, [kind, low]]
        case _:
            return None


def _joined(pieces: list[Any]) -> list[Any]:
    out: list[Any] = []
    for piece in pieces:
        if isinstance(piece, str) and out and isinstance(out[-1], str):
            out[-1] += piece
        else:
            out.append(piece)
    return out
