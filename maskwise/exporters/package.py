"""What every exporter takes and gives: a quiz and options in, files with the losses in plain words out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from generator.variant import part_letters

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from generator.quiz import Item, Quiz
    from generator.variant import Variant
    from grader.part import Part


class ExportRefused(Exception):
    """This quiz is not written in this format; `str()` says why and what to do."""


PAPER_SIZES: Final = ("a4", "letter")


class Options(NamedTuple):
    """name: stem of the file names, else the quiz's slug. The rest is for PDF only.

    personal: one file for each paper; large: the papers in large print, 18 points; paper: one of PAPER_SIZES.
    """

    name: str = ""
    personal: bool = False
    large: bool = False
    paper: str = PAPER_SIZES[0]

    def stem(self, quiz: Quiz) -> str:
        """Return the stem of the file names."""
        return self.name or quiz.slug


class Package(NamedTuple):
    """Files to write, what the target cannot keep, and one line for people about each file.

    files: name -> bytes. losses: sentences, to be shown before the files are taken and written beside them.
    summary: (file name, what is in it), such as ("lesson-12.pdf", "40 papers, 80 pages").
    """

    files: dict[str, bytes]
    losses: tuple[str, ...] = ()
    summary: tuple[tuple[str, str], ...] = ()


class Asked(NamedTuple):
    """One part as it stands on a paper: its letter ("" when the question has one part) and its share of the points."""

    part: Part
    letter: str
    points: Fraction


def asked(item: Item) -> Iterator[Asked]:
    """Yield the parts of an item in order."""
    shares = item.part_points()
    letters = part_letters(item.variant.parts)
    for part in item.variant.parts:
        yield Asked(part, letters[part.id] if len(letters) > 1 else "", shares[part.id])


def number_text(value: Fraction) -> str:
    """Return points exactly and as short as they go: 2, 1.5, 2/3."""
    if value.denominator == 1:
        return str(value.numerator)
    if 10**4 % value.denominator == 0:
        whole = abs(value.numerator) * (10**4 // value.denominator)
        sign = "-" if value < 0 else ""
        return f"{sign}{whole // 10**4}.{whole % 10**4:04d}".rstrip("0")
    return f"{value.numerator}/{value.denominator}"


def points_text(value: Fraction) -> str:
    """Return points with their word: `1 point`, `2/3 point`, `2 points`."""
    return f"{number_text(value)} {'point' if value <= 1 else 'points'}"


def count(number: int, one: str, many: str = "") -> str:
    """Return `1 paper`, `2 papers`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def slip_words(variant: Variant, part_id: str, slip_id: str) -> str:
    """Return the feedback of a slip, Markdown; empty when the family says nothing."""
    return variant.words.get(f"slip_{part_id}_{slip_id}", "")


def confirmed(quiz: Quiz) -> None:
    """Refuse a quiz whose keys no run has confirmed: such a quiz may be looked at but not handed out."""
    if not all(item.variant.certificate for paper in quiz.papers for item in paper.items):
        raise ExportRefused("the keys of this quiz are not confirmed by a run; make it again without --no-confirm")
