"""Options of every command, accepted before and after its name, and answers that may start with a minus sign."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass
class Asked:
    """What the global options said; one object a run, found by `asked()`."""

    json: bool = False
    quiet: bool = False
    verbose: int = 0
    no_color: bool = False
    data_dir: Path | None = None
    yes: bool = False


def asked() -> Asked:
    """Give the global options of the running command."""
    found = click.get_current_context().find_root().obj
    assert isinstance(found, Asked)
    return found


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    root = context.find_root()
    if root.obj is None:
        root.obj = Asked()
    if value:  # not given here: what stood on the other side of the command's name stays
        name = str(parameter.name)
        if name == "verbose":
            value += root.obj.verbose
        elif name == "data_dir":
            value = Path(value).expanduser()
        setattr(root.obj, name, value)


def _show_version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's signature
    if value and not context.resilient_parsing:
        from maskwise import __version__

        click.echo(f"maskwise {__version__}")
        context.exit()


def _global(*names: str, **attributes: Any) -> click.Option:
    return click.Option(names, expose_value=False, callback=_keep, **attributes)


GLOBAL_OPTIONS: tuple[click.Option, ...] = (
    _global("--json", is_flag=True, help="Print JSON for scripts (schemas in docs/schemas)."),
    _global("-q", "--quiet", is_flag=True, help="Say nothing but errors on stderr."),
    _global("-v", "--verbose", count=True, help="Say more on stderr; a traceback with a fault."),
    _global("--no-color", is_flag=True, help="No colour; the variable NO_COLOR does the same."),
    _global("--data-dir", metavar="FOLDER", help="Where secrets, results and database are kept."),
    _global("-y", "--yes", is_flag=True, help="Answer every prompt with yes."),
    click.Option(
        ("--version",), is_flag=True, is_eager=True, expose_value=False, callback=_show_version,
        help="Show the version and stop.",
    ),
)  # fmt: skip


class GlobalOptions(click.Command):
    """Adds the global options to a command and shows them in their own section."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Give the command's own options, then the global ones, then --help."""
        *own, last = super().get_params(ctx) if self.add_help_option else [*super().get_params(ctx), None]
        return [*own, *GLOBAL_OPTIONS, *([last] if last is not None else [])]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write own and global options apart, so that a command's few options are seen."""
        shown = {id(option) for option in GLOBAL_OPTIONS}
        rows: dict[bool, list[tuple[str, str]]] = {False: [], True: []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and not isinstance(parameter, click.Argument):
                rows[id(parameter) in shown or "--help" in parameter.opts].append(record)
        for is_global, title in ((False, "Options"), (True, "Options of every command")):
            if rows[is_global]:
                with formatter.section(title):
                    formatter.write_dl(rows[is_global])


class Command(GlobalOptions):
    """A command whose help keeps the example as written."""

    def __init__(self, *positional: Any, example: str, **attributes: Any) -> None:
        super().__init__(*positional, **attributes)
        self.example = example

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Write the example, line by line, unwrapped."""
        with formatter.section("Example"):
            for line in self.example.strip().splitlines():
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class AnswerCommand(Command):
    """A command that takes a student's answer: `-0.69`, `-3/4` and `-ln(1/V)` are answers, no options.

    An argument is an option when it is exactly one of the short ones or begins with two dashes and a letter. An answer
    that is exactly `-v`, say, needs `--` in front.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put options first and answers behind `--`, then let click parse."""
        return super().parse_args(ctx, self._sorted(ctx, args))

    def _sorted(self, ctx: click.Context, args: Sequence[str]) -> list[str]:
        takes_value: dict[str, bool] = {}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option):
                for name in (*parameter.opts, *parameter.secondary_opts):
                    takes_value[name] = not (parameter.is_flag or parameter.count)
        options: list[str] = []
        answers: list[str] = []
        rest = iter(args)
        for argument in rest:
            if argument == "--":
                answers.extend(rest)
            elif argument in takes_value:
                options.append(argument)
                if takes_value[argument]:
                    options.extend(value for value in [next(rest, None)] if value is not None)
            elif argument.startswith("--") and argument[2:3].isalpha():
                options.append(argument)  # --name=value, or a name that click refuses with words
            else:
                answers.append(argument)
        return [*options, "--", *answers]
