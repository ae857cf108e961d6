"""Shapes in letters: each axis is a formula.

In a comma list letters side by side are a product; without commas blanks separate axes.
"""

from __future__ import annotations

import re

from grader.equality.zero import sign_of
from grader.expr import Expr, Letter, Mul, Num
from grader.reading import samples
from grader.reading.clean import clean
from grader.reading.formulas import rejected
from grader.reading.grammar import AXIS
from grader.reading.names import TIMES, Names, names
from grader.reading.outcomes import Ask, Choice, Context, Ok, Reject
from grader.reading.shapes import MAX_AXES, unwrap
from grader.reading.signals import Ambiguous, Unreadable
from grader.reading.terms import Terms
from grader.reading.tokens import Token, letters_of, tokens

# B/T/D or B-T-D: three sizes with a wrong separator, rather than one size.
_CHAIN = re.compile(r"[^\W\d]\w*(?: ?/ ?[^\W\d]\w*){2,}|[^\W\d]\w*(?: ?- ?[^\W\d]\w*){2,}")
_OPEN = frozenset("([{<")
_CLOSE = frozenset(")]}>")
_OPERATORS = frozenset(("+", "-", "*", "·", "/", "//", "^", "**", TIMES))


def read_shape_sym(text: str, context: Context) -> Ok | Ask | Reject:
    """Read a shape in letters; the value is a tuple of ``Expr``."""
    cleaned = clean(text, context)
    if isinstance(cleaned, Reject):
        return cleaned
    declared = names(context.letters)
    sample = f"Write the sizes in letters, for example {samples.letter_shape()}."
    try:
        body, bracketed = unwrap(cleaned)
        if body is None:
            return Ok((), "()")
        return _axes(body, declared, bracketed=bracketed)
    except Unreadable as problem:
        return rejected(problem, cleaned, sample)
    except Ambiguous as problem:
        return Ask(problem.question, tuple(Choice("", spelling) for spelling in problem.texts))


def _axes(body: str, declared: Names, *, bracketed: bool) -> Ok | Ask:  # noqa: C901 - one check after the other
    if "=" in body:
        raise Unreadable("Give only the sizes, without an equals sign.", body.index("="))
    if "?" in body or body.lower().replace(",", " ").split().count("none"):
        raise Unreadable("Every size is needed here.")
    if not bracketed and _CHAIN.fullmatch(body):
        repair = f"({', '.join(re.split(' ?[/-] ?', body))})"
        raise Unreadable("Separate sizes with commas.", 0, repair)
    found = tokens(body.replace(" by ", " × "), declared)
    cuts, separator = _cuts(found)
    pieces = _slices(found, cuts)
    if separator and len(pieces) > 1 and pieces[-1][0] == pieces[-1][1] and separator in ",;":
        pieces.pop()  # a trailing comma
    if len(pieces) > MAX_AXES:
        raise Unreadable(f"At most {MAX_AXES} sizes are read.")
    axes: list[Expr] = []
    notes: dict[str, None] = {}
    for start, end in pieces:
        if start == end:
            raise Unreadable("A size is missing between two commas.", found[start - 1].at if start else 0)
        terms = Terms(body, found[start:end], AXIS)
        axes.append(_axis(terms.whole(), found[start], declared))
        notes.update(terms.notes)
    if all(axis.number() is not None and axis.number() != 1 for axis in axes):
        raise Unreadable(f"This part wants letters, not numbers: use {letters_of(declared).rstrip(', ')}.")
    for axis, (start, _) in zip(axes, pieces, strict=True):
        if axis.number() is not None and axis.number() != 1:
            hint = f"This part wants letters: {axis.text} alone is not read, and 1 is an axis of size one."
            raise Unreadable(hint, found[start].at)
    if len(axes) == 1 and not separator:
        question = _single(axes[0], found, bracketed=bracketed)
        if question is not None:
            return question
        notes["A shape with one axis is written with a comma in Python: " + spelled(axes)] = None
    return Ok(tuple(axes), notes=tuple(notes))


def spelled(axes: list[Expr]) -> str:
    """Return the shape as Python writes it."""
    return f"({axes[0].text},)" if len(axes) == 1 else f"({', '.join(axis.text for axis in axes)})"


def _cuts(found: list[Token]) -> tuple[list[tuple[int, int]], str]:
    """Return where the separators stand, as ranges of tokens, and which kind they are; "" for none."""
    depth = 0
    commas: dict[str, list[tuple[int, int]]] = {}
    blanks: list[tuple[int, int]] = []
    for place, token in enumerate(found):
        if token.kind == "sign" and token.text in _OPEN:
            depth += 1
        elif token.kind == "sign" and token.text in _CLOSE:
            depth -= 1
        elif not depth and token.text in (",", ";", TIMES):
            commas.setdefault(token.text, []).append((place, place + 1))
        if token.gap and place and not depth and _ends(found[place - 1]) and _starts(token):
            blanks.append((place, place))
    if len(commas) > 1:
        raise Unreadable("Separate every size the same way, with commas.")
    if TIMES in commas and blanks:
        raise Unreadable("Separate every size the same way, with commas.", found[blanks[0][0]].at)
    for kind, cuts in commas.items():
        return cuts, kind
    return blanks, " " if blanks else ""


def _ends(token: Token) -> bool:
    return token.value is not None or token.text in _CLOSE


def _starts(token: Token) -> bool:
    return token.value is not None or token.kind == "function" or token.text in _OPEN


def _slices(found: list[Token], cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    pieces = []
    start = 0
    for cut, after in cuts:
        pieces.append((start, cut))
        start = after
    return [*pieces, (start, len(found))]


def _axis(value: Expr, first: Token, declared: Names) -> Expr:
    """Return an axis that may be a size. Raises ``Unreadable`` for one that never is."""
    number = value.number()
    if sign_of(value) == -1:
        raise Unreadable("Sizes cannot be negative.", first.at)
    if number == 0:
        raise Unreadable(f"This part wants letters: use {letters_of(declared).rstrip(', ')}.", first.at)
    return value


def _single(axis: Expr, found: list[Token], *, bracketed: bool) -> Ask | None:
    """Return the question that a lone size raises: B*T*D may be a shape or a product; None where it is clear."""
    if bracketed:
        return None
    if axis.number() == 1:
        choices = (Choice("one axis of size 1", "(1,)"), Choice("no axes, a single number", "()"))
        return Ask("Did you mean one axis of size 1, or no axes?", choices)
    factors = _factors(axis)
    if factors is None or not 2 <= len(factors) <= MAX_AXES or any(token.text in ("^", "**") for token in found):
        return None
    shape = f"({', '.join(factors)})"
    choices = (Choice(f"the shape {shape}", shape), Choice(f"one axis, the product {axis.text}", f"({axis.text},)"))
    return Ask(f"Did you mean the shape {shape} or the product {axis.text}?", choices)


def _factors(axis: Expr) -> list[str] | None:
    """Return the letters of a plain product in their order, None for any other formula."""
    match axis:
        case Letter(name=name):
            return [name]
        case Num(value=value):
            return ["1"] if value == 1 else None
        case Mul(left=left, right=right):
            before, after = _factors(left), _factors(right)
            return None if before is None or after is None else before + after
    return None
