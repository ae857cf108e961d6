"""Every command that the documents show is run as printed, in a folder of its own, one document after another."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "CONTRIBUTING.md",
    ROOT / "bench" / "README.md",
]
MASKWISE = str(Path(sys.executable).with_name("maskwise"))


def commands(document):
    """Return the lines of console blocks that start with a prompt, with the exit code that a comment announces."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", document.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if line.startswith("$ "):
                words, _, note = line[2:].partition("  # exit ")
                found.append((words.strip(), int(note) if note else 0))
    return found


SHOWN = [(document, shown) for document in DOCUMENTS if document.exists() and (shown := commands(document))]


def environment(folder):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MASKWISE_")}
    return {**kept, "MASKWISE_DATA_DIR": str(folder / "data"), "NO_COLOR": "1"}


@pytest.mark.torch
@pytest.mark.parametrize(("document", "shown"), SHOWN, ids=[str(d.relative_to(ROOT)) for d, _shown in SHOWN])
def test_every_command_shown_does_what_it_says(document, shown, tmp_path):
    for example in (ROOT / "docs" / "examples").glob("*"):
        shutil.copy(example, tmp_path)
    for words, code in shown:
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
        elif argv[0] in {"cp", "cat", "mkdir", "ls"}:
            subprocess.run(argv, cwd=tmp_path, check=True, timeout=20)
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
            except (urllib.error.URLError, ConnectionError):
                assert process.poll() is None, process.stderr.read().decode()
                assert time.monotonic() < deadline
                time.sleep(0.2)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


def test_the_documents_show_commands():
    """Guard of this test: a change of the block format must not leave it with nothing to run."""
    assert len(dict(SHOWN)[ROOT / "README.md"]) >= 10


@pytest.mark.parametrize("document", DOCUMENTS, ids=[str(d.relative_to(ROOT)) for d in DOCUMENTS])
def test_links_and_pictures_exist(document):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        if not re.match(r"[a-z]+:", target):
            assert (document.parent / target).exists(), target
