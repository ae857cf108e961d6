"""The service: one process with PyTorch, however it is treated."""

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from grader.runner import wire
from grader.runner.seen import Seen
from grader.runner.service import Runner, RunnerUnavailable, TraceFailed

pytestmark = pytest.mark.torch

ROOT = Path(__file__).resolve().parents[1]
GIVEN = {"B": 8, "T": 20, "D": 48, "V": 1000, "M": 12}
MISSING = "PyTorch is not installed here, so keys cannot be proven and answers cannot be graded. "
SLOW = "torch.ones(1400, 1400).matrix_power(2 ** 60 - 1)"
LINES = {"enc": "encoded", "sel": "logits[mask]", "loss": "CE(logits[mask], ids[mask])"}


def until(true, seconds=20):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture(scope="module")
def own():
    """A runner of this module, to be treated badly."""
    with Runner() as runner:
        yield runner


def test_what_is_seen(runner):
    seen = runner.observe("model", GIVEN, LINES)
    assert seen["enc"] == Seen((8, 20, 48), None, "torch.Size([8, 20, 48])")
    assert seen["sel"] == Seen((12, 1000), None, "torch.Size([12, 1000])")
    assert seen["loss"] == Seen((), None, "torch.Size([])")
    assert runner.version().startswith("2.")
    assert runner.alive()


def test_seen_survives_json():
    for seen in (Seen((), "0.5", "tensor(0.5)"), Seen(error="ValueError: x"), Seen((2, 3), None, "x", None, "meta")):
        assert Seen.from_json(json.loads(json.dumps(seen.to_json()))) == seen


def test_many_worlds_in_one_trip(own, monkeypatch):
    requests = [
        ("model", {**GIVEN, "V": 77}, {"a": "logits"}),
        ("counts", {"B": 2, "T": 6, "V": 9, "k": [1, 2]}, {"a": "mask.sum()", "b": "mask.double().mean()"}),
        ("losses", {"losses": ["0.42", "1.00"], "masked": [1]}, {"a": "losses[mask].mean()"}),
    ]
    asked = []
    ask = own._ask
    monkeypatch.setattr(own, "_ask", lambda message, seconds: asked.append(message) or ask(message, seconds))
    first = own.observe_many(requests)
    assert [seen["a"].shape for seen in first] == [(8, 20, 77), (), ()]
    assert [seen["a"].value for seen in first[:2]] == [None, 3]
    assert abs(float(first[2]["a"].value) - 1) < 1e-12
    assert first[1]["b"].value == "0.25"
    again = own.observe_many([*requests, ("model", {**GIVEN, "V": 78}, {"a": "logits"})])
    assert again[:3] == first
    assert [len(message["requests"]) for message in asked] == [3, 1]


def test_known_sizes_are_not_asked_for_again(own, monkeypatch):
    first = own.observe("model", GIVEN, LINES)
    monkeypatch.setattr(own, "_ask", None)
    assert own.observe("model", dict(GIVEN), dict(LINES)) == first
    first.clear()
    assert own.observe("model", GIVEN, LINES)
    with pytest.raises(TypeError):
        own.observe("model", GIVEN, {**LINES, "more": "ids"})
    with pytest.raises(TypeError):
        own.observe("model", {**GIVEN, "M": 13}, LINES)


def test_the_kept_answers_are_bounded(own, monkeypatch):
    monkeypatch.setattr("grader.runner.service.MOST_KEPT", 3)
    for length in range(3, 9):
        own.observe("counts", {"B": 1, "T": length, "k": [1]}, {"a": "mask.sum()"})
    assert len(own.kept) <= 3


def test_bad_requests_are_answered(own):
    with pytest.raises(ValueError, match="no-such-world"):
        own.observe("no-such-world", {}, {"a": "ids"})
    with pytest.raises(ValueError, match="too large"):
        own.observe("model", GIVEN, {"a": "x" * wire.LARGEST_FRAME})
    assert own.observe("model", GIVEN, {"a": "x" * 5000})["a"].error.startswith("LineError")
    with pytest.raises(TraceFailed, match=r"nope: NameError: name 'nope' is not defined"):
        own.trace({"D": 4, "V": 5}, {"a": "ids", "b": "nope"})
    with pytest.raises(ValueError, match="V must be a whole number"):
        own.trace({"D": 4}, {"a": "ids"})


def test_it_survives_a_kill(own):
    for after in (0.0, 1.2):
        time.sleep(after)
        pid = own.pid
        os.kill(pid, signal.SIGKILL)
        assert own.observe("model", {**GIVEN, "V": 500 + pid % 400}, LINES)["enc"].shape == (8, 20, 48)
        assert own.pid != pid
        assert not running(pid)


def test_it_comes_back_by_itself_for_others(own):
    assert own.alive()
    with Runner(connect=own.path) as other:
        time.sleep(1.1)
        pid = other.pid
        os.kill(pid, signal.SIGKILL)
        until(lambda: not running(pid))
        until(other.alive)
        assert other.pid != pid


