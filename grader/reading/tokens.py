"""Text to tokens: numbers, letters, functions and signs, each with its place, for formulas and letter shapes."""

from __future__ import annotations

import re
from fractions import Fraction

from grader.expr import Letter, Num
from grader.reading.names import FUNCTIONS, TIMES, Names
from grader.reading.signals import Unreadable

MAX_DIGITS = 30
MAX_SCIENTIFIC = 30

_NUMBER = r"(?:\d+(?:_\d{3})*(?:\.\d+)?|\.\d+)"
# blank, number, x between sizes, word, sign, anything else
_REST = (
    r"|((?<=[0-9)\]])[xX](?=[0-9(]))"
    r"|([^\W\d]\w*)"
    r"|(\*\*|//|[-+*/^(),×·√;{}\[\]<>])"
    r"|(\S))"
)
_HEX = re.compile(r"(?<![\w.])(?:0[xX][0-9a-fA-F]|0[bB][01]|0[oO][0-7])")
_WITH_EXPONENT = re.compile(rf"( ?)(?:({_NUMBER}(?:[eE][+-]?\d+(?![\w.]))?)" + _REST)
_WITHOUT_EXPONENT = re.compile(rf"( ?)(?:({_NUMBER})" + _REST)

_CROSS = re.compile("([xX])")

ONLY = "numbers and + - * / ^ ( ) ln exp sqrt"


class Token:
    """A number, a letter, the name of a function, a sign, or the end; ``gap`` marks a blank in front of it."""

    __slots__ = ("at", "end", "gap", "kind", "text", "value")

    def __init__(
        self,
        kind: str,
        text: str,
        at: int,
        end: int,
        gap: bool,  # noqa: FBT001 - read as a record
        value: Num | Letter | None = None,
    ) -> None:
        self.kind = kind  # "number", "letter", "function", "sign", "end"
        self.text = text
        self.at = at
        self.end = end
        self.gap = gap
        self.value = value


def tokens(text: str, names: Names, *, euler: bool = False) -> list[Token]:
    """Split cleaned text; with ``euler`` the word e is a sign.

    Raises ``Unreadable`` at the first sign, word or number that cannot be read.
    """
    found_tokens: list[Token] = []
    if "0" in text and (found := _HEX.search(text)) and not (names.has_x and found[0][1] in "xX"):
        raise Unreadable(f"{found[0]}... looks like a hexadecimal or binary number: use decimal digits.")
    pattern = _WITHOUT_EXPONENT if names.has_e else _WITH_EXPONENT
    end = 0
    for blank, numeral, cross, word, sign, other in pattern.findall(text):
        at = end + 1 if blank else end
        if sign:
            end = at + len(sign)
            found_tokens.append(Token("sign", sign, at, end, bool(blank)))
        elif word:
            end = at + len(word)
            letter = names.exact.get(word)
            if letter is not None:
                found_tokens.append(Token("letter", word, at, end, bool(blank), letter))
            elif euler and word == "e":
                found_tokens.append(Token("sign", word, at, end, bool(blank)))
            else:
                _word(word, at, bool(blank), names, found_tokens)
        elif numeral:
            end = at + len(numeral)
            found_tokens.append(Token("number", numeral, at, end, bool(blank), number(numeral, at)))
        elif cross and not names.has_x:
            end = at + 1
            found_tokens.append(Token("sign", TIMES, at, end, bool(blank)))
        else:
            raise _unknown_sign(cross or other, at, names)
    return found_tokens


def number(piece: str, at: int) -> Num:
    """Return the value of a plain number. Raises ``Unreadable`` where it is too long or too large."""
    if piece.isdigit():
        if len(piece) > MAX_DIGITS:
            raise Unreadable(f"The number is too large: at most {MAX_DIGITS} digits are read.", at)
        return Num(int(piece))
    base, _, exponent = piece.replace("_", "").replace("E", "e").partition("e")
    if sum(map(str.isdigit, base)) > MAX_DIGITS:
        raise Unreadable(f"The number is too long: at most {MAX_DIGITS} digits are read.", at)
    if exponent and (len(exponent) > 4 or abs(int(exponent)) > MAX_SCIENTIFIC):
        raise Unreadable(f"The number is too large or too small: e goes up to {MAX_SCIENTIFIC}.", at)
    return Num(Fraction(f"{base}e{exponent}" if exponent else base))


