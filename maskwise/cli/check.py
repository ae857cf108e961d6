"""`maskwise check`: keys proven, slips told apart, words complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maskwise.cli.options import Command, asked
from maskwise.cli.progress import progress
from maskwise.cli.talk import data, emit, tinted
from maskwise.errors import CHECKS_FAILED, OK, AuthorError, UsageFault

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from generator.family import Family
    from maskwise.services.prover import Prover


@click.command(
    cls=Command,
    example="""
maskwise check
maskwise check SH-TRYIT LS-MEAN -n 1000
maskwise check --json
""",
)
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option(
    "-n", "--variants", type=int, default=200, show_default=True, metavar="N", help="Draws a family and level."
)
def command(*, ids: tuple[str, ...], variants: int) -> int:
    """Prove keys, tell slips apart, look at every word.

    Checks every family, or those named. Keys are proven by formula, run and trace; slips differ from keys and from each
    other; every word is there; open codes rebuild the same variant. Exit code 4 when a check fails.
    """
    if variants < 1:
        raise UsageFault("-n is a whole number of 1 or more")
    from maskwise.config import data_folder
    from maskwise.services.prover import Prover
    from question_bank.catalogue import families, family

    chosen = [family(name) for name in ids] if ids else list(families().values())
    # Nothing is taken from kept results here: a check that believes what it wrote itself would check nothing.
    with Prover(data_folder(asked().data_dir), remember=False) as prover, progress("Checking", "variants") as move:
        reports = _checked(chosen, variants, prover, move)
    failed = sum(report["failed"] for report in reports)
    proven = sum(report["variants"] for report in reports)
    if asked().json:
        emit({"families": reports, "failed": failed, "variants": proven})
        return CHECKS_FAILED if failed else OK
    for report in reports:
        _show(report)
    what = f"{failed} error{'' if failed == 1 else 's'}" if failed else "no error"
    data(f"{what} in {proven} variants of {len(reports)} {'family' if len(reports) == 1 else 'families'}")
    return CHECKS_FAILED if failed else OK


def _checked(
    chosen: Sequence[Family], variants: int, prover: Prover, move: Callable[[int, int], None]
) -> list[dict[str, Any]]:
    """Check one family after the other; words or ranges that cannot be used at all fail that family alone."""
    from maskwise.cli.faults import render
    from maskwise.services.checking import check
    from maskwise.services.lower import translated

    total = variants * sum(len(each.levels) for each in chosen)
    before = 0
    reports = []
    for each in chosen:
        try:
            found = check([each.id], variants, prover, lambda done, _total, start=before: move(start + done, total))  # type: ignore[misc]
            reports.append(found.families[0].to_json())
        except Exception as error:
            known = translated(error)
            if not isinstance(known, AuthorError):
                raise
            reports.append(_unusable(each, render(known)))
        before += variants * len(each.levels)
    return reports


def _unusable(family: Family, problem: str) -> dict[str, Any]:
    level = {"level": min(family.levels), "variants": 0, "distinct": 0, "failed": 1, "problems": [problem]}
    return {"id": family.id, "variants": 0, "failed": 1, "levels": [level]}


def _show(report: dict[str, Any]) -> None:
    for level in report["levels"]:
        found = f"{level['failed']} failed" if level["failed"] else "ok"
        mark = tinted(f"{found:<10}", "red" if level["failed"] else "green")
        counts = f"{level['variants']} proven, {level['distinct']} different"
        data(f"{report['id']:<10} level {level['level']}  {mark} {counts}")
        for problem in level["problems"]:
            data("\n".join(f"  {line}" for line in problem.splitlines()))
