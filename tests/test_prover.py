"""SymPy's child keeps to its processor time and memory, and does not outlive who asked it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from grader.effort import DECIDING, Effort
from grader.equality import child
from grader.equality.child import Prover
from grader.expr import exp, ln
from grader.letters import B, D, T, V

ENDLESS = ln(1 + exp((B + T + D + V + 1) ** 12)), ln(2 + exp((B + T) ** 12))

OWNER = """
import sys, threading, time
from grader.equality.child import Prover
from tests.test_prover import ENDLESS
prover = Prover()
threading.Thread(target=prover.prove, args=ENDLESS, kwargs={"seconds": 60}, daemon=True).start()
while prover._child is None or not prover._lock.locked():
    time.sleep(0.01)
print(prover._child.pid, flush=True)
time.sleep(60)
"""


def processor_seconds(pid):
    """Return the processor time that a process took; None once it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except FileNotFoundError:
        return None
    if fields[0] in "ZX":
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_question_gets_so_much_of_the_processor_and_no_more():
    prover = Prover()
    began = time.monotonic()
    try:
        assert prover.prove(*ENDLESS, seconds=60) is None
        assert time.monotonic() - began < 30  # nobody killed it but the system
        assert prover.prove(ln(1 + exp(B)), B + ln(1 + exp(-B)), seconds=20) is True
    finally:
        prover.close()


def test_the_child_ends_in_the_middle_of_a_proof_when_its_owner_is_killed():
    with subprocess.Popen(
        [sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent.parent
    ) as owner:
        pid = int(owner.stdout.readline())
        at_work = time.monotonic() + 30
        while (processor_seconds(pid) or 0) < 1.5 and time.monotonic() < at_work:
            time.sleep(0.02)
        assert processor_seconds(pid) is not None, "the proof was over too soon"
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        gone = time.monotonic() + 1.5
        while processor_seconds(pid) is not None and time.monotonic() < gone:
            time.sleep(0.02)
        assert processor_seconds(pid) is None


def test_questions_of_one_answer_share_the_time_of_a_proof(monkeypatch):
    asked = []

    def slow(_self, _a, _b, seconds):
        asked.append(seconds)
        time.sleep(0.02)

    monkeypatch.setattr(Prover, "prove", slow)
    with Effort(DECIDING, seconds=0.05):
        for _ in range(9):
            assert child.prove(*ENDLESS) is None
    assert 1 <= len(asked) <= 3
    assert asked == sorted(asked, reverse=True)
