"""`maskwise check`: keys proven, slips told apart, words complete."""

from __future__ import annotations

import click

from maskwise.cli.options import Command, asked
from maskwise.cli.progress import progress
from maskwise.cli.talk import data, emit, tinted
from maskwise.errors import CHECKS_FAILED, OK, UsageFault


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

    Checks every family, or those named. Keys are proven by formula, run and trace; slips differ from keys and from
    each other; every word is there; open codes rebuild the same variant. Exit code 4 when a check fails.
    """
    if variants < 1:
        raise UsageFault("-n is a whole number of 1 or more")
    from maskwise.config import data_folder
    from maskwise.services.checking import check
    from maskwise.services.prover import Prover

    # Nothing is taken from kept results here: a check that believes what it wrote itself would check nothing.
    with Prover(data_folder(asked().data_dir), remember=False) as prover, progress("Checking", "variants") as move:
        report = check(ids, variants, prover, move)
    if asked().json:
        emit(report.to_json())
        return CHECKS_FAILED if report.failed else OK
    for family in report.families:
        for level in family.levels:
            found = "ok" if not level.failed else f"{level.failed} failed"
            mark = tinted(f"{found:<10}", "red" if level.failed else "green")
            data(f"{family.id:<10} level {level.level}  {mark} {level.variants} proven, {level.distinct} different")
            for problem in level.problems:
                data(f"  {problem}")
    data(f"{report.failed} failed in {report.variants} variants of {_families(len(report.families))}")
    return CHECKS_FAILED if report.failed else OK


def _families(count: int) -> str:
    return f"{count} {'family' if count == 1 else 'families'}"
