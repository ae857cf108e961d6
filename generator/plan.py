"""Quiz plans: TOML files that say which families, levels and points make a quiz.

A plan is data from an author, so every complaint names the line, shows it and says what to write instead.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.faults import BadPlan, UnknownName

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generator.family import Family

MAX_BYTES = 200_000
MAX_ITEMS = 200
MAX_COUNT = 200
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PLAN_NAMES = ("title", "slug", "course", "intro", "tries", "item")
_ITEM_NAMES = ("id", "family", "level", "points", "count", "parts")


@dataclass(frozen=True)
class PlanItem:
    """One line of a quiz: `count` different variants of a family at a level, `points` each."""

    id: str
    family: str
    level: int
    points: Fraction | None
    count: int = 1
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class QuizPlan:
    """A quiz as planned; `file` and `text` serve error messages."""

    title: str
    slug: str
    items: tuple[PlanItem, ...]
    course: str = ""
    intro: str = ""
    tries: int = 3
    file: str = ""
    text: str = ""

    def fault(
        self, message: str, *, item: int | None = None, name: str | None = None, help: str | None = None
    ) -> BadPlan:
        """Return a BadPlan that points at a name of an item (counted from 0) or of the plan."""
        return _fault(self.text, self.file, message, item=item, name=name, help=help)

    def checked(self, families: Mapping[str, Family]) -> QuizPlan:
        """Return the plan if every family, level and part exists; BadPlan with line and suggestion otherwise."""
        for number, item in enumerate(self.items):
            family = families.get(item.family)
            if family is None:
                said = str(UnknownName("family", item.family, families))
                raise self.fault(said, item=number, name="family", help="maskwise families list")
            try:
                family.level(item.level)
            except UnknownName as problem:
                raise self.fault(str(problem), item=number, name="level") from None
            try:
                for part in item.parts:
                    family.ask(part)
            except UnknownName as problem:
                raise self.fault(str(problem), item=number, name="parts") from None
        return self

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain data, without the text it was read from."""
        return {
            "title": self.title,
            "slug": self.slug,
            "course": self.course,
            "intro": self.intro,
            "tries": self.tries,
            "items": [
                {
                    "id": item.id,
                    "family": item.family,
                    "level": item.level,
                    "points": None if item.points is None else str(item.points),
                    "count": item.count,
                    "parts": list(item.parts),
                }
                for item in self.items
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> QuizPlan:
        """Rebuild a plan from `to_json`."""
        items = tuple(
            PlanItem(
                id=item["id"],
                family=item["family"],
                level=item["level"],
                points=None if item["points"] is None else Fraction(item["points"]),
                count=item["count"],
                parts=tuple(item["parts"]),
            )
            for item in data["items"]
        )
        return cls(data["title"], data["slug"], items, data["course"], data["intro"], data["tries"])

    @classmethod
    def parse(cls, text: str, file: str = "plan.toml") -> QuizPlan:
        """Read a plan from TOML; BadPlan says where and what."""
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
        return _plan(_Source(text, file), data)


@dataclass(frozen=True, eq=False, repr=False)
class _Source:
    text: str
    file: str

    def fault(
        self, message: str, *, item: int | None = None, name: str | None = None, help: str | None = None
    ) -> BadPlan:
        return _fault(self.text, self.file, message, item=item, name=name, help=help)


def _plan(source: _Source, data: Mapping[str, Any]) -> QuizPlan:
    _known(source, data, _PLAN_NAMES, None)
    title = _text(source, data, "title", None)
    slug = data.get("slug") or _slug_of(title)
    if not isinstance(slug, str) or len(slug) > 60 or not _SLUG.fullmatch(slug):
        raise source.fault(
            "a slug is lower-case letters, digits and single dashes", name="slug", help='slug = "lesson-12"'
        )
    raw_items = data.get("item")
    if not isinstance(raw_items, list) or not raw_items or not all(isinstance(item, dict) for item in raw_items):
        raise source.fault(
            "the plan has no items", name="item", help="add a line [[item]] with family and level below it"
        )
    if len(raw_items) > MAX_ITEMS:
        raise source.fault(f"a plan has at most {MAX_ITEMS} items; this one has {len(raw_items)}")
    items = tuple(_item(source, number, item) for number, item in enumerate(raw_items))
    ids = [item.id for item in items]
    for number, item_id in enumerate(ids):
        if item_id in ids[:number]:
            raise source.fault(
                f'the item id "{item_id}" is used twice', item=number, name="id", help="give each item its own id"
            )
    tries = _whole(source, data, "tries", None, 3, 1, 20)
    course = _text(source, data, "course", None, optional=True)
    intro = _text(source, data, "intro", None, optional=True)
    return QuizPlan(title, slug, items, course, intro, tries, source.file, source.text)


def _slug_of(title: str) -> str:
    """Return a name for files made from a title: Latin letters without accents, cut to what a slug may have."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:60].strip("-") or "quiz"


def _item(source: _Source, number: int, data: Mapping[str, Any]) -> PlanItem:
    _known(source, data, _ITEM_NAMES, number)
    family = _text(source, data, "family", number).upper()
    level = _whole(source, data, "level", number, 1, 0, 99)
    count = _whole(source, data, "count", number, 1, 1, MAX_COUNT)
    parts = data.get("parts", [])
    if (
        not isinstance(parts, list)
        or ("parts" in data and not parts)
        or not all(isinstance(part, str) for part in parts)
        or len(set(parts)) != len(parts)
    ):
        raise source.fault(
            "parts is a list of different part ids", item=number, name="parts", help='parts = ["enc", "logits"]'
        )
    item_id = _text(source, data, "id", number, optional=True) or f"q{number + 1}"
    if len(item_id) > 60 or not _SLUG.fullmatch(item_id):
        raise source.fault("an item id is lower-case letters, digits and single dashes", item=number, name="id")
    return PlanItem(item_id, family, level, _points(source, number, data), count, tuple(parts))


def _points(source: _Source, number: int, data: Mapping[str, Any]) -> Fraction | None:
    if "points" not in data:
        return None
    points = data["points"]
    if isinstance(points, bool) or not isinstance(points, int | float) or not 0 < points <= 1000:
        raise source.fault("points is a number above 0 and up to 1000", item=number, name="points", help="points = 2")
    value = Fraction(str(points))
    if (value * 4).denominator != 1:
        raise source.fault("points come in quarters", item=number, name="points", help="points = 2.5")
    return value


def _known(source: _Source, data: Mapping[str, Any], names: tuple[str, ...], item: int | None) -> None:
    for name in data:
        if name not in names:
            where = "an item" if item is not None else "a plan"
            raise source.fault(str(UnknownName(f"setting of {where}", name, names)), item=item, name=name)


def _text(source: _Source, data: Mapping[str, Any], name: str, item: int | None, *, optional: bool = False) -> str:
    value = data.get(name, "")
    if not isinstance(value, str) or len(value) > 2000 or any(ord(sign) < 32 and sign not in "\t\n" for sign in value):
        raise source.fault(f"{name} is plain text in quotes", item=item, name=name)
    if not value.strip() and not optional:
        where = "the item" if item is not None else "the plan"
        raise source.fault(f"{where} has no {name}", item=item, name=name, help=f'{name} = "..."')
    return value.strip()


def _whole(
    source: _Source, data: Mapping[str, Any], name: str, item: int | None, default: int, lo: int, hi: int
) -> int:
    value = data.get(name, default)
    if type(value) is not int or not lo <= value <= hi:
        raise source.fault(
            f"{name} is a whole number from {lo} to {hi}", item=item, name=name, help=f"{name} = {default}"
        )
    return value


def _syntax_fault(text: str, file: str, message: str) -> BadPlan:
    found = re.search(r"\(at (?:line (\d+), column (\d+)|end of document)\)", message)
    said = re.sub(r"\s*\(at .*\)$", "", message)
    lines = text.splitlines() or [""]
    if found and found[1]:
        line, column = int(found[1]), int(found[2])
    else:
        line, column = len(lines), len(lines[-1]) + 1
    shown = lines[line - 1] if line <= len(lines) else ""
    return BadPlan(f"this is not TOML: {said}", file=file, line=line, column=column, source_line=shown)


def _fault(
    text: str,
    file: str,
    message: str,
    *,
    item: int | None = None,
    name: str | None = None,
    help: str | None = None,
) -> BadPlan:
    line, column, width = _locate(text, item, name)
    source_line = text.splitlines()[line - 1] if line else None
    return BadPlan(message, file=file, line=line, column=column, source_line=source_line, help=help, width=width)


def _locate(text: str, item: int | None, name: str | None) -> tuple[int | None, int | None, int]:
    """Return line and column (from 1) of the value of `name` in an item, or of the item's head, and a width to mark."""
    count = -1
    head: tuple[int, int, int] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(r"\s*\[\[\s*item\s*\]\]", line):
            count += 1
            if item is not None and count == item:
                head = (number, line.index("[") + 1, len(line.strip()))
            continue
        inside = count == item if item is not None else count == -1
        found = re.match(r"""(\s*["']?([\w-]+)["']?\s*=\s*)(.*)""", line)
        if inside and found and found[2] == name:
            return number, len(found[1]) + 1, max(1, len(found[3].split("#")[0].rstrip()))
    return head or (None, None, 1)
