"""Tokens to a formula, by precedence climbing: every limit is checked before the work that it bounds.

``-T^2`` is -(T^2), powers group to the right, products and quotients to the left. Where people mean different things by one
spelling (``M/BT``, ``ln 2V``), nothing is guessed: ``Ambiguous`` carries the spellings that mean one thing each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from grader.equality.zero import is_zero, sign_of
from grader.expr import Expr, Mul, Num, Pow, add, divide, exp, ln, multiply, power, sqrt, subtract
from grader.reading.names import TIMES
from grader.reading.signals import Ambiguous, Unreadable
from grader.reading.tokens import MAX_SCIENTIFIC, Token

MAX_DEPTH = 20
MAX_EXPONENT = 12
MAX_BITS = 2048
MAX_DEGREE = 2**20

_PRODUCT = frozenset(("*", "·", TIMES, "/", "//"))
_DIVIDE = frozenset(("/", "//"))
_POWER = frozenset(("^", "**"))
_OPERATORS = _PRODUCT | _POWER | {"+", "-"}
_LOGARITHMS = frozenset(("ln", "log", "log2", "log10", "lg"))


@dataclass(frozen=True)
class Grammar:
    """What a kind reads beyond + - * / and whole powers."""

    functions: bool = True
    implicit: bool = True  # letters, numbers and brackets side by side are a product
    fractional_powers: bool = False
    what: str = "expression"
    sample: str = "2*(P + 1)"


EXPRESSION = Grammar()
AXIS = Grammar(functions=False, what="size", sample="P*Q")


class Terms:
    """One formula being read from tokens ``[start, end)``; the notes say how it was understood."""

    def __init__(
        self, text: str, tokens: list[Token], grammar: Grammar, start: int = 0, end: int | None = None
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.grammar = grammar
        self.place = start
        self.end = len(tokens) if end is None else end
        self.depth = 0
        self.inside: tuple[str, ...] = ()
        self.notes: dict[str, None] = {}

    def whole(self) -> Expr:
        """Read everything. Raises ``Unreadable`` or ``Ambiguous``."""
        value = self.sum()
        token = self.peek()
        if token is not None:
            raise self.unexpected(token)
        return value

    # -- looking at tokens

    def peek(self) -> Token | None:
        return self.tokens[self.place] if self.place < self.end else None

    def sign_here(self) -> str:
        token = self.peek()
        return token.text if token is not None and token.kind == "sign" else ""

    def last_end(self) -> int:
        return self.tokens[self.place - 1].end

    def unexpected(self, token: Token) -> Unreadable:
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
        sign = self.sign_here()
        if sign in ("+", "-"):
            self.place += 1
            value = self.product()
            if sign == "-":
                value = multiply(Num(-1), value)
        else:
            value = self.product()
        while True:
            sign = self.sign_here()
            if sign not in ("+", "-") or not sign:
                return value
            self.place += 1
            right = self.product()
            value = self.bounded(add(value, right) if sign == "+" else subtract(value, right))

    def product(self) -> Expr:
        start = self.place
        value = self.factor()
        operator = ""
        while True:
            token = self.peek()
            if token is None:
                return value
            if token.kind == "sign" and token.text in _PRODUCT:
                operator = token.text
                self.place += 1
                factor_start = self.place
                right = self.factor(after_times=operator not in _DIVIDE and isinstance(value, Num))
                value = self.quotient(value, right, token) if operator in _DIVIDE else multiply(value, right)
                if operator == "//":
                    self.notes["// is read as division."] = None
            elif self.starts_implicit(token):
                if operator in _DIVIDE:
                    raise self.divided_product(start, factor_start)
                operator = ""
                value = multiply(value, self.factor())
            else:
                return value
            value = self.bounded(value)

    def starts_implicit(self, token: Token) -> bool:
        """Say whether a token that follows a factor begins another one, side by side with it."""
        starts = token.kind in ("letter", "function") or token.text in ("(", "√")
        if not starts:
            return False
        if self.grammar.implicit or token.kind == "function" or token.text == "√":
            return True
        raise self.unexpected(token)

    def divided_product(self, start: int, factor_start: int) -> Ambiguous:
        """Return the two readings of a/b c: the product is in the numerator, or it is all below."""
        tokens = self.tokens
        split = tokens[self.place].at
        while (token := self.peek()) is not None and self.starts_implicit(token):
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
        if is_zero(right):
            raise Unreadable("That is a division by zero.", token.at)
        return divide(value, right)

    def factor(self, *, after_times: bool = False) -> Expr:
        token = self.peek()
        value = self.atom()
        if self.sign_here() not in _POWER or not self.sign_here():
            return value
        at = self.tokens[self.place].at
        self.place += 1
        limit = MAX_SCIENTIFIC if after_times and token is not None and token.text == "10" else MAX_EXPONENT
        return self.raised(value, self.exponent(), at, limit)

    def exponent(self) -> Expr:
        """Read what stands above: a signed number, letter or bracket, and towers of them to the right."""
        sign = self.sign_here()
        if sign in ("+", "-"):
            self.place += 1
        if self.sign_here() == "{":
            value = self.bracket("}")
        elif self.peek() is None or self.sign_here() in (")", ",", ";"):
            raise Unreadable("A power is missing after the ^ sign.", len(self.text))
        else:
            value = self.atom()
        if self.sign_here() in _POWER and self.sign_here():
            at = self.tokens[self.place].at
            self.place += 1
            self.deeper(at)
            value = self.raised(value, self.exponent(), at, MAX_EXPONENT)
            self.depth -= 1
        return multiply(Num(-1), value) if sign == "-" else value

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
        token = self.peek()
        if token is None:
            raise self.incomplete()
        if token.value is not None:
            self.place += 1
            return token.value
        if token.kind == "function" or token.text == "√":
            return self.call(token)
        if token.text == "(":
            return self.bracket(")")
        if token.text == "e":
            self.place += 1
            if self.sign_here() not in _POWER:
                raise Unreadable("e is read with a power only: write e^1 or exp(1).", token.at)
            return _EULER
        raise self.no_operand(token)

    def incomplete(self) -> Unreadable:
        before = self.tokens[self.place - 1].text if self.place else ""
        if before in _OPERATORS:
            return Unreadable(f"Something is missing after {before}.", len(self.text), self.text.rstrip("+-*/^·×( "))
        if before == "(":
            return Unreadable("A bracket is not closed.", len(self.text))
        return Unreadable(f"The {self.grammar.what} is not complete.", len(self.text))

    def no_operand(self, token: Token) -> Unreadable:
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
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable(f"The brackets are too deep: at most {MAX_DEPTH} inside each other are read.", at)

    def bracket(self, closing: str) -> Expr:
        opening = self.tokens[self.place]
        self.deeper(opening.at)
        self.place += 1
        value = self.sum()
        if self.sign_here() != closing:
            token = self.peek()
            if token is None:
                raise Unreadable("A bracket is not closed.", len(self.text), self.text + closing)
            raise self.unexpected(token)
        self.place += 1
        self.depth -= 1
        return value

    # -- functions

    def call(self, token: Token) -> Expr:
        name = "sqrt" if token.text == "√" else token.text
        if not self.grammar.functions:
            raise Unreadable(f"{token.text} is not read in a {self.grammar.what}.", token.at)
        family = "ln" if name in _LOGARITHMS else name
        if family in self.inside:
            raise Unreadable(f"{token.text} inside {token.text} is not read.", token.at)
        outer, self.inside = self.inside, (*self.inside, family)
        self.place += 1
        following = self.peek()
        if following is None:
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
        """Read the argument of a function without brackets: one number or letter, and nothing that could belong to it."""
        token = self.tokens[start]
        if token.value is None:
            raise Unreadable(f"Put what {function.text} is taken of in brackets: {function.text}(...).", token.at)
        self.place += 1
        following = self.peek()
        clings = following is not None and (
            following.text in _POWER or following.text in _DIVIDE or following.kind in ("letter", "function", "number")
        )
        if following is None or not (clings or following.text in ("(", "√")):
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
        for token in self.tokens[start : self.end]:
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

    def bounded(self, value: Expr) -> Expr:
        """Refuse numbers that outgrow the limit."""
        if isinstance(value, Num):
            size = value.value
            if size.numerator.bit_length() > MAX_BITS or size.denominator.bit_length() > MAX_BITS:
                raise Unreadable("The number is too large.", self.last_end())
        return value


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
