"""Plans from TOML. A plan is data from an author: every complaint names the line, shows it, says what to write."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.faults import BadPlan, UnknownName
from generator.plan import EVERY_PART, PlanItem, QuizPlan, Source, fault_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generator.plan_places import Path

MAX_BYTES = 200_000
MAX_ITEMS = 200
MAX_COUNT = 200
MAX_ENTRIES = 100
MAX_QUESTIONS = 1000
MAX_SKILLS = 10
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PART = re.compile(r"[a-z][a-z0-9_]*")
_PLAN_NAMES = ("title", "slug", "course", "intro", "tries", "minutes", "equal", "item")
_SOURCE_NAMES = ("family", "level", "parts", "as")
_OF_ITEM = ("id", "points", "minutes", "skills", "equal")
_ITEM_NAMES = (*_OF_ITEM[:1], *_SOURCE_NAMES, *_OF_ITEM[1:], "count", "pick", "from")


def read_plan(text: str, file: str) -> QuizPlan:
    """Return the plan in a TOML text. Raises BadPlan with its place; families and levels are not looked at here."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise BadPlan(f"the plan is larger than {MAX_BYTES} bytes", file=file, help="split it into several quizzes")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise _syntax_fault(text, file, str(problem)) from None
    except RecursionError:
        raise BadPlan("brackets are nested too deeply", file=file) from None
    except ValueError:  # a whole number of thousands of digits
        raise BadPlan("the plan holds a number that is too long", file=file) from None
    return _plan(_Table(text, file, (), data))


