r"""Moodle's cloze fields: one form becomes `{2:SHORTANSWER:=(8, 20)~=(8,20)~%0%(8,)#Which axis?~*#A hint}`.

What must be escaped there, as Moodle's importer reads it: `}` and `#` by a backslash; `~` only as an entity; `{` not at
all; `*` in a short answer by a backslash, being a wildcard otherwise. Entities are decoded once before a text is used:
so what stays HTML there (feedback, the options of a choice) has its own entities written twice.
"""

from __future__ import annotations

import functools
import re
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from grader.form import Form, Number, Pick, Text
from templates import markup

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# The fractions that Moodle knows, in hundredths; any other stops an import.
FRACTIONS = (
    *("100", "90", "83.33333", "80", "75", "70", "66.66667", "60", "50", "40", "33.33333", "30", "25", "20"),
    *("16.66667", "14.28571", "12.5", "11.11111", "10", "5", "0"),
)


# A slip is listed in its usual spellings only: each carries the feedback anew, and files grow large.
_SLIP_SPELLINGS: Final = 6


# A wrong option among several takes all points with it.
_ALL_LOST: Final = "-100"
_MOST_SHARES: Final = 10
NONE: Final = "none of these"


class Choice(NamedTuple):
    """One listed answer: its text, its percentage as Moodle writes it, feedback as HTML, a tolerance for numbers.

    The text is HTML for the options of a choice, and plain otherwise.
    """

    text: str
    fraction: str
    feedback: str = ""
    tolerance: str = ""


