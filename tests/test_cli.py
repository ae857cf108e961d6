"""The command line as a whole: help, global options, exit codes, errors, pipes, signals."""

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from maskwise import __version__
from maskwise.cli import faults, main
from maskwise.cli.options import AnswerCommand, Command
from maskwise.cli.root import COMMANDS, root
from maskwise.errors import (
    BadFile,
    ChecksFailed,
    EnvironmentFault,
    MaskwiseError,
    NotFound,
    Place,
    Refused,
    UsageFault,
    os_fault,
    toml_fault,
)


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MASKWISE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Run a command in this process and give (exit code, stdout, stderr)."""

    def run(*words):
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def every_command():
    """Yield the words and the command of everything that can be run."""
    context = click.Context(root)
    for name in COMMANDS:
        command = root.get_command(context, name)
        if isinstance(command, click.Group):
            yield (name,), command
            for inner in command.list_commands(context):
                yield (name, inner), command.get_command(context, inner)
        else:
            yield (name,), command


def test_bare_maskwise_shows_help(run):
    code, out, err = run()
    assert (code, err) == (0, "")
    assert out.startswith("Usage: maskwise")
    for name in COMMANDS:
        assert f"\n  {name} " in out


def test_version(run):
    assert run("--version") == (0, f"maskwise {__version__}\n", "")
    assert run("read", "--version") == (0, f"maskwise {__version__}\n", "")


@pytest.mark.parametrize("words", [words for words, _ in every_command()], ids=" ".join)
def test_every_help_has_words_and_an_example(run, words):
    code, out, _ = run(*words, "--help")
    assert code == 0
    assert re.search(rf"Example:?\s+(.*\n)*?.*maskwise {words[0]}", out), out
    assert "--json" in out
    assert run(*words, "-h")[1] == out


def test_the_list_of_commands_says_what_their_own_help_says():
    own = {words[0]: command.help.splitlines()[0] for words, command in every_command() if len(words) == 1}
    assert own == COMMANDS


def test_examples_name_only_options_that_exist():
    for words, command in every_command():
        if not isinstance(command, Command):
            continue
        known = {name for parameter in command.get_params(click.Context(command)) for name in parameter.opts}
        for line in command.example.strip().splitlines():
            assert f"maskwise {' '.join(words)}" in line
            used = re.findall(r"(?<=\s)(--?[a-z][a-z-]*)(?=\s|$)", line)
            assert set(used) <= known, line


@pytest.mark.parametrize(
    "words",
    [("--json", "config", "show"), ("config", "--json", "show"), ("config", "show", "--json")],
    ids=["before", "between", "after"],
)
def test_global_options_stand_before_and_after_the_command(run, words):
    code, out, _ = run(*words)
    assert code == 0
    assert json.loads(out)["port"]["value"] == 8000


def test_an_option_after_the_command_does_not_undo_one_before(run, tmp_path):
    _, out, _ = run("--data-dir", tmp_path / "mine", "config", "show", "--json")
    assert json.loads(out)["data_dir"] == {
        "value": str(tmp_path / "mine"),
        "source": "command line",
        "variable": "MASKWISE_DATA_DIR",
    }


def test_an_unknown_command_names_the_nearest(run):
    code, out, err = run("previw")
    assert (code, out) == (2, "")
    assert err == 'error: there is no command "previw"\n  help: did you mean "preview"?\n'


def test_an_unknown_option_is_usage(run):
    code, out, err = run("config", "show", "--jsno")
    assert (code, out) == (2, "")
    assert "no such option" in err
    assert "`maskwise config show --help`" in err


class Answers(AnswerCommand):
    pass


@click.command(cls=Answers, example="x")
@click.argument("kind")
@click.argument("answer", required=False)
@click.option("-o", "--output")
@click.option("--part")
@click.option("--key", is_flag=True)
def answers(**given):
    return given


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["decimal", "-0.69"], "-0.69"),
        (["decimal", "-0.69", "--part", "p"], "-0.69"),
        (["--part", "p", "decimal", "-3/4"], "-3/4"),
        (["expr", "-ln(1/V)", "--key"], "-ln(1/V)"),
        (["expr", "-o", "out", "-oh"], "-oh"),
        (["int", "--3"], "--3"),
        (["int", "-"], "-"),
        (["int", "--", "-v"], "-v"),
        (["int", "- 5"], "- 5"),
    ],
)
def test_an_answer_that_starts_with_a_minus_is_an_answer(words, answer):
    given = answers.main(words, standalone_mode=False)
    assert given["answer"] == answer
    assert given["kind"] in {"decimal", "expr", "int"}


def test_options_of_an_answer_command_still_are_options():
    given = answers.main(["int", "5", "--part=p", "--key", "-o", "file"], standalone_mode=False)
    assert given == {"kind": "int", "answer": "5", "part": "p", "key": True, "output": "file"}
    with pytest.raises(click.NoSuchOption):
        answers.main(["int", "5", "--prat", "p"], standalone_mode=False)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageFault("x"), 2),
        (NotFound("x"), 3),
        (ChecksFailed("x"), 4),
        (Refused("x"), 5),
        (BadFile("x"), 2),
        (EnvironmentFault("x"), 6),
        (MaskwiseError("x"), 1),
        (OSError(errno.ENOSPC, "No space left on device"), 6),
        (OSError(errno.EACCES, "Permission denied", "/x"), 6),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_every_kind_of_error_has_its_exit_code(capsys, error, code):
    assert faults.report(error) == code
    assert capsys.readouterr().err.startswith("error: ")


def test_errors_of_the_lower_packages_are_told_in_ours():
    from generator.faults import BadFamily, BadPlan, UnknownName, Unproven
    from grader.runner.service import RunnerUnavailable
    from maskwise.store import StoreUnavailable

    expected = {
        UnknownName("family", "SH-CHIAN", ["SH-CHAIN"]): 3,
        UnknownName("quiz", "x", []): 3,
        UnknownName("level of SH-CHAIN", "9", ["1", "2"]): 2,
        UnknownName("part of SH-CHAIN", "lgits", ["logits"]): 2,
        BadPlan("x", file="a.toml", line=3): 2,
        BadFamily("x", file="a.py"): 4,
        Unproven("x"): 4,
        RunnerUnavailable("x"): 6,
        StoreUnavailable("x"): 6,
    }
    assert {error: faults.as_known(error).exit_code for error in expected} == expected
    assert faults.as_known(next(iter(expected))).help == 'did you mean "SH-CHAIN"?'
    assert faults.as_known(RuntimeError("a bug")) is None


def test_a_fault_in_the_program_says_how_to_report_it(run, monkeypatch):
    from maskwise import settings

    def broken(_asked):
        raise RuntimeError("this cannot be")

    monkeypatch.setattr(settings, "show", broken)
    code, out, err = run("config", "show")
    assert (code, out) == (1, "")
    assert "error: unexpected RuntimeError: this cannot be" in err
    assert "test_cli.py" in err
    assert "Please report it" in err
    assert "Traceback" not in err
    assert "Traceback" in run("config", "show", "-v")[2]


def test_an_error_shows_place_line_caret_and_help():
    place = Place("plan.toml", 14, 22, "The vocabulary has {{ vocab }} entries.", 5, "defined here: B, T")
    error = ChecksFailed('unknown name "vocab"', place=place, help='did you mean "V"?', code="W103")
    assert faults.render(error).splitlines() == [
        'error[W103]: unknown name "vocab"',
        "  --> plan.toml:14:22",
        "   14 | The vocabulary has {{ vocab }} entries.",
        "      |                      ^^^^^ defined here: B, T",
        '  help: did you mean "V"?',
    ]


def test_the_caret_stays_in_view_of_a_long_line():
    place = Place("x", 1, 5000, "a" * 4999 + "B" + "c" * 5000, 1)
    line, caret = faults.render(BadFile("x", place=place)).splitlines()[2:]
    assert len(line) < 170
    assert line[caret.index("^")] == "B"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("a = 1\nb = = 2\n", 2, 5), ('a = "open\n', 1, 10), ("[a\n", 1, 3), ("x = [1,\n2", 2, 2)],
)
def test_broken_toml_has_its_place(tmp_path, text, line, column):
    import tomllib

    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    fault = toml_fault(path, caught.value)
    assert (fault.place.line, fault.place.column) == (line, column)
    assert fault.place.source_line == text.splitlines()[line - 1]
    assert "at line" not in fault.message


@pytest.mark.parametrize(
    ("number", "words", "code"),
    [
        (errno.ENOSPC, "the disk is full", 6),
        (errno.EDQUOT, "the disk is full", 6),
        (errno.EACCES, "no permission", 6),
        (errno.EROFS, "read-only", 6),
        (errno.ENOENT, "no such place", 6),
        (errno.EIO, "input/output error", 6),
    ],
)
def test_what_the_system_refuses_is_said_in_words(number, words, code):
    fault = os_fault(OSError(number, os.strerror(number)), "write out/x.pdf")
    assert words in fault.message
    assert "write out/x.pdf" in fault.message
    assert fault.exit_code == code


def process(*words, **more):
    command = [sys.executable, "-m", "maskwise", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **more)


def test_a_pipe_has_no_colour_and_a_closed_one_is_quiet():
    shown = process("doctor", "--no-such")
    assert "\x1b" not in shown.stderr
    program = f"{sys.executable} -m maskwise config show --json | head -c 1 > /dev/null; echo ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() in {"0", "141"}
    assert ended.stderr == ""


def test_a_full_disk_under_stdout_is_an_environment_fault():
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "maskwise", "config", "show"]
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 6
    assert "the disk is full" in ended.stderr


def test_an_interrupt_ends_with_130(run, monkeypatch):
    from maskwise import settings

    def interrupted(_asked):
        raise KeyboardInterrupt

    monkeypatch.setattr(settings, "show", interrupted)
    code, out, err = run("config", "show")
    assert (code, out) == (130, "")
    assert err.strip() == "interrupted"


def test_completion_is_clicks_own():
    environment = {**os.environ, "_MASKWISE_COMPLETE": "bash_complete", "COMP_WORDS": "maskwise fam", "COMP_CWORD": "1"}
    assert process(env=environment).stdout.strip() == "plain,families"
