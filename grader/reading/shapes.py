"""Shapes in numbers: sizes in brackets or bare, between commas, semicolons, x, by, or blanks, one kind an answer."""

from __future__ import annotations

import re
from fractions import Fraction

from grader.letters import LETTERS
from grader.reading import samples
from grader.reading.clean import clean
from grader.reading.names import names
from grader.reading.numerals import NUMBER_WORDS
from grader.reading.outcomes import Ask, Choice, Context, Ok, Reject
from grader.reading.signals import Ambiguous, Unreadable
from grader.reading.tokens import MAX_DIGITS, MAX_SCIENTIFIC

MAX_AXES = 8

_SCALAR = re.compile(
    r"(?:a )?(?:scalar|(?:0|zero)[- ]?(?:d|dim|dims|dimensions?|dimensional|axes)|no (?:axes|axis|dimensions?|dims))"
    r"(?: (?:tensor|shape|scalar))?",
    re.IGNORECASE,
)
_LEADING = re.compile(r"(?:(?:a|an|the|tensor|torch|of|with|shape|size|is|its) )+(?=[(\[{<])", re.IGNORECASE)
_SIZE_CALL = re.compile(r"(?:torch ?\. ?)?size ?(?=\()", re.IGNORECASE)
_SHAPE_CALL = re.compile(r"shape(?=[(\[])", re.IGNORECASE)
_TENSOR_CALL = re.compile(r"(?:torch\.)?tensor ?\(", re.IGNORECASE)
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_TIMES = re.compile(r" ?(?:×|(?<![^\W\d_])[xX](?![^\W\d_])| by (?=\S)) ?")
_HEX = re.compile(r"(?<![\w.])0[xXbBoO][0-9a-fA-F]")
_SIZE = re.compile(r"\+?(\d+)(?:\.0+)?")
_GROUPED_SIZE = re.compile(r"[1-9]\d{0,2}(?:_\d{3})+")
_SCIENTIFIC = re.compile(r"(\d+(?:\.\d*)?)[eE]\+?(\d{1,12})")
_NAMED = re.compile(r"(\w+) ?= ?(.*)")
_THOUSANDS = re.compile(r"(?<![\d,])([1-9]\d{0,2}), ?(0\d\d)(?!\d)")
_UNKNOWN = frozenset(("?", "none", "any", "-1", "...", "…", ":", "*", "null", "nan", "inf", "∞", "-"))

# In which order the axes of a tensor are usually named.
_AXIS_ORDER = {name: rank for rank, name in enumerate(("M", "B", "N", "H", "K", "L", "T", "D", "F", "V", "C"))}


def read_shape(text: str, context: Context) -> Ok | Ask | Reject:
    """Read a shape in numbers; the value is a tuple of ints."""
    cleaned = clean(text, context)
    if isinstance(cleaned, Reject):
        return cleaned
    sample = f"Write only the sizes, for example {samples.shape(cleaned)}."
    try:
        body, bracketed = unwrap(cleaned)
        if body is None:
            return Ok((), "()")
        return _sizes(body, context, bracketed=bracketed)
    except Unreadable as problem:
        repair = problem.repair if problem.repair != cleaned else None
        return Reject(f"{problem.hint} {sample}", cleaned[: problem.at].rstrip() or None, repair)
    except Ambiguous as problem:
        return Ask(problem.question, tuple(Choice("", spelling) for spelling in problem.texts))


def unwrap(text: str) -> tuple[str | None, bool]:
    """Return what stands inside the brackets of a shape, and whether there were any; None for a shape without axes."""
    if _SCALAR.fullmatch(text):
        return None, False
    if _TENSOR_CALL.match(text):
        raise Unreadable("Give the shape, not a tensor.")
    text = _LEADING.sub("", text, count=1) if _LEADING.match(text) else text
    text = _SHAPE_CALL.sub("", text, count=1) if _SHAPE_CALL.match(text) else text
    called = _SIZE_CALL.match(text)
    if called:
        text = _inside(text[called.end() :].strip(), text)
        if not text:
            return None, True
    if not text or text[0] not in _CLOSING:
        _balanced(text)
        return text, called is not None
    body = _inside(text, text)
    if body[:1] in _CLOSING and body and _closes_at(body) == len(body) - 1 and not _is_formula(body):
        raise Unreadable("A list inside a list is not a shape: use one pair of brackets.", 0, body)
    return body or None, True


