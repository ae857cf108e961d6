"""PDF by Typst: `NAME.pdf` for students and `NAME-key.pdf` for teachers, from one source (`templates/print/`).

The students' file is made from data that has no keys in it; nothing is hidden afterwards. All data goes to Typst as one
JSON string and is only ever placed (see `templates/markup_typst.py`). The compiler sees its embedded fonts and the
folder of our own `.typ` files: no system fonts, no other files, no packages. One compiler serves the whole process and
keeps its caches warm; Typst keeps threads, so a process that has printed must not be forked.
Equal input gives equal bytes: no dates, no random names.

A document of two thousand pages would take gigabytes of memory, so a large set is written in several files, and each is
set by a process of its own that gives its memory back.
"""

from __future__ import annotations

import functools
import json
import multiprocessing
import os
import re
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typst

import templates
from maskwise.exporters import pdf_key, pdf_names, pdf_sheet
from maskwise.exporters.package import ExportRefused, Options, Package, confirmed, count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from generator.quiz import Paper, Quiz

# A PDF that people can have read to them must hold no sign without a glyph; Typst then refuses the whole file.
_NO_GLYPH = re.compile(r"the text `(.+?)` could not be displayed")
_PLAIN = Options()
# Papers of one file: while Typst works on 50 papers of seven pages, it takes most of a gigabyte.
TOGETHER = 50
# Papers that are set in this process; for more, a process of its own is started for every document.
_HERE = 10
_PROCESSES = 2
_PAGE = re.compile(rb"/Type\s*/Page\b(?!s)")


def export(quiz: Quiz, options: Options) -> Package:
    """Write the papers and the key. Raises ExportRefused for a quiz that is not confirmed."""
    confirmed(quiz)
    quiz, losses = pdf_names.readable(quiz)
    stem = options.stem(quiz)
    groups = _groups(quiz, options)
    wide = len(str(len(quiz.papers)))
    names = [stem if len(groups) == 1 else _named(stem, group, wide, options) for group in groups]
    keys = [quiz.papers[start : start + TOGETHER] for start in range(0, len(quiz.papers), TOGETHER)]
    key_names = [f"{stem}-key" if len(keys) == 1 else _named(f"{stem}-key", group, wide, _PLAIN) for group in keys]
    sheets = [
        *(sheet(quiz, group, options) for group in groups),
        *(sheet(quiz, group, options, key=True) for group in keys),
    ]
    made = _all(sheets) if len(quiz.papers) > _HERE else list(map(compiled, sheets))
    files = {f"{name}.pdf": pdf for name, pdf in zip((*names, *key_names), made, strict=True)}
    summary: list[tuple[str, str]] = []
    if options.personal:
        summary.append((f"{stem}-*.pdf", f"{count(len(groups), 'file')}, one paper each"))
    else:
        for name, group in zip(names, groups, strict=True):
            size = count(pages(files[f"{name}.pdf"]), "page")
            summary.append((f"{name}.pdf", f"{count(len(group), 'paper')}, {size}"))
    summary += [(f"{name}.pdf", count(len(group), "key")) for name, group in zip(key_names, keys, strict=True)]
    return Package(files, losses, tuple(summary))


def _groups(quiz: Quiz, options: Options) -> list[Sequence[Paper]]:
    """Return the papers file by file."""
    each = 1 if options.personal else TOGETHER
    return [quiz.papers[start : start + each] for start in range(0, len(quiz.papers), each)]


def _named(stem: str, group: Sequence[Paper], wide: int, options: Options) -> str:
    first, last = (f"{paper.number:0{wide}d}" for paper in (group[0], group[-1]))
    return f"{stem}-{first}" if options.personal else f"{stem}-{first}-{last}"


def _all(sheets: Sequence[Mapping[str, Any]]) -> list[bytes]:
    """Set many documents, two at a time where there are two cores, in processes that give their memory back."""
    workers = min(_PROCESSES, os.cpu_count() or 1)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, max_tasks_per_child=1) as pool:
        return list(pool.map(compiled, sheets))


def document(quiz: Quiz, papers: Iterable[Paper], options: Options = _PLAIN, *, key: bool = False) -> bytes:
    """Return one PDF with the given papers of a quiz, or with their keys."""
    return compiled(sheet(quiz, papers, options, key=key))


def sheet(quiz: Quiz, papers: Iterable[Paper], options: Options = _PLAIN, *, key: bool = False) -> dict[str, Any]:
    """Return the data of a document."""
    made = list(papers)
    return pdf_key.document(quiz, made, options) if key else pdf_sheet.document(quiz, made, options)


def compiled(data: Mapping[str, Any]) -> bytes:
    """Return the PDF of the data that `sheet` makes. Raises ExportRefused with Typst's words when it cannot be set."""
    try:
        made = _press().compile(
            format="pdf",
            sys_inputs={"data": json.dumps(data, ensure_ascii=False, separators=(",", ":"))},
            pdf_standards=["ua-1"],
        )
    except typst.TypstError as error:
        raise ExportRefused(_why(str(error))) from error
    assert isinstance(made, bytes)
    return made


def _why(said: str) -> str:
    missing = _NO_GLYPH.search(said)
    if missing:
        return f"this quiz cannot be printed: the fonts for print have no sign for {missing[1]}; write it without"
    return f"this quiz cannot be printed: {said}"


def pages(pdf: bytes) -> int:
    """Count the pages of a PDF that Typst wrote."""
    return len(_PAGE.findall(pdf))


@functools.cache
def _press() -> typst.Compiler:
    """Return the process's compiler."""
    root = Path(templates.__file__).parent / "print"
    return typst.Compiler(
        root / "paper.typ",
        root=root,
        font_paths=typst.Fonts(include_system_fonts=False, include_embedded_fonts=True),
        ignore_system_fonts=True,
        package_path=root,
        package_cache_path=root,
    )
