"""`preview`: a question as students meet it, and what an author sees of a slip of the pen."""

import json
import shutil

import pytest
from cli_kit import command_line

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def run(capsys, tmp_path, monkeypatch, data_dir, runner):
    return command_line(capsys, tmp_path, monkeypatch, data_dir, runner)


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
    finally:
        for cache in caches:
            cache.cache_clear()
    column = lines[line - 1].index("vocab") + 1
    assert (code, out) == (4, "")
    assert 'error[W103]: unknown name "vocab" in question text' in err
    assert f"shape_chain.j2.md:{line}:{column}" in err
    assert "^^^^^ defined here: " in err
    assert 'did you mean "V"?' in err


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
