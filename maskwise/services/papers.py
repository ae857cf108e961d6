"""Problem sets as files: a plan and a seed become papers, their key, LMS files and the manifest that resolves ids."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from generator.codes import derive
from generator.quiz import Person, Quiz, assemble, merged_manifest
from maskwise.errors import Refused
from maskwise.exporters import FORMATS, Options
from maskwise.services.roster import written
from question_bank.catalogue import families, quiz_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from generator.build import Prover
    from generator.plan import QuizPlan
    from maskwise.services.roster import Student

# Formats that are text: they may go to a screen.
_READABLE = (".txt", ".json")
# Behind the quiz's slug: what resolves look-up ids, and who has which paper.
MANIFEST = ".manifest.json"
ROSTER = "-roster.csv"
_PLAIN = Options()


@dataclass(frozen=True)
class Papers:
    """What `generate` makes: `files` by name, `losses` as sentences, `summary` as (file name, what is in it).

    `notes` are sentences for the instructor that belong to no file.
    """

    quiz: Quiz
    files: dict[str, bytes]
    losses: tuple[str, ...]
    summary: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()

    def private(self) -> list[str]:
        """Return the files that hold keys, or what leads to them: all but the papers themselves."""
        handed_out = {f"{self.quiz.slug}.pdf", f"{self.quiz.slug}.txt", f"{self.quiz.slug}.losses.txt"}
        return [name for name in self.files if name not in handed_out]

    def on_screen(self) -> list[str]:
        """Return the readable files, without the manifest."""
        return [
            content.decode("utf-8")
            for name, content in self.files.items()
            if name.endswith(_READABLE) and not name.endswith((MANIFEST, ".losses.txt"))
        ]


def keeping(earlier: bytes, made: bytes, name: str) -> bytes:
    """Return a manifest that holds the papers of an earlier one, too: whoever holds such a paper can still be helped.

    Raises Refused when the earlier file is no manifest: it is somebody's, and is not replaced.
    """
    try:
        both = merged_manifest(json.loads(earlier), json.loads(made))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Refused(f"{name} is no manifest of papers", help="move it away, or choose another folder") from None
    return _manifest_bytes(both)


def _manifest_bytes(manifest: Mapping[str, Any]) -> bytes:
    return json.dumps(manifest, indent=1, sort_keys=True).encode() + b"\n"


def generate(
    reference: str,
    *,
    secret: bytes,
    seed: str | None,
    n: int,
    open_: bool,
    formats: Sequence[str],
    prover: Prover | None,
    options: Options = _PLAIN,
    roster: Sequence[Student] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Papers:
    """Make `n` papers of a plan (a file, or a ready-made name) in the given formats, or one for each of a roster.

    Sealed papers are a function of (secret of the data folder, seed) and of their number or their person's id; without
    a seed a fresh 128-bit one is taken. Open ones (`open_`) are a function of the seed alone and have no roster.
    Without a prover nothing is confirmed. Beside the key of several sealed papers stands who has which.
    """
    plan = quiz_plan(reference)
    chosen = seed if seed is not None else secrets.token_hex(16)
    key = chosen if open_ else derive(secret, "papers", plan.slug, chosen)
    quiz = assemble(
        plan,
        families(),
        key,
        papers=n,
        people=[_person(student) for student in roster] if roster is not None else None,
        prover=prover,
        progress=progress,
    )
    files: dict[str, bytes] = {}
    losses: list[str] = []
    summary: list[tuple[str, str]] = []
    for name in formats:
        package = FORMATS[name](quiz, options)
        files.update(package.files)
        losses.extend(package.losses)
        summary.extend(package.summary)
    if losses:
        files[f"{quiz.slug}.losses.txt"] = ("\n".join(losses) + "\n").encode()
    if quiz.sealed and prover is not None:
        files[f"{quiz.slug}{MANIFEST}"] = _manifest_bytes(quiz.manifest())
        if roster is not None or n > 1:
            files[f"{quiz.slug}{ROSTER}"] = written(quiz.papers)
    return Papers(quiz, files, tuple(losses), tuple(summary), (*quiz.notes, *_time(plan)))


def _person(student: Student) -> Person:
    """Give a person's part in the draw: the id alone, apart from the numbers of papers."""
    return Person(f"person/{student.id}", student.name, student.id)


def _time(plan: QuizPlan) -> Iterator[str]:
    estimate = plan.estimate()
    if plan.minutes is not None and estimate is not None and estimate > plan.minutes:
        yield f"the questions are estimated at {float(estimate):g} minutes, and the plan allows {plan.minutes}"
