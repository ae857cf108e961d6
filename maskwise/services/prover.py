"""Proves variants: the runner and the store of proofs behind one face.

The runner is started on first need only, so that a command whose results are all known starts no PyTorch.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import generator
import grader.runner
import question_bank.families
from generator.drafting import draft, from_given
from generator.family_proof import FamilyProof, prove_family
from generator.proof import agrees, observed
from grader.grade import FORMULA_ONLY
from grader.runner.service import Runner, RunnerUnavailable, Seen
from maskwise.services.proof_cache import ProofCache, cache_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from generator.build import Request
    from generator.drafting import Draft
    from generator.family import Family
    from generator.variant import Variant

# Seeds of the questions on which a family's witnesses are tried.
_TRIAL_SEEDS = ("trial-1", "trial-2")


@lru_cache(maxsize=1)
def installed_torch() -> str | None:
    """Return the version of the installed PyTorch without loading it; None when there is none."""
    found = importlib.util.find_spec("torch")
    for folder in (found.submodule_search_locations or ()) if found else ():
        # One small file: asking the package's metadata takes as long as starting Python.
        text = Path(folder, "version.py").read_text(encoding="utf-8") if Path(folder, "version.py").exists() else ""
        version = re.search(r"""^__version__ = ['"]([^'"+]+)""", text, re.MULTILINE)
        if version:
            return version[1]
    return None


class Prover:
    """Runs lines, keeps what they gave in the data folder, and proves family versions once.

    `wait=False` (pages) never waits for PyTorch to start: `observed` then says None. Without a data folder nothing is
    kept on disk. `remember=False` (checks) takes nothing from disk and writes nothing there.
    """

    def __init__(
        self,
        data_dir: Path | None = None,
        *,
        wait: bool = True,
        remember: bool = True,
        start: Callable[[], Runner] | None = None,
    ) -> None:
        self._cache = ProofCache(data_dir if remember else None)
        self._start = start or (lambda: Runner(wait=wait))
        self._runner: Runner | None = None
        self._families: dict[Family, FamilyProof] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the runner this prover started."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    @property
    def runner(self) -> Runner:
        """The runner, started now if it was not."""
        if self._runner is None:
            self._runner = self._start()
        return self._runner

    def version(self) -> str:
        """Return the version of PyTorch that proves; RunnerUnavailable when there is none."""
        return (installed_torch() or self.runner.version()).partition("+")[0]

    def run(self, requests: Sequence[Request]) -> list[dict[str, Seen]]:
        """Return what each line of each request gives, from the store of proofs or from a run."""
        version = self.version()
        keys = [
            cache_key("run", version, code_mark(), world, dict(given), dict(lines)) for world, given, lines in requests
        ]
        known = self._cache.get(keys)
        fresh: dict[str, Any] = {}
        asked = {key: lines for key, (_world, _given, lines) in zip(keys, requests, strict=True)}
        results = {
            key: kept
            for key, value in known.items()
            if (kept := _seen(value)) is not None and asked[key].keys() <= kept.keys()
        }
        missing = [place for place, key in enumerate(keys) if key not in results]
        if missing:
            seen = self.runner.observe_many([requests[place] for place in missing])
            for place, result in zip(missing, seen, strict=True):
                results[keys[place]] = result
                fresh[keys[place]] = {name: each.to_json() for name, each in result.items()}
            self._cache.put(fresh)
        return [results[key] for key in keys]

    def family_proof(self, family: Family) -> FamilyProof:
        """Return the proof of a family version: made once, kept in the data folder."""
        if family in self._families:
            return self._families[family]
        version = self.version()
        asked = [
            [ask.id, ask.line, [[r.id, r.witness, _shown(r.value)] for r in ask.rules], _shown(ask.key)]
            for ask in family.asks
        ]
        key = cache_key(
            "family", version, code_mark(), family.id, family.version, asked, [dict(s) for s in family.trace_sizes]
        )
        stored = self._cache.get([key]).get(key)
        proof = _kept_proof(stored)
        if proof is None:
            proof = prove_family(family, _trials(family), self._trace, self.runner.observe_many)
            self._cache.put({key: proof.to_json()})
        self._families[family] = proof
        return proof

    def _trace(self, constants: Mapping[str, int], lines: Mapping[str, str]) -> Mapping[str, list[Any]]:
        return self.runner.trace(constants, lines)

    def observed(self, variant: Variant) -> dict[str, Any] | None:
        """Return per part what PyTorch gives now for a certified variant's keys, as `grade` wants it.

        None when nothing can be graded: no certificate, no PyTorch, or a run that contradicts the certificate. Asks the
        live runner (which keeps known sizes), never the disk: without PyTorch there is no verdict.
        """
        if variant.certificate is None:
            return None
        replay = variant.certificate.replay
        try:
            _alive = self.runner.pid  # one round trip: known sizes are answered from memory, but only beside a live run
            seen = self.runner.observe_many([(replay.world, run, replay.lines) for run in replay.runs])
        except RunnerUnavailable:
            return None
        found = {}
        for part in variant.parts:
            if part.id not in replay.lines:  # a key that no run can show, as its certificate says
                found[part.id] = FORMULA_ONLY
                continue
            for run, result in zip(replay.runs, seen, strict=True):
                if not agrees(part.answer, run, result[part.id]):
                    return None
            found[part.id] = observed(part.answer, replay.runs, [result[part.id] for result in seen])
        return found


@lru_cache(maxsize=1)
def code_mark() -> str:
    """Return a hash of the code that makes proofs: what an older version of it kept is not found again."""
    digest = hashlib.sha256()
    for package in (grader.runner, generator, question_bank.families):
        for file in sorted(Path(package.__path__[0]).glob("*.py")):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _seen(value: Any) -> dict[str, Seen] | None:
    """Return a kept run, or None when what was kept is not one."""
    try:
        return {name: Seen.from_json(seen) for name, seen in value.items()}
    except (AttributeError, KeyError, TypeError):
        return None


def _kept_proof(value: Any) -> FamilyProof | None:
    try:
        return None if value is None else FamilyProof.from_json(value)
    except (KeyError, TypeError, ValueError):
        return None


def _shown(value: Any) -> str:
    """Return a formula as text; a function of `given` by its place, since the family's version covers it."""
    return str(value.display()) if hasattr(value, "display") else "function"


def _trials(family: Family) -> list[Draft]:
    """Return a question of every level with all answerable parts asked."""
    trials = []
    for level in family.levels:
        for seed in _TRIAL_SEEDS:
            drawn = draft(family, level, seed)
            trials.append(from_given(family, drawn.given, level=level))
    return trials
