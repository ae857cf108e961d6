"""Answers that are one number: whole, an exact fraction, or a decimal."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from grader.approximate import Uncertain, approximate
from grader.letters import LETTERS
from grader.reading import numerals, samples
from grader.reading.clean import clean
from grader.reading.formulas import rejected
from grader.reading.grammar import Grammar
from grader.reading.names import FUNCTIONS, names
from grader.reading.outcomes import Ask, Choice, Context, Ok, Reject, Written
from grader.reading.signals import Ambiguous, Unreadable
from grader.reading.terms import Terms
from grader.reading.tokens import MAX_DIGITS, MAX_SCIENTIFIC, tokens

if TYPE_CHECKING:
    from fractions import Fraction

    from grader.expr import Expr

_ARITHMETIC = Grammar(functions=False, implicit=False, what="number", sample="7/9")
_DECIMAL = Grammar(implicit=False, fractional_powers=True, what="number", sample="ln(7)")

_ABOUT = re.compile(r"(?:[~≈] ?|about )", re.IGNORECASE)
_MIXED = re.compile(r"([+-]?) ?(\d{1,30}) (\d{1,30}) ?/ ?(\d{1,30})")
_MIDDLE_DOT = re.compile(r"([+-]?\d+)·(\d+)")
_PERCENT = re.compile(r" ?(?:%|percent|per cent)$", re.IGNORECASE)
_NUMERAL = re.compile(r"[+-]? ?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?")
_DOTS = re.compile(r"(?<=\d)\.{2,3}$")
_UNLIMITED = re.compile(r"(?P<sign>[+-]?) ?(?P<word>nan|inf|infinity|infinite|∞|oo)", re.IGNORECASE)
_WORD = re.compile(r"(?<!\w)[^\W\d]\w*")
_TWO_ARGUMENTS = re.compile(r"log\w* ?\([^()]*,", re.IGNORECASE)
_SEVERAL = re.compile(r"\b(?:or|and)\b|±|\+/-|, |;| to ", re.IGNORECASE)


def read_int(text: str, context: Context) -> Ok | Ask | Reject:
    """Read a whole number; the value is an int."""
    return _read(text, context, numerals.Style(whole=True), _whole, "a whole number", samples.whole(text))


def read_rational(text: str, context: Context) -> Ok | Ask | Reject:
    """Read an exact fraction; the value is a ``Fraction``."""
    return _read(text, context, numerals.Style(whole=False), _fraction, "an exact number", samples.fraction(text))


def read_decimal(text: str, context: Context) -> Ok | Ask | Reject:
    """Read a number; the value is a ``Fraction``, or "nan", "inf", "-inf" where the part allows them."""
    return _read(text, context, numerals.Style(whole=False), _decimal, "one number", samples.decimal(text))


Evaluate = Callable[[str], Ok]


def _read(
    text: str, context: Context, style: numerals.Style, evaluate: Evaluate, wanted: str, sample: str
) -> Ok | Ask | Reject:
    cleaned = clean(text, context)
    if isinstance(cleaned, Reject):
        return cleaned
    example = f"Give {wanted}, such as {sample}."
    try:
        body = _without_unit(cleaned, context)
        exact = evaluate is not _decimal
        body = _without_about(body, exact=exact)
        if unlimited := _UNLIMITED.fullmatch(body):
            return _beyond(unlimited, context, wanted, exact=exact)
        _refuse_words(body, context, exact=exact)
        return evaluate(numerals.plain(body, style) if style.whole else _mixed(body, style))
    except Unreadable as problem:
        return rejected(problem, cleaned, example)
    except Ambiguous as problem:
        return Ask(problem.question, tuple(Choice(spelling, spelling) for spelling in problem.texts), problem.alone)
    except OverflowError:
        return Reject(f"The number is too large or too small. {example}")


def _without_unit(text: str, context: Context) -> str:
    """Strip a declared unit from the end; one letter more or less at its end (token, tokens) is no matter."""
    lower = text.lower()
    for unit in sorted(context.unit, key=len, reverse=True):
        for ending in (unit.lower(), unit.lower() + "s", unit.lower().removesuffix("s")):
            before = lower.removesuffix(ending)
            if ending and before != lower and before.strip() and not before[-1].isalpha():
                return text[: len(before)].rstrip()
    return text


def _without_about(text: str, *, exact: bool) -> str:
    about = _ABOUT.match(text)
    if about is None:
        return text
    if exact:
        raise Unreadable("Give an exact number, without a sign or word for about.", 0, text[about.end() :])
    return text[about.end() :]


def _beyond(found: re.Match[str], context: Context, wanted: str, *, exact: bool) -> Ok | Reject:
    word = "nan" if found["word"].lower() == "nan" else "inf"
    if exact or word not in context.allow:
        return Reject(f"{found[0]} is not read here: {wanted} is wanted, written in digits.")
    value = f"-{word}" if found["sign"] == "-" and word == "inf" else word
    return Ok(value, value)


def _refuse_words(text: str, context: Context, *, exact: bool) -> None:
    """Name what is wrong with words, several numbers and letters before the grammar would only call them unknown."""
    if numerals.NUMBER_WORDS.search(text):
        raise Unreadable("Use digits instead of words for numbers.")
    if several := _SEVERAL.search(text):
        raise Unreadable("Give one answer only: one number.", several.start())
    if "=" in text:
        raise Unreadable("Give only the number, without an equals sign.", text.index("="))
    if _PERCENT.search(text) and "percent" not in context.allow:
        raise Unreadable("A percentage is not read in this part.", len(text) - 1)
    if found := _TWO_ARGUMENTS.search(text):
        hint = "A comma in log(...) could be a decimal sign or a base: write a dot, or log10(...) and log2(...)."
        raise Unreadable(hint, found.end() - 1)
    letters = names(tuple(dict.fromkeys((*context.letters, *LETTERS))))
    for found in _WORD.finditer(_PERCENT.sub("", text)):
        word = found[0]
        if word.lower() in ("x", "e") or (not exact and word.lower() in FUNCTIONS):
            continue
        if letters.letter(word) is not None:
            hint = f"This part wants a number; {word} has a value in the question: put the values in."
            raise Unreadable(hint, found.start())
        raise Unreadable(f"The word {word} is not read here: use digits only.", found.start())


def _mixed(text: str, style: numerals.Style) -> str:
    """Return 1 1/2 as (1+1/2) and any other text in plain digits. Raises ``Ambiguous`` for 1 100/300 and 1·5."""
    if dotted := _MIDDLE_DOT.fullmatch(text):
        decimal, product = f"{dotted[1]}.{dotted[2]}", f"{dotted[1]}*{dotted[2]}"
        raise Ambiguous(f"Is {text} the number {decimal} or the product {product}?", (decimal, product))
    found = _MIXED.fullmatch(text)
    if found is None:
        return numerals.plain(text, style)
    sign, whole, above, below = found.groups()
    spelled = f"{sign}({whole}+{above}/{below})"
    if int(above) >= int(below):  # 1 200/3 groups in threes, and is no mixed number
        return numerals.plain(text, style)
    if len(above) == 3 and len(whole) <= 3:
        grouped = f"{sign}{whole}{above}/{below}"
        raise Ambiguous(f"Is {text} the number {whole} and {above}/{below}, or {grouped}?", (spelled, grouped))
    return spelled


# -- the three kinds


def _value(text: str, grammar: Grammar) -> tuple[Expr, tuple[str, ...]]:
    terms = Terms(text, tokens(text, names(()), euler=grammar.fractional_powers), grammar)
    return terms.whole(), tuple(terms.notes)


def _exact(text: str) -> tuple[Fraction, str, tuple[str, ...]]:
    """Return the exact value of arithmetic on digits, and how it was read."""
    value, notes = _value(text, _ARITHMETIC)
    number = value.number()
    if number is None:
        raise Unreadable("That is no exact number.")
    if max(len(str(abs(number.numerator))), len(str(number.denominator))) > 2 * MAX_DIGITS:
        raise Unreadable("The number is too large.")
    return number, text, notes


def _whole(text: str) -> Ok:
    number, spelled, notes = _exact(text)
    if number.denominator != 1:
        raise Unreadable("A whole number is wanted, and this is none.")
    if len(str(abs(number.numerator))) > MAX_DIGITS:
        raise Unreadable("The number is too large.")
    return Ok(number.numerator, _echo(spelled, str(number)), notes)


def _fraction(text: str) -> Ok:
    if _DOTS.search(text):
        raise Unreadable("Dots at the end are not exact: give a fraction.")
    share = _PERCENT.search(text)
    body = text[: share.start()] if share else text
    number, spelled, notes = _exact(body)
    value = _written(body, number, percent=share is not None)
    return Ok(value, _echo(f"{spelled}%" if share else spelled, str(value)), notes)


def _decimal(text: str) -> Ok:
    body = _DOTS.sub("", text)
    share = _PERCENT.search(body)
    body = body[: share.start()] if share else body
    value, notes = _value(body, _DECIMAL)
    number = value.number()
    if number is None:
        try:
            number = approximate(value)
        except ZeroDivisionError as error:
            raise Unreadable("That is a division by zero.") from error
        except Uncertain as error:
            raise Unreadable("That cannot be worked out to enough digits: write the number more simply.") from error
        except ValueError as error:
            raise Unreadable("That has no value among the real numbers.") from error
        if abs(number) > 10**MAX_SCIENTIFIC:
            raise Unreadable("The number is too large.")
        shown = value.text
        return Ok(number / 100 if share else number, f"{shown} %" if share else shown, notes)
    limit = 10 ** (2 * MAX_SCIENTIFIC)
    if abs(number) > limit or number.denominator > limit:
        raise Unreadable("The number is too large or too small.")
    written = _written(body, number, percent=share is not None)
    spelled = f"{body}%" if share else body
    return Ok(
        written, _echo(spelled, spelled.replace(" ", "") if isinstance(written, Written) else str(written)), notes
    )


def _written(text: str, number: Fraction, *, percent: bool) -> Fraction:
    """Return the number, with its decimals and digits where it was typed as one decimal."""
    value = number / 100 if percent else number
    found = _NUMERAL.fullmatch(text.strip("()"))
    if found is None or (found[2] is None and found[3] is None and not percent and not found[1]):
        return value
    places = len(found[2] or "") - int(found[3] or 0) + (2 if percent else 0)
    digits = len(((found[1] or "") + (found[2] or "")).lstrip("0"))
    return Written(value, max(places, 0), digits)


def _echo(spelled: str, value: str) -> str:
    plain = spelled.strip().removeprefix("+").strip("()").replace(" ", "")
    return value if plain == value else f"{spelled.strip()} = {value}"
