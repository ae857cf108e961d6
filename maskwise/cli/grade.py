"""`maskwise grade`: one answer, or a file of responses."""

from __future__ import annotations

import textwrap
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maskwise.cli.files import json_argument, lines_of, put_lines, refuse_terminal
from maskwise.cli.options import AnswerCommand, asked
from maskwise.cli.talk import data, emit, note, tinted, understood
from maskwise.errors import CHECKS_FAILED, ENVIRONMENT, OK, UsageFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maskwise.services.grading import Grader

_COLOURS = {"right": "green", "wrong": "red", "not_graded": "yellow"}
_INDENT = " " * 12


@click.command(
    cls=AnswerCommand,
    example="""
maskwise grade SH-TRYIT --seed 12 --part logits "(6, 15, 32)"
maskwise grade LS-MEAN --seed 3 --level 2 --part mean 0.95
maskwise grade SH-TRYIT --given '{"B": 8, "T": 20, "D": 48, "V": 1000, "M": 12}' --part enc "8 x 20 x 48"
maskwise grade responses.jsonl -o graded.jsonl
""",
)
@click.argument("family_or_file", metavar="ID|FILE")
@click.argument("answer", required=False)
@click.option("--seed", metavar="SEED", help="Seed of the variant that was answered.")
@click.option("--level", type=int, metavar="LEVEL", help="Its level (default 1).")
@click.option("--given", metavar="JSON", help="Numbers of your own in place of seed and level.")
@click.option("--part", metavar="PART", help="The part that is answered; not needed where there is one only.")
@click.option("-o", "--output", metavar="FILE", help="Write the results of FILE there instead of the screen.")
@click.option("--force", is_flag=True, help="Replace an existing output file.")
@click.option("--strict", is_flag=True, help="Exit with 4 when a line of FILE could not be graded.")
def command(
    *,
    family_or_file: str,
    answer: str | None,
    seed: str | None,
    level: int | None,
    given: str | None,
    part: str | None,
    output: str | None,
    force: bool,
    strict: bool,
) -> int:
    """Grade one answer, or a file of responses.

    A verdict never changes the exit code. FILE holds lines {"family", "level", "seed", "answers": {part: text}}, or
    with "given" in place of level and seed; each gets one line of result, and a line that cannot be graded gets
    {"error", "line"} while the rest goes on (exit code 0, or 4 with --strict). Where PyTorch cannot be asked,
    answers are not graded and the exit code is 6.
    """
    if answer is None:
        if any(value is not None for value in (seed, level, given, part)):
            raise UsageFault(
                "the answer is missing", help='maskwise grade SH-TRYIT --seed 12 --part logits "(6, 15, 32)"'
            )
        return _grade_file(family_or_file, Path(output).expanduser() if output else None, force=force, strict=strict)
    if output is not None:
        raise UsageFault("-o goes with a file of responses")
    numbers = json_argument("--given", given)
    return _grade_one(family_or_file, answer, seed=seed, level=level, given=numbers, part=part)


def _grade_one(
    family_id: str,
    answer: str,
    *,
    seed: str | None,
    level: int | None,
    given: dict[str, Any] | None,
    part: str | None,
) -> int:
    from maskwise.services.grading import Response

    if given is None and seed is None:
        raise UsageFault("--seed or --given is missing", help="the seed stands on the sheet or in the manifest")
    if given is not None and (seed is not None or level is not None):
        raise UsageFault("--given stands in place of --seed and --level")
    wanted = part or _only_part(family_id, level or 1, seed)
    with _grader() as grader:
        result = grader.grade(Response(family_id, {wanted: answer}, level or 1, seed, given))
    if asked().json:
        emit(result)
    else:
        _show(result["verdicts"][wanted], _kind(family_id, wanted), result["max_points"], result["points"])
    return _available(grader)


def _only_part(family_id: str, level: int, seed: str | None) -> str:
    from generator.drafting import draft
    from question_bank.catalogue import family as find

    family = find(family_id)
    parts = draft(family, level, seed).parts if seed is not None else tuple(family.by_id)
    if len(parts) > 1:
        raise UsageFault("--part is missing", help=f"the parts: {', '.join(parts)}")
    return parts[0]


def _grade_file(name: str, output: Path | None, *, force: bool, strict: bool) -> int:
    from maskwise.services.grading import grade_lines
    from question_bank.catalogue import families

    if name.upper() in families() and not Path(name).exists():
        raise UsageFault(
            "the answer is missing", help=f'maskwise grade {name.upper()} --seed 12 --part PART "(6, 15, 32)"'
        )
    refuse_terminal(name)
    with lines_of(name, words="a file of lines with family, seed and answers") as raw, _grader() as grader:
        count, errors = put_lines(grade_lines(raw, grader), output, force=force)
    if errors:
        note(f'{errors} of {count} lines could not be graded; see their "error"')
    return _available(grader) or (CHECKS_FAILED if strict and errors else OK)


@contextmanager
def _grader() -> Iterator[Grader]:
    from maskwise.cli.proving import open_prover
    from maskwise.services.grading import Grader

    with open_prover() as prover:
        yield Grader(prover)


def _available(grader: Grader) -> int:
    if grader.unavailable is None:
        return OK
    note(f"PyTorch could not be asked: {grader.unavailable}; `maskwise doctor` tells what is missing")
    return ENVIRONMENT


def _kind(family_id: str, part: str) -> str:
    from maskwise.cli.families import summary
    from question_bank.catalogue import family as find

    return next(str(each["kind"]) for each in summary(find(family_id))["parts"] if each["id"] == part)


def _show(verdict: dict[str, Any], kind: str, best: float, points: float) -> None:
    if verdict["read_as"]:
        data(f"understood  {understood(kind, verdict['read_as'])}")
    outcome = verdict["outcome"]
    label = tinted(f"{outcome.replace('_', ' '):<12}", _COLOURS[outcome])
    of = f"{points} of {best} point{'' if best == 1 else 's'}"
    name = f": {verdict['slip'] or verdict['note']}" if verdict["slip"] or verdict["note"] else ""
    data(f"{label}{of}{name}" if outcome != "not_graded" else f"{label}{name.removeprefix(': ')}")
    if verdict["feedback"]:
        data(textwrap.fill(verdict["feedback"], 100, initial_indent=_INDENT, subsequent_indent=_INDENT))
    if verdict["evidence"]:
        data(f"{'PyTorch':<12}{verdict['evidence']}")
