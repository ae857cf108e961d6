"""`read` and `grade`: one answer or a file of them, what is said, and lines that are broken."""

import io
import json

import pytest

from maskwise.cli import main
from maskwise.services.prover import Prover

pytestmark = pytest.mark.torch

# The lesson's own task (content of the course page), in numbers of the caller's own.
LESSON = {"B": 8, "T": 20, "D": 48, "V": 1000, "M": 12}
LESSON_KEYS = {"enc": (8, 20, 48), "logits": (8, 20, 1000), "sel": (12, 1000)}


@pytest.fixture
def run(capsys, tmp_path, monkeypatch, runner):
    def opened(folder=None, **more):
        return Prover(folder, start=lambda: runner, **more)  # one PyTorch process for all tests

    monkeypatch.setattr("maskwise.services.prover.Prover", opened)
    monkeypatch.setenv("MASKWISE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)

    def run(*words):
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def spelt(shape):
    """Spell a shape in the ways that a student may."""
    sizes = [str(size) for size in shape]
    yield f"({', '.join(sizes)})"
    yield f"[{','.join(sizes)}]"
    yield ",".join(sizes)
    yield " ".join(sizes)
    yield "x".join(sizes)
    yield " × ".join(sizes)
    yield " by ".join(sizes)
    yield f"torch.Size([{', '.join(sizes)}])"
    yield f"({', '.join(sizes)},)"
    yield f"  ( {' , '.join(sizes)} ) "
    yield f"shape = ({'; '.join(sizes)})"
    yield "".join(chr(ord(sign) + 0xFEE0) if sign.isdecimal() else sign for sign in f"({', '.join(sizes)})")


@pytest.mark.parametrize(
    ("kind", "answer", "value"),
    [
        ("shape", "(8, 20, 48)", [8, 20, 48]),
        ("shape", "()", []),
        ("int", "1,000", 1000),
        ("int", "-5", -5),
        ("rational", "6/40", "3/20"),
        ("rational", "-3/4", "-3/4"),
        ("decimal", "-0.69", "-0.69"),
        ("decimal", "1e-3", "0.001"),
    ],
)
def test_a_reading_gives_its_value(run, kind, answer, value):
    code, out, err = run("read", kind, answer, "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert (result["outcome"], result["value"], result["hint"], result["choices"]) == ("ok", value, None, [])


def test_letters_are_declared_by_option_or_context(run):
    for words in (["--letters", "B,T,V"], ["--context", '{"letters": ["B", "T", "V"]}']):
        result = json.loads(run("read", "shape_sym", "(B*T, V)", *words, "--json")[1])
        assert result["value"] == ["B*T", "V"]
    assert json.loads(run("read", "shape_sym", "(B*T, V)", "--json")[1])["outcome"] == "reject"
    assert json.loads(run("read", "expr", "-ln(1/V)", "--letters", "V", "--json")[1])["outcome"] == "ok"


def test_a_reading_for_people(run):
    assert run("read", "shape", "8 x 20")[1] == "understood  shape, 2 axes: 8 · 20\n"
    assert run("read", "shape", "(12,)")[1] == "understood  shape, 1 axis: 12\n"
    assert run("read", "shape", "()")[1] == "understood  shape with no axis\n"
    letters = run("read", "shape_sym", "B T, T(T+1)/2", "--letters", "B,T")[1]
    assert letters.startswith("understood  shape, 2 axes: B*T · ")
    assert run("read", "decimal", "-0.69")[1] == "understood  -0.69\n"
    rejected = run("read", "shape", "(8, 20")[1]
    assert rejected.startswith("not read    ")
    asks = run("read", "int", "1.200")[1]
    assert asks.startswith("ambiguous   ")
    assert asks.splitlines()[1:] == ["            1200"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("read", "shap", "8"), 'did you mean "shape"?'),
        (("read", "shape"), "the answer is missing"),
        (("read", "shape", "8", "--context", "{"), "--context is not JSON"),
        (("read", "shape", "8", "--context", "[]"), "must be a JSON object"),
        (("read", "shape", "8", "--context", '{"leters": []}'), "leters"),
        (("read", "shape", "8", "-o", "x"), "-o goes with a file"),
        (("grade", "SH-CHAIN", "8"), "--seed or --given is missing"),
        (("grade", "SH-CHAIN"), "the answer is missing"),
        (("grade", "SH-CHAIN", "--seed", "7"), "the answer is missing"),
        (("grade", "SH-TRYIT", "--seed", "7", "8"), "--part is missing"),
        (("grade", "SH-TRYIT", "--seed", "7", "--part", "lgits", "8"), 'did you mean "logits"?'),
        (("grade", "SH-TRYIT", "--seed", "7", "--level", "9", "--part", "enc", "8"), "level"),
        (("grade", "SH-TRYIT", "--seed", "7", "--given", "{}", "--part", "enc", "8"), "in place of"),
        (("grade", "SH-TRYIT", "--given", '{"B": -1}', "--part", "enc", "8"), "given cannot be used"),
        (("grade", "SH-TRYIT", "--given", '{"Bee": 3}', "--part", "enc", "8"), "Bee"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_a_mistake_is_usage_and_says_what_to_do(run, words, said):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert "unexpected" not in err


def test_a_missing_file_is_not_found(run):
    for command in ("read", "grade"):
        code, out, err = run(command, "nowhere.jsonl")
        assert (code, out) == (3, "")
        assert "there is no file nowhere.jsonl" in err


@pytest.mark.parametrize("part", LESSON_KEYS)
def test_the_lessons_numbers_are_right_in_every_spelling(run, tmp_path, part):
    answers = list(spelt(LESSON_KEYS[part]))
    lines = [{"family": "SH-TRYIT", "given": LESSON, "answers": {part: answer}} for answer in answers]
    (tmp_path / "lesson.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, out, err = run("grade", "lesson.jsonl")
    assert (code, err) == (0, "")
    for answer, line in zip(answers, out.splitlines(), strict=True):
        result = json.loads(line)
        assert result["verdicts"][part]["outcome"] == "right", answer
        assert (result["points"], result["max_points"]) == (1, 1)
        assert result["verdicts"][part]["evidence"].endswith(f"torch.Size({list(LESSON_KEYS[part])})")


def test_one_graded_answer_for_people_and_for_scripts(run):
    words = ("grade", "SH-TRYIT", "--given", json.dumps(LESSON), "--part", "logits")
    code, out, _ = run(*words, "(8, 20, 48)")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "understood  shape, 3 axes: 8 · 20 · 48"
    assert lines[1] == "wrong       0 of 1 point: width_kept"
    assert "Your answer is what `encoded` gives." in " ".join(lines)
    assert lines[-1] == "PyTorch     logits.shape  torch.Size([8, 20, 1000])"

    verdict = json.loads(run(*words, "(8, 20, 48)", "--json")[1])["verdicts"]["logits"]
    assert set(verdict) == {"outcome", "score", "read_as", "slip", "note", "feedback", "evidence"}
    assert (verdict["outcome"], verdict["score"], verdict["slip"]) == ("wrong", 0, "width_kept")
    assert "1000" not in verdict["feedback"]

    verdict = json.loads(run(*words, "(8, 20", "--json")[1])["verdicts"]["logits"]
    assert (verdict["outcome"], verdict["slip"]) == ("not_graded", None)
    assert verdict["feedback"]
    verdict = json.loads(run(*words, "8 x 20 x 1000", "--json")[1])["verdicts"]["logits"]
    assert (verdict["outcome"], verdict["score"], verdict["feedback"]) == ("right", 1, None)


def test_a_seed_grades_what_its_preview_asks(run):
    for level in ("1", "2", "3"):
        words = ("LS-MEAN", "--seed", "4", "--level", level)
        shown = json.loads(run("preview", *words, "--key", "--json")[1])
        for part in shown["parts"]:
            graded = json.loads(run("grade", *words, "--part", part["id"], part["key"], "--json")[1])
            assert graded["verdicts"][part["id"]]["outcome"] == "right"
            for slip in part["slips"]:
                graded = json.loads(run("grade", *words, "--part", part["id"], slip["value"], "--json")[1])
                assert graded["verdicts"][part["id"]]["slip"] == slip["id"]


def test_a_part_that_the_level_does_not_ask_is_graded_on_the_same_numbers(run):
    given = json.loads(run("preview", "SH-CHAIN", "--seed", "7", "--json")[1])["given"]
    for part, letters in {"ids": "BT", "emb": "BTD", "enc": "BTD", "logits": "BTV"}.items():
        answer = f"({', '.join(str(given[letter]) for letter in letters)})"
        graded = json.loads(run("grade", "SH-CHAIN", "--seed", "7", "--part", part, answer, "--json")[1])
        assert graded["verdicts"][part]["outcome"] == "right"


def test_method_credit_is_counted(run, tmp_path):
    given = {"B": 2, "T": 10, "V": 50, "k": [3, 1]}
    line = {"family": "CT-BASIC", "given": given, "answers": {"total": "5", "visible": "15"}}
    (tmp_path / "x.jsonl").write_text(json.dumps(line))
    result = json.loads(run("grade", "x.jsonl")[1])
    assert result["verdicts"]["visible"]["note"] == "carried"
    assert (result["points"], result["max_points"]) == (0.5, 2)


BAD_LINES = [
    (b"{", "not JSON"),
    (b"[1]", "not an object"),
    (b'{"family": "SH-CHAIN", "family": "SH-TRYIT"}', "twice"),
    (b'{"family": "SH-CHAIN", "level": NaN}', "NaN"),
    (b'{"family": "\xff"}', "not UTF-8"),
    (b"[" * 100_000, "nested too deeply"),
    (b'{"seed": ' + b"9" * 5000 + b"}", "too long"),
    (b'{"seed": "' + b"9" * 1_100_000 + b'"}', "longer than"),
    (b'{"family": "SH-CHAIN", "sede": 7, "answers": {"enc": "1"}}', 'did you mean "seed"?'),
    (b'{"family": "SH-CHIAN", "seed": 7, "answers": {"enc": "1"}}', 'did you mean "SH-CHAIN"?'),
    (b'{"family": "SH-CHAIN", "seed": 7, "level": 9, "answers": {"enc": "1"}}', "level"),
    (b'{"family": "SH-CHAIN", "seed": 7, "level": "1", "answers": {"enc": "1"}}', "whole number"),
    (b'{"family": "SH-CHAIN", "seed": 7, "answers": {"encoded": "1"}}', "encoded"),
    (b'{"family": "SH-CHAIN", "seed": 7, "answers": {"enc": 12}}', "must be text"),
    (b'{"family": "SH-CHAIN", "seed": 7, "answers": {}}', "answers"),
    (b'{"family": "SH-CHAIN", "answers": {"enc": "1"}}', '"seed" is missing'),
    (b'{"family": "SH-CHAIN", "seed": true, "answers": {"enc": "1"}}', "seed"),
    (b'{"family": "SH-CHAIN", "seed": 7, "given": {}, "answers": {"enc": "1"}}', "in place of"),
    (b'{"family": "SH-CHAIN", "given": {"B": "x"}, "answers": {"enc": "1"}}', "given"),
    (b'{"family": 5, "seed": 7, "answers": {"enc": "1"}}', "must be text"),
    (b"{}", "family"),
]


def test_a_broken_line_becomes_an_error_and_the_rest_goes_on(run, tmp_path):
    good = json.dumps({"family": "SH-CHAIN", "seed": 7, "answers": {"enc": "(5, 17, 40)"}, "id": "last"}).encode()
    (tmp_path / "x.jsonl").write_bytes(b"\n".join([*(line for line, _ in BAD_LINES), b"", good]))
    code, out, err = run("grade", "x.jsonl", "-o", "graded.jsonl")
    assert (code, out) == (0, "")
    assert f"{len(BAD_LINES)} of {len(BAD_LINES) + 1} lines could not be graded" in err
    results = [json.loads(line) for line in (tmp_path / "graded.jsonl").read_text().splitlines()]
    for number, ((_, words), result) in enumerate(zip(BAD_LINES, results[:-1], strict=True), start=1):
        assert result["line"] == number
        assert result["error"].startswith(f"line {number}: ")
        assert words in result["error"]
        assert "unexpected" not in result["error"]
    assert results[-1]["id"] == "last"
    assert results[-1]["verdicts"]["enc"]["outcome"] == "wrong"
    assert run("grade", "x.jsonl", "-o", "graded.jsonl")[0] == 5
    assert run("grade", "x.jsonl", "-o", "graded.jsonl", "--force", "--strict")[0] == 4


def test_half_a_surrogate_in_a_line_stops_nothing(run, tmp_path):
    """JSON can write what UTF-8 cannot: it comes back as the escape it was."""
    (tmp_path / "odd.jsonl").write_text(
        '{"family": "\\ud800", "seed": 1, "answers": {"enc": "1"}}\n'
        '{"family": "SH-CHAIN", "level": 1, "seed": "\\ud800", "answers": {"enc": "1"}}\n'
        '{"family": "SH-TRYIT", "seed": 1, "answers": {"enc": "\\ud800"}}\n'
    )
    code, out, _err = run("grade", "odd.jsonl")
    first, second, third = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert "\ud800" in first["error"]
    assert "unexpected" not in second["error"]
    assert third["verdicts"]["enc"]["outcome"] == "not_graded"


def test_read_takes_a_file_or_standard_input(run, tmp_path, monkeypatch):
    lines = [
        {"kind": "shape", "answer": "8 x 20"},
        {"kind": "shap", "answer": "8"},
        {"kind": "int", "answer": 5},
        {"kind": "decimal", "answer": "0,5", "id": 7},
        {"kind": "shape_sym", "answer": "(B, T)", "letters": ["B", "T"]},
        {"kind": "shape_sym", "answer": "(B, T)", "context": {"letters": ["B", "T"]}},
        {"kind": "shape", "answer": "8", "context": {"letter": ["B"]}},
        {"kind": "shape", "answer": "\ud800"},
    ]
    text = "\ufeff" + "".join(json.dumps(line) + "\r\n" for line in lines)
    (tmp_path / "answers.jsonl").write_text(text)
    code, out, err = run("read", "answers.jsonl")
    assert code == 0
    assert "3 of 8 lines" in err
    results = [json.loads(line) for line in out.splitlines()]
    assert [result.get("outcome", "error") for result in results] == [
        "ok", "error", "error", "ok", "ok", "ok", "error", "reject",
    ]  # fmt: skip
    assert results[3]["id"] == 7
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run("read", "-")[1] == out


def test_without_pytorch_nothing_is_right_or_wrong(run, tmp_path, monkeypatch):
    from grader.runner.service import RunnerUnavailable

    def absent():
        raise RunnerUnavailable("PyTorch is not installed")

    monkeypatch.setattr("maskwise.services.prover.Prover", lambda folder: Prover(folder, start=absent))
    line = {"family": "SH-TRYIT", "given": LESSON, "answers": {"enc": "(8, 20, 48)", "sel": "(1, 1)"}}
    (tmp_path / "x.jsonl").write_text(json.dumps(line) + "\n")
    code, out, err = run("grade", "x.jsonl")
    assert code == 6
    assert "PyTorch is not installed" in err
    verdicts = json.loads(out)["verdicts"]
    assert {verdict["outcome"] for verdict in verdicts.values()} == {"not_graded"}
    assert {verdict["note"] for verdict in verdicts.values()} == {"no_runner"}
    assert run("preview", "SH-TRYIT", "--seed", "1")[0] == 6


def test_a_proof_kept_from_before_does_not_grade_without_pytorch(run, tmp_path, monkeypatch):
    from grader.runner.service import RunnerUnavailable

    words = ("grade", "SH-TRYIT", "--given", json.dumps(LESSON), "--part", "enc", "(8, 20, 48)")
    assert run(*words)[0] == 0

    def absent():
        raise RunnerUnavailable("PyTorch is away")

    monkeypatch.setattr("maskwise.services.prover.Prover", lambda folder: Prover(folder, start=absent))
    code, out, _ = run(*words, "--json")
    assert code == 6
    assert json.loads(out)["verdicts"]["enc"]["note"] == "no_runner"
