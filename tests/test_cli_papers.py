"""`generate`, `replay` and `preview`: files, seeds, codes, and everything that can be wrong with them."""

import errno
import json
import re
import shutil
import stat

import pytest

from maskwise import files
from maskwise.cli import main
from maskwise.exporters import FORMATS, SUFFIXES
from maskwise.services.prover import Prover

pytestmark = pytest.mark.torch
PLAN = """\
title = "Two questions"

[[item]]
family = "SH-CHAIN"
level = 1

[[item]]
family = "CT-BASIC"
level = 2
"""


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    """One data folder for the module, so that each run is confirmed once."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def run(capsys, tmp_path, monkeypatch, data_dir, runner):
    def opened(folder=None, **more):
        return Prover(folder, start=lambda: runner, **more)  # one PyTorch process for all tests

    monkeypatch.setattr("maskwise.services.prover.Prover", opened)
    monkeypatch.setenv("MASKWISE_DATA_DIR", str(data_dir))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN)

    def run(*words):
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_papers_are_a_function_of_seed_and_data_folder(run, tmp_path, data_dir, monkeypatch):
    words = ("generate", "plan.toml", "--seed", "12", "-n", "3", "-f", "json,text")
    assert run(*words, "-o", "one")[0] == 0
    assert run(*words, "-o", "two")[0] == 0
    one = contents(tmp_path / "one")
    assert one == contents(tmp_path / "two")
    assert set(one) == {
        "two-questions.json",
        "two-questions.txt",
        "two-questions-key.txt",
        "two-questions.manifest.json",
    }

    copied = tmp_path / "copied"
    shutil.copytree(data_dir, copied)
    assert run(*words, "-o", "three", "--data-dir", copied)[0] == 0
    assert contents(tmp_path / "three") == one

    (copied / "secret").unlink()  # another secret: what a stranger with the same seed has
    assert run(*words, "-o", "four", "--data-dir", copied)[0] == 0
    other = contents(tmp_path / "four")
    assert other["two-questions.txt"] != one["two-questions.txt"]


def test_printed_papers_stay_known_when_a_manifest_is_replaced(run, tmp_path):
    assert run("generate", "plan.toml", "-f", "text", "-o", "m")[0] == 0
    first = json.loads((tmp_path / "m" / "two-questions.manifest.json").read_text())["papers"][0]["code"]
    assert run("generate", "plan.toml", "-f", "json", "-o", "m", "--force")[0] == 0
    both = json.loads((tmp_path / "m" / "two-questions.manifest.json").read_text())["papers"]
    assert len(both) == 2
    assert run("replay", first, "--manifest", "m/two-questions.manifest.json")[0] == 0
    (tmp_path / "m" / "two-questions.manifest.json").write_text("mine")
    assert run("generate", "plan.toml", "-f", "json", "-o", "m", "--force")[0] == 5
    assert (tmp_path / "m" / "two-questions.manifest.json").read_text() == "mine"


@pytest.mark.parametrize("form", FORMATS)
def test_a_format_writes_the_files_that_it_announces(run, tmp_path, form):
    assert run("generate", "plan.toml", "-f", form, "-o", "w")[0] == 0
    written = {path.name for path in (tmp_path / "w").iterdir()}
    assert {f"two-questions{suffix}" for suffix in SUFFIXES[form]} == {
        name for name in written if not name.endswith((".manifest.json", ".losses.txt"))
    }


def test_a_file_in_the_way_is_seen_before_any_work(run, tmp_path, monkeypatch):
    from maskwise.services import papers

    monkeypatch.setattr(papers, "generate", lambda *_a, **_k: pytest.fail("work was done"))
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "two-questions-key.pdf").write_text("mine")
    code, _out, err = run("generate", "plan.toml", "-f", "pdf", "-o", "w")
    assert (code, (tmp_path / "w" / "two-questions-key.pdf").read_text()) == (5, "mine")
    assert "--force" in err


def test_the_code_of_an_open_paper_shows_its_questions(run, tmp_path):
    assert run("generate", "plan.toml", "--open", "--seed", "7", "-f", "text", "-o", "o")[0] == 0
    code, out, _err = run("replay", "two-questions.7.1", "--quiz", "plan.toml")
    assert code == 0
    text = (tmp_path / "o" / "two-questions.txt").read_text()
    numbers = [word for word in re.findall(r"\d+", out.split("entries")[0]) if len(word) > 2]
    assert numbers
    assert all(number in text for number in numbers)
    assert run("replay", "two-questions.7.1")[0] == 3
    assert run("replay", "lesson-12.7.1", "--quiz", "plan.toml")[0] == 3


def test_without_a_seed_every_run_is_another(run, tmp_path):
    for name in ("one", "two"):
        assert run("generate", "plan.toml", "-f", "text", "-o", name)[0] == 0
    assert contents(tmp_path / "one")["two-questions.txt"] != contents(tmp_path / "two")["two-questions.txt"]


def test_the_table_names_every_file_and_talk_is_on_stderr(run):
    code, out, err = run("generate", "lesson-12", "--seed", "3", "-n", "2", "-f", "pdf,moodle", "-o", "out")
    assert code == 0
    assert "out/lesson-12.pdf " in out
    assert "2 papers" in out
    assert "out/lesson-12-key.pdf " in out
    assert "out/lesson-12.moodle.xml " in out
    assert "note: " in err
    assert "out/lesson-12.losses.txt" in err
    assert "\x1b" not in out + err


def test_strict_refuses_losses_and_writes_nothing(run, tmp_path):
    code, out, err = run("generate", "plan.toml", "-f", "moodle", "--strict", "-o", "out")
    assert (code, out) == (5, "")
    assert "cannot keep everything" in err
    assert not (tmp_path / "out").exists()


def test_existing_files_are_kept_unless_forced(run, tmp_path):
    words = ("generate", "plan.toml", "--seed", "1", "-f", "text", "-o", "out")
    assert run(*words)[0] == 0
    before = contents(tmp_path / "out")
    code, _, err = run("generate", "plan.toml", "--seed", "2", "-f", "text", "-o", "out")
    assert code == 5
    assert "--force" in err
    assert contents(tmp_path / "out") == before
    assert run("generate", "plan.toml", "--seed", "2", "-f", "text", "-o", "out", "--force")[0] == 0
    assert contents(tmp_path / "out") != before


def test_a_look_up_id_needs_its_manifest(run, tmp_path):
    run("generate", "plan.toml", "--seed", "5", "-f", "json", "-o", "out")
    paper = json.loads((tmp_path / "out/two-questions.manifest.json").read_text())["papers"][0]
    item = paper["items"][1]
    code, out, err = run("replay", item["code"])
    assert (code, out) == (3, "")
    assert "--manifest" in err

    code, out, _ = run("replay", item["code"].lower(), "--manifest", "out/two-questions.manifest.json", "--json")
    shown = json.loads(out)
    assert (code, shown["family"], shown["level"], shown["seed"], shown["code"]) == (0, "CT-BASIC", 2, None, None)
    whole = json.loads((tmp_path / "out/two-questions.json").read_text())
    assert json.dumps(shown["given"], sort_keys=True) in json.dumps(whole, sort_keys=True)

    _, out, _ = run("replay", paper["code"], "--manifest", "out/two-questions.manifest.json", "--json")
    assert [one["family"] for one in json.loads(out)] == ["SH-CHAIN", "CT-BASIC"]

    assert run("replay", "0000-0000-0000-0000", "--manifest", "out/two-questions.manifest.json")[0] == 3
    assert run("replay", item["code"], "--manifest", "nowhere.json")[0] == 3
    assert run("replay", item["code"], "--manifest", "plan.toml")[0] == 2
    assert run("replay", item["code"], "--manifest", "out/two-questions.json")[0] in {2, 3}


def test_open_sheets_need_no_secret_and_print_codes_that_rebuild_them(run, tmp_path):
    fresh = tmp_path / "fresh"
    words = ("generate", "plan.toml", "--open", "--seed", "9", "-f", "json", "--data-dir", fresh)
    assert run(*words, "-o", "out")[0] == 0
    assert not (fresh / "secret").exists()
    text = (tmp_path / "out/two-questions.json").read_text()
    codes = [line.split('"')[3] for line in text.splitlines() if '"code": "CT-BASIC.L2.v1.' in line]
    code, out, _ = run("replay", codes[0], "--json")
    assert code == 0
    assert json.dumps(json.loads(out)["given"], sort_keys=True) in json.dumps(json.loads(text), sort_keys=True)


def test_a_code_of_another_version_is_refused(run):
    code, _, err = run("replay", "SH-CHAIN.L1.v99.7")
    assert code == 5
    assert "version 99" in err


def test_the_secret_is_for_its_owner_alone(run, data_dir):
    run("generate", "plan.toml", "-f", "text", "--no-confirm")
    path = data_dir / "secret"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    try:
        code, _, err = run("generate", "plan.toml", "-f", "text", "--no-confirm")
    finally:
        path.chmod(0o600)
    assert code == 5
    assert "chmod 600" in err


@pytest.mark.parametrize("form", ["pdf", "moodle", "text,pdf"])
def test_an_unconfirmed_paper_never_becomes_pdf_or_an_lms_file(run, tmp_path, form):
    code, _, err = run("generate", "plan.toml", "--no-confirm", "-f", form, "-o", "out")
    assert code == 2
    assert "--no-confirm" in err
    assert not (tmp_path / "out").exists()


def test_a_quick_look_is_marked_and_needs_no_torch(run, monkeypatch):
    def never(*_arguments, **_more):
        raise AssertionError("a prover was opened")

    monkeypatch.setattr("maskwise.services.prover.Prover", never)
    code, out, _ = run("preview", "SH-CHAIN", "--seed", "7", "--no-confirm")
    assert code == 0
    assert "[not confirmed]" in out
    code, out, _ = run("preview", "SH-CHAIN", "--seed", "7", "--no-confirm", "--json")
    assert json.loads(out)["confirmed"] is False
    code, out, err = run("generate", "plan.toml", "--seed", "7", "--no-confirm", "-f", "json")
    assert code == 0
    assert json.loads(out)["confirmed"] is False
    assert "not confirmed" in err


BROKEN = {
    "syntax": ("title = \nx", 2, "plan.toml:1:9", "title = "),
    "unknown family": (PLAN.replace("SH-CHAIN", "SH-CHIAN"), 2, "plan.toml:4:10", 'family = "SH-CHIAN"'),
    "bad level": (PLAN.replace("level = 1", "level = 9"), 2, "plan.toml:5:9", "level = 9"),
    "level as text": (PLAN.replace("level = 1", 'level = "one"'), 2, "plan.toml:5:9", 'level = "one"'),
    "no such part": (PLAN.replace("level = 1", 'parts = ["lgits"]'), 2, "plan.toml:5:9", "lgits"),
    "count 0": (PLAN.replace("level = 1", "count = 0"), 2, "plan.toml:5:9", "count = 0"),
    "unknown name": (PLAN.replace("level = 1", "levle = 1"), 2, "plan.toml:5:9", "levle = 1"),
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
        (("families", "show", "CT-BASICS"), 3, 'did you mean "CT-BASIC"?'),
        (("check", "SH-CHIAN"), 3, 'did you mean "SH-CHAIN"?'),
        (("check", "-n", "0"), 2, "1 or more"),
        (("replay", "SH-CHIAN.L1.v1.7"), 3, 'did you mean "SH-CHAIN"?'),
        (("replay", "SH-CHAIN.L9.v1.7"), 2, "level"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_a_mistake_has_its_exit_code_and_says_what_to_do(run, words, code, said):
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


def test_an_unknown_name_in_a_template_has_file_line_and_caret(run, monkeypatch, tmp_path):
    """The words of a family with a typing slip, as an author would make it."""
    import templates
    from generator import drafting
    from templates import environment, faults

    root = tmp_path / "templates"
    shutil.copytree(faults.ROOT, root, ignore=shutil.ignore_patterns("__pycache__"))
    words = root / "questions/shape_chain.j2.md"
    lines = words.read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "block stem" in text)
    lines[line - 1] = lines[line - 1].replace("{{ say.sizes", "Of {{ vocab }} ids: {{ say.sizes")
    words.write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(faults, "ROOT", root)
    caches = (environment.environment, environment.template, templates.renderer, templates.blocks, drafting._front)
    for cache in caches:
        cache.cache_clear()
    try:
        code, out, err = run("preview", "SH-CHAIN", "--seed", "7", "--no-confirm")
        checked, report, _ = run("check", "SH-CHAIN", "LS-MEAN", "-n", "1")
    finally:
        for cache in caches:
            cache.cache_clear()
    column = lines[line - 1].index("vocab") + 1
    assert (code, out) == (4, "")
    assert 'error[W103]: unknown name "vocab" in question text' in err
    assert f"shape_chain.j2.md:{line}:{column}" in err
    assert "^^^^^ defined here: " in err
    assert 'did you mean "V"?' in err
    assert checked == 4
    assert 'error[W103]: unknown name "vocab" in question text' in report
    assert "LS-MEAN    level 3  ok" in report
    assert "1 error in 3 variants of 2 families" in report


def test_a_seed_shows_the_same_question_and_n_shows_the_next_ones(run):
    one = run("preview", "CT-BASIC", "--seed", "7", "--no-confirm", "--json")[1]
    assert run("preview", "ct-basic", "--seed", "7", "--no-confirm", "--format", "json")[1] == one
    five = json.loads(run("preview", "CT-BASIC", "--seed", "7", "-n", "5", "--no-confirm", "--json")[1])
    assert [each["seed"] for each in five] == ["7", "8", "9", "10", "11"]
    assert five[0] == json.loads(one)


def test_a_preview_tells_the_key_only_when_asked(run):
    _, out, _ = run("preview", "CT-BASIC", "--seed", "7", "--json", "--key")
    whole = json.loads(out)
    keys = [part["key"] for part in whole["parts"]]
    shown = json.loads(run("preview", "CT-BASIC", "--seed", "7", "--json")[1])
    assert not {"key", "slips"} & set().union(*shown["parts"])
    assert "certificate" not in shown
    assert not any(name.startswith(("solution", "slip")) for name in shown["words"])
    text = run("preview", "CT-BASIC", "--seed", "7")[1]
    with_key = run("preview", "CT-BASIC", "--seed", "7", "--key")[1]
    for part, key in zip(whole["parts"], keys, strict=True):
        assert f"{part['id']} = {key}" in with_key
        assert f"{part['id']} = {key}" not in text


def test_a_preview_as_html_stands_alone(run):
    code, out, _ = run("preview", "LS-MEAN", "--seed", "7", "--format", "html")
    assert code == 0
    assert out.startswith("<!doctype html>")
    assert out.rstrip().endswith("</html>")
    assert "<title>Mean over masked positions</title>" in out
    assert "⟦" not in out