def _is_formula(body: str) -> bool:
    """Say whether a bracket inside the outer one belongs to the size itself, as in ((B + 1))."""
    return body[0] == "(" and not any(sign in body for sign in ",;") and any(sign in body for sign in "+-*/·")


def _inside(text: str, whole: str) -> str:
    """Return what stands between the first bracket and its partner at the end."""
    end = _closes_at(text)
    if end is None:
        raise _not_closed(whole)
    if end != len(text) - 1:
        rest = text[end + 1 :].strip()
        if rest[0] == text[0] or re.match(r"(?:or|and)\b", rest):
            raise Unreadable("Give one answer: one shape.", len(whole) - len(rest))
        _balanced(text)
        if rest[0] in "+*/-·×xX^" and "," not in text[: end + 1]:
            return text  # (B + 1)*T: the bracket is part of a size
        hint = f"Nothing is read after the closing bracket: leave out {rest}."
        raise Unreadable(hint, len(whole) - len(rest), text[: end + 1])
    return text[1:end].strip()


def _closes_at(text: str) -> int | None:
    """Return where the first bracket is closed. Raises ``Unreadable`` where brackets cross."""
    open_brackets: list[str] = []
    for place, sign in enumerate(text):
        if sign in _CLOSING:
            open_brackets.append(_CLOSING[sign])
        elif sign in ")]}>":
            if not open_brackets or open_brackets.pop() != sign:
                raise Unreadable("The brackets do not match.", place)
            if not open_brackets:
                return place
        if len(open_brackets) > 20:
            raise Unreadable("The brackets are too deep.", place)
    return None


def _balanced(text: str) -> None:
    """Raise ``Unreadable`` for a bracket that is not closed or was not opened."""
    opened = 0
    for place, sign in enumerate(text):
        opened += (sign in _CLOSING) - (sign in ")]}>")
        if opened < 0:
            repair = text[:place] + text[place + 1 :]
            raise Unreadable("A bracket is closed that was not opened.", place, repair)
    if opened:
        raise _not_closed(text)


def _not_closed(text: str) -> Unreadable:
    """Return the hint for an open bracket, with the brackets that are missing as the repair."""
    missing: list[str] = []
    for sign in text:
        if sign in _CLOSING:
            missing.append(_CLOSING[sign])
        elif missing and sign == missing[-1]:
            missing.pop()
    return Unreadable("A bracket is not closed.", len(text), text + "".join(reversed(missing)))


def _sizes(body: str, context: Context, *, bracketed: bool) -> Ok | Ask:
    """Read the sizes between the brackets."""
    if found := _HEX.search(body):
        raise Unreadable(f"{found[0]} looks like a hexadecimal number; separate sizes with commas.", found.start())
    if any(sign in body for sign in "[](){}<>"):
        raise Unreadable("Use one pair of brackets around all sizes.")
    pieces = _split(body)
    if len(pieces) > MAX_AXES:
        raise Unreadable(f"At most {MAX_AXES} sizes are read.")
    if any("=" in piece for piece in pieces):
        pieces = _unnamed(pieces, context)
    notes: dict[str, None] = {}
    sizes = tuple(_size(piece, body, pieces, context, notes) for piece in pieces)
    if len(sizes) == 1 and "," not in body and ";" not in body:
        single = _single(sizes[0], bracketed=bracketed, body=body)
        if single is not None:
            return single
        notes["A shape with one axis is written with a comma in Python: " + spelled(sizes)] = None
    return Ok(sizes, spelled(sizes), tuple(notes))


