"""`maskwise doctor`: whether this machine has all that is needed."""

from __future__ import annotations

import click

from maskwise.cli.options import Command, asked
from maskwise.cli.talk import data, emit, tinted
from maskwise.errors import ENVIRONMENT, OK

_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.command(cls=Command, example="maskwise doctor\nmaskwise doctor --json")
def command() -> int:
    """See whether this machine has all that is needed.

    Looks at Python, PyTorch, the runner and its symbolic trace, Typst, the data folder, the database and the port.
    Exit code 6 when something essential is missing; a warning leaves it at 0.
    """
    from maskwise.services.doctor import examine
    from maskwise.settings import load

    findings = []
    for finding in examine(load({"data_dir": asked().data_dir})):
        findings.append(finding)
        if not asked().json:
            data(f"{tinted(f'{finding.status:<4}', _COLOURS[finding.status])}  {finding.name:<12} {finding.detail}")
            if finding.help:
                data(f"{'':<18} {finding.help}")
    healthy = all(finding.status != "fail" for finding in findings)
    if asked().json:
        checks = [{"name": f.name, "status": f.status, "detail": f.detail, "help": f.help} for f in findings]
        emit({"ok": healthy, "checks": checks})
    return OK if healthy else ENVIRONMENT
