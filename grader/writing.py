"""Formulas as text and TeX in one canonical order, so that ``T*B`` is shown, stored and compared as ``B*T``.

Writing takes no longer than the formula is: what a formula keeps of its text is used again inside larger ones, and a
number that would be too long to print stays the power that it was typed as.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from grader.exact import bits
from grader.expr import Add, Div, Expr, Function, Letter, Mul, Num, Pow, Sub

_MAX_BITS = 4096  # of one number in a text: some 1,200 digits


@dataclass
class _Product:
    """coefficient * tops / bottoms, powers of one base collected; sums and functions are bases of their own."""

    coefficient: Fraction = Fraction(1)
    tops: dict[str, tuple[Expr, int]] = field(default_factory=dict)
    bottoms: dict[str, tuple[Expr, int]] = field(default_factory=dict)

    def scale(self, number: int, power: int) -> None:
        """Multiply by number ** power, which stays a power where it is too long to be written out."""
        if number < 0:
            self.coefficient *= (-1) ** (power % 2)
            number = -number
        if number != 1 and bits(self.coefficient) + number.bit_length() * abs(power) > _MAX_BITS:
            self.put(str(number), Num(number), power)
        else:
            self.coefficient *= Fraction(number) ** power

    def put(self, name: str, base: Expr, power: int) -> None:
        """Multiply by a power of a base; ``name`` is its text."""
        side = self.tops if power > 0 else self.bottoms
        side[name] = (base, (side[name][1] if name in side else 0) + abs(power))

    def degree(self) -> int:
        above = sum(_degree(base) * power for base, power in self.tops.values())
        return above - sum(_degree(base) * power for base, power in self.bottoms.values())


def text(expr: Expr) -> str:
    """Return the canonical text."""
    return _TEXT.write(expr)


def tex(expr: Expr) -> str:
    """Return TeX for the formula."""
    return _Tex().write(expr)


class _Text:
    """Writes ``3*B*T**2/(D*H) - ln(V)``."""

    times = "*"

    def write(self, expr: Expr) -> str:
        terms = _terms(expr)
        if not terms:
            return self.number(Fraction(0))
        if len(terms) == 1:
            return self.product(terms[0])
        written = [(term, self.product(term)) for term in terms]
        written.sort(key=lambda pair: (-pair[0].degree(), not pair[0].tops, pair[1].lstrip("-")))
        # A sum never opens with a minus sign where it can open without.
        first = next((index for index, (term, _) in enumerate(written) if term.coefficient > 0), 0)
        written.insert(0, written.pop(first))
        text = written[0][1]
        for _, piece in written[1:]:
            text += f" - {piece[1:]}" if piece.startswith("-") else f" + {piece}"
        return text

    def product(self, product: _Product) -> str:
        above = self.factors(product.tops)
        below = self.factors(product.bottoms)
        size = abs(product.coefficient)
        if size.numerator != 1 or not above:
            above.insert(0, self.number(Fraction(size.numerator)))
        if size.denominator != 1:
            below.append(self.number(Fraction(size.denominator)))
            below.sort(key=lambda piece: not piece.isdigit())
        alone = len(above) == 1 and not below
        body = self.quotient(above, below)
        if product.coefficient < 0:
            # -(B + T) needs its bracket although B + T alone does not.
            return "-" + (self.bracket(body) if alone and _is_open_sum(product) else body)
        return self.strip(body) if alone and _is_open_sum(product) else body

    def strip(self, body: str) -> str:
        return body[1:-1] if body.startswith("(") and body.endswith(")") else body

    def bracket(self, body: str) -> str:
        return body if body.startswith("(") else f"({body})"

    def factors(self, bases: dict[str, tuple[Expr, int]]) -> list[str]:
        ordered = sorted(bases.values(), key=lambda pair: (_rank(pair[0]), self.base(pair[0])))
        return [self.power(self.base(base), power) for base, power in ordered]

    def base(self, base: Expr) -> str:
        match base:
            case Letter(name=name):
                return self.letter(name)
            case Num(value=value):  # too long a power of it, kept as one
                return self.number(value)
            case Function():
                return self.function(base)
        return self.bracket(self.inner(base))

    def inner(self, expr: Expr) -> str:
        return expr.text

    def letter(self, name: str) -> str:
        return name

    def function(self, function: Function) -> str:
        return f"{function.sign}({self.inner(function.argument)})"

    def power(self, base: str, power: int) -> str:
        return base if power == 1 else f"{base}**{power}"

    def number(self, value: Fraction) -> str:
        return str(value)

    def quotient(self, above: list[str], below: list[str]) -> str:
        top = self.times.join(above)
        if not below:
            return top
        return f"{top}/{below[0]}" if len(below) == 1 else f"{top}/({self.times.join(below)})"


class _Tex(_Text):
    r"""Writes ``\frac{3 \cdot B}{D \cdot H} - \ln(V)``."""

    times = r" \cdot "

    def strip(self, body: str) -> str:
        return body.removeprefix(r"\left(").removesuffix(r"\right)")

    def bracket(self, body: str) -> str:
        return body if body.startswith(r"\left(") else rf"\left({body}\right)"

    def inner(self, expr: Expr) -> str:
        return expr.tex

    def letter(self, name: str) -> str:
        escaped = name.replace("_", r"\_")
        return name if len(name) == 1 else rf"\mathrm{{{escaped}}}"

    def function(self, function: Function) -> str:
        inner = self.inner(function.argument)
        return rf"\sqrt{{{inner}}}" if function.sign == "sqrt" else rf"\{function.sign}\left({inner}\right)"

    def power(self, base: str, power: int) -> str:
        return base if power == 1 else f"{base}^{{{power}}}"

    def quotient(self, above: list[str], below: list[str]) -> str:
        top = self.times.join(above)
        return rf"\frac{{{self._open(above)}}}{{{self._open(below)}}}" if below else top

    def _open(self, pieces: list[str]) -> str:
        only = pieces[0]
        if len(pieces) == 1 and only.startswith(r"\left(") and only.endswith(r"\right)"):
            return self.strip(only)
        return self.times.join(pieces)


_TEXT = _Text()


def _terms(expr: Expr) -> list[_Product]:
    """Split a sum into its terms; plain numbers fold into one."""
    products: list[_Product] = []
    constant = Fraction(0)
    pending: list[tuple[Expr, int]] = [(expr, 1)]
    while pending:
        piece, sign = pending.pop()
        if isinstance(piece, Add | Sub):
            pending.append((piece.right, sign if isinstance(piece, Add) else -sign))
            pending.append((piece.left, sign))
            continue
        product = _Product(Fraction(sign))
        _collect(piece, 1, product)
        if not product.coefficient:
            continue
        only = product.tops if not product.bottoms and abs(product.coefficient) == 1 else {}
        base, power = next(iter(only.values())) if len(only) == 1 else (None, 0)
        if power == 1 and isinstance(base, Add | Sub):  # (B + T) as a term of a sum: its bracket says nothing
            pending.append((base, int(product.coefficient)))
        elif product.tops or product.bottoms or bits(constant) + bits(product.coefficient) > _MAX_BITS:
            products.append(product)
        else:
            constant += product.coefficient
    if constant:
        products.append(_Product(constant))
    return products


def _collect(expr: Expr, power: int, into: _Product) -> None:
    """Multiply ``into`` by expr ** power."""
    match expr:
        case Num(value=value):
            into.scale(value.numerator, power)
            into.scale(value.denominator, -power)
        case Mul(left=left, right=right):
            _collect(left, power, into)
            _collect(right, power, into)
        case Div(left=left, right=right):
            _collect(left, power, into)
            _collect(right, -power, into)
        case Pow(base=base, exponent=exponent):
            _collect(base, power * exponent, into)
        case _ if power:
            into.put(_TEXT.base(expr), expr, power)


def _degree(expr: Expr) -> int:
    """Return the degree, kept on the formula: every term that holds it asks."""
    kept: dict[str, int] = expr.__dict__
    if "degree" not in kept:
        kept["degree"] = _worked_out(expr)
    return kept["degree"]


def _worked_out(expr: Expr) -> int:
    match expr:
        case Letter():
            return 1
        case Function() | Num():
            return 0
        case Pow(base=base, exponent=exponent):
            return _degree(base) * exponent
        case Mul(left=left, right=right):
            return _degree(left) + _degree(right)
        case Div(left=left, right=right):
            return _degree(left) - _degree(right)
    return max(_degree(part) for part in expr.parts)


def _rank(base: Expr) -> int:
    order = (Num, Letter, Add | Sub)
    return next((rank for rank, kind in enumerate(order) if isinstance(base, kind)), len(order))


def _is_open_sum(product: _Product) -> bool:
    bases = list(product.tops.values())
    return len(bases) == 1 and not product.bottoms and bases[0][1] == 1 and isinstance(bases[0][0], Add | Sub)
