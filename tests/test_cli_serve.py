"""Commands as processes of their own: a taken port, Ctrl-C, a TERM signal."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

pytestmark = pytest.mark.torch


def start(*words, **more):
    command = [sys.executable, "-m", "maskwise", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, **pipes, start_new_session=True, **more)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_serve_says_where_and_ends_as_documented(tmp_path, number, code):
    process = start("--data-dir", str(tmp_path), "serve", "--port", "0")
    try:
        url = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", url), process.communicate(timeout=20)
        with urllib.request.urlopen(f"{url}healthz", timeout=20) as answer:
            assert answer.status == 200
        os.killpg(process.pid, number)  # as a terminal does: all processes of the command get it
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == code
    assert out == ""
    assert "Traceback" not in err


def test_a_taken_port_is_an_environment_fault(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        process = start("--data-dir", str(tmp_path), "serve", "--port", port)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (6, "")
    assert f"port {port} on 127.0.0.1 is taken" in err
    assert "help: " in err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_generate_leaves_nothing(tmp_path, number, code):
    words = ("generate", "lesson-12", "-n", "400", "-f", "json,pdf", "-o", str(tmp_path / "out"))
    process = start("--data-dir", str(tmp_path / "data"), *words)
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, number)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (code, ""), err
    assert "Traceback" not in err
    assert not (tmp_path / "out").exists()
