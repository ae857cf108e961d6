"""Tokens to a formula, by precedence climbing: every limit is checked before the work that it bounds.

``-T^2`` is -(T^2), powers group to the right, products and quotients to the left. Where people mean different things
by one spelling (``M/BT``, ``ln 2V``), nothing is guessed: ``Ambiguous`` carries the spellings that mean one thing
each.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from grader.equality.zero import is_zero, sign_of
from grader.expr import Expr, Mul, Num, Pow, add, divide, exp, ln, multiply, power, sqrt, subtract
from grader.reading.grammar import MAX_BITS, MAX_DEGREE, MAX_DEPTH, MAX_EXPONENT, Grammar
from grader.reading.names import TIMES
from grader.reading.signals import Ambiguous, Unreadable
from grader.reading.tokens import MAX_SCIENTIFIC, Token

if TYPE_CHECKING:
    from collections.abc import Callable

_PRODUCT = frozenset(("*", "·", TIMES, "/", "//"))
_DIVIDE = frozenset(("/", "//"))
_POWER = frozenset(("^", "**"))
_SIGNS = frozenset(("+", "-"))
_OPERANDS = frozenset(("letter", "function"))
_OPENING = frozenset(("(", "√"))
_MINUS_ONE = Num(-1)
_OPERATORS = _PRODUCT | _POWER | {"+", "-"}
_LOGARITHMS = frozenset(("ln", "log", "log2", "log10", "lg"))


class Terms:
    """One formula being read from its tokens; the notes say how it was understood."""

    def __init__(self, text: str, tokens: list[Token], grammar: Grammar) -> None:
        self.text = text
        # An end that is no sign and no value: looking at it needs no question whether it is there.
        self.tokens = [*tokens, Token("end", "", len(text), len(text), gap=False)]
        self.grammar = grammar
        self.place = 0
        self.depth = 0
        self.inside: tuple[str, ...] = ()
        self.notes: dict[str, None] = {}

    def whole(self) -> Expr:
        """Read everything. Raises ``Unreadable`` or ``Ambiguous``."""
        value = self.sum()
        token = self.tokens[self.place]
        if token.kind != "end":
            raise self.unexpected(token)
        return value

    def last_end(self) -> int:
        """Return where the last token that was read ends."""
        return self.tokens[self.place - 1].end

    def unexpected(self, token: Token) -> Unreadable:
        """Return what is wrong with a token that cannot stand here."""
        text = token.text
        if text in ")]}>":
            repair = self.text[: token.at] + self.text[token.end :]
            return Unreadable("A bracket is closed that was not opened.", token.at, repair)
        if text in (",", ";"):
            return Unreadable(f"Give one {self.grammar.what}; a comma or semicolon is not read in it.", token.at)
        if token.kind == "number":
            return Unreadable(f"An operator is missing before {text}: write * or ^.", token.at)
        if not self.grammar.implicit:
            return Unreadable(f"An operator is missing before {text}.", token.at)
        return Unreadable(f"{text} is not expected there. Write for example {self.grammar.sample}.", token.at)

    # -- the grammar

    def sum(self) -> Expr:
        """Read terms between + and -."""
        tokens = self.tokens
        sign = tokens[self.place].text
        if sign in _SIGNS:
            self.place += 1
            value = self.product()
            if sign == "-":
                value = multiply(_MINUS_ONE, value)
        else:
            value = self.product()
        while (sign := tokens[self.place].text) in _SIGNS:
            self.place += 1
            right = self.product()
            value = add(value, right) if sign == "+" else subtract(value, right)
            if isinstance(value, Num):
                self.bounded(value)
        return value

    def product(self) -> Expr:
        """Read factors between signs of products and quotients, and side by side."""
        tokens = self.tokens
        start = factor_start = self.place
        value = self.factor()
        operator = ""
        while True:
            token = tokens[self.place]
            if token.text in _PRODUCT:
                operator = token.text
                self.place += 1
                factor_start = self.place
                if operator in _DIVIDE:
                    value = self.quotient(value, self.factor(), token)
                else:
                    value = multiply(value, self.factor(after_times=isinstance(value, Num)))
            elif self.starts_implicit(token):
                if operator in _DIVIDE:
                    raise self.divided_product(start, factor_start)
                operator = ""
                value = multiply(value, self.factor())
            else:
                return value
            if isinstance(value, Num):
                self.bounded(value)

    def starts_implicit(self, token: Token) -> bool:
        """Say whether a token that follows a factor begins another one, side by side with it."""
        if token.kind not in _OPERANDS and token.text not in _OPENING:
            return False
        if self.grammar.implicit or token.kind == "function" or token.text == "√":
            return True
        raise self.unexpected(token)

    def divided_product(self, start: int, factor_start: int) -> Ambiguous:
        """Return the two readings of a/b c: the product is in the numerator, or it is all below."""
        tokens = self.tokens
        split = tokens[self.place].at
        while self.starts_implicit(tokens[self.place]):
            self.factor()
        end = self.last_end()
        text = self.text
        above, below = tokens[start].at, tokens[factor_start].at
        return Ambiguous(
            "Is everything after the division sign below it? Brackets say so.",
            (
                f"{text[:above]}({text[above:split].rstrip()})*{text[split:]}",
                f"{text[:below]}({text[below:end]}){text[end:]}",
            ),
        )

    def quotient(self, value: Expr, right: Expr, token: Token) -> Expr:
        """Return value / right. Raises ``Unreadable`` where that is 0 everywhere."""
        if is_zero(right):
            raise Unreadable("That is a division by zero.", token.at)
        if token.text == "//":
            self.notes["// is read as division."] = None
        return divide(value, right)

    def factor(self, *, after_times: bool = False) -> Expr:
        """Read an operand and the power above it; 10 to a power after a number is scientific notation."""
        token = self.tokens[self.place]
        value = self.atom()
        sign = self.tokens[self.place]
        if sign.text not in _POWER:
            return value
        at = sign.at
        self.place += 1
        limit = MAX_SCIENTIFIC if after_times and token.text == "10" else MAX_EXPONENT
        return self.raised(value, self.exponent(), at, limit)

    def exponent(self) -> Expr:
        """Read what stands above: a signed number, letter or bracket, and towers of them to the right."""
        sign = self.tokens[self.place].text
        if sign in _SIGNS:
            self.place += 1
        token = self.tokens[self.place]
        if token.text == "{":
            value = self.bracket("}")
        elif token.kind == "end" or token.text in (")", ",", ";"):
            raise Unreadable("A power is missing after the ^ sign.", len(self.text))
        else:
            value = self.atom()
        if self.tokens[self.place].text in _POWER:
            at = self.tokens[self.place].at
            self.place += 1
            self.deeper(at)
            value = self.raised(value, self.exponent(), at, MAX_EXPONENT)
            self.depth -= 1
        return multiply(_MINUS_ONE, value) if sign == "-" else value

    def raised(self, base: Expr, exponent: Expr, at: int, limit: int) -> Expr:
        """Return base ** exponent within the limits of content.md 4.4."""
        number = exponent.number()
        if number is None and base is _EULER:
            return exp(exponent)
        if number is None:
            raise Unreadable("Powers are whole numbers here, and letters are not.", at)
        if abs(number) > limit:
            raise Unreadable(f"The power is too large, and so is the number: powers go up to {limit}.", at)
        if base is _EULER:
            return exp(exponent)
        if number <= 0 and is_zero(base):
            raise Unreadable("0 to the power 0 has no value." if not number else "That is a division by zero.", at)
        if number.denominator != 1:
            return self.root(base, number, at)
        if isinstance(base, Num):
            bits = max(base.value.numerator.bit_length(), base.value.denominator.bit_length())
            if bits * abs(number.numerator) > MAX_BITS:
                raise Unreadable("The number is too large.", at)
        elif _degree(base) * abs(number.numerator) > MAX_DEGREE:
            raise Unreadable("The power is too large.", at)
        return power(base, number)

    def root(self, base: Expr, number: Fraction, at: int) -> Expr:
        """Return a power that is not whole, where the kind reads it."""
        if not self.grammar.fractional_powers:
            raise Unreadable("Powers are whole numbers here; write sqrt(...) for a root.", at)
        if sign_of(base) != 1:
            raise Unreadable("Only a positive number has a power that is not whole.", at)
        if number == Fraction(1, 2):
            return sqrt(base)
        return exp(multiply(Num(number), ln(base)))

    def atom(self) -> Expr:
        """Read a number, a letter, a function or a bracket."""
        token = self.tokens[self.place]
        if token.value is not None:
            self.place += 1
            return token.value
        if token.kind == "function" or token.text == "√":
            return self.call(token)
        if token.text == "(":
            return self.bracket(")")
        if token.kind == "end":
            raise self.incomplete()
        if token.text == "e":
            self.place += 1
            if self.tokens[self.place].text not in _POWER:
                raise Unreadable("e is read with a power only: write e^1 or exp(1).", token.at)
            return _EULER
        raise self.no_operand(token)

    def incomplete(self) -> Unreadable:
        """Return what is missing at the end."""
        before = self.tokens[self.place - 1].text if self.place else ""
        if before in _OPERATORS:
            return Unreadable(f"Something is missing after {before}.", len(self.text), self.text.rstrip("+-*/^·×( "))
        if before == "(":
            return Unreadable("A bracket is not closed.", len(self.text))
        return Unreadable(f"The {self.grammar.what} is not complete.", len(self.text))

    def no_operand(self, token: Token) -> Unreadable:  # noqa: PLR0911 - one hint each
        """Return what is wrong with a sign where a number or letter should stand."""
        before = self.tokens[self.place - 1] if self.place else None
        if token.text in ("+", "-") or token.text in _OPERATORS:
            if before is not None and before.text in _OPERATORS:
                return Unreadable(
                    f"Two operators or signs in a row: {before.text} {token.text}. Use brackets.", token.at
                )
            return Unreadable(f"Something is missing before {token.text}.", token.at)
        if token.text == ")" and before is not None and before.text == "(":
            return Unreadable("There is nothing in the brackets.", token.at)
        if token.text in ")]}>":
            if before is not None and before.text in _OPERATORS:
                return Unreadable(f"Something is missing after {before.text}.", token.at)
            return self.unexpected(token)
        if token.text in "[{<":
            return Unreadable(f"Use round brackets in an {self.grammar.what}.", token.at)
        return self.unexpected(token)

    def deeper(self, at: int) -> None:
        """Count one level more. Raises ``Unreadable`` beyond the limit."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable(f"The brackets are too deep: at most {MAX_DEPTH} inside each other are read.", at)

    def bracket(self, closing: str) -> Expr:
        """Read what stands in brackets."""
        opening = self.tokens[self.place]
        self.deeper(opening.at)
        self.place += 1
        value = self.sum()
        token = self.tokens[self.place]
        if token.text != closing:
            if token.kind == "end":
                raise Unreadable("A bracket is not closed.", len(self.text), self.text + closing)
            raise self.unexpected(token)
        self.place += 1
        self.depth -= 1
        return value

    # -- functions

    def call(self, token: Token) -> Expr:
        """Read a function and its argument."""
        name = "sqrt" if token.text == "√" else token.text
        if not self.grammar.functions:
            raise Unreadable(f"{token.text} is not read in a {self.grammar.what}.", token.at)
        family = "ln" if name in _LOGARITHMS else name
        if family in self.inside:
            raise Unreadable(f"{token.text} inside {token.text} is not read.", token.at)
        outer, self.inside = self.inside, (*self.inside, family)
        self.place += 1
        following = self.tokens[self.place]
        if following.kind == "end":
            raise Unreadable(f"{token.text} needs something in brackets after it.", len(self.text))
        start = self.place
        value = self.bracket(")") if following.text == "(" else self.bare_argument(token, start)
        self.inside = outer
        if name == "lg":
            inner = self.text[self.tokens[start].at : self.last_end()]
            before, after = self.text[: token.at], self.text[self.last_end() :]
            inner = inner if inner.startswith("(") else f"({inner})"
            raise Ambiguous(
                "lg is the logarithm to base 10 in some countries and to base 2 in others.",
                (f"{before}log10{inner}{after}", f"{before}log2{inner}{after}"),
            )
        return self.applied(name, value, token)

    def bare_argument(self, function: Token, start: int) -> Expr:
        """Read the argument of a function without brackets: one number or letter that nothing else clings to."""
        token = self.tokens[start]
        if token.value is None:
            raise Unreadable(f"Put what {function.text} is taken of in brackets: {function.text}(...).", token.at)
        self.place += 1
        following = self.tokens[self.place]
        clings = following.text in _POWER or following.text in _DIVIDE or following.text in _OPENING
        if not clings and following.kind not in ("letter", "function", "number"):
            return token.value
        end = self.chain_end(start)
        text, name = self.text, text_of(function)
        join = "" if following.kind == "sign" and following.text != "(" else "*"
        raise Ambiguous(
            f"How much does {function.text} take in? Brackets say so.",
            (
                f"{text[: function.at]}{name}({text[token.at : token.end]}){join}{text[following.at :]}",
                f"{text[: function.at]}{name}({text[token.at : end]}){text[end:]}",
            ),
        )

    def chain_end(self, start: int) -> int:
        """Return where the factors, quotients and powers that begin at a token end."""
        depth = 0
        end = self.tokens[start].end
        for token in self.tokens[start:-1]:
            if token.text == "(":
                depth += 1
            elif token.text == ")":
                if not depth:
                    break
                depth -= 1
            elif not depth and token.text in ("+", "-", ",", ";", "*", "·", TIMES):
                break
            end = token.end
        return end

    def applied(self, name: str, value: Expr, token: Token) -> Expr:
        """Return the function of a value inside its domain."""
        if name == "exp":
            return exp(value)
        sign = sign_of(value)
        if name == "sqrt":
            if sign == -1:
                raise Unreadable("A root is taken of something negative.", token.at)
            return sqrt(value)
        if sign == -1 or is_zero(value):
            raise Unreadable("A logarithm is taken of something that is not positive.", token.at)
        if name == "log":
            self.notes["log is read as the natural logarithm, ln."] = None
        bases: dict[str, Callable[[Expr], Expr]] = {
            "log2": lambda inner: divide(ln(inner), ln(2)),
            "log10": lambda inner: divide(ln(inner), ln(10)),
        }
        return bases.get(name, ln)(value)

    def bounded(self, value: Num) -> None:
        """Refuse numbers that outgrow the limit."""
        size = value.value
        if size.numerator.bit_length() > MAX_BITS or size.denominator.bit_length() > MAX_BITS:
            raise Unreadable("The number is too large.", self.last_end())


# What e stands for until its power is read.
_EULER = Mul(Num(1), exp(Num(1)))


def text_of(function: Token) -> str:
    """Return the name of a function as it may be typed."""
    return "sqrt" if function.text == "√" else function.text


def _degree(value: Expr) -> int:
    """Return a bound for the degree in any letter."""
    if isinstance(value, Pow):
        return _degree(value.base) * abs(value.exponent)
    if not value.parts:
        return 1
    degrees = [_degree(part) for part in value.parts]
    return sum(degrees) if isinstance(value, Mul) else max(degrees)
