"""`maskwise read`: how an answer is understood."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from maskwise.cli.files import json_argument, lines_of, put_lines, refuse_terminal
from maskwise.cli.options import AnswerCommand, asked
from maskwise.cli.talk import data, emit, note, tinted, understood
from maskwise.errors import CHECKS_FAILED, OK, UsageFault


@click.command(
    cls=AnswerCommand,
    example="""
maskwise read shape "8 x 20 x 48"
maskwise read decimal -0.69
maskwise read shape_sym "(B*T, V)" --letters B,T,V
maskwise read set "positions 2 and 4"
maskwise read answers.jsonl -o read.jsonl
""",
)
@click.argument("kind_or_file", metavar="KIND|FILE")
@click.argument("answer", required=False)
@click.option("--letters", metavar="B,T,D,V", help="Letters that the question declares.")
@click.option("--context", metavar="JSON", help='What else it declares, such as {"places": 4, "unit": ["bytes"]}.')
@click.option("-o", "--output", metavar="FILE", help="Write the results of FILE there instead of the screen.")
@click.option("--force", is_flag=True, help="Replace an existing output file.")
@click.option("--strict", is_flag=True, help="Exit with 4 when a line of FILE could not be read.")
def command(
    *,
    kind_or_file: str,
    answer: str | None,
    letters: str | None,
    context: str | None,
    output: str | None,
    force: bool,
    strict: bool,
) -> int:
    """Show how an answer is understood; no key is involved.

    KIND is shape, shape_sym, int, rational, decimal, expr, seq, set, tensor, choice or
    multi. An answer that starts with a minus sign needs no --.
    FILE holds lines {"kind", "answer", "letters"?, "context"?}; each gets one line of result, and a line that
    cannot be read gets {"error", "line"} while the rest goes on (exit code 0, or 4 with --strict).
    """
    if answer is None:
        if letters is not None or context is not None:
            raise UsageFault("--letters and --context stand in the lines of the file")
        return _read_file(kind_or_file, Path(output).expanduser() if output else None, force=force, strict=strict)
    if output is not None:
        raise UsageFault("-o goes with a file of answers")
    from maskwise.services import reading

    named = [letter.strip() for letter in letters.split(",") if letter.strip()] if letters is not None else None
    declared = reading.make_context(json_argument("--context", context), named)
    result = reading.understood(kind_or_file, answer, declared)
    if asked().json:
        emit(result)
    else:
        _show(kind_or_file, result)
    return OK


def _read_file(name: str, output: Path | None, *, force: bool, strict: bool) -> int:
    from grader.read import READERS
    from maskwise.services.reading import read_answers

    if name in READERS and not Path(name).exists():
        raise UsageFault(f"the answer is missing: maskwise read {name} ANSWER")
    refuse_terminal(name)
    with lines_of(name, words="a file of lines with kind and answer") as raw:
        count, errors = put_lines(read_answers(raw), output, force=force)
    if errors:
        note(f'{errors} of {count} lines could not be read; see their "error"')
    return CHECKS_FAILED if strict and errors else OK


def _show(kind: str, result: dict[str, Any]) -> None:
    if result["outcome"] == "ok":
        data(f"{tinted('understood', 'green')}  {understood(kind, result['read_as'])}")
    elif result["outcome"] == "ask":
        data(f"{tinted('ambiguous', 'yellow')}   {result['hint']}")
        for choice in result["choices"]:
            meant = "" if choice["label"] == choice["text"] else f"  ({choice['label']})"
            data(f"            {choice['text']}{meant}")
    else:
        data(f"{tinted('not read', 'yellow')}    {result['hint']}")
        if result["read_as"]:
            data(f"            read so far: {result['read_as']}")
