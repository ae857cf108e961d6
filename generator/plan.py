"""Quiz plans: which families, levels and points make a quiz, and what papers of one set must share.

Plans are read from TOML by `generator.plan_reading`, and kept as JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.faults import BadPlan, UnknownName

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generator.family import Family
    from generator.plan_places import Path

# Every asked part, whichever the level asks.
EVERY_PART = "*"


@dataclass(frozen=True)
class Source:
    """Where a question comes from: a family and a level.

    `parts` replaces what the level asks (empty: the level's own). `choice` names the parts asked as a choice;
    `EVERY_PART` stands for all that the level asks.
    """

    family: str
    level: int = 1
    parts: tuple[str, ...] = ()
    choice: tuple[str, ...] = ()

    def tokens(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """Return parts as they are asked: `~sel` is sel, asked as a choice."""
        every = EVERY_PART in self.choice
        return tuple(f"~{part}" if every or part in self.choice else part for part in parts)

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "family": self.family,
            "level": self.level,
            "parts": list(self.parts),
            "choice": list(self.choice),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Source:
        """Rebuild from `to_json`, or from an item of a plan that was stored before parts could be choices."""
        return cls(data["family"], data["level"], tuple(data.get("parts", ())), tuple(data.get("choice", ())))


@dataclass(frozen=True)
class PlanItem:
    """One item of a quiz: `count` different questions of one source, or a pool that each paper picks from.

    A pool has several `sources` and a `pick`, the number of questions that each paper takes from it. `points` are those
    of each question (None: one a part), `minutes` the time estimated for each, `skills` what it exercises (empty: the
    family's topic). `equal` overrides the plan's setting (None: as the plan says).
    """

    id: str
    sources: tuple[Source, ...]
    points: Fraction | None = None
    count: int = 1
    pick: int | None = None
    minutes: Fraction | None = None
    skills: tuple[str, ...] = ()
    equal: bool | None = None

    @property
    def family(self) -> str:
        """The family of the item; of a pool that of its first entry."""
        return self.sources[0].family

    @property
    def level(self) -> int:
        """The level of the item; of a pool that of its first entry."""
        return self.sources[0].level

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that replace the level's own; of a pool those of its first entry."""
        return self.sources[0].parts

    @property
    def questions(self) -> int:
        """How many questions a paper has of this item."""
        return self.count if self.pick is None else self.pick

    def labels(self) -> tuple[str, ...]:
        """Name the questions of this item on a paper: its id, or `id.1`, `id.2` ... where there are several."""
        if self.pick is None and self.count == 1:
            return (self.id,)
        return tuple(f"{self.id}.{number}" for number in range(1, self.questions + 1))

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        pooled = self.pick is not None
        return {
            "id": self.id,
            **({"from": [source.to_json() for source in self.sources]} if pooled else self.sources[0].to_json()),
            "points": None if self.points is None else str(self.points),
            "count": self.count,
            "pick": self.pick,
            "minutes": None if self.minutes is None else str(self.minutes),
            "skills": list(self.skills),
            "equal": self.equal,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PlanItem:
        """Rebuild from `to_json`; names that an earlier version did not write take their defaults."""
        points, minutes = data["points"], data.get("minutes")
        return cls(
            id=data["id"],
            sources=tuple(Source.from_json(each) for each in data.get("from", (data,))),
            points=None if points is None else Fraction(points),
            count=data["count"],
            pick=data.get("pick"),
            minutes=None if minutes is None else Fraction(minutes),
            skills=tuple(data.get("skills", ())),
            equal=data.get("equal"),
        )


@dataclass(frozen=True, eq=False, repr=False)
class QuizPlan:
    """A quiz as planned; `file` and `text` serve error messages.

    `minutes` is the time allowed (None: none said). `equal`: all papers of a set are equally difficult, question by
    question.
    """

    title: str
    slug: str
    items: tuple[PlanItem, ...]
    course: str = ""
    intro: str = ""
    tries: int = 3
    minutes: int | None = None
    equal: bool = True
    file: str = ""
    text: str = ""

    @property
    def questions(self) -> int:
        """How many questions a paper has."""
        return sum(item.questions for item in self.items)

    def is_equal(self, item: PlanItem) -> bool:
        """Whether the questions of an item must be equally difficult on all papers."""
        return self.equal if item.equal is None else item.equal

    def estimate(self) -> Fraction | None:
        """Return the minutes estimated for all questions; None while an item says nothing."""
        minutes = [item.minutes * item.questions for item in self.items if item.minutes is not None]
        return sum(minutes, Fraction(0)) if len(minutes) == len(self.items) else None

    def fault(self, message: str, *path: str | int, key: bool = False, help: str | None = None) -> BadPlan:
        """Return a BadPlan that points at a setting, such as `("item", 2, "level")`, or at its name (`key`)."""
        return fault_at(self.text, self.file, message, path, key=key, help=help)

    def checked(self, families: Mapping[str, Family]) -> QuizPlan:
        """Return the plan if every family, level and part exists; BadPlan with line and suggestion otherwise."""
        for number, item in enumerate(self.items):
            for entry, source in enumerate(item.sources):
                self._check(source, families, source_path(item, number, entry))
        return self

    def _check(self, source: Source, families: Mapping[str, Family], path: Path) -> None:
        family = families.get(source.family)
        if family is None:
            said = str(UnknownName("family", source.family, families))
            raise self.fault(said, *path, "family", help="maskwise families list")
        try:
            family.level(source.level)
        except UnknownName as problem:
            raise self.fault(str(problem), *path, "level") from None
        try:
            for place, part in enumerate(source.parts):
                where: Path = ("parts", place)
                family.ask(part)
            for part in source.choice:
                where = ("as", part)
                if part != EVERY_PART:
                    family.ask(part)
        except UnknownName as problem:
            raise self.fault(str(problem), *path, *where, key=where[0] == "as") from None

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain data, without the text it was read from."""
        return {
            "title": self.title,
            "slug": self.slug,
            "course": self.course,
            "intro": self.intro,
            "tries": self.tries,
            "minutes": self.minutes,
            "equal": self.equal,
            "items": [item.to_json() for item in self.items],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> QuizPlan:
        """Rebuild a plan from `to_json`; names that an earlier version did not write take their defaults."""
        return cls(
            title=data["title"],
            slug=data["slug"],
            items=tuple(PlanItem.from_json(item) for item in data["items"]),
            course=data["course"],
            intro=data["intro"],
            tries=data["tries"],
            minutes=data.get("minutes"),
            equal=data.get("equal", True),
        )

    @classmethod
    def parse(cls, text: str, file: str = "plan.toml") -> QuizPlan:
        """Read a plan from TOML; BadPlan says where and what."""
        from generator.plan_reading import read_plan  # noqa: PLC0415 - stored plans need no TOML

        return replace(read_plan(text, file), file=file, text=text)


def source_path(item: PlanItem, number: int, entry: int) -> Path:
    """Return where a source of an item stands in a plan's text."""
    return ("item", number) if item.pick is None else ("item", number, "from", entry)


def fault_at(text: str, file: str, message: str, path: Path, *, key: bool = False, help: str | None = None) -> BadPlan:
    """Return a BadPlan at the value of a setting, or at its name (`key`); of a plan without text without a place."""
    from generator.plan_places import place_of  # noqa: PLC0415 - only a fault needs it

    place = place_of(text, path, key=key) if path else None
    if place is None:
        return BadPlan(message, file=file, help=help)
    return BadPlan(
        message,
        file=file,
        line=place.line,
        column=place.column,
        source_line=place.text,
        help=help,
        width=place.width,
    )
