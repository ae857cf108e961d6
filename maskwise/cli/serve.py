"""`maskwise serve`: the pages, the database and PyTorch in one command."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import click

from maskwise.cli.options import Command, asked
from maskwise.cli.progress import progress
from maskwise.cli.talk import data, say
from maskwise.errors import INTERRUPTED, OK

if TYPE_CHECKING:
    from types import FrameType

    from maskwise.web.server import Served


@click.command(
    cls=Command,
    example="""
maskwise serve --demo
maskwise serve --port 9000
MASKWISE_DATABASE_URL=postgresql://me@localhost/maskwise maskwise serve --host 0.0.0.0
""",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="PORT", help="Port to listen on (8000); 0 takes a free one."
)
@click.option("--host", metavar="HOST", help="Address to listen on (127.0.0.1).")
@click.option(
    "--demo", is_flag=True, help="Make a demo course with an instructor and three students, if there is none."
)
def command(*, port: int | None, host: str | None, demo: bool) -> int:
    """Serve the pages, the database and PyTorch in one command.

    It runs until Ctrl-C (exit code 130) or a TERM signal (0). The tables are brought to the version of this program
    first. The address stands on stdout once requests are taken. Exit code 6 when the port is taken or the database
    cannot be used.
    """
    from maskwise.settings import load
    from maskwise.web.server import serve

    terminated: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        terminated.append(number)
        raise SystemExit(OK)

    signal.signal(signal.SIGTERM, stop)  # the server ends its threads on SystemExit; `main` restores the handler
    settings = load({"data_dir": asked().data_dir, "host": host, "port": port})
    with progress("Making the demo course", "questions") as move:
        serve(settings, demo=demo, announce=_announce, progress=move)
    if terminated:
        return OK
    say("interrupted")
    return INTERRUPTED


def _announce(served: Served) -> None:
    for account in served.accounts:
        say(f"{account.role:<11} {account.email}   password {account.password}")
    data(served.url)
    say("Ctrl-C stops it.")
