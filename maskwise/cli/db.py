"""`maskwise db`: looking after the database."""

from __future__ import annotations

import click

from maskwise.cli.options import Command, GlobalOptions, asked
from maskwise.cli.talk import data, emit


class _Group(GlobalOptions, click.Group):
    """A group with the global options."""


@click.group(cls=_Group, epilog="Example: maskwise db upgrade")
def command() -> None:
    """Look after the database."""


@command.command(
    cls=Command,
    example="""
maskwise db upgrade
MASKWISE_DATABASE_URL=postgresql://me@localhost/maskwise maskwise db upgrade
""",
)
def upgrade() -> None:
    """Bring the tables to the version of this program; safe to repeat, all or nothing."""
    from maskwise.services.database import upgrade as bring_up
    from maskwise.settings import load

    before, after = bring_up(load({"data_dir": asked().data_dir}))
    if asked().json:
        emit({"database": after.kind, "before": before.current, "after": after.current})
    elif before.current == after.current:
        data(f"{after.kind} is at version {after.current} already")
    else:
        data(f"{after.kind}: {before.current or 'no tables'} -> {after.current}")
