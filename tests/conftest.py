"""What many tests share: one PyTorch process, and a prover that keeps its traces in memory."""

import json
import signal

import pytest

from grader.runner.service import Runner
from maskwise.services.prover import Prover

# A shell that starts this run in the background has it ignore Ctrl-C, and every process of a test would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


class TracedOnce:
    """The runner, with each trace made once a session: it takes half a second, and mutants share most of theirs."""

    def __init__(self, runner):
        self._runner = runner
        self._traces = {}

    def trace(self, constants, lines):
        key = json.dumps([constants, lines], sort_keys=True)
        if key not in self._traces:
            self._traces[key] = self._runner.trace(constants, lines)
        return self._traces[key]

    def close(self):
        """Stay open: the session owns the process."""

    def __getattr__(self, name):
        return getattr(self._runner, name)


@pytest.fixture(scope="session")
def runner():
    with Runner() as started:
        yield TracedOnce(started)


@pytest.fixture(scope="session")
def prover(runner):
    return Prover(remember=False, start=lambda: runner)