@functools.lru_cache(maxsize=1024)
def decimal_text(value: Fraction) -> str:
    """Return a fraction as a decimal with a dot and without an exponent; 20 significant digits when it does not end."""
    if value.denominator == 1:
        return str(value.numerator)
    places = _places(value.denominator)
    if places is None:
        with localcontext() as context:
            context.prec = 20
            return _shortened(f"{Decimal(value.numerator) / Decimal(value.denominator):f}")
    whole, rest = divmod(abs(value.numerator) * 10**places // value.denominator, 10**places)
    return _shortened(f"{'-' if value < 0 else ''}{whole}.{rest:0{places}d}")


def _places(denominator: int) -> int | None:
    """Return how many decimals a fraction with this denominator has; None when they do not end."""
    rest, twos, fives = denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def _shortened(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def as_listed(form: Form) -> Form:
    """Return a number that no decimal can hold exactly as text, since Moodle's numbers are decimals."""
    if isinstance(form, Number) and form.tolerance == 0 and _places(form.value.denominator) is None:
        return Text((str(form.value),), exact=False)
    return form


def star_free(text: str) -> str:
    r"""Escape the wildcard of short answers."""
    return text.replace("*", "\\*")


def listed(form: Form, slips: Iterable[tuple[Form, str]], hint: str) -> tuple[list[Choice], int]:
    """List a form's answers as Moodle tries them: right ones, slips with their feedback, then anything with the hint.

    Returns the list and how many slips could not be listed. Pick lists its options, feedback belongs to the option: a
    slip that picks several has no place.
    """
    form = as_listed(form)
    if isinstance(form, Pick) and is_several(form):
        return _several(form, hint), len(list(slips))
    if isinstance(form, Pick):
        return _options(form, slips, hint), 0
    right, left_out = _right(form), 0
    choices, taken = list(right.values()), set(right)
    for slip, feedback in slips:
        wrong = _wrong(form, as_listed(slip), feedback)
        fresh = [choice for same, choice in wrong.items() if same not in taken]
        left_out += not fresh
        taken.update(wrong)
        choices += fresh
    if hint:
        choices.append(Choice("*", "0", hint))
    return choices, left_out


def _right(form: Form) -> dict[str, Choice]:
    """Return the right answers by what Moodle takes for the same."""
    if isinstance(form, Number):
        shown = _near(form)
        return {shown: Choice(shown, "100", "", decimal_text(form.tolerance))}
    assert isinstance(form, Text)
    return {same: Choice(star_free(text), "100") for same, text in _once(form.accepted).items()}


def _wrong(form: Form, slip: Form, feedback: str) -> dict[str, Choice]:
    """Return what a slip gives, likewise; nothing where the key is a number and the slip is none, or the reverse."""
    if isinstance(form, Number) and isinstance(slip, Number):
        shown = _near(slip)
        return {shown: Choice(shown, "0", feedback, decimal_text(slip.tolerance))}
    if isinstance(form, Text) and isinstance(slip, Text):
        usual = _once(slip.accepted, _SLIP_SPELLINGS)
        return {same: Choice(star_free(text), "0", feedback) for same, text in usual.items()}
    return {}


def _near(form: Number) -> str:
    """Return a number as it is listed, and so shown to students: exact, or to a thousandth of its tolerance."""
    if form.tolerance == 0 or _places(form.value.denominator) is not None:
        return decimal_text(form.value)
    places = 0
    while Fraction(1, 10**places) > form.tolerance / 1000:
        places += 1
    return decimal_text(round(form.value, places))


def _once(texts: Iterable[str], most: int | None = None) -> dict[str, str]:
    """Drop what Moodle takes for the same: it trims and does not tell capitals from small letters."""
    kept: dict[str, str] = {}
    for text in texts:
        trimmed = text.strip()
        if "\n" in trimmed:  # a printout of several lines does not fit into the box
            continue
        kept.setdefault(trimmed.casefold(), trimmed)
        if len(kept) == most:
            break
    return kept


def is_several(form: Pick) -> bool:
    """Say whether any number of options may be picked."""
    return form.several or len(form.right) != 1


def _options(form: Pick, slips: Iterable[tuple[Form, str]], hint: str) -> list[Choice]:
    """List the options of which one is picked; a wrong one costs nothing, for Moodle counts no points below zero."""
    told = {slip.right: feedback for slip, feedback in slips if isinstance(slip, Pick)}
    return [
        Choice(words, "100") if at in form.right else Choice(words, "0", told.get((at,), hint))
        for at, words in enumerate(_labels(form))
    ]


def _several(form: Pick, hint: str) -> list[Choice]:
    """List the options of which any may be picked. "None" is always among them: that it is missing would tell."""
    share = _share(len(form.right))
    choices = [
        Choice(words, share) if at in form.right else Choice(words, _ALL_LOST, hint)
        for at, words in enumerate(_labels(form))
    ]
    return [*choices, Choice(NONE, _ALL_LOST, hint) if form.right else Choice(NONE, "100")]


def _labels(form: Pick) -> list[str]:
    """Return the words of each option as HTML of one line."""
    return [_line(markup.to_lms(label)) for label in form.labels] or [markup.escape(word) for word in form.options]


def _line(html: str) -> str:
    """Leave out a paragraph that is the only one."""
    alone = html.startswith("<p>") and html.endswith("</p>") and html.count("<p>") == 1
    return html[3:-4] if alone else html


def can_share(form: Form) -> bool:
    """Say whether Moodle's list has a fraction for each of several right options; cloze takes any whole percent."""
    return not isinstance(form, Pick) or len(form.right) <= _MOST_SHARES


def _share(right: int) -> str:
    """Return the listed fraction of one of several right options; they add up to 100, or to 99.99997 at least."""
    wanted = Fraction(100, max(1, right))
    return min(FRACTIONS, key=lambda listed_one: abs(Fraction(listed_one) - wanted))


def kind_of(form: Form) -> str:
    """Return the cloze type of a form."""
    form = as_listed(form)
    if isinstance(form, Number):
        return "NUMERICAL"
    if isinstance(form, Pick):  # the upright list, for a drop-down shows neither maths nor code; none is shuffled
        return "MULTIRESPONSE" if is_several(form) else "MULTICHOICE_V"
    return "SHORTANSWER"


def field(weight: int, form: Form, choices: Sequence[Choice]) -> str:
    """Write one field."""
    kind = kind_of(form)
    if isinstance(form, Pick):
        written = [_option(*each) for each in zip(choices, _percents(choices), strict=True)]
    else:
        written = [_choice(choice) for choice in choices]
    return f"{{{weight}:{kind}:{'~'.join(written)}}}"


def _choice(choice: Choice) -> str:
    text, fraction, feedback, tolerance = choice
    told = f"#{escaped(feedback)}" if feedback else ""
    if text == "*":  # the wildcard itself
        return f"*{told}"
    mark = "=" if fraction == "100" else f"%{whole_percent(fraction)}%"
    if _SIGNS.search(text):  # few texts have one, and to translate takes seven times as long as to look
        text = text.translate(_ANSWER)
    return f"{mark}{text}{f':{tolerance}' if tolerance else ''}{told}"


def _option(choice: Choice, percent: int) -> str:
    told = f"#{escaped(choice.feedback)}" if choice.feedback else ""
    return f"{'=' if percent == 100 else f'%{percent}%'}{escaped(choice.text)}{told}"


def _percents(choices: Sequence[Choice]) -> list[int]:
    """Return whole percents, which alone are read there; those of the right options add up to 100."""
    right = [at for at, choice in enumerate(choices) if Fraction(choice.fraction) > 0]
    shares = {at: 100 // len(right) + (place < 100 % len(right)) for place, at in enumerate(right)}
    return [shares[at] if at in shares else int(choice.fraction) for at, choice in enumerate(choices)]


@functools.cache
def whole_percent(fraction: str) -> str:
    """Return a fraction as cloze takes it: whole hundredths."""
    return str(round(Fraction(fraction)))


@functools.lru_cache(maxsize=1024)
def escaped(html: str) -> str:
    """Escape HTML for use inside of a field."""
    return html.translate(_FIELD)


_FIELD: Final = str.maketrans({"}": "\\}", "#": "\\#", "~": "&#126;", "&": "&amp;", "\n": " "})
# A listed answer is plain text, and so its own signs of HTML are escaped as well.
_ANSWER: Final = {**_FIELD, **str.maketrans({"<": "&lt;", ">": "&gt;"})}
_SIGNS: Final = re.compile(f"[{re.escape(''.join(map(chr, _ANSWER)))}]")
