"""What PyTorch says about a variant's keys at this moment, for grading: nothing when it is not running.

Known results are kept in memory, so a dead process would go unseen. Here it is asked for a sign of life first: without
PyTorch there is no verdict, and being asked is also what starts it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grader.runner.service import RunnerUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generator.variant import Variant
    from maskwise.services.prover import Prover


class LiveObserver:
    """Asks a prover, and only while its runner is alive."""

    def __init__(self, prover: Prover) -> None:
        self._prover = prover

    def start(self) -> None:
        """Start PyTorch in the background, so that the first answer finds it running; harmless where it is missing."""
        try:
            _ = self._prover.runner
        except RunnerUnavailable:
            return

    def observed(self, variant: Variant) -> Mapping[str, Any] | None:
        """Give the value of each part's key as the run gave it; none when nothing can be graded now."""
        try:
            _ = self._prover.runner.pid
        except RunnerUnavailable:
            return None
        return self._prover.observed(variant)
