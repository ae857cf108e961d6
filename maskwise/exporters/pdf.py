"""PDF by Typst: `NAME.pdf` for students and `NAME-key.pdf` for teachers, from one source (`templates/print/`).

The students' file is made from data that has no keys in it; nothing is hidden afterwards. All data goes to Typst as one
JSON string and is only ever placed (see `templates/markup_typst.py`). The compiler sees its embedded fonts and the
folder of our own `.typ` files: no system fonts, no other files, no packages. One compiler serves the whole process and
keeps its caches warm; Typst keeps threads, so a process that has printed must not be forked.
Equal input gives equal bytes: no dates, no random names.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typst

import templates
from maskwise.exporters import pdf_key, pdf_names, pdf_sheet
from maskwise.exporters.package import ExportRefused, Options, Package, confirmed, count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from generator.quiz import Paper, Quiz

# A PDF that people can have read to them must hold no sign without a glyph; Typst then refuses the whole file.
_NO_GLYPH = re.compile(r"the text `(.+?)` could not be displayed")
_PLAIN = Options()
_PAGE = re.compile(rb"/Type\s*/Page\b(?!s)")


def export(quiz: Quiz, options: Options) -> Package:
    """Write the papers and the key. Raises ExportRefused for a quiz that is not confirmed."""
    confirmed(quiz)
    quiz, losses = pdf_names.readable(quiz)
    stem = options.stem(quiz)
    files: dict[str, bytes] = {}
    summary: list[tuple[str, str]] = []
    if options.personal:
        wide = len(str(len(quiz.papers)))
        for paper in quiz.papers:
            files[f"{stem}-{paper.number:0{wide}d}.pdf"] = document(quiz, [paper], options)
        summary.append((f"{stem}-*.pdf", f"{count(len(files), 'file')}, one paper each"))
    else:
        files[f"{stem}.pdf"] = papers = document(quiz, quiz.papers, options)
        summary.append((f"{stem}.pdf", f"{count(len(quiz.papers), 'paper')}, {count(pages(papers), 'page')}"))
    files[f"{stem}-key.pdf"] = document(quiz, quiz.papers, options, key=True)
    summary.append((f"{stem}-key.pdf", count(len(quiz.papers), "key")))
    return Package(files, losses, tuple(summary))


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
