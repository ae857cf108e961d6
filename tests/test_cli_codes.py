"""`replay` and open sheets: every code that is printed leads back to its question."""

import json
import re

import classroom_kit
import pytest
from cli_kit import command_line

from maskwise.store import Store, courses, schema

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def run(capsys, tmp_path, monkeypatch, data_dir, runner):
    return command_line(capsys, tmp_path, monkeypatch, data_dir, runner)


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


SHOWN = re.compile(r"(?P<plain>CT-BASIC\.L2\.v1\.\d+) = (?P<short>[0-9A-Z-]+)")


def test_a_preview_and_its_replays_show_both_forms_of_a_code(run):
    shown = run("preview", "CT-BASIC", "--level", "2", "--seed", "77", "--no-confirm")[1]
    found = SHOWN.search(shown)
    assert found["plain"] == "CT-BASIC.L2.v1.77"
    for code in (found["plain"], found["short"], found["short"].lower().replace("-", " ")):
        assert run("replay", code, "--no-confirm")[1] == shown
    whole = json.loads(run("replay", found["short"], "--no-confirm", "--json")[1])
    assert (whole["code"], whole["short"]) == (found["plain"], found["short"])
    assert found["short"] in run("preview", "CT-BASIC", "--level", "2", "--seed", "77", "--format", "html")[1]
    long = run("preview", "CT-BASIC", "--seed", "a-seed-too-long-for-it", "--no-confirm", "--json")[1]
    assert json.loads(long)["short"] is None


def test_a_wrong_digit_of_a_short_code_is_said(run):
    short = SHOWN.search(run("preview", "CT-BASIC", "--level", "2", "--seed", "77", "--no-confirm")[1])["short"]
    wrong = short[:-1] + ("2" if short[-1] != "2" else "3")
    code, out, err = run("replay", wrong, "--no-confirm")
    assert (code, out) == (2, "")
    assert "check symbol" in err


def test_a_short_code_of_another_content_names_both(run, monkeypatch):
    from dataclasses import replace

    from generator.short_codes import short_code
    from question_bank.catalogue import families

    family = families()["CT-BASIC"]
    other = short_code(replace(family, levels={**family.levels, 1: "another sentence"}), 1, "7")
    code, out, err = run("replay", other, "--no-confirm")
    assert (code, out) == (3, "")
    said = " ".join(err.split())
    assert re.search(
        r"made by CT-BASIC version 1 \(content (\w{3})\), installed is version 1 \(content (?!\1)\w{3}\)", said
    )
    newer = short_code(replace(family, version=20), 1, "7")
    code, _out, err = run("replay", newer, "--no-confirm")
    assert code == 3
    assert "made by CT-BASIC version 20 (content " in " ".join(err.split())
    unknown = short_code(replace(family, id="XX-NONE"), 1, "7")
    code, _out, err = run("replay", unknown, "--no-confirm")
    assert code == 3
    assert "not installed" in err


CHOICES = """\
title = "Choices"

[[item]]
id = "choice"
family = "SH-TRYIT"
level = 2
parts = ["enc", "sel"]
as = { sel = "choice" }

[[item]]
id = "pool"
pick = 1
points = 2
from = [{ family = "CT-BASIC", level = 2 }, { family = "SH-SYMBOL", level = 3, as = "choice" }]
"""


@pytest.mark.parametrize("open_", [False, True])
def test_choices_and_picks_are_found_again(run, tmp_path, open_):
    (tmp_path / "choices.toml").write_text(CHOICES)
    words = ("generate", "choices.toml", "--seed", "4", "-n", "3", "-f", "json", "-o", "out")
    assert run(*words, *(["--open"] if open_ else []))[0] == 0
    told = json.loads((tmp_path / "out" / "choices.json").read_text())
    for paper in told["papers"]:
        for item in paper["items"]:
            more = () if open_ else ("--manifest", "out/choices.manifest.json")
            code, out, _err = run("replay", item["code"], *more, "--json", "--key")
            shown = json.loads(out)
            variant = item["variant"]
            assert (code, shown["given"], shown["words"]) == (0, variant["given"], variant["words"])
            assert [part["kind"] for part in shown["parts"]] == [part["answer"]["kind"] for part in variant["parts"]]
            if item["id"] == "choice":
                assert [part["kind"] for part in shown["parts"]] == ["shape", "choice"]
                assert not open_ or ":enc+~sel." in item["code"]
        more = ("--quiz", "choices.toml") if open_ else ("--manifest", "out/choices.manifest.json")
        code, out, _err = run("replay", paper["code"], *more, "--json", "--no-confirm")
        assert code == 0
        assert [each["given"] for each in json.loads(out)] == [item["variant"]["given"] for item in paper["items"]]
    if not open_:
        held = json.loads((tmp_path / "out" / "choices.manifest.json").read_text())["papers"]
        assert {tuple(paper["items"][0]["parts"]) for paper in held} == {("enc", "~sel")}


def test_what_the_pages_handed_out_is_found_in_the_database(run, tmp_path, monkeypatch):
    folder = tmp_path / "pages"
    folder.mkdir()
    unknown = "0000-0000-0000-0000"
    assert run("replay", unknown, "--data-dir", folder)[0] == 3
    assert list(folder.iterdir()) == []  # looking makes no database
    store = Store(f"sqlite:///{folder / 'maskwise.db'}")
    schema.upgrade(store)
    school = classroom_kit.School(store)
    with store.reading() as t:
        held = courses.issued_to(t, school.enrolments["ada"].id, school.quizzes["dl"].id)[1]
    store.close()
    code, out, err = run("replay", held.code.lower().replace("-", ""), "--data-dir", folder, "--json", "--key")
    assert code == 0
    assert "question 2 of Problem set 12, handed out to Ada" in err
    variant = json.loads(held.variant)
    shown = json.loads(out)
    assert (shown["words"], shown["certificate"]) == (variant["words"], variant["certificate"])
    assert run("replay", unknown, "--data-dir", folder)[0] == 3
    (folder / "maskwise.db").write_bytes(b"no database" * 100)
    code, out, err = run("replay", held.code, "--data-dir", folder)
    assert (code, out) == (6, "")
    assert "unexpected" not in err
