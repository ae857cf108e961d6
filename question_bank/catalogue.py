"""Finds every family and every ready-made quiz by looking, so that adding one touches no list."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from generator.family import Family
from generator.faults import BadFamily, BadPlan, UnknownName
from generator.plan import QuizPlan
from question_bank import families as package

if TYPE_CHECKING:
    from collections.abc import Mapping

QUIZ_FOLDER = Path(__file__).parent / "quizzes"


@lru_cache(maxsize=1)
def families() -> Mapping[str, Family]:
    """Return every family by its id, in the order of ids; BadFamily when two share an id or a file has none."""
    found: dict[str, Family] = {}
    for module in pkgutil.iter_modules(package.__path__):
        if module.name.startswith("_"):
            continue
        family = getattr(importlib.import_module(f"{package.__name__}.{module.name}"), "FAMILY", None)
        file = f"question_bank/families/{module.name}.py"
        if not isinstance(family, Family):
            raise BadFamily("this file defines no FAMILY", file=file, help="FAMILY = Family(...)")
        if family.id in found:
            raise BadFamily(f"the id {family.id} is taken by {found[family.id].slug}", file=file)
        if family.slug != module.name:
            raise BadFamily(f'the slug "{family.slug}" is not the file name', file=file, help=f'slug="{module.name}"')
        found[family.id] = family
    return MappingProxyType(dict(sorted(found.items())))


def family(name: str) -> Family:
    """Return the family with this id or slug, any case; UnknownName with a suggestion otherwise."""
    wanted = name.strip()
    for each in families().values():
        if wanted.upper() == each.id or wanted.lower() in (each.slug, each.slug.replace("_", "-")):
            return each
    raise UnknownName("family", name, families())


@lru_cache(maxsize=1)
def quizzes() -> Mapping[str, Path]:
    """Return the ready-made quizzes by name."""
    return MappingProxyType({path.stem: path for path in sorted(QUIZ_FOLDER.glob("*.toml"))})


def quiz_plan(reference: str) -> QuizPlan:
    """Return the plan in a file, or the ready-made one of that name.

    Raises UnknownName when there is neither, BadPlan when the plan is wrong, OSError when the file cannot be read.
    """
    path = Path(reference)
    if path.suffix == ".toml" or path.is_file():
        if not path.is_file():
            raise UnknownName("quiz file", reference, quizzes())
        data = path.read_bytes()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise BadPlan("this file is not UTF-8 text", file=reference, help="save it as UTF-8") from None
        return QuizPlan.parse(text.replace("\r\n", "\n"), reference).checked(families())
    if reference not in quizzes():
        raise UnknownName("quiz", reference, quizzes())
    path = quizzes()[reference]
    return QuizPlan.parse(path.read_text(encoding="utf-8"), f"question_bank/quizzes/{path.name}").checked(families())