def spelled(sizes: tuple[int, ...]) -> str:
    """Return the shape as Python writes it."""
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(map(str, sizes))})"


def _single(size: int, *, bracketed: bool, body: str) -> Ask | None:
    """Judge a bare number: 1 may be a size or a count of numbers, and 0 is no shape. None where it is a size."""
    if bracketed and not body.isdigit():
        return None
    if size == 0 and not bracketed:
        raise Unreadable("A bare 0 is no shape: write () for no axes, or the size in brackets.")
    if size == 1 and not bracketed:
        choices = (Choice("one axis of size 1", "(1,)"), Choice("no axes, a single number", "()"))
        return Ask("Did you mean one axis of size 1, or no axes?", choices)
    return None


def _split(body: str) -> list[str]:
    """Split at the one kind of separator. Raises ``Unreadable`` for two kinds, ``Ambiguous`` for a product."""
    commas, semicolons = "," in body, ";" in body
    crosses = _TIMES.search(body) is not None
    if commas + semicolons + crosses > 1:
        repair = re.sub(r" ?[,;] ?", ", ", _TIMES.sub(", ", body))
        raise Unreadable("Separate every size the same way, with commas.", 0, f"({repair})")
    if "*" in body or "·" in body:
        raise _product(body)
    if commas or semicolons:
        pieces = [piece.strip() for piece in body.split("," if commas else ";")]
        if len(pieces) > 1 and not pieces[-1]:
            pieces.pop()  # a trailing comma
        if "" in pieces:
            kept = [piece for piece in pieces if piece]
            at = body.index(",,") + 1 if ",," in body else 0
            raise Unreadable("A size is missing between two commas.", at, f"({', '.join(kept)})" if kept else None)
        return pieces
    if crosses:
        pieces = [piece.strip() for piece in _TIMES.split(body)]
        if "" in pieces:
            raise Unreadable("A size is missing beside the times sign.")
        return pieces
    return [body] if "=" in body else body.split(" ")


def _product(body: str) -> Unreadable | Ambiguous:
    """Return the question whether 8*20*48 is a shape or one number."""
    listed = re.split(r" ?[,;] ?", body.strip(" ,;"))
    factors = [re.split(r" ?[*·] ?", piece) for piece in listed]
    flat = [size for piece in factors for size in piece]
    if not all(size.isdigit() and size == str(int(size)) for size in flat if len(size) <= MAX_DIGITS) or any(
        not size.isdigit() or len(size) > MAX_DIGITS for size in flat
    ):
        return Unreadable("Separate sizes with commas; a star is a product.")
    products = []
    for piece in factors:
        product = 1
        for size in piece:
            product *= int(size)
        products.append(product)
    if any(len(str(product)) > MAX_DIGITS for product in products) or len(flat) > MAX_AXES:
        return Unreadable("Separate sizes with commas; a star is a product.")
    shape = spelled(tuple(int(size) for size in flat))
    what = str(products[0]) if len(products) == 1 else spelled(tuple(products))
    return Ambiguous(f"Did you mean the shape {shape} or the product {what}?", (shape, spelled(tuple(products))))


def _unnamed(pieces: list[str], context: Context) -> list[str]:
    """Strip the names from B=8, T=20; they must be known, and in the order in which axes are asked."""
    known = names(tuple(dict.fromkeys((*context.letters, *LETTERS))))
    values: list[str] = []
    ranks: list[int] = []
    for piece in pieces:
        found = _NAMED.fullmatch(piece)
        letter = known.letter(found[1]) if found else None
        if found is None or letter is None:
            raise Unreadable("Name every axis by its letter, as in B=..., or leave the names out.")
        values.append(found[2].strip())
        ranks.append(_AXIS_ORDER.get(letter.name, len(_AXIS_ORDER)))
    if ranks != sorted(ranks):
        raise Unreadable(
            "Name the axes in the order of the tensor, or leave the names out.", 0, f"({', '.join(values)})"
        )
    return values


