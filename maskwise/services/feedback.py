"""The words for a verdict: the grader gives codes, the variant holds its family's words, and here they meet.

Nothing here states a key: evidence is apart (`evidence`), and who shows it decides when a part is closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.read import Ask, Reject
from templates import render
from templates.markup import to_text

if TYPE_CHECKING:
    from generator.variant import Certificate, Variant
    from grader.part import Slip
    from grader.verdict import Verdict

_VERDICTS = "text/verdict.j2.txt"
# Codes with words of their own; the others are told by the reading: a hint, or a question back.
_NOTED = frozenset({"other_order", "rounded", "carried", "empty", "undecided", "no_runner"})


def feedback(variant: Variant, part: str, verdict: Verdict, *, closed: bool = False) -> str | None:
    """Give what a student is told about a verdict, as plain text; None when there is nothing to say.

    A witness that gives the key away is named only when the part is `closed`.
    """
    said = []
    if verdict.note in _NOTED:
        places = variant.part(part).context.places
        said.append(render(_VERDICTS, "note", name=verdict.note, places=places))
    if verdict.outcome != "right":
        said.append(_said(variant, part, verdict))
    if verdict.slip is not None:
        slip = next(slip for slip in variant.part(part).slips if slip.id == verdict.slip)
        said.append(witness(slip, closed=closed))
    words = " ".join(dict.fromkeys(text for text in said if text))
    return words or None


def witness(slip: Slip, *, closed: bool = False) -> str:
    """Name the line of PyTorch that gives the wrong value, unless there is none or it would give the key away."""
    if slip.witness is None or (slip.reveals and not closed):
        return ""
    return render(_VERDICTS, "witness", line=f"`{slip.witness}`")


def evidence(certificate: Certificate | None, part: str) -> str | None:
    """Give what PyTorch printed for the key; for staff, and for students once the part is closed."""
    if certificate is None or part not in certificate.routes:
        return None
    route = certificate.routes[part]
    return f"{route.line}  {route.printed}"


def _said(variant: Variant, part: str, verdict: Verdict) -> str:
    if verdict.outcome == "not_graded":
        return _how_to_change(verdict)
    if verdict.slip is not None:
        return _text(variant, f"slip_{part}_{verdict.slip}")
    return "" if verdict.carried else _text(variant, f"hint_{part}")


def _how_to_change(verdict: Verdict) -> str:
    if isinstance(verdict.reading, Reject):
        repair = verdict.reading.repair
        return f"{verdict.reading.hint} {render(_VERDICTS, 'repair', text=repair)}" if repair else verdict.reading.hint
    return verdict.reading.question if isinstance(verdict.reading, Ask) else ""


def _text(variant: Variant, block: str) -> str:
    return " ".join(to_text(variant.words.get(block, "")).split())
