"""The command `maskwise` itself: a group that knows its commands by name and loads the file of the one that is used."""

from __future__ import annotations

import errno
import importlib
from typing import Any

import click

from maskwise.cli.options import Asked, GlobalOptions

# name -> what `maskwise --help` says of it; the file maskwise/cli/<name>.py holds `command`
COMMANDS = {
    "families": "Show what can be asked, with parts, levels and slips.",
    "preview": "Show a question as students meet it.",
    "generate": "Make a proven problem set: papers, key, LMS files.",
    "replay": "Show the variant behind a code.",
    "read": "Show how an answer is understood; no key is involved.",
    "grade": "Grade one answer, or a file of responses.",
    "check": "Prove keys, tell slips apart, look at every word.",
    "serve": "Serve the pages, the database and PyTorch in one command.",
    "db": "Look after the database.",
    "config": "Show the settings and where they come from.",
    "doctor": "See whether this machine has all that is needed.",
}

HELP = """Make, prove, print and grade "Try it" exercises about masked (BERT-style) models.

Data goes to stdout, talk to stderr. Exit codes: 0 ok, 1 unexpected, 2 usage, 3 not found, 4 checks failed,
5 refused, 6 environment, 130 interrupted.

Completion in the shell: eval "$(_MASKWISE_COMPLETE=bash_source maskwise)" in ~/.bashrc; zsh_source and
fish_source likewise.
"""


class ReaderGone(Exception):
    """Whoever read our output through a pipe has stopped reading."""


class LazyGroup(GlobalOptions, click.Group):
    """A group that imports a command's file on its first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Give the names in the order of a teacher's work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command's file."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"maskwise.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command when there is none of this name."""
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            from maskwise.errors import UsageFault, did_you_mean

            raise UsageFault(
                f'there is no command "{args[0]}"',
                help=did_you_mean(args[0], COMMANDS) or "`maskwise --help` lists the commands",
            )
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands first: they are what somebody looks for."""
        self.format_commands(ctx, formatter)
        GlobalOptions.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write names and words from the table, without importing any command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Tell a closed pipe apart from other faults before click makes an exit of it."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGone from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise ReaderGone from error
            raise


@click.group(
    cls=LazyGroup,
    help=HELP,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.pass_context
def root(context: click.Context) -> None:
    """Show the help when no command is named."""
    if context.obj is None:
        context.obj = Asked()
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
