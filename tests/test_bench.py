"""The benchmarks' own sums: pairs are as they say, a miss is called a miss, one failure stops no other."""

import importlib
import subprocess
import sys

import pytest
from lxml import etree

BENCH = "bench"


@pytest.fixture
def script(monkeypatch, request):
    """Import a script of bench/ as if it were run from there."""
    monkeypatch.syspath_prepend(str(request.config.rootpath / BENCH))
    return importlib.import_module


def test_our_reader_and_equality_decide_every_pair_as_the_list_says(script):
    decide = script("decide")
    pairs = decide.pairs()
    assert len(pairs) == len({(student, key) for student, key, _ in pairs}) == 200
    assert {truth for _, _, truth in pairs} == {True, False}
    verdicts = [(student, key, truth, decide.ours(student, decide.our_key(key))) for student, key, truth in pairs]
    undecided = [each for each in verdicts if each[3] is None]
    assert len(undecided) <= 1  # one pair needs SymPy, which a busy machine may not finish in its time
    assert [each for each in verdicts if each not in undecided and each[3] is not each[2]] == []


def test_the_whitelist_lets_no_other_name_and_no_other_syntax_through(script):
    decide = script("decide")
    key = decide.sympy_key("B*T")
    assert decide.careful("T*B", key) is True
    for text in ("B.__class__", "[B, T]", "open", "B*T if B else T"):
        assert decide.careful(text, key) is None


def test_a_pair_that_takes_too_long_is_undecided(script, monkeypatch):
    decide = script("decide")
    monkeypatch.setattr(decide, "LIMIT", 0.05)

    def endless(_text, _key):
        while True:
            pass

    microseconds, verdict = decide.one(endless, "B", "B")
    assert verdict is None
    assert microseconds >= 50_000


def test_figures_count_wrong_and_undecided_apart(script):
    rounds = [[(1, True), (2, True), (3, None)], [(3, True), (4, True), (5, False)]]
    median, p95, slowest, wrong, undecided = script("decide").summary(rounds, [True, False, False])
    assert (median, slowest, wrong, undecided) == (3, 4, 1, 1)
    assert p95 >= median


@pytest.mark.parametrize(
    ("value", "limit", "words"), [(1, 1, "yes"), (1.2, 1, "**no**, 20% over"), (0, 0, "yes"), (1, 0, "**no**")]
)
def test_a_missed_target_is_called_missed(script, value, limit, words):
    assert script("shown").verdict(value, limit) == words


def test_a_table_is_markdown(script, capsys):
    script("shown").table(("work", "ms"), [("reading", 1), ("x", "2.50")])
    assert capsys.readouterr().out == "| work    | ms   |\n|---------|------|\n| reading | 1    |\n| x       | 2.50 |\n"


def test_a_script_that_fails_is_not_measured_and_a_miss_has_its_reason(script, monkeypatch, tmp_path):
    table = script("table")
    monkeypatch.setattr(table, "HERE", tmp_path)
    (tmp_path / "bad.py").write_text("raise SystemExit(3)")
    (tmp_path / "late.py").write_text("print('| x | **no**, 4% over |')")
    (tmp_path / "good.py").write_text("print('| x | yes |')")

    def written(name):
        return table.section(table.Row(name, "Title", "target", "it is slow"))

    assert "**Not measured**: the script ended with code 3." in written("bad")
    assert written("late").rstrip().endswith("Why it is missed: it is slow")
    assert "missed" not in written("good")


def test_every_script_stands_in_the_page(script, request):
    helping = {"bare", "shown", "table", "unconfirmed"}
    scripts = {path.stem for path in (request.config.rootpath / BENCH).glob("*.py")} - helping
    assert scripts == {row.script for row in script("table").ROWS}


def test_what_is_written_before_confirmation_has_every_question_with_all_its_words(script, tmp_path):
    moodle = script("moodle")
    plan = tmp_path / "all.toml"
    plan.write_text(moodle.plan("All", one_part=False), encoding="utf-8")
    file = tmp_path / "all.xml"
    command = [sys.executable, "bench/unconfirmed.py", str(plan), "12", str(tmp_path / "data"), str(file)]
    subprocess.run(command, check=True, capture_output=True)
    questions = etree.parse(file).findall("question")
    asked = [each for each in questions if each.get("type") != "category"]
    assert len(asked) == 100
    assert all(each.findtext("generalfeedback/text").strip() for each in asked)
    fields = sum(each.findtext("questiontext/text").count(":SHORTANSWER:") for each in asked)
    assert fields >= 25 * (3 + 4)