def _word(word: str, at: int, gap: bool, names: Names, into: list[Token]) -> None:  # noqa: FBT001 - as in Token
    """Add the tokens of one word."""
    pieces = names.resolve(word)
    if not pieces:
        pieces_between = _CROSS.split(word)
        if len(pieces_between) > 1 and not names.has_x and _is_crossed(pieces_between, names, into):
            _crossed(pieces_between, at, gap, names, into)
            return
        raise _unknown_word(word, at, names)
    end = at
    for index, piece in enumerate(pieces):
        place = end
        end = place + (1 if isinstance(piece, Letter) else len(piece))
        first = gap and index == 0
        if isinstance(piece, Letter):
            into.append(Token("letter", piece.name, place, end, first, piece))
        elif piece == TIMES:
            into.append(Token("sign", TIMES, place, end, first))
        else:
            into.append(Token("function", piece, place, end, first))
    # Aliases and functions such as log_2 are longer than what they stand for.
    into[-1].end = at + len(word)


def _is_crossed(pieces: list[str], names: Names, before: list[Token]) -> bool:
    """Say whether x stands between letters and numbers, as in Bx1xD, or after or before something outside the word."""
    last = len(pieces) - 1
    for place, piece in enumerate(pieces[::2]):
        if not piece and place * 2 not in (0, last):
            return False
        if piece and not piece.isdigit() and not names.resolve(piece):
            return False
    ends = bool(before) and (before[-1].value is not None or before[-1].text == ")")
    return bool(pieces[0]) or ends


def _crossed(pieces: list[str], at: int, gap: bool, names: Names, into: list[Token]) -> None:  # noqa: FBT001 - as in Token
    """Add the tokens of letters and numbers with x between them."""
    for piece in pieces:
        if piece in ("x", "X"):
            into.append(Token("sign", TIMES, at, at + 1, gap))
        elif piece.isdigit():
            into.append(Token("number", piece, at, at + len(piece), gap, number(piece, at)))
        elif piece:
            _word(piece, at, gap, names, into)
        at += len(piece)
        gap = gap and not piece


def letters_of(names: Names) -> str:
    """Return the letters of the question as words for a hint."""
    return f"the letters of the question ({', '.join(names.letters)}), " if names.letters else ""


def _unknown_word(word: str, at: int, names: Names) -> Unreadable:
    if word.lower() in ("or", "and"):
        return Unreadable("Give one answer.", at)
    if word.lower() == "x":
        return Unreadable("x stands for times here and needs something on both sides.", at)
    letter, digits = word[:1], word[1:]
    advice = ""
    if digits.isdigit() and names.letter(letter):
        advice = f"; write {letter}^{digits} or {digits}{letter}"
    elif word.lower().removesuffix("(") in FUNCTIONS:
        advice = "; write it as a function with brackets"
    hint = f"{word} is not a letter of this question{advice}. Use only {letters_of(names)}{ONLY}."
    return Unreadable(hint, at)


def _unknown_sign(sign: str, at: int, names: Names) -> Unreadable:
    if sign == "=":
        return Unreadable("Give only the expression, without an equals sign.", at)
    if sign in "~≈":
        return Unreadable("Give an exact answer, without a sign for about.", at)
    if sign == ".":
        return Unreadable("A dot must stand between digits: write numbers such as 2.5.", at)
    if sign == "%":
        return Unreadable("A percent sign is not read here.", at)
    return Unreadable(f"The sign {sign} is not read here. Use only {letters_of(names)}{ONLY}.", at)
