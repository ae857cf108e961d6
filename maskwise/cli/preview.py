"""`maskwise preview`: a question as students meet it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from maskwise.cli.options import Command, asked
from maskwise.cli.proving import optional_prover
from maskwise.cli.talk import data, emit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generator.variant import Variant


@click.command(
    cls=Command,
    example="""
maskwise preview SH-TRYIT --seed 7
maskwise preview CT-BASIC --level 2 --seed 7 -n 5 --key
maskwise preview LS-MEAN --format json --no-confirm
""",
)
@click.argument("family_id", metavar="ID")
@click.option("--level", type=int, default=1, show_default=True, metavar="LEVEL", help="Level of difficulty.")
@click.option("--seed", metavar="SEED", help="Seed of the first variant; a fresh one when not named.")
@click.option("-n", "--variants", type=int, default=1, show_default=True, metavar="N", help="How many variants.")
@click.option("--key", is_flag=True, help="Show keys, slips and solution, too.")
@click.option("--no-confirm", is_flag=True, help="Do not run PyTorch; what is shown is marked as not confirmed.")
@click.option(
    "--format", "form", type=click.Choice(["text", "html", "json"]), default=None, help="How it is shown (text)."
)
def command(
    *, family_id: str, level: int, seed: str | None, variants: int, key: bool, no_confirm: bool, form: str | None
) -> None:
    """Show a question as students meet it.

    A seed always shows the same question. With -n the next seeds follow. JSON is one object for one variant and a
    list for several; it holds keys and slips only with --key.
    """
    from maskwise.services.looking import checked_seed, look, seeds

    wanted = list(seeds(checked_seed(seed) if seed is not None else _fresh_seed(), variants))
    with optional_prover(confirm=not no_confirm) as prover:
        show(look(family_id, level, wanted, prover), form=form, key=key, many=variants > 1)


def show(variants: Sequence[Variant], *, form: str | None, key: bool, many: bool, heads: Sequence[str] = ()) -> None:
    """Print variants in the form that was asked for; text has a line before each where there are `heads`."""
    from maskwise.services.looking import as_html, as_text, with_key, without_key

    if form == "json" or (form is None and asked().json):
        shown = [(with_key if key else without_key)(variant) for variant in variants]
        emit(shown if many else shown[0])
    elif form == "html":
        data(as_html(variants, key=key).rstrip())
    else:
        lines = heads or [""] * len(variants)
        data("\n".join(as_text(each, key=key, head=head) for each, head in zip(variants, lines, strict=True)).rstrip())


def _fresh_seed() -> str:
    import secrets

    return str(secrets.randbelow(1_000_000))
