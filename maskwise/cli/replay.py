"""`maskwise replay`: the variant behind a code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maskwise.cli.options import Command, asked
from maskwise.cli.preview import show
from maskwise.cli.proving import optional_prover
from maskwise.cli.talk import note
from maskwise.errors import BadFile, NotFound, os_fault

if TYPE_CHECKING:
    from generator.drafting import Draft
    from generator.variant import Variant


@click.command(
    cls=Command,
    example="""
maskwise replay SH-TRYIT.L1.v1.12
maskwise replay 4VPJ-1EAW-CK
maskwise replay 7C1E-9RTA-H3PZ-K7QD --manifest out/lesson-12.manifest.json --key
""",
)
@click.argument("code")
@click.option("--manifest", metavar="FILE", help="The file beside the key that resolves look-up ids.")
@click.option("--quiz", metavar="PLAN", help="The plan of an open paper's code, when it is not a ready-made one.")
@click.option("--key", is_flag=True, help="Show keys, slips and solution, too.")
@click.option("--no-confirm", is_flag=True, help="Do not run PyTorch; what is shown is marked as not confirmed.")
@click.option(
    "--format", "form", type=click.Choice(["text", "html", "json"]), default=None, help="How it is shown (text)."
)
def command(
    *, code: str, manifest: str | None, quiz: str | None, key: bool, no_confirm: bool, form: str | None
) -> None:
    """Show the variant behind a code.

    An open code of a practice sheet names family, level, version and seed in plain text, or in a short form that can be
    read aloud; that of a whole open paper names quiz, seed and number, such as lesson-12.7.1. A look-up id of a sealed
    paper means nothing without the manifest; the id of a whole paper shows all of its questions. Look-up ids of the
    pages are found in the database.
    """
    from maskwise.services.looking import made

    found = _drafts(code, manifest, quiz)
    if found is None:  # a look-up id without a manifest
        show([_handed_out(code)], form=form, key=key, many=False)
        return
    heads = [head for head, _draft in found]
    with optional_prover(confirm=not no_confirm) as prover:
        show(made([each for _head, each in found], prover), form=form, key=key, many=len(found) > 1, heads=heads)


def _drafts(code: str, manifest: str | None, quiz: str | None) -> list[tuple[str, Draft]] | None:
    """Draw what a code stands for; None for a look-up id that no manifest is named for."""
    from maskwise.services.looking import behind_code, behind_id, owner_of

    if manifest is None:
        found = behind_code(code, quiz)
        if found is None:
            return None
        numbered = len(found) > 1
        return [(f"{number}." if numbered else "", each) for number, each in enumerate(found, start=1)]
    held = _read(Path(manifest).expanduser())
    behind = behind_id(held, code, manifest)
    owner = owner_of(held, code)
    if owner:
        note(f"the paper of {owner}")
    return behind


def _handed_out(code: str) -> Variant:
    """Find the question that the pages handed out under a look-up id."""
    from generator.codes import is_lookup_id
    from maskwise.services.issued import behind_id
    from maskwise.settings import load

    found = behind_id(load({"data_dir": asked().data_dir}), code) if is_lookup_id(code) else None
    if found is None:
        raise NotFound(
            f'"{code}" is no open code, and a look-up id needs its manifest',
            help="add --manifest NAME.manifest.json, the file beside the key; "
            "for an open paper of your own plan, --quiz PLAN.toml",
        )
    note(f"question {found.number} of {found.quiz}, handed out to {found.owner}")
    return found.variant


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}") from None
    except OSError as error:
        raise os_fault(error, f"read {path}") from error
    except (ValueError, RecursionError):
        raise BadFile(f"{path} is not JSON", help="it is the file NAME.manifest.json beside the key") from None
    if not isinstance(value, dict):
        raise BadFile(f"{path} is no manifest of papers")
    return value
