"""The documents are held against the product.

Every command they show is run as printed, in a folder of its own for each document, and must print what is shown below
it; code stands in the file that it names; the table of settings is that of the program.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import answers_page
import pytest

from generator import plan_reading
from maskwise.settings import Settings

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "CONTRIBUTING.md",
    ROOT / "bench" / "README.md",
]
OPERATORS = ROOT / "docs" / "operators.md"
MASKWISE = str(Path(sys.executable).with_name("maskwise"))


def blocks(document, language):
    text = document.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def commands(document):
    """Return what console blocks show: the command, the exit code that a comment announces, the lines below it."""
    found = []
    for block in blocks(document, "console"):
        for line in block.splitlines():
            if line.startswith("$ "):
                words, _, note = line[2:].partition("  # exit ")
                found.append((words.strip(), int(note) if note else 0, []))
            else:
                found[-1][2].append(line)
    return found


def printed_as_shown(shown, printed):
    """Whether the lines shown are those printed, where `...` stands for any lines."""
    pattern = "".join("(?:.*\\n)*" if line == "..." else re.escape(line.rstrip()) + r"[ ]*\n" for line in shown)
    return re.fullmatch(pattern, printed) is not None


SHOWN = [(document, shown) for document in DOCUMENTS if document.exists() and (shown := commands(document))]


def environment(folder):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MASKWISE_")}
    return {**kept, "MASKWISE_DATA_DIR": str(folder / "data"), "NO_COLOR": "1"}


@pytest.mark.torch
@pytest.mark.parametrize(("document", "shown"), SHOWN, ids=[str(d.relative_to(ROOT)) for d, _shown in SHOWN])
def test_every_command_shown_does_what_it_says(document, shown, tmp_path):
    for example in (ROOT / "docs" / "examples").glob("*"):
        shutil.copy(example, tmp_path)
    for words, code, lines in shown:
        argv = shlex.split(words)
        if argv[0] == "make":
            assert_target(argv)
        elif argv[:1] == ["maskwise"] and "serve" in argv:
            serve(argv, tmp_path)
        elif argv[0] == "maskwise":
            done = subprocess.run(
                [MASKWISE, *argv[1:]],
                cwd=tmp_path,
                env=environment(tmp_path),
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert done.returncode == code, f"{words}\n{done.stdout}\n{done.stderr}"
            assert "Traceback" not in done.stderr
            assert not lines or printed_as_shown(lines, done.stdout), f"{words}\n{done.stdout}"
        elif argv[0] in {"cp", "cat", "mkdir", "ls"}:
            subprocess.run(argv, cwd=tmp_path, check=True, timeout=20)
        elif argv[:2] == ["python", "verify/verify.py"]:
            program = [sys.executable, str(ROOT / argv[1]), *argv[2:]]
            done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
            assert done.returncode == code, f"{words}\n{done.stdout}\n{done.stderr}"
            assert not lines or printed_as_shown(lines, done.stdout), f"{words}\n{done.stdout}"
        elif argv[0] == "python":
            done = subprocess.run([sys.executable, str(ROOT / argv[1]), "--help"], timeout=60, check=False)
            assert done.returncode == 0, words
        else:
            pytest.fail(f"{document.name} shows a command that no test can run: {words}")


def assert_target(argv):
    """`make` targets are what runs this test; here only that each exists, with its variables."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for word in argv[1:]:
        name, is_variable, _value = word.partition("=")
        wanted = rf"^{name}\s*\?=|\$\({name}\)" if is_variable else rf"^{name}:"
        assert re.search(wanted, makefile, re.MULTILINE), word


def serve(argv, folder):
    port = argv[argv.index("--port") + 1] if "--port" in argv else "8000"
    process = subprocess.Popen(
        [MASKWISE, *argv[1:]], cwd=folder, env=environment(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2) as reply:
                    assert reply.status == 200
                break
            except OSError:  # not up yet, or slow on a busy machine
                assert process.poll() is None, process.stderr.read().decode()
                assert time.monotonic() < deadline
                time.sleep(0.2)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


def test_the_documents_show_commands():
    """Guard of this test: a change of the block format must not leave it with nothing to run."""
    assert len(dict(SHOWN)[ROOT / "README.md"]) >= 10
    assert sum(bool(lines) for _document, shown in SHOWN for _words, _code, lines in shown) >= 5


@pytest.mark.parametrize("document", DOCUMENTS, ids=[str(d.relative_to(ROOT)) for d in DOCUMENTS])
def test_links_and_pictures_exist(document):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        if not re.match(r"[a-z]+:", target):
            assert (document.parent / target).exists(), target


EXCERPTS = [
    (document, block)
    for document in DOCUMENTS
    if document.exists()
    for language in ("python", "jinja")
    for block in blocks(document, language)
]


@pytest.mark.parametrize(
    ("document", "block"), EXCERPTS, ids=[f"{d.name}-{n}" for n, (d, _block) in enumerate(EXCERPTS)]
)
def test_code_that_is_shown_stands_in_the_file_it_names(document, block):
    head, _, code = block.partition("\n")
    named = re.fullmatch(r"(?:# |\{# )([\w/.]+)(?: #\})?", head)
    assert named, f"the first line of a block of code names its file; this is {head!r}"
    assert code in (ROOT / named[1]).read_text(encoding="utf-8")


def test_the_table_of_settings_is_that_of_the_program():
    rows = re.findall(
        r"^\| `(MASKWISE_\w+)` \| `(\w+)` \| (.*?) \| (.*?) \|$", OPERATORS.read_text("utf-8"), re.MULTILINE
    )
    fields = Settings.model_fields
    assert [(variable, name, told) for variable, name, _default, told in rows] == [
        (f"MASKWISE_{name.upper()}", name, field.description.replace("`", "")) for name, field in fields.items()
    ]
    for _variable, name, default, _told in rows:
        if isinstance(fields[name].default, str | int):
            written = str(fields[name].default)
            assert default == f"`{written.lower() if isinstance(fields[name].default, bool) else written}`"


def test_the_plans_that_are_explained_are_the_examples():
    examples = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "examples").glob("*.toml"))]
    assert sorted(blocks(ROOT / "docs" / "instructors.md", "toml")) == sorted(examples)


def test_every_setting_of_a_plan_is_explained():
    text = (ROOT / "docs" / "instructors.md").read_text("utf-8")
    rows = {name for row in re.findall(r"^\| (`.+?) \|", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert {*plan_reading._PLAN_NAMES, *plan_reading._ITEM_NAMES} - {"item"} <= rows


def test_the_page_of_answers_says_what_the_program_does():
    assert answers_page.PAGE.read_text(encoding="utf-8") == answers_page.page(), (
        "refresh it: python tests/answers_page.py --refresh"
    )
