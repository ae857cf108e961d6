"""`check` for families of the bank: everything that is promised of a variant, and how far a blind guesser comes.

Families are independent of each other, so several are checked at once, each process with a PyTorch of its own.
"""

from __future__ import annotations

import math
import multiprocessing
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from generator.check import FamilyReport, check_family
from maskwise.errors import AuthorError
from maskwise.services.blind_bot import TARGET, BlindBot, PartScore
from maskwise.services.lower import translated
from maskwise.services.prover import Prover
from question_bank.catalogue import families, family

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from multiprocessing.sharedctypes import Synchronized
    from pathlib import Path

    from generator.family import Family
    from generator.variant import Variant

# Questions of a level that the blind guesser plays: enough to tell 25 % from 35 %.
PLAYED = 200
# How far the right option's place may stray from chance, in standard errors, before it counts as a bias.
_STRAY = 5
_POLL = 0.2


@dataclass(frozen=True)
class Checked:
    """A family with what was found: the report, the guesser's scores by (level, part), or why nothing was drawn."""

    id: str
    report: FamilyReport
    scores: Mapping[tuple[int, str], PartScore] = field(default_factory=dict)
    unusable: AuthorError | None = None

    @property
    def failed(self) -> int:
        """How many things failed."""
        return self.report.failed + (self.unusable is not None)

    @property
    def milliseconds(self) -> float | None:
        """The time that a variant took: drawn, proven, worded and looked at."""
        seconds = sum(level.seconds for level in self.report.levels)
        return 1000 * seconds / self.report.variants if self.report.variants else None

    def guessable(self) -> Iterator[tuple[int, str, PartScore, str]]:
        """Yield (level, part, score, reason) where the blind guesser scores more than the target."""
        asks = family(self.id).by_id
        for (level, part), score in self.scores.items():
            if score.above:
                yield level, part, score, asks[part].guessable

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        data = self.report.to_json()
        for level in data["levels"]:
            for part, found in level["parts"].items():
                score = self.scores.get((level["level"], part))
                found["blind"] = score.to_json() if score else None
                found["positions"] = {str(n): counts for n, counts in score.positions.items()} if score else {}
        data["milliseconds"] = round(self.milliseconds, 2) if self.milliseconds is not None else None
        return data


def check(
    ids: Sequence[str],
    n: int,
    data_dir: Path | None = None,
    *,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Checked]:
    """Check the named families (none named: all), `n` draws of every level, `workers` families at once.

    `progress` is told (variants done, variants in all). Raises UnknownName before anything is run, and
    RunnerUnavailable when nothing can be. Words or ranges that cannot be used at all fail their family alone.
    """
    chosen = [family(each) for each in ids] if ids else list(families().values())
    total = sum(len(each.levels) for each in chosen) * n
    told = progress or (lambda _done, _total: None)
    if workers > 1 and len(chosen) > 1:
        return _beside([each.id for each in chosen], n, data_dir, min(workers, len(chosen)), lambda at: told(at, total))
    done = 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        told(done, total)

    with Prover(data_dir, remember=False) as prover:
        return [checked(each, n, prover, count) for each in chosen]


def checked(each: Family, n: int, prover: Prover, progress: Callable[[int], None] | None = None) -> Checked:
    """Check one family. Nothing is taken from kept results: a check that believed them would check nothing."""
    bots: dict[int, BlindBot] = {}
    played: dict[int, int] = {}

    def look(variant: Variant) -> None:
        played[variant.level] = played.get(variant.level, 0) + 1
        if played[variant.level] <= PLAYED:
            bots.setdefault(variant.level, BlindBot()).play(variant)

    try:
        report = check_family(each, prover, n, progress, look)
    except Exception as error:
        known = translated(error)
        if not isinstance(known, AuthorError):
            raise
        return Checked(each.id, FamilyReport(each.id, []), unusable=known)
    scores = {(level, part): score for level, bot in bots.items() for part, score in bot.scores.items()}
    for level in report.levels:
        for part in level.parts:
            score = scores.get((level.level, part))
            for problem in _unfair(each, part, score) if score else ():
                level.fail(f"{each.id} level {level.level} part {part}: {problem}")
    return Checked(each.id, report, scores)


def _unfair(each: Family, part: str, score: PartScore) -> Iterator[str]:
    """Say what helps a guesser: a part that is guessed too often without a declared reason, a place of the key."""
    if score.above and not each.ask(part).guessable:
        yield (
            f"a guesser who understands nothing is right in {score.homework.score:.0%} of homework, "
            f"{score.exam.score:.0%} of exams and {score.best_choice.score:.0%} of choices; at most "
            f"{float(TARGET):.0%} are wanted, or a reason in the family (guessable)"
        )
    for options, counts in score.positions.items():
        asked, chance = sum(counts), 1 / options
        stray = _STRAY * math.sqrt(asked * chance * (1 - chance)) + 1
        for place, count in enumerate(counts):
            if abs(count - asked * chance) > stray:
                yield f"as a choice of {options}, the key stands at place {place + 1} in {count} of {asked} questions"


# -- several processes

_counter: Synchronized[int] | None = None
_prover: Prover | None = None


def _beside(
    ids: Sequence[str], n: int, data_dir: Path | None, workers: int, told: Callable[[int], None]
) -> list[Checked]:
    context = multiprocessing.get_context("spawn")  # a fork would copy threads and locks of whoever calls
    counter = context.Value("L", 0)
    with ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(counter, data_dir)) as pool:
        try:
            waiting = [pool.submit(_work, each, n) for each in ids]
            pending = set(waiting)
            while pending:
                finished, pending = wait(pending, timeout=_POLL, return_when=FIRST_COMPLETED)
                told(counter.value)
                for each in finished:
                    each.result()  # an error ends the others, too
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [each.result() for each in waiting]


def _begin(counter: Synchronized[int], data_dir: Path | None) -> None:
    global _counter, _prover  # noqa: PLW0603 - the state of a worker process
    _counter = counter
    _prover = Prover(data_dir, remember=False)


def _work(family_id: str, n: int) -> Checked:
    assert _prover is not None
    return checked(family(family_id), n, _prover, _count)


def _count(more: int) -> None:
    assert _counter is not None
    with _counter.get_lock():
        _counter.value += more
