"""The verifier: true exports pass, whatever is changed is named, and nothing of ours is trusted or imported."""

import ast
import contextlib
import copy
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
import verify_kit as kit

from generator.build import certify
from generator.drafting import from_given
from maskwise.cli import main
from maskwise.exporters.json import document
from maskwise.services.prover import Prover
from question_bank.catalogue import families

pytestmark = pytest.mark.torch
ROOT = Path(__file__).parent.parent
OURS = ("grader", "templates", "generator", "question_bank", "maskwise")
FORGERIES = 120


@pytest.fixture(scope="module")
def exports(prover):
    """Every family at every level, some of their parts asked as choices."""
    made = [document(quiz) for quiz in kit.quizzes(prover, len(kit.LEVELS), "small")]
    return json.loads(json.dumps(made))


@pytest.fixture(scope="module")
def chosen(exports):
    return next(
        data
        for data in exports
        if any("of" in part["answer"] for part in data["papers"][0]["items"][0]["variant"]["parts"])
    )


def first(data, family):
    """Return a copy of the first export that asks something of a family, and the question."""
    for each in data:
        made = copy.deepcopy(each)
        for paper in made["papers"]:
            for item in paper["items"]:
                if item["variant"]["family"] == family and not any(
                    "of" in p["answer"] for p in item["variant"]["parts"]
                ):
                    return made, item
    raise LookupError(family)


def test_true_exports_pass_and_every_key_of_them_is_derived(exports, tmp_path):
    paths = [kit.written(data, tmp_path / f"{place}.json") for place, data in enumerate(exports)]
    keys = [
        sum(len(item["variant"]["parts"]) for paper in data["papers"] for item in paper["items"]) for data in exports
    ]
    assert {item["variant"]["family"] for data in exports for item in data["papers"][0]["items"]} == {
        family for family, _level in kit.LEVELS
    }
    code, lines = kit.run(paths)
    assert lines == [f"ok {path}  {count} keys" for path, count in zip(paths, keys, strict=True)]
    assert code == 0


def test_a_forger_who_makes_every_hash_anew_is_found_by_running(exports, tmp_path):
    rng = random.Random(1)
    forged = []
    for number in range(FORGERIES):
        data = exports[number % len(exports)]
        kinds = [kind for kind, places in kit.places(data).items() if places]
        forged.append(kit.forge(data, rng, kinds[number % len(kinds)]))
    paths = [kit.written(kit.rehashed(each.data), tmp_path / f"{place}.json") for place, each in enumerate(forged)]
    code, lines = kit.verify(paths)
    assert code == 1
    for path, each, line in zip(paths, forged, lines, strict=True):
        assert line.startswith(f"TAMPERED {path}  {each.question}"), (each.what, each.change, line)
    assert {each.what for each in forged} == {"number", "key", "option", "observation", "words", "slip", "points"}


def test_any_change_at_all_is_found_by_the_hashes(exports, tmp_path):
    rng = random.Random(2)
    forged = [kit.forge(exports[number % len(exports)], rng) for number in range(FORGERIES)]
    paths = [kit.written(each.data, tmp_path / f"{place}.json") for place, each in enumerate(forged)]
    _code, lines = kit.verify(paths)
    for path, each, line in zip(paths, forged, lines, strict=True):
        assert re.match(rf"(TAMPERED|UNREADABLE) {re.escape(str(path))}  ", line), (each.change, line)


def test_a_key_that_is_forged_wherever_it_stands_is_found(exports, tmp_path):
    data, item = first(exports, "SH-TRYIT")
    variant = item["variant"]
    part = next(part for part in variant["parts"] if part["id"] == "sel")
    hits, scores = part["answer"]["axes"]
    text = json.dumps(data, ensure_ascii=False)
    for old, new in (
        (f"({hits}, {scores})", f"({hits + 1}, {scores})"),
        (f"[{hits}, {scores}]", f"[{hits + 1}, {scores}]"),
    ):
        text = text.replace(old, new)
    forged = kit.rehashed(json.loads(text))
    _code, lines = kit.verify([kit.written(forged, tmp_path / "forged.json")])
    assert re.search(rf"part sel: the key says \({hits + 1}, {scores}\), running gives \({hits}, {scores}\)$", lines[0])


