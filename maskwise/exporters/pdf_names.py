"""Names on paper: the fonts for print have no signs of some scripts, and one name must not stop a whole set.

Where a name cannot be set, the person's id stands in its place, and the losses say so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import typst

from maskwise.exporters.package import count

if TYPE_CHECKING:
    from collections.abc import Collection

    from generator.quiz import Paper, Quiz

_PAGE: Final = b'#set document(title: "names")\n#sys.inputs.names'
_TOLD: Final = 5


def readable(quiz: Quiz) -> tuple[Quiz, tuple[str, ...]]:
    """Return the quiz with names that can be printed, and what was lost, in sentences."""
    names = {text for paper in quiz.papers for text in (paper.person, paper.person_id) if not text.isascii()}
    lost = _unprintable(names)
    if not lost:
        return quiz, ()
    papers = tuple(_renamed(paper, lost) for paper in quiz.papers)
    gone = [paper.person for paper in quiz.papers if paper.person in lost]
    told = ", ".join(gone[:_TOLD]) + (f" and {len(gone) - _TOLD} more" if len(gone) > _TOLD else "")
    many = count(len(gone), "name")
    sentence = f"PDF: the fonts for print lack signs of {many}; the id stands on the paper instead: {told}."
    return replace(quiz, papers=papers), (sentence,)


def _renamed(paper: Paper, lost: Collection[str]) -> Paper:
    shown = "" if paper.person_id in lost else paper.person_id
    return replace(paper, person=shown if paper.person in lost else paper.person, person_id=shown)


def _unprintable(names: Collection[str]) -> frozenset[str]:
    """Return those of the names that cannot be set: nearly always none, which one try tells."""
    if not names:
        return frozenset()
    press = typst.Compiler(
        _PAGE,
        font_paths=typst.Fonts(include_system_fonts=False, include_embedded_fonts=True),
        ignore_system_fonts=True,
    )

    def printable(text: str) -> bool:
        try:
            press.compile(input=_PAGE, format="pdf", sys_inputs={"names": text}, pdf_standards=["ua-1"])
        except typst.TypstError:
            return False
        return True

    if printable("\n".join(sorted(names))):
        return frozenset()
    return frozenset(name for name in names if not printable(name))