def _size(piece: str, body: str, pieces: list[str], context: Context, notes: dict[str, None]) -> int:
    """Return one size. Raises ``Unreadable`` with what is wrong with it."""
    if piece.isdigit():
        if len(piece) > MAX_DIGITS:
            raise Unreadable(f"The number is too large: at most {MAX_DIGITS} digits are read.", body.find(piece))
        if piece[0] == "0" and len(piece) > 1:
            raise _leading_zero(piece, body, pieces)
        return int(piece)
    whole = _SIZE.fullmatch(piece)
    if whole and not (whole[1][0] == "0" and len(whole[1]) > 1) and len(whole[1]) <= MAX_DIGITS:
        return int(whole[1])
    if _GROUPED_SIZE.fullmatch(piece) and len(piece) <= MAX_DIGITS:
        return int(piece.replace("_", ""))
    scientific = _SCIENTIFIC.fullmatch(piece)
    if scientific:
        if int(scientific[2]) > MAX_SCIENTIFIC or len(scientific[1]) > MAX_DIGITS:
            raise Unreadable("The number is too large.", body.find(piece))
        value = Fraction(f"{scientific[1]}e{scientific[2]}")
        if value.denominator == 1 and len(str(value.numerator)) <= MAX_DIGITS:
            notes[f"{piece} is read as {value.numerator}."] = None
            return value.numerator
    raise _bad_size(piece, body, pieces, context)


def _leading_zero(piece: str, body: str, pieces: list[str]) -> Unreadable:
    at = body.find(piece)
    joined = _THOUSANDS.sub(r"\1\2", body)
    if joined != body:
        found = _THOUSANDS.search(body)
        number = f"{found[1]}{found[2]}" if found else piece
        hint = f"A size must not start with 0: write {number} without a comma."
        return Unreadable(hint, at, f"({joined},)" if "," not in joined else f"({joined})")
    stripped = [item.lstrip("0") or "0" if item.isdigit() else item for item in pieces]
    hint = f"A size must not start with 0: write {piece.lstrip('0') or '0'}."
    return Unreadable(hint, at, f"({', '.join(stripped)})" if len(stripped) > 1 else f"({stripped[0]},)")


def _bad_size(piece: str, body: str, pieces: list[str], context: Context) -> Unreadable:  # noqa: PLR0911 - one hint each
    at = max(body.find(piece), 0)
    lower = piece.lower()
    if lower in _UNKNOWN or "?" in piece:
        return Unreadable("Every size is needed here.", at)
    if NUMBER_WORDS.search(piece):
        return Unreadable("Use digits instead of words.", at)
    known = names(tuple(dict.fromkeys((*context.letters, *LETTERS))))
    if re.fullmatch(r"[^\W\d]\w*", piece) and known.resolve(piece):
        if any(item[:1].isdigit() for item in pieces):
            return Unreadable(f"This part wants numbers; {piece} has a value in the question.", at)
        return Unreadable("This part wants numbers: put the values in.", at)
    if re.search(r"[^\W\d]", piece):
        return Unreadable("Use digits for every size, and no other words.", at)
    if re.fullmatch(r"-+ ?\d.*", piece) and re.fullmatch(r"-? ?\d+", piece):
        return Unreadable("Sizes cannot be negative.", at)
    if re.fullmatch(r"\d+(?: \d+)+ ?", piece):
        return Unreadable("Is there a blank inside a number? Separate sizes with commas.", at)
    if re.fullmatch(r"\d+(?:\.\d+)?", piece):
        return Unreadable("Sizes are whole numbers.", at)
    numbers = re.findall(r"\d+", body)
    repair = f"({', '.join(numbers)})" if len(numbers) > 1 and len(pieces) == 1 else None
    return Unreadable("Separate sizes with commas.", at, repair)