@dataclass(frozen=True, eq=False, repr=False)
class _Table:
    """A table of a plan with the path to it: takes one setting after the other, or complains at its place."""

    text: str
    file: str
    path: Path
    data: Mapping[str, Any]

    @property
    def what(self) -> str:
        """What kind of table this is, in words."""
        if not self.path:
            return "the plan"
        return "the entry" if "from" in self.path else "the item"

    def fault(self, message: str, *path: str | int, key: bool = False, help: str | None = None) -> BadPlan:
        """Return a fault at a setting of this table."""
        return fault_at(self.text, self.file, message, (*self.path, *path), key=key, help=help)

    def inside(self, data: Mapping[str, Any], *path: str | int) -> _Table:
        """Return a table within this one."""
        return _Table(self.text, self.file, (*self.path, *path), data)

    def known(self, names: tuple[str, ...]) -> None:
        """Refuse a setting that there is none of."""
        for name in self.data:
            if name not in names:
                article = "an" if self.path else "a"
                kind = f"setting of {article} {self.what.removeprefix('the ')}"
                raise self.fault(str(UnknownName(kind, name, names)), name, key=True)

    def words(self, name: str, *, optional: bool = False) -> str:
        """Return plain text."""
        value = self.data.get(name, "")
        if (
            not isinstance(value, str)
            or len(value) > 2000
            or any(ord(sign) < 32 and sign not in "\t\n" for sign in value)
        ):
            raise self.fault(f"{name} is plain text in quotes", name, help=f'{name} = "..."')
        if not value.strip() and not optional:
            raise self.fault(f"{self.what} has no {name}", name, help=f'{name} = "..."')
        return value.strip()

    def whole(self, name: str, default: int | None, lo: int, hi: int) -> int | None:
        """Return a whole number within bounds."""
        if name not in self.data:
            return default
        value = self.data[name]
        if type(value) is not int or not lo <= value <= hi:
            example = default if default is not None else lo
            raise self.fault(f"{name} is a whole number from {lo} to {hi}", name, help=f"{name} = {example}")
        return value

    def quarters(self, name: str, example: str) -> Fraction | None:
        """Return a number above 0 and up to 1000 in quarters; None when it is not set."""
        if name not in self.data:
            return None
        value = self.data[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1000:
            raise self.fault(f"{name} is a number above 0 and up to 1000", name, help=f"{name} = 2")
        number = Fraction(str(value))
        if (number * 4).denominator != 1:
            raise self.fault(f"{name} come in quarters", name, help=f"{name} = {example}")
        return number

    def switch(self, name: str) -> bool | None:
        """Return true or false; None when it is not set."""
        value = self.data.get(name)
        if name in self.data and not isinstance(value, bool):
            raise self.fault(f"{name} is true or false, without quotes", name, help=f"{name} = false")
        return value


def _plan(table: _Table) -> QuizPlan:
    table.known(_PLAN_NAMES)
    title = table.words("title")
    slug = table.data.get("slug") or _slug_of(title)
    if not isinstance(slug, str) or len(slug) > 60 or not _SLUG.fullmatch(slug):
        raise table.fault(
            "a slug is up to 60 lower-case letters, digits and single dashes", "slug", help='slug = "lesson-12"'
        )
    rows = table.data.get("item")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise table.fault("the plan has no items", "item", help="add a line [[item]] with family and level below it")
    if len(rows) > MAX_ITEMS:
        raise table.fault(
            f"a plan has at most {MAX_ITEMS} items; this one has {len(rows)}",
            "item",
            MAX_ITEMS,
            help="split it into several quizzes, or use count = 5 for five questions of one kind",
        )
    items: list[PlanItem] = []
    for number, row in enumerate(rows):
        inner = table.inside(row, "item", number)
        item = _item(inner, number)
        if item.id in {other.id for other in items}:
            raise inner.fault(f'the item id "{item.id}" is used twice', "id", help="give each item its own id")
        items.append(item)
        if sum(each.questions for each in items) > MAX_QUESTIONS:
            raise inner.fault(f"a paper has at most {MAX_QUESTIONS} questions", "count", help="lower the count")
    return QuizPlan(
        title=title,
        slug=slug,
        items=tuple(items),
        course=table.words("course", optional=True),
        intro=table.words("intro", optional=True),
        tries=table.whole("tries", 3, 1, 20) or 3,
        minutes=table.whole("minutes", None, 1, 1440),
        equal=table.switch("equal") is not False,
    )


def _slug_of(title: str) -> str:
    """Return a name for files made from a title: Latin letters without accents, cut to what a slug may have."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:60].strip("-") or "quiz"


def _item(table: _Table, number: int) -> PlanItem:
    table.known(_ITEM_NAMES)
    item_id = table.words("id", optional=True) or f"q{number + 1}"
    if len(item_id) > 60 or not _SLUG.fullmatch(item_id):
        raise table.fault(
            "an item id is up to 60 lower-case letters, digits and single dashes", "id", help=f'id = "q{number + 1}"'
        )
    pooled = "from" in table.data or "pick" in table.data
    sources = _pool(table) if pooled else (_source(table),)
    points = table.quarters("points", "2.5")
    if pooled and points is None:
        raise table.fault(
            "a pool has no points: whatever a paper picks must count the same", help="points = 2, for each question"
        )
    return PlanItem(
        id=item_id,
        sources=sources,
        points=points,
        count=1 if pooled else table.whole("count", 1, 1, MAX_COUNT) or 1,
        pick=_pick(table, len(sources)) if pooled else None,
        minutes=table.quarters("minutes", "2.5"),
        skills=_skills(table),
        equal=table.switch("equal"),
    )


def _pool(table: _Table) -> tuple[Source, ...]:
    for name in (*_SOURCE_NAMES, "count"):
        if name in table.data:
            help = "pick says how many" if name == "count" else f"write {name} in the entries of from"
            raise table.fault(f"a pool has no {name} of its own", name, key=True, help=help)
    rows = table.data.get("from")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise table.fault(
            "a pool has no entries to pick from",
            "from" if "from" in table.data else "pick",
            help='from = [{ family = "SH-CHAIN", level = 2 }, ...], or tables [[item.from]]',
        )
    if len(rows) > MAX_ENTRIES:
        raise table.fault(f"a pool has at most {MAX_ENTRIES} entries", "from", MAX_ENTRIES, help="make two pools")
    sources: list[Source] = []
    for entry, row in enumerate(rows):
        inner = table.inside(row, "from", entry)
        for name in (*_OF_ITEM, "count"):
            if name in row:
                help = f"write {name} once, in the item" if name != "count" else "write the entry twice"
                raise inner.fault(f"an entry of a pool has no {name} of its own", name, key=True, help=help)
        inner.known(_SOURCE_NAMES)
        sources.append(_source(inner))
    return tuple(sources)


def _pick(table: _Table, entries: int) -> int:
    if "pick" not in table.data:
        raise table.fault("a pool does not say how many each paper picks", "from", help="pick = 2")
    pick = table.whole("pick", None, 1, MAX_ENTRIES) or 1
    if pick > entries:
        has = "there is one entry" if entries == 1 else f"there are {entries} entries"
        raise table.fault(
            f"each paper picks {pick} different entries, and {has}", "pick", help=f"pick = {entries}, or add entries"
        )
    return pick


def _source(table: _Table) -> Source:
    family = table.words("family").upper()
    level = table.whole("level", 1, 0, 99)
    parts = table.data.get("parts", [])
    if (
        not isinstance(parts, list)
        or ("parts" in table.data and not parts)
        or not all(isinstance(part, str) for part in parts)
        or len(set(parts)) != len(parts)
    ):
        raise table.fault("parts is a list of different part ids", "parts", help='parts = ["enc", "logits"]')
    for place, part in enumerate(parts):
        if part.startswith("~"):
            raise table.fault(
                f'a part is asked as a choice by "as", not by "{part}"',
                "parts",
                place,
                help=f'as = {{ {part.lstrip("~") or "sel"} = "choice" }}',
            )
    return Source(family, 1 if level is None else level, tuple(parts), _choice(table, tuple(parts)))


def _choice(table: _Table, parts: tuple[str, ...]) -> tuple[str, ...]:
    asked = table.data.get("as", {})
    help = f'as = "choice" for every part, or as = {{ {parts[0] if parts else "sel"} = "choice" }}'
    if asked == "choice":
        return parts or (EVERY_PART,)
    if not isinstance(asked, dict) or ("as" in table.data and not asked):
        raise table.fault('as is "choice", or tells of each part that is a choice', "as", help=help)
    for part, how in asked.items():
        if how != "choice":
            raise table.fault('a part can be asked as a "choice", or openly when it is left out', "as", part, help=help)
        if not _PART.fullmatch(part) or (parts and part not in parts):
            raise table.fault(
                str(UnknownName("asked part", part, parts)) if parts else f'"{part}" is no part id',
                "as",
                part,
                key=True,
                help=f"the parts asked: {', '.join(parts)}" if parts else help,
            )
    return tuple(asked)


def _skills(table: _Table) -> tuple[str, ...]:
    skills = table.data.get("skills", [])
    if (
        not isinstance(skills, list)
        or ("skills" in table.data and not skills)
        or len(skills) > MAX_SKILLS
        or not all(isinstance(skill, str) and 0 < len(skill.strip()) <= 60 and skill.isprintable() for skill in skills)
        or len({skill.strip() for skill in skills}) != len(skills)
    ):
        raise table.fault(
            f"skills is a list of 1 to {MAX_SKILLS} different words", "skills", help='skills = ["shapes", "selection"]'
        )
    return tuple(skill.strip() for skill in skills)


def _syntax_fault(text: str, file: str, message: str) -> BadPlan:
    found = re.search(r"\(at (?:line (\d+), column (\d+)|end of document)\)", message)
    said = re.sub(r"\s*\(at .*\)$", "", message)
    lines = text.split("\n")
    if found and found[1]:
        line, column = int(found[1]), int(found[2])
    else:
        line, column = len(lines), len(lines[-1]) + 1
    shown = lines[line - 1].rstrip("\r") if line <= len(lines) else ""
    return BadPlan(f"this is not TOML: {said}", file=file, line=line, column=column, source_line=shown)
