"""`maskwise check`: keys proven, slips told apart, words complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maskwise.cli.faults import render
from maskwise.cli.options import Command, asked
from maskwise.cli.progress import progress
from maskwise.cli.talk import data, emit, tinted
from maskwise.errors import CHECKS_FAILED, OK, UsageFault

if TYPE_CHECKING:
    from generator.check import LevelReport
    from maskwise.services.blind_bot import PartScore
    from maskwise.services.checking import Checked


@click.command(
    cls=Command,
    example="""
maskwise check
maskwise check SH-TRYIT LS-MEAN -n 1000
maskwise check -v VI-SEE
maskwise check --json
""",
)
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option(
    "-n", "--variants", type=int, default=200, show_default=True, metavar="N", help="Draws a family and level."
)
@click.option(
    "--workers", type=int, default=2, show_default=True, metavar="N", help="Families that are checked at once."
)
def command(*, ids: tuple[str, ...], variants: int, workers: int) -> int:
    """Prove keys, tell slips apart, look at every word.

    Checks every family, or those named. Keys are proven by formula, run and trace; slips differ from keys and from each
    other; every word is there; open codes rebuild the same variant; nobody scores much by guessing blindly. With -v the
    figures of every part. Exit code 4 when a check fails.
    """
    if workers < 1:
        raise UsageFault("--workers is a whole number of 1 or more")
    if variants < 1:
        raise UsageFault("-n is a whole number of 1 or more")
    from maskwise.config import data_folder
    from maskwise.services.checking import check
    from question_bank.catalogue import families, family

    chosen = [family(name).id for name in ids] if ids else list(families())
    with progress("Checking", "variants") as move:
        found = check(chosen, variants, data_folder(asked().data_dir), workers=workers, progress=move)
    failed = sum(each.failed for each in found)
    proven = sum(each.report.variants for each in found)
    slowest = max((each for each in found if each.milliseconds), key=lambda each: each.milliseconds or 0, default=None)
    if asked().json:
        timed = None if slowest is None else {"id": slowest.id, "milliseconds": round(slowest.milliseconds or 0, 2)}
        reports = [_data(each) for each in found]
        emit({"families": reports, "failed": failed, "variants": proven, "slowest": timed})
        return CHECKS_FAILED if failed else OK
    for each in found:
        _show(each)
    _show_guessable(found)
    if slowest is not None and len(found) > 1:
        data(f"slowest: {slowest.id}, {slowest.milliseconds:.1f} ms a variant")
    what = f"{failed} error{'' if failed == 1 else 's'}" if failed else "no error"
    data(f"{what} in {proven} variants of {len(found)} {'family' if len(found) == 1 else 'families'}")
    return CHECKS_FAILED if failed else OK


def _data(found: Checked) -> dict[str, Any]:
    from question_bank.catalogue import family

    if found.unusable is None:
        return found.to_json()
    problem = render(found.unusable)
    level = {"level": min(family(found.id).levels), "variants": 0, "distinct": 0, "failed": 1, "problems": [problem]}
    level |= {"acceptance": 0.0, "milliseconds": None, "parts": {}}
    return {"id": found.id, "variants": 0, "failed": 1, "levels": [level], "milliseconds": None}


def _show(found: Checked) -> None:
    if found.unusable is not None:
        data(f"{found.id:<10} {tinted('cannot be used', 'red')}")
        data("\n".join(f"  {line}" for line in render(found.unusable).splitlines()))
    for level in found.report.levels:
        said = f"{level.failed} failed" if level.failed else "ok"
        mark = tinted(f"{said:<10}", "red" if level.failed else "green")
        counts = f"{level.variants} proven, {level.distinct} different, {level.acceptance:.0%} of draws kept"
        data(f"{found.id:<10} level {level.level}  {mark} {counts}")
        for problem in level.problems:
            data("\n".join(f"  {line}" for line in problem.splitlines()))
        if asked().verbose:
            _show_parts(found, level)


def _show_parts(found: Checked, level: LevelReport) -> None:
    """Print the figures of each part: what a blind guesser scores, and which wrong rules are left out how often."""
    for part, report in level.parts.items():
        score = found.scores.get((level.level, part))
        blind = _blind(score) if score else ""
        data(f"    {part:<14} {blind}")
        for options, counts in sorted(score.positions.items()) if score else ():
            data(f"      key among {options} options at place 1 to {options}: {', '.join(map(str, counts))} times")
        if report.left_out:
            left = (f"{slip} {count / report.asked:.0%}" for slip, count in sorted(report.left_out.items()))
            data(f"      left out: {', '.join(left)}")


def _blind(score: PartScore) -> str:
    choice = f", as a choice {score.best_choice.score:.0%} ({score.best_way})" if score.choice else ""
    return f"guessed blindly: homework {score.homework.score:.0%}, exam {score.exam.score:.0%}{choice}"


def _show_guessable(found: list[Checked]) -> None:
    """Name every part that a blind guesser gets more often than wanted, with the reason its family gives."""
    for each in found:
        for level, part, score, reason in each.guessable():
            data(f"note: {each.id} level {level} {part}: {_blind(score)}: {reason or 'no reason given'}")