def test_clients_share_one_process(own):
    with Runner(connect=own.path) as second, Runner(connect=own.path, wait=False) as third:
        assert own.pid == second.pid == third.pid != os.getpid()
        assert second.observe("model", GIVEN, LINES) == own.observe("model", GIVEN, LINES)
        second.close()
        assert own.alive()
    code = f"""
        from pathlib import Path
        from grader.runner.service import Runner
        print(Runner(connect=Path({str(own.path)!r})).pid)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) == own.pid


def test_threads_ask_at_the_same_time(own):
    results = {}

    def ask(place):
        for turn in range(5):
            size = 100 + 10 * place + turn
            seen = own.observe("model", {**GIVEN, "V": size}, {"a": "logits[mask]"})
            results[size] = seen["a"].shape

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {size: (12, size) for size in (100 + 10 * p + t for p in range(6) for t in range(5))}


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_uses_the_same_process(own):
    pid = own.pid
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, str(own.pid).encode())
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as answer:
        assert int(answer.read()) == pid
    assert own.pid == pid


def test_pages_do_not_wait_for_a_start():
    with Runner(wait=False) as runner:
        started = time.monotonic()
        with pytest.raises(RunnerUnavailable, match="still starting") as raised:
            runner.observe("model", GIVEN, LINES)
        assert time.monotonic() - started < 0.5
        assert not raised.value.permanent
        until(runner.alive)
        assert runner.observe("model", GIVEN, LINES)["sel"].shape == (12, 1000)
        os.kill(runner.pid, signal.SIGKILL)
        started = time.monotonic()
        with pytest.raises(RunnerUnavailable):  # the kill takes a moment to arrive
            [runner.observe("model", {**GIVEN, "V": size}, LINES) for size in range(1001, 1500)]
        assert time.monotonic() - started < 1
        until(runner.alive)
        assert runner.observe("model", {**GIVEN, "V": 999}, LINES)["sel"].shape == (12, 999)


def test_a_client_without_an_owner_says_so(tmp_path):
    with Runner(connect=tmp_path / "nobody", wait=False) as runner:
        assert not runner.alive()
        with pytest.raises(RunnerUnavailable, match="cannot be graded now"):
            runner.observe("model", GIVEN, LINES)


def test_a_request_that_hangs_is_cut_off():
    with Runner(limit=1.0) as runner:
        pid = runner.pid
        started = time.monotonic()
        with pytest.raises(RunnerUnavailable, match="took too long"):
            runner.observe("counts", {"B": 1, "T": 4, "k": [1]}, {"slow": SLOW})
        assert time.monotonic() - started < 4
        assert runner.observe("model", GIVEN, LINES)["sel"].shape == (12, 1000)
        assert runner.pid != pid


def test_a_line_that_wants_too_much_memory_is_an_observation(own):
    pid = own.pid
    seen = own.observe("counts", {"B": 1, "T": 4, "k": [1]}, {"big": "torch.ones(10 ** 11)", "ok": "mask.sum()"})
    assert seen["big"].error.startswith("RuntimeError")
    assert seen["ok"].value == 1
    assert own.pid == pid


def test_noise_on_the_socket_harms_nobody(own):
    pid = own.pid
    for noise in (b"\xff" * 100, b"\x00\x00\x00\x02{}", b"\x00\x00\x00\x01[", b"\x00\x00\x00\x02[]", b"\x00\x00"):
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(str(own.path))
            stranger.sendall(noise)
            if noise != b"\x00\x00":
                stranger.settimeout(5)
                stranger.recv(1000)
            assert own.observe("model", {**GIVEN, "V": 60 + len(noise)}, LINES)["loss"].shape == ()
    assert own.pid == pid


def test_only_this_user_may_connect(own):
    assert own.path.stat().st_mode & 0o077 == 0
    assert own.path.parent.stat().st_mode & 0o077 == 0


def test_closing_ends_the_process_and_clears_up():
    runner = Runner()
    pid, folder = runner.pid, runner.path.parent
    runner.close()
    assert not running(pid)
    assert not folder.exists()
    with pytest.raises(RunnerUnavailable) as raised:
        runner.observe("model", GIVEN, LINES)
    assert raised.value.permanent


@pytest.mark.parametrize("how", ["kill", "exit"])
def test_the_process_ends_with_its_owner(how):
    code = """
        import sys, time
        from grader.runner.service import Runner
        runner = Runner()
        print(runner.pid, runner.path, flush=True)
        sys.stdin.readline()
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as owner:  # fmt: skip
        pid, path = owner.stdout.readline().split()
        assert running(int(pid))
        if how == "kill":
            owner.kill()
        else:
            owner.stdin.write("\n")
            owner.stdin.flush()
    until(lambda: not running(int(pid)), 5)
    until(lambda: not Path(path).parent.exists(), 5)


def blocked(tmp_path, text):
    (tmp_path / "torch.py").write_text(text, encoding="utf-8")
    return {"PYTHONPATH": str(tmp_path)}