def test_a_forger_can_write_another_true_question_and_no_more(exports, tmp_path):
    """Change a number wherever the question, its key and its certificate hold it: what comes out is true."""
    data, item = first(exports, "LS-MEAN")
    variant = item["variant"]
    other = next(
        each["variant"]
        for paper_data in exports
        for paper in paper_data["papers"]
        for each in paper["items"]
        if each["variant"]["family"] == "LS-MEAN"
        and each["variant"]["given"] != variant["given"]
        and len(each["variant"]["parts"]) == len(variant["parts"])
        and not any("of" in part["answer"] for part in each["variant"]["parts"])
    )
    item["variant"] = {**copy.deepcopy(other), "iso": variant["iso"], "level": variant["level"]}
    item["seed"] = "another"
    code, lines = kit.verify([kit.written(kit.rehashed(data), tmp_path / "another.json")])
    assert code == 0, lines
    item["variant"]["words"]["stem"] = variant["words"]["stem"]  # but not with the words of the first
    code, lines = kit.verify([kit.written(kit.rehashed(data), tmp_path / "mixed.json")])
    assert code == 1
    assert "the words leave out" in lines[0]


@pytest.mark.parametrize(
    "rewritten",
    [
        json.dumps,
        lambda data: json.dumps(data, indent=7, ensure_ascii=True),
        lambda data: json.dumps(dict(reversed(data.items())), ensure_ascii=False),
        lambda data: "\n \t" + json.dumps(data, separators=(" , ", " : ")) + "\r\n",
    ],
)
def test_what_changes_nothing_in_meaning_passes(exports, tmp_path, rewritten):
    path = tmp_path / "export.json"
    path.write_text(rewritten(exports[0]), encoding="utf-8")
    code, lines = kit.verify([path])
    assert (code, lines[0].split()[0]) == (0, "ok")


BROKEN = {
    "empty": b"",
    "no-json": b"a quiz",
    "no-text": b"\xff\xfe\x00",
    "a-list": b"[1, 2]",
    "a-number": b"7",
    "null": b"null",
    "deep": b"[" * 100_000,
    "long-number": b'{"format": ' + b"9" * 10_000 + b"}",
    "older": b'{"format": 1, "papers": []}',
    "newer": b'{"format": 3, "confirmed": true, "papers": []}',
    "no-name": b"{}",
    "twice": b'{"format": 2, "format": 2, "confirmed": true, "papers": []}',
}


def test_a_file_that_is_no_export_is_named(tmp_path):
    paths = [tmp_path / "missing.json", tmp_path]
    for name, content in BROKEN.items():
        path = tmp_path / f"{name}.json"
        path.write_bytes(content)
        paths.append(path)
    code, lines = kit.run(paths)
    assert code == 2
    for path, line in zip(paths, lines, strict=True):
        assert line.startswith(f"UNREADABLE {path}  "), line
        assert len(line) > len(f"UNREADABLE {path}  ") + 5


def test_a_quiz_that_no_run_has_confirmed_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MASKWISE_DATA_DIR", str(tmp_path / "data"))
    assert main(["generate", "lesson-12", "--seed", "1", "--no-confirm", "-f", "json", "-o", "out"]) == 0
    capsys.readouterr()
    code, lines = kit.verify([tmp_path / "out" / "lesson-12.json"])
    assert (code, "--no-confirm" in lines[0]) == (2, True)


def test_broken_questions_are_named_and_never_end_in_a_traceback(exports, tmp_path):
    """Something taken away, or of another type, and all hashes made anew."""
    rng = random.Random(3)
    paths = []
    for number in range(FORGERIES):
        data = copy.deepcopy(exports[number % len(exports)])
        variant = data["papers"][0]["items"][0]["variant"]
        part = rng.choice(variant["parts"])
        route = variant["certificate"]["routes"][part["id"]]
        owner = rng.choice([variant, variant["given"], part, part["answer"], route, variant["certificate"]])
        name = rng.choice(list(owner))
        if rng.random() < 0.4:
            del owner[name]
        else:
            owner[name] = rng.choice([None, [], {}, "x", -1, 10**30, [[]], ["1e9999"], {"a": 1}, True, "(" * 500])
        with contextlib.suppress(KeyError, TypeError, AttributeError):  # where no place is left for a hash
            data = kit.rehashed(data)
        paths.append(kit.written(data, tmp_path / f"{number}.json"))
    code, lines = kit.verify(paths)
    assert code in (0, 1)
    assert len(lines) == len(paths)
    assert all(line.startswith(("ok ", "TAMPERED ")) for line in lines)
    assert sum(line.startswith("TAMPERED") for line in lines) > FORGERIES / 2


def test_an_option_says_what_its_label_says(chosen, tmp_path):
    data = copy.deepcopy(chosen)
    part = next(p for p in data["papers"][0]["items"][0]["variant"]["parts"] if "of" in p["answer"])
    part["labels"] = part["labels"][1:] + part["labels"][:1]
    _code, lines = kit.verify([kit.written(kit.rehashed(data), tmp_path / "labels.json")])
    assert f"part {part['id']}: the option" in lines[0]


