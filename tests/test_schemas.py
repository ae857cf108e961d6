"""Every JSON that a command prints is what its schema in docs/schemas says, and no schema stands there untested."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from maskwise.cli import main
from maskwise.services.prover import Prover

pytestmark = pytest.mark.torch
FOLDER = Path(__file__).parent.parent / "docs/schemas"
SCHEMAS = {path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in FOLDER.glob("*.json")}

# schema -> commands whose whole output it describes
WHOLE = {
    "families-list": ["families list"],
    "families-show": ["families show SH-SYMBOL", "families show LS-MEAN", "families show CT-BASIC"],
    "preview": [
        "preview SH-TRYIT --seed 7",
        "preview LS-MEAN --seed 7 --level 3 -n 2",
        "preview CT-BASIC --no-confirm",
        "replay SH-SYMBOL.L1.v1.7",
        "replay SH-TRYIT.L1:enc+~sel.v1.7",
        "preview VI-SEE --seed 7 --no-confirm",
        "preview OB-COMPARE --level 3 --seed a-long-seed-has-no-short-code --no-confirm",
    ],
    "preview-key": [
        "preview SH-TRYIT --seed 7 --key",
        "preview LS-MEAN --seed 7 -n 3 --key",
        "preview SH-SYMBOL --seed 7 --key",
        "preview CT-BASIC --no-confirm --key",
        "replay CT-BASIC.L3.v1.7 --key",
        "replay SH-TRYIT.L1:enc+~sel.v1.7 --key",
        "preview OB-COMPARE --level 3 --seed 7 --key --no-confirm",
    ],
    "read": ["read shape 8x20", "read int 1.200", "read decimal -0.69", "read rational -3/4", "read expr x+1"],
    "grade": ["grade LS-MEAN --seed 3 --part terms 2", "grade LS-MEAN --seed 3 --part mean abc"],
    "check": ["check SH-TRYIT -n 2"],
    "config-show": ["config show"],
    "doctor": ["doctor"],
    "db-upgrade": ["db upgrade"],
    "generate": [
        "generate lesson-12 --seed 1 -f json,moodle -o out --force",
        "generate lesson-12 --seed 1 -n 2 --no-confirm -f json -o out --force",
    ],
}
# schema of a line -> (command, lines of its input); the input lines have a schema themselves
LINES = {
    "read-line": (
        "read",
        "answers-line",
        [
            {"kind": "shape", "answer": "8 x 20", "id": 1},
            {"kind": "shape", "answer": "8 *"},
            {"kind": "int", "answer": "1.200"},
            {"kind": "shape_sym", "answer": "(B, T)", "letters": ["B", "T"]},
            {"kind": "decimal", "answer": "0.42 bytes", "context": {"unit": ["bytes"], "places": 2}},
        ],
    ),
    "grade-line": (
        "grade",
        "responses-line",
        [
            {"family": "SH-CHAIN", "level": 1, "seed": 7, "answers": {"enc": "(5, 17, 40)"}},
            {"family": "SH-CHAIN", "given": {"B": 5, "T": 17, "D": 40, "V": 321}, "answers": {"enc": "(5, 17, 40)"}},
            {"family": "SH-CHAIN", "seed": "x", "answers": {"nowhere": "1"}, "id": "a"},
        ],
    ),
}


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def run(capsys, tmp_path, monkeypatch, data_dir, runner):
    def opened(folder=None, **more):
        return Prover(folder, start=lambda: runner, **more)

    monkeypatch.setattr("maskwise.services.prover.Prover", opened)
    monkeypatch.setenv("MASKWISE_DATA_DIR", str(data_dir))
    monkeypatch.chdir(tmp_path)

    def run(*words):
        code = main([str(word) for word in words])
        return code, capsys.readouterr().out

    return run


def wrong(name, value):
    """Give what a value breaks of a schema."""
    return [f"{error.json_path}: {error.message}" for error in Draft202012Validator(SCHEMAS[name]).iter_errors(value)]


def test_every_schema_is_one_and_is_tested():
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)
    assert set(SCHEMAS) == {*WHOLE, *LINES, *(source for _, source, _ in LINES.values())}


@pytest.mark.parametrize(("name", "words"), [(name, words) for name, all_words in WHOLE.items() for words in all_words])
def test_output_is_as_its_schema_says(run, name, words):
    code, out = run(*words.split(), "--json")
    assert code == 0
    assert wrong(name, json.loads(out)) == []


@pytest.mark.parametrize("name", LINES)
def test_lines_are_as_their_schemas_say(run, tmp_path, name):
    command, source, lines = LINES[name]
    for line in lines:
        assert wrong(source, line) == []
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(line) + "\n" for line in [*lines, "broken"]))
    code, out = run(command, "in.jsonl")
    assert code == 0
    results = [json.loads(line) for line in out.splitlines()]
    assert len(results) == len(lines) + 1
    assert "error" in results[-1]
    for result in results:
        assert wrong(name, result) == []


def test_the_schemas_are_strict_enough_to_fail(run):
    shown = json.loads(run("preview", "SH-TRYIT", "--seed", "7", "--json", "--key")[1])
    assert wrong("preview", shown), "a key in a preview must not pass"
    assert wrong("preview-key", {**shown, "extra": 1})
    assert wrong("read", {"outcome": "ok", "read_as": "x", "value": None, "hint": None, "choices": []})
    assert wrong("read", {"outcome": "reject", "read_as": None, "value": None, "hint": "", "choices": []})
    assert wrong("responses-line", {"family": "SH-CHAIN", "answers": {"enc": "1"}})
