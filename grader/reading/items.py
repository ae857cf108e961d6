"""What stands in a list of numbers: whole numbers, fractions, decimals, the mask id, the ignore value, booleans."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from grader.exact import decimal_text
from grader.letters import LETTERS
from grader.reading.lists import Atom, Group, Node
from grader.reading.names import names
from grader.reading.numerals import NUMBER_WORDS
from grader.reading.outcomes import Context, Written
from grader.reading.signals import Ambiguous, Unreadable
from grader.reading.tokens import MAX_DIGITS, MAX_SCIENTIFIC

if TYPE_CHECKING:
    from collections.abc import Sequence

Number = int | Fraction

_BLANK = "Is there a blank inside a number, or a comma missing? Separate everything with commas."
_MOST = 60  # more numbers than a range in an answer of this length can list
_GROUPED = re.compile(r"\d{1,3}(?:_\d{3})+")
_TRUTH = {"true": True, "t": True, "false": False, "f": False}
_ALL = frozenset(("all", "every", "everything", "both", "any", "each"))
_EMPTY = frozenset(("none", "nothing", "empty", "no", "null"))


def shown(item: Number | str | tuple[int, ...]) -> str:
    """Return an item as it is echoed: decimals as typed, other numbers as whole numbers or fractions."""
    if isinstance(item, tuple):
        return f"({', '.join(map(str, item))})"
    return (decimal_text(item) or str(item)) if isinstance(item, Written) else str(item)


def single(group: Group, context: Context) -> Number:
    """Return the number that a group between two separators holds. Raises ``Unreadable`` and ``Ambiguous``."""
    first = group[0]
    if len(group) == 1:
        return _in_brackets(first, context) if isinstance(first, Node) else number(first, context)
    second = group[1]
    if len(group) == 2 and isinstance(first, Atom) and isinstance(second, Atom) and _is_mixed(first, second):
        return _mixed(first, second, context)
    strangers([group], context)
    raise Unreadable(_BLANK, second.at)


def strangers(groups: Sequence[Group], context: Context) -> None:
    """Raise ``Unreadable`` for a word or sign that is not read, wherever it stands between numbers or brackets."""
    for group in groups:
        for atom in group:
            if isinstance(atom, Atom) and atom.kind == "word":
                raise unread_word(atom, context)
            if isinstance(atom, Atom) and atom.kind in ("other", "range", "sign"):
                raise _unread_sign(atom)


def number(atom: Atom, context: Context) -> Number:
    """Return the number behind one sign or word. Raises ``Unreadable`` with what is wrong with it."""
    match atom.kind:
        case "number":
            return _signed(atom, _plain(atom))
        case "fraction":
            above, below = (piece.strip() for piece in atom.text.split("/"))
            for piece in (above, below):
                _check_digits(piece, atom)
            if not int(below):
                raise Unreadable("That is a division by zero.", atom.at)
            return _whole_or(_signed(atom, Fraction(int(above), int(below))))
        case "mask":
            if context.mask_id is None:
                raise Unreadable(f"{atom.text} has no id in this part: use numbers.", atom.at)
            return context.mask_id
        case "ignore":
            if context.ignore is None:
                raise Unreadable(f"There is no value for {atom.text} in this part: use numbers.", atom.at)
            return context.ignore
        case "word":
            raise unread_word(atom, context)
    raise _unread_sign(atom)


def integer(value: Number, at: int, what: str) -> int:
    """Return a whole number, also where it was typed as 7.0. Raises ``Unreadable`` for any other."""
    if value.denominator != 1:
        raise Unreadable(f"{what} are whole numbers.", at)
    return value.numerator


def truth(atom: Atom, context: Context) -> bool:
    """Return the boolean behind True, T or 1. Raises ``Unreadable`` for anything else."""
    if atom.kind == "word" and atom.text.lower() in _TRUTH:
        return _TRUTH[atom.text.lower()]
    if atom.kind == "number" and atom.text in ("0", "1") and not atom.signed:
        return atom.text == "1"
    if atom.kind == "word":
        letters = set(atom.text.lower())
        if letters <= {"t", "f"}:
            raise Unreadable(f"Separate the letters of {atom.text} with commas.", atom.at)
        raise unread_word(atom, context, wanted="True or False")
    if atom.kind == "number" and set(atom.text) == {"0", "1"}:
        raise Unreadable(f"Separate the digits of {atom.text} with commas.", atom.at)
    raise Unreadable("Every entry is True or False here.", atom.at)


def ranged(groups: Sequence[Group], text: str, context: Context) -> None:
    """Raise ``Ambiguous`` where two numbers are joined as in 2-4: both of them, or all from one to the other."""
    found = [(group, _ends(group)) for group in groups]
    if not any(ends for _, ends in found):
        return
    both: list[str] = []
    every: list[str] = []
    for group, ends in found:
        if ends is None:
            single(group, context)
            piece = text[group[0].at : group[-1].end]
            both.append(piece)
            every.append(piece)
            continue
        low, high = (number(end, context) for end in ends)
        if low.denominator != 1 or high.denominator != 1 or not 0 <= low < high:
            raise Unreadable("Separate the numbers with commas.", group[0].at)
        if high - low > _MOST:
            raise Unreadable("That would be very many numbers: list each one, with commas between them.", group[0].at)
        both += [str(low), str(high)]
        every += map(str, range(int(low), int(high) + 1))
    texts = tuple(dict.fromkeys((", ".join(both), ", ".join(every))))
    first = next(ends for _, ends in found if ends)
    low_text, high_text = (end.text for end in first)
    question = f"Did you mean {low_text} and {high_text}, or every number from {low_text} to {high_text}?"
    raise Ambiguous(question if len(texts) > 1 else f"Did you mean {' and '.join(both)}?", texts)


def _ends(group: Group) -> tuple[Atom, Atom] | None:
    """Return the numbers that a range joins, None where the group is no range."""
    if len(group) != 3:
        return None
    low, sign, high = group
    if not (isinstance(low, Atom) and isinstance(sign, Atom) and isinstance(high, Atom)):
        return None
    joins = sign.kind == "range" or sign.text == "-"
    return (low, high) if joins and low.kind == high.kind == "number" and not (low.signed or high.signed) else None


def unread_word(atom: Atom, context: Context, wanted: str = "numbers") -> Unreadable:  # noqa: PLR0911 - one hint each
    """Return what is wrong with a word among numbers."""
    word, lower = atom.text, atom.text.lower()
    if lower in ("or", "but", "not", "except"):
        return Unreadable("Give one answer only: one list.", atom.at)
    if lower in _ALL:
        return Unreadable(f"{word} is not read here: list every one, with commas between them.", atom.at)
    if lower in _EMPTY:
        return Unreadable("Every number is needed here; an empty list is written [].", atom.at)
    if lower in ("range", "arange", "torch.arange", "slice"):
        return Unreadable("Write the numbers out, with commas between them.", atom.at)
    if NUMBER_WORDS.fullmatch(word):
        return Unreadable("Use digits instead of words.", atom.at)
    if lower in _TRUTH and len(lower) > 1:
        return Unreadable(f"This part wants {wanted}, not True and False.", atom.at)
    if names(tuple(dict.fromkeys((*context.letters, *LETTERS)))).letter(word) is not None:
        return Unreadable(f"This part wants {wanted}; {word} has a value in the question: put the values in.", atom.at)
    return Unreadable(f"The word {word} is not read here: use {wanted} only.", atom.at)


# -- single numbers


def _in_brackets(node: Node, context: Context) -> Number:
    """Return the number in a pair of brackets of its own, as in (1/2)."""
    if len(node.elements) == 1:
        return single(node.elements, context)
    raise Unreadable("There are more brackets than a list of numbers has.", node.at)


def _is_mixed(first: Atom, second: Atom) -> bool:
    return (first.kind, second.kind, second.signed) == ("number", "fraction", "")


def _mixed(first: Atom, second: Atom, context: Context) -> Number:
    """Return the value of 1 1/2. Raises ``Unreadable`` where it can be none."""
    ones, share = _plain(first), number(second, context)
    if isinstance(ones, int) and share < 1:
        return -(ones + share) if first.signed == "-" else ones + share
    raise Unreadable(_BLANK, second.at)


def _plain(atom: Atom) -> Number:
    """Return the size of a number without its sign: an int, or a decimal that keeps its precision."""
    text = atom.text
    if text.isdigit():
        _check_digits(text, atom)
        return int(text)
    base, _, exponent = text.lower().partition("e")
    if "_" in base:
        if not _GROUPED.fullmatch(base.split(".")[0]):
            raise Unreadable("An underscore groups digits in threes: separate the numbers with commas.", atom.at)
        base = base.replace("_", "")
    ones, dot, places = base.partition(".")
    if len(ones) + len(places) > MAX_DIGITS:
        raise Unreadable(f"The number is too long: at most {MAX_DIGITS} digits are read.", atom.at)
    if ones:
        _check_digits(ones, atom)
    if len(exponent) > 4 or abs(int(exponent or 0)) > MAX_SCIENTIFIC:
        raise Unreadable(f"The number is too large or too small: e goes up to {MAX_SCIENTIFIC}.", atom.at)
    value = Fraction(f"{ones or '0'}.{places or '0'}e{exponent or '0'}")
    if value >= 10**MAX_DIGITS:
        raise Unreadable("The number is too large.", atom.at)
    if not dot and not exponent:
        return value.numerator
    digits = len((ones + places).lstrip("0"))
    return Written(value, max(len(places) - int(exponent or 0), 0), digits)


def _check_digits(digits: str, atom: Atom) -> None:
    if len(digits) > MAX_DIGITS:
        raise Unreadable(f"The number is too large: at most {MAX_DIGITS} digits are read.", atom.at)
    if digits[0] == "0" and len(digits) > 1:
        hint = f"{atom.text} starts with 0: separate the numbers with commas, or leave out zeros in front."
        raise Unreadable(hint, atom.at)


def _signed(atom: Atom, value: Number) -> Number:
    if atom.signed != "-":
        return value
    return Written(-value, value.places, value.digits) if isinstance(value, Written) else -value


def _whole_or(value: Number) -> Number:
    return value.numerator if value.denominator == 1 else value


_SIGN_HINTS = {
    ":": "Write the numbers out, with commas between them.",
    "=": "Give only the list, without an equals sign.",
    "%": "A percent sign is not read here.",
    "?": "Every number is needed here.",
    "~": "Give exact numbers, without a sign for about.",
    "≈": "Give exact numbers, without a sign for about.",
    "∅": "The sign ∅ stands for an empty set and nothing else.",
    "|": "Separate everything with commas.",
    ".": "A dot must stand between digits.",
}


def _unread_sign(atom: Atom) -> Unreadable:  # noqa: PLR0911 - one hint each
    """Return what is wrong with a sign where a number should stand."""
    if atom.kind == "range":
        return Unreadable("Every number is needed here: list each one, with commas between them.", atom.at)
    if atom.kind == "sign":
        hint = f"{atom.text} is read in front of a number only: work every number out, and separate them with commas."
        return Unreadable(hint, atom.at)
    if atom.kind == "link":
        return Unreadable(f"Something is missing beside {atom.text}.", atom.at)
    if atom.text in ("*", "/", "^", "×", "·", "!"):
        return Unreadable("Work every number out: products, powers and longer quotients are not read here.", atom.at)
    if re.match(r"0[xXbBoO]", atom.text):
        return Unreadable(f"{atom.text} looks like a hexadecimal or binary number: use decimal digits.", atom.at)
    if len(atom.text) > 1:
        return Unreadable(f"{atom.text} is no number: separate the numbers with commas.", atom.at)
    hint = _SIGN_HINTS.get(atom.text, f"{atom.text} is not read here: use numbers, with commas between them.")
    return Unreadable(hint, atom.at)