@pytest.mark.parametrize("wait", [True, False])
def test_without_torch_there_is_a_plain_message(tmp_path, monkeypatch, wait):
    text = "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')"
    monkeypatch.setenv("PYTHONPATH", blocked(tmp_path, text)["PYTHONPATH"])
    with Runner(wait=wait) as runner:
        if not wait:
            until(lambda: runner.child.problem is not None)
        for _ in range(2):
            with pytest.raises(RunnerUnavailable) as raised:
                runner.observe("model", GIVEN, LINES)
            assert raised.value.permanent
            assert str(raised.value).startswith(MISSING + "Install it with: ")
        assert not runner.alive()


def test_a_torch_that_does_not_load_gives_its_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", blocked(tmp_path, "raise OSError('libgomp.so.1: not found')")["PYTHONPATH"])
    with Runner() as runner, pytest.raises(RunnerUnavailable, match=r"does not start: libgomp.so.1") as raised:
        runner.observe("model", GIVEN, LINES)
    assert raised.value.permanent


def test_a_torch_that_crashes_does_not_start_for_ever(tmp_path, monkeypatch):
    text = "import os, signal; os.kill(os.getpid(), signal.SIGILL)"
    monkeypatch.setenv("PYTHONPATH", blocked(tmp_path, text)["PYTHONPATH"])
    with Runner() as runner, pytest.raises(RunnerUnavailable, match=r"ends while it starts \(exit -4\)") as raised:
        runner.observe("model", GIVEN, LINES)
    assert raised.value.permanent


def test_the_client_loads_no_torch():
    code = """
        import sys
        from grader.runner.service import Runner
        with Runner() as runner:
            assert runner.observe("counts", {"B": 1, "T": 4, "k": [1]}, {"a": "mask.sum()"})["a"].value == 1
        print([name for name in ("torch", "sympy", "numpy") if name in sys.modules])
        import torch
        print("torch" in sys.modules)
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split("\n")[:2] == ["[]", "True"]
    assert done.stderr == ""


def test_an_odd_head_count_prints_no_warning(tmp_path):
    code = """
        from grader.runner.service import Runner
        with Runner() as runner:
            runner.observe("model", {"B": 2, "T": 4, "D": 12, "V": 50, "H": 3, "N": 2, "M": 2}, {"a": "logits"})
            runner.trace({"D": 12, "V": 50, "H": 3}, {"a": "logits"})
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_frames():
    inbox = wire.Inbox()
    frame = wire.pack({"a": [1, "é"]})
    assert [inbox.add(frame[place : place + 1]) for place in range(len(frame))][-1] == [{"a": [1, "é"]}]
    assert inbox.add(frame + frame[:3]) == [{"a": [1, "é"]}]
    assert inbox.add(frame[3:]) == [{"a": [1, "é"]}]
    with pytest.raises(wire.BrokenFrame):
        wire.Inbox().add(b"\xff\xff\xff\xff")
    with pytest.raises(wire.BrokenFrame):
        wire.Inbox().add(b"\x00\x00\x00\x01{")


def test_what_is_kept_is_bounded_also_for_one_world_with_many_lines(own, monkeypatch):
    monkeypatch.setattr("grader.runner.service.MOST_KEPT", 5)
    for number in range(12):
        own.observe("counts", {"B": 1, "T": 4, "k": [1]}, {"a": f"mask.sum() + {number}"})
    assert len(own.kept) <= 5
    assert own.observe("counts", {"B": 1, "T": 4, "k": [1]}, {"a": "mask.sum() + 11"})["a"].value == 12


def test_who_waits_behind_a_long_request_gives_up_and_ends_nobody(monkeypatch):
    """A sign of life is given up soon; the request before it, still within its own limit, is answered."""
    monkeypatch.setattr("grader.runner.service.CONNECT_SECONDS", 0.3)
    slow = "torch.ones(900, 900).matrix_power(2 ** 40 - 1)"
    with Runner() as runner:
        runner.observe("model", GIVEN, LINES)
        pid = runner.pid
        seen = []
        working = threading.Thread(
            target=lambda: seen.append(runner.observe("counts", {"B": 1, "T": 4, "k": [1]}, {"slow": slow}))
        )
        working.start()
        time.sleep(0.2)
        with pytest.raises(RunnerUnavailable, match="busy"):
            _ = runner.pid
        assert working.is_alive()  # the request before it was still at work
        working.join(20)
        assert seen[0]["slow"].error is None
        assert runner.pid == pid


def test_a_process_that_says_nothing_for_longer_than_anything_takes_is_replaced(monkeypatch):
    monkeypatch.setattr("grader.runner.service.CONNECT_SECONDS", 0.3)
    monkeypatch.setattr("grader.runner.service.SLACK_SECONDS", 0.2)
    with Runner(limit=0.1) as runner:
        runner.observe("model", GIVEN, {"a": "ids"})
        pid = runner.pid
        os.kill(pid, signal.SIGSTOP)
        for _ in range(3):
            with pytest.raises(RunnerUnavailable, match="busy"):
                _ = runner.pid
        until(lambda: not running(pid))
        assert runner.observe("model", {**GIVEN, "M": 13}, {"a": "ids"})["a"].shape == (8, 20)