def test_letters_are_tried_at_sizes_that_nobody_can_foresee(exports, tmp_path):
    """A formula that is right at the sizes of the certificate, and wrong elsewhere."""
    data, item = first(exports, "SH-SYMBOL")
    variant = item["variant"]
    part = next(part for part in variant["parts"] if part["answer"]["axes"])
    place, letter = next((at, axis) for at, axis in enumerate(part["answer"]["axes"]) if isinstance(axis, str))
    sizes = [run[letter] for run in variant["certificate"]["replay"]["runs"]]
    other = next(name for name in "BTDV" if name != letter)
    at = [run[other] for run in variant["certificate"]["replay"]["runs"]]
    slope = f"{sizes[1] - sizes[0]}/{at[1] - at[0]}"
    formula = ["+", ["*", ["-", other, at[0]], slope], sizes[0]]
    part["answer"]["axes"][place] = formula
    _code, lines = kit.verify([kit.written(kit.rehashed(data), tmp_path / "letters.json")])
    assert f"part {part['id']}: the key says" in lines[0]


def test_large_sizes_are_run_without_memory(prover, tmp_path):
    """A batch whose scores would take 360 GB: its shapes are derived all the same, and a forged one is found."""
    given = {"B": 1000, "T": 900, "D": 1024, "V": 99_999, "M": 77_777}
    data = kit.export_of(certify([from_given(families()["SH-TRYIT"], given)], prover))
    forged = copy.deepcopy(data)
    forged["papers"][0]["items"][0]["variant"]["parts"][2]["answer"]["axes"][0] += 1
    paths = [kit.written(data, tmp_path / "large.json"), kit.written(kit.rehashed(forged), tmp_path / "forged.json")]
    _code, lines = kit.verify(paths)
    assert lines[0] == f"ok {paths[0]}  5 keys"
    assert lines[1].endswith("part sel: the key says (77778, 99999), running gives (77777, 99999)")


DRIVER = """
import runpy, sys

class Closed:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {ours!r}:
            raise ImportError(name + " cannot be imported here")

sys.meta_path.insert(0, Closed())
sys.argv = [{program!r}, *{paths!r}]
try:
    runpy.run_path({program!r}, run_name="__main__")
except SystemExit as end:
    code = end.code
ours = [name for name in sys.modules if name.partition(".")[0] in {ours!r}]
assert not ours, ours
assert "torch" in sys.modules
sys.exit(code)
"""


def test_it_runs_where_nothing_of_ours_can_be_imported(exports, tmp_path):
    path = str(kit.written(exports[0], tmp_path / "export.json"))
    program = DRIVER.format(ours=OURS, program=str(kit.VERIFIER), paths=[path])
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"ok {path}  ")


def test_it_imports_torch_and_the_standard_library_alone():
    for program in kit.VERIFIER.parent.rglob("*.py"):
        for node in ast.walk(ast.parse(program.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert getattr(node, "level", 0) == 0
                names = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
                for name in names:
                    assert name.partition(".")[0] in {*sys.stdlib_module_names, "torch"}, name
            if isinstance(node, ast.Call):
                assert getattr(node.func, "id", "") not in {"eval", "exec", "compile", "__import__"}


def test_it_is_short_enough_to_be_read():
    """All lines count: blank ones, comments and docstrings, too."""
    programs = list((ROOT / "verify").rglob("*.py"))
    assert programs
    assert sum(program.read_bytes().count(b"\n") for program in programs) <= 200


def test_the_page_shows_what_is_printed(tmp_path, monkeypatch, capsys, runner):
    """The commands of docs/verifying.md, run as they stand there."""
    page = (ROOT / "docs" / "verifying.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$|```).*\n)*)", page, re.MULTILINE)
    example = ROOT / "docs" / "examples" / "shapes-drill.toml"
    (tmp_path / example.name).write_text(example.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(
        "maskwise.services.prover.Prover", lambda folder=None, **more: Prover(folder, start=lambda: runner, **more)
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MASKWISE_DATA_DIR", str(tmp_path / "data"))
    verified = 0
    for command, printed in commands:
        program, *words = command.partition("  # exit ")[0].split()
        if program == "maskwise":
            assert main(words) == 0
            capsys.readouterr()
        elif words[0] == "verify/verify.py":
            _code, lines = kit.verify(words[1:])
            assert "".join(f"{line}\n" for line in lines) == printed
            verified += 1
    assert verified == 1
