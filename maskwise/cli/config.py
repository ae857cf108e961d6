"""`maskwise config`: the settings and where they come from."""

from __future__ import annotations

import click

from maskwise.cli.options import Command, GlobalOptions, asked
from maskwise.cli.talk import data, emit


class _Group(GlobalOptions, click.Group):
    """A group with the global options."""


@click.group(cls=_Group, epilog="Example: maskwise config show --json")
def command() -> None:
    """Show the settings and where they come from."""


@command.command(
    cls=Command,
    example="""
maskwise config show
MASKWISE_PORT=9000 maskwise config show --json
""",
)
def show() -> None:
    """Show every setting with its value and its source; secrets are masked.

    The command line wins over MASKWISE_* in the environment, that over the config file (MASKWISE_CONFIG, or
    maskwise.toml here or in your config folder), and that over the default.
    """
    from maskwise.settings import show as settings

    found = settings({"data_dir": asked().data_dir})
    if asked().json:
        emit({one.name: {"value": one.value, "source": one.source, "variable": one.variable} for one in found})
        return
    for one in found:
        value = "-" if one.value is None else one.value
        data(f"{one.name:<13} {value}")
        data(f"{'':<13} from {one.source}; {one.help}")
