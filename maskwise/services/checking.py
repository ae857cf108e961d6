"""`check` for families of the bank: which are asked for, in which order, and how far it has come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from generator.check import FamilyReport, check_family
from question_bank.catalogue import families, family

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from generator.build import Prover


@dataclass(frozen=True)
class CheckReport:
    """What was found in all families looked at."""

    families: tuple[FamilyReport, ...]

    @property
    def failed(self) -> int:
        """How many things failed."""
        return sum(report.failed for report in self.families)

    @property
    def variants(self) -> int:
        """How many variants were proven."""
        return sum(report.variants for report in self.families)

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "families": [report.to_json() for report in self.families],
            "failed": self.failed,
            "variants": self.variants,
        }


def check(
    ids: Sequence[str], n: int, prover: Prover, progress: Callable[[int, int], None] | None = None
) -> CheckReport:
    """Check the named families (none named: all), `n` draws of every level.

    `progress` is told (variants done, variants in all). Raises UnknownName before anything is run, and
    RunnerUnavailable when nothing can be.
    """
    chosen = [family(each) for each in ids] if ids else list(families().values())
    total = sum(len(each.levels) for each in chosen) * n
    done = 0

    def told(count: int) -> None:
        nonlocal done
        done += count
        if progress:
            progress(done, total)

    return CheckReport(tuple(check_family(each, prover, n, told) for each in chosen))
