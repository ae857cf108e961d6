"""What a sheet of paper or a learning platform can ask: the few forms to which every answer kind reduces itself.

Exporters know these and nothing of answer kinds.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Pick:
    """Options of which those at the positions ``right`` (from 0) are to be picked.

    ``options`` are plain words. ``labels``, where given, stand for them on a page, one an option, as Markdown with
    protected tokens. With ``several`` any number may be picked, none too: how many are right is not told.
    """

    options: tuple[str, ...]
    right: tuple[int, ...]
    labels: tuple[str, ...] = ()
    several: bool = False


@dataclass(frozen=True)
class Number:
    """A number; answers within ``tolerance`` on either side, ends included, are right."""

    value: Fraction
    tolerance: Fraction = Fraction(0)


@dataclass(frozen=True)
class Text:
    """Accepted spellings, the canonical one first. Not ``exact``: our own reading accepts more than the list holds."""

    accepted: tuple[str, ...]
    exact: bool


@dataclass(frozen=True)
class Blanks:
    """Several forms answered together."""

    forms: tuple[Form, ...]


Form = Pick | Number | Text | Blanks
