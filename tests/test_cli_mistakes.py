"""Everything that can be wrong with papers and plans: exit code, place, and words that help."""

import errno

import pytest
from cli_kit import PLAN, command_line

from maskwise import files

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def run(capsys, tmp_path, monkeypatch, data_dir, runner):
    return command_line(capsys, tmp_path, monkeypatch, data_dir, runner)


BROKEN = {
    "syntax": ("title = \nx", 2, "plan.toml:1:9", "title = "),
    "unknown family": (PLAN.replace("SH-CHAIN", "SH-CHIAN"), 2, "plan.toml:4:10", 'family = "SH-CHIAN"'),
    "bad level": (PLAN.replace("level = 1", "level = 9"), 2, "plan.toml:5:9", "level = 9"),
    "level as text": (PLAN.replace("level = 1", 'level = "one"'), 2, "plan.toml:5:9", 'level = "one"'),
    "no such part": (PLAN.replace("level = 1", 'parts = ["lgits"]'), 2, "plan.toml:5:10", "lgits"),
    "count 0": (PLAN.replace("level = 1", "count = 0"), 2, "plan.toml:5:9", "count = 0"),
    "unknown name": (PLAN.replace("level = 1", "levle = 1"), 2, "plan.toml:5:1", "levle = 1"),
    "no items": ('title = "x"\n', 2, "plan.toml", "no items"),
    "not text": ("title = \x00", 2, "plan.toml:1:9", ""),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plan_is_told_with_its_place(run, tmp_path, name):
    text, expected, place, words = BROKEN[name]
    (tmp_path / "plan.toml").write_text(text)
    code, out, err = run("generate", "plan.toml", "-f", "text", "-o", "out", "--no-confirm")
    assert (code, out) == (expected, "")
    assert place in err
    assert words in err
    assert "^" in err or name == "no items"
    assert "unexpected" not in err
    assert not (tmp_path / "out").exists()


def test_a_plan_that_is_not_utf8_or_is_a_folder_is_told(run, tmp_path):
    (tmp_path / "plan.toml").write_bytes(b'title = "\xff"')
    assert run("generate", "plan.toml", "-f", "text", "--no-confirm")[0] == 2
    (tmp_path / "folder.toml").mkdir()
    code, _, err = run("generate", "folder.toml", "-f", "text", "--no-confirm")
    assert code in {2, 3}
    assert "unexpected" not in err


PICKED = """\
title = "Pool"

[[item]]
points = 1
pick = 2

[[item.from]]
family = "SH-CHAIN"

[[item.from]]
family = "CT-BASIC"
level = 7
"""


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        (("", ""), "pool.toml:12:9", 'CT-BASIC has no level "7"'),
        (("pick = 2", "pick = 3"), "pool.toml:5:8", "pick = 2, or add entries"),
        (("points = 1\n", ""), "pool.toml:3:1", "points = 2, for each question"),
        (('family = "SH-CHAIN"', 'family = "SH-CHAIN"\nas = { sel = "choice" }'), "pool.toml:9:8", 'no part "sel"'),
        (('family = "SH-CHAIN"', "from = 1"), "pool.toml:8:1", "has no setting"),
    ],
)
def test_a_broken_pool_is_told_with_its_place(run, tmp_path, change, place, words):
    (tmp_path / "pool.toml").write_text(PICKED.replace(*change, 1))
    code, out, err = run("generate", "pool.toml", "-f", "text", "--no-confirm")
    assert (code, out) == (2, "")
    assert place in err
    assert words in err
    assert "^" in err


def test_more_variants_than_there_are_is_said(run, tmp_path):
    plan = 'title = "Many"\n[[item]]\nfamily = "SH-SYMBOL"\nlevel = 1\ncount = 200\n'
    (tmp_path / "many.toml").write_text(plan)
    code, out, err = run("generate", "many.toml", "-f", "json", "--no-confirm", "-o", "out")
    assert (code, out) == (2, "")
    assert "many.toml:5:9" in err
    assert "lower the count" in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("preview", "SH-CHIAN"), 3, 'did you mean "SH-CHAIN"?'),
        (("preview", "SH-CHAIN", "--level", "9"), 2, "1, 2, 3"),
        (("preview", "SH-CHAIN", "--level", "one"), 2, "--level"),
        (("preview", "SH-CHAIN", "-n", "0"), 2, "1 or more"),
        (("preview", "SH-CHAIN", "--seed", "a b"), 2, "a seed is"),
        (("generate", "lesson-12"), 2, "-o DIR"),
        (("generate", "lessn-12"), 3, 'did you mean "lesson-12"?'),
        (("generate", "lessn-12", "-f", "text"), 3, 'did you mean "lesson-12"?'),
        (("generate", "nowhere.toml", "-f", "text"), 3, "nowhere.toml"),
        (("generate", "lesson-12", "-f", "word", "-o", "x"), 2, "the formats"),
        (("generate", "lesson-12", "-f", "pfd", "-o", "x"), 2, 'did you mean "pdf"?'),
        (("generate", "lesson-12", "-f", ",", "-o", "x"), 2, "names no format"),
        (("generate", "lesson-12", "-n", "0", "-f", "text"), 2, "from 1 to 10,000"),
        (("generate", "lesson-12", "-n", "many", "-f", "text"), 2, "-n"),
        (("generate", "lesson-12", "-f", "text", "-o", "plan.toml"), 2, "is a file"),
        (("generate", "plan.toml", "--roster", "nobody.csv", "-f", "text"), 3, "there is no file nobody.csv"),
        (("generate", "plan.toml", "--roster", "plan.toml", "-f", "text"), 2, "plan.toml:1:1"),
        (("generate", "plan.toml", "--roster", "class.csv", "-n", "3", "-f", "text"), 2, "class.csv names 2"),
        (("generate", "plan.toml", "--roster", "class.csv", "--open", "-f", "text"), 2, "leave --open or --roster out"),
        (("generate", "plan.toml", "--page", "a5", "-f", "text"), 2, "a4"),
        (("families", "show", "CT-BASICS"), 3, 'did you mean "CT-BASIC"?'),
        (("check", "SH-CHIAN"), 3, 'did you mean "SH-CHAIN"?'),
        (("check", "-n", "0"), 2, "1 or more"),
        (("replay", "SH-CHIAN.L1.v1.7"), 3, 'did you mean "SH-CHAIN"?'),
        (("replay", "SH-CHAIN.L9.v1.7"), 2, "level"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_a_mistake_has_its_exit_code_and_says_what_to_do(run, tmp_path, words, code, said):
    (tmp_path / "class.csv").write_text("id,name\n1,Ada\n2,Alan\n")
    ended, out, err = run(*words)
    assert (ended, out) == (code, "")
    assert err.startswith("error")
    assert said in err
    assert "unexpected" not in err


def test_a_full_disk_leaves_no_file_of_the_set(run, tmp_path, monkeypatch):
    real, calls = files.os.fsync, []

    def full(descriptor):
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(files.os, "fsync", full)
    code, out, err = run("generate", "plan.toml", "-f", "text", "-o", "out")
    assert (code, out) == (6, "")
    assert "the disk is full" in err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_named(run, tmp_path, monkeypatch):
    real = files.os.open

    def no(path, *arguments):
        if str(path).startswith("out"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path, *arguments)

    monkeypatch.setattr(files.os, "open", no)
    code, _, err = run("generate", "plan.toml", "-f", "text", "-o", "out")
    assert code == 6
    assert "no permission to write out/two-questions.txt" in err
    assert not (tmp_path / "out").exists()
