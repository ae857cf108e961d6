"""`generate`: which files it makes from what, and what it keeps."""

import json
import shutil
import stat

import pytest
from cli_kit import command_line, contents
from pypdf import PdfReader

from maskwise.exporters import FORMATS, SUFFIXES

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def run(capsys, tmp_path, monkeypatch, data_dir, runner):
    return command_line(capsys, tmp_path, monkeypatch, data_dir, runner)


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
        "two-questions-roster.csv",
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


# --- rosters ---

CLASS = "id;name;email\ns-1;Ada Byron;ada@school.edu\ns-2;=SUM(A1);\ns-3;Zoë;zoe@school.edu\n"


def manifest(folder):
    return json.loads((folder / "two-questions.manifest.json").read_text())["papers"]


def by_person(papers):
    return {paper["person"]["id"]: [item["seed"] for item in paper["items"]] for paper in papers}


def test_each_person_of_a_roster_gets_a_paper(run, tmp_path):
    (tmp_path / "class.csv").write_text(CLASS, encoding="utf-8")
    words = ("generate", "plan.toml", "--seed", "12", "--roster", "class.csv", "-f", "text")
    code, out, err = run(*words, "-o", "out")
    assert (code, err) == (0, "")
    assert "out/two-questions-roster.csv" in out
    papers = manifest(tmp_path / "out")
    assert [paper["person"] for paper in papers] == [
        {"id": "s-1", "name": "Ada Byron"},
        {"id": "s-2", "name": "=SUM(A1)"},
        {"id": "s-3", "name": "Zoë"},
    ]
    listed = (tmp_path / "out" / "two-questions-roster.csv").read_bytes().decode("utf-8-sig").splitlines()
    assert listed[0] == "id,name,paper,code"
    assert listed[2] == f"s-2,'=SUM(A1),2,{papers[1]['code']}"
    assert stat.S_IMODE((tmp_path / "out" / "two-questions-roster.csv").stat().st_mode) == 0o600
    seeds = [item["seed"] for paper in papers for item in paper["items"]]
    assert len(set(seeds)) == len(seeds)


def test_a_paper_is_a_function_of_the_id_and_not_of_the_line_or_the_name(run, tmp_path):
    (tmp_path / "class.csv").write_text(CLASS, encoding="utf-8")
    moved = "name,id\nNew,s-0\nZoë,s-3\nAda King,s-1\n"
    (tmp_path / "moved.csv").write_text(moved, encoding="utf-8")
    for roster, folder in (("class.csv", "one"), ("moved.csv", "two")):
        words = ("generate", "plan.toml", "--seed", "12", "--roster", roster, "-f", "text", "-o", folder)
        assert run(*words)[0] == 0
    one, two = by_person(manifest(tmp_path / "one")), by_person(manifest(tmp_path / "two"))
    assert one["s-1"] == two["s-1"]
    assert one["s-3"] == two["s-3"]
    assert two["s-0"] not in one.values()
    code, out, err = run(
        "replay", manifest(tmp_path / "two")[2]["code"], "--manifest", "two/two-questions.manifest.json"
    )
    assert code == 0
    assert "Ada King (s-1)" in err
    assert "Ada" not in out


def test_our_own_list_is_a_roster_and_makes_the_same_papers(run, tmp_path):
    (tmp_path / "class.csv").write_text(CLASS, encoding="utf-8")
    words = ("generate", "plan.toml", "--seed", "12", "-f", "text")
    assert run(*words, "--roster", "class.csv", "-o", "one")[0] == 0
    code, _out, err = run(*words, "--roster", "one/two-questions-roster.csv", "-o", "two")
    assert code == 0
    assert "not used: paper, code" in err
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_numbered_papers_have_a_list_to_fill_in_that_outlives_a_second_run(run, tmp_path):
    words = ("generate", "plan.toml", "--seed", "5", "-n", "2", "-f", "text", "-o", "out")
    assert run(*words)[0] == 0
    path = tmp_path / "out" / "two-questions-roster.csv"
    assert path.read_text("utf-8-sig").splitlines()[1].startswith(",,1,")
    path.write_bytes(path.read_bytes().replace(b",,1,", b"s-1,Ada,1,"))
    assert run(*words)[0] == 5
    assert run(*words, "--force")[0] == 0
    assert path.read_text("utf-8-sig").splitlines()[1].startswith("s-1,Ada,1,")
    path.write_text("mine")
    assert run(*words, "--force")[0] == 5
    assert path.read_text() == "mine"


def test_a_list_in_the_way_is_seen_before_any_work(run, tmp_path, monkeypatch):
    from maskwise.services import papers

    monkeypatch.setattr(papers, "generate", lambda *_a, **_k: pytest.fail("work was done"))
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "two-questions-roster.csv").write_text("mine")
    assert run("generate", "plan.toml", "-n", "2", "-f", "text", "-o", "w")[0] == 5


def test_what_papers_must_share_and_too_little_time_are_said(run, tmp_path):
    text = 'title = "Few"\nminutes = 3\n[[item]]\nfamily = "SH-SYMBOL"\nlevel = 3\nminutes = 4\n'
    (tmp_path / "few.toml").write_text(text)
    code, out, err = run("generate", "few.toml", "-n", "40", "-f", "json", "-o", "out", "--json")
    assert code == 0
    shared, time = json.loads(out)["notes"]
    assert "SH-SYMBOL level 3 has one variant of equal difficulty" in shared
    assert "some of the 40 papers share a question" in shared
    assert time == "the questions are estimated at 4 minutes, and the plan allows 3"
    assert shared in " ".join(err.split())
    (tmp_path / "few.toml").write_text(text.replace("minutes = 3", "minutes = 4\nequal = false"))
    _code, out, _err = run("generate", "few.toml", "-n", "40", "-f", "json", "-o", "more", "--json")
    assert ["has 5 variants, so that" in note for note in json.loads(out)["notes"]] == [True]


def test_large_print_and_the_size_of_the_page_are_asked_for(run, tmp_path):
    words = ("generate", "plan.toml", "--seed", "5", "-f", "pdf")
    sizes = {}
    for folder, more in {"plain": (), "large": ("--large",), "letter": ("--page", "letter")}.items():
        assert run(*words, *more, "-o", folder)[0] == 0
        pages = PdfReader(tmp_path / folder / "two-questions.pdf").pages
        sizes[folder] = (len(pages), tuple(round(float(side)) for side in pages[0].mediabox[2:]))
    assert sizes["plain"][1] == sizes["large"][1] == (595, 842)
    assert sizes["letter"][1] == (612, 792)
    assert contents(tmp_path / "large")["two-questions.pdf"] != contents(tmp_path / "plain")["two-questions.pdf"]


def test_a_name_that_print_has_no_signs_for_stops_nobody_and_is_told(run, tmp_path):
    (tmp_path / "class.csv").write_text("id,name\ns-1,Zoë Şahin\ns-2,李小龍\n李,小\n", encoding="utf-8")
    code, _out, err = run("generate", "plan.toml", "--seed", "5", "--roster", "class.csv", "-f", "pdf", "-o", "out")
    assert code == 0
    assert "lack signs of 2 names; the id stands on the paper instead: 李小龍, 小" in " ".join(err.split())
    texts = [page.extract_text() for page in PdfReader(tmp_path / "out" / "two-questions.pdf").pages]
    assert "Zoë Şahin" in texts[0]
    assert any("s-2" in text for text in texts)
    assert manifest(tmp_path / "out")[1]["person"] == {"id": "s-2", "name": "李小龍"}
