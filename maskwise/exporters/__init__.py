"""Files out: one module a format, each a function from a quiz and options to a `Package`.

Exporters know the `Form` of an answer and not its kind, so a new answer kind touches no exporter and a new format knows
no answer kind. A format's module is loaded when it is asked for: print and XML libraries cost time.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from maskwise.exporters.package import ExportRefused, Options, Package

if TYPE_CHECKING:
    from generator.quiz import Quiz

__all__ = ["FORMATS", "SUFFIXES", "ExportRefused", "Exporter", "Options", "Package"]

Exporter = Callable[["Quiz", Options], Package]


def _lazy(module: str) -> Exporter:
    def export(quiz: Quiz, options: Options) -> Package:
        package: Package = importlib.import_module(f"maskwise.exporters.{module}").export(quiz, options)
        return package

    return export


# What each format writes behind the quiz's slug, so that a file in the way is seen before any work is done.
SUFFIXES: Final[dict[str, tuple[str, ...]]] = {
    "json": (".json",),
    "text": (".txt", "-key.txt"),
    "pdf": (".pdf", "-key.pdf"),
    "moodle": (".moodle.xml",),
}

FORMATS: Final[dict[str, Exporter]] = {
    "json": _lazy("json"),
    "text": _lazy("text"),
    "pdf": _lazy("pdf"),
    "moodle": _lazy("moodle"),
}
