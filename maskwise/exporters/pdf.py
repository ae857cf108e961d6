"""PDF by Typst: `NAME.pdf` for students and `NAME-key.pdf` for teachers, from one source (`templates/print/`).

The students' file is made from data that has no keys in it; nothing is hidden afterwards. All data goes to Typst as one
JSON string and is only ever placed (see `templates/markup_typst.py`). The compiler sees its embedded fonts and the
folder of our own `.typ` files: no system fonts, no other files, no packages. One compiler serves the whole process and
keeps its caches warm; Typst keeps threads, so a process that has printed must not be forked.
Equal input gives equal bytes: no dates, no random names.
"""

from __future__ import annotations

import functools
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import segno
import typst

import templates
from maskwise.exporters.package import (
    ExportRefused,
    Options,
    Package,
    asked,
    confirmed,
    count,
    points_text,
)
from templates import markup

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from generator.quiz import Item, Paper, Quiz
    from generator.variant import Variant
    from maskwise.exporters.package import Asked

# A PDF that people can have read to them must hold no sign without a glyph; Typst then refuses the whole file.
_NO_GLYPH = re.compile(r"the text `(.+?)` could not be displayed")
_PAGE = re.compile(rb"/Type\s*/Page\b(?!s)")


def export(quiz: Quiz, options: Options) -> Package:
    """Write the papers and the key. Raises ExportRefused for a quiz that is not confirmed."""
    confirmed(quiz)
    stem = options.stem(quiz)
    files: dict[str, bytes] = {}
    summary: list[tuple[str, str]] = []
    if options.personal:
        wide = len(str(len(quiz.papers)))
        for paper in quiz.papers:
            files[f"{stem}-{paper.number:0{wide}d}.pdf"] = document(quiz, [paper])
        summary.append((f"{stem}-*.pdf", f"{count(len(files), 'file')}, one paper each"))
    else:
        files[f"{stem}.pdf"] = papers = document(quiz, quiz.papers)
        summary.append((f"{stem}.pdf", f"{count(len(quiz.papers), 'paper')}, {count(pages(papers), 'page')}"))
    files[f"{stem}-key.pdf"] = document(quiz, quiz.papers, key=True)
    summary.append((f"{stem}-key.pdf", count(len(quiz.papers), "key")))
    return Package(files, (), tuple(summary))


def document(quiz: Quiz, papers: Iterable[Paper], *, key: bool = False) -> bytes:
    """Return one PDF with the given papers of a quiz, or with their keys."""
    return compiled(sheet(quiz, papers, key=key))


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


def sheet(quiz: Quiz, papers: Iterable[Paper], *, key: bool) -> dict[str, Any]:
    """Return the data of a document: for students without anything that is a key or leads to one."""
    return {
        "key": key,
        "title": quiz.title,
        "course": quiz.course,
        "intro": [] if key else markup.to_typst(quiz.plan.intro),
        "papers": [
            {
                "number": paper.number,
                "code": paper.code,
                "points": points_text(paper.points),
                "qr": "" if key else _qr(paper.code),
                "items": [_item(item, key=key, sealed=quiz.sealed) for item in paper.items],
            }
            for paper in papers
        ],
    }


def _item(item: Item, *, key: bool, sealed: bool) -> dict[str, Any]:
    variant = item.variant
    certificate = variant.certificate
    return {
        "number": item.number,
        "title": _line(variant.words["title"]),
        "points": points_text(item.points),
        "stem": markup.to_typst(variant.words["stem"]),
        "code": item.code if key or not sealed else "",
        "parts": [_part(variant, each, key=key) for each in asked(item)],
        "proof": {"torch": certificate.torch, "sha256": certificate.sha256} if key and certificate else None,
    }


def _part(variant: Variant, each: Asked, *, key: bool) -> dict[str, Any]:
    part = each.part
    shown: dict[str, Any] = {
        "letter": each.letter,
        "ask": markup.to_typst(variant.words.get(f"ask_{part.id}", "")),
        "points": points_text(each.points),
    }
    if not key:
        return shown
    route = variant.certificate.routes[part.id] if variant.certificate else None
    return {
        **shown,
        "answer": part.answer.display(),
        "solution": markup.to_typst(variant.words.get(f"solution_{part.id}", "")),
        "slips": [[slip.answer.display(), slip.id, slip.witness or ""] for slip in part.slips],
        "by": route.by if route else "",
    }


def _line(words: str) -> list[Any]:
    blocks = markup.to_typst(words)
    return blocks[0][1] if blocks and blocks[0][0] == "p" else [markup.to_text(words)]


@functools.lru_cache(maxsize=1024)
def _qr(code: str) -> str:
    """Return the QR code of a look-up id as an SVG of one path."""
    out = io.BytesIO()
    # One fixed mask: all eight read alike, and to weigh them costs more than the rest of the sheet.
    segno.make(code, error="m", micro=False, mask=0).save(
        out, kind="svg", border=0, xmldecl=False, svgns=True, nl=False
    )
    return out.getvalue().decode()
