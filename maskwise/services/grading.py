"""Grading answers that come from a command or a file: draw or take the numbers, ask PyTorch, compare, say it.

The variant is made again for each response, never trusted from outside. When PyTorch cannot be asked, every answer is
"not graded", and nobody is right or wrong.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from generator.build import certify
from generator.drafting import draft, from_given
from grader.grade import grade
from grader.score import counted
from maskwise.errors import UsageFault, did_you_mean
from maskwise.services.feedback import evidence, feedback
from maskwise.services.lines import BadLine, answer_lines, only, read_lines, text_field
from maskwise.services.looking import SEED
from question_bank.catalogue import family as find_family

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from generator.drafting import Draft
    from generator.variant import Variant
    from maskwise.services.prover import Prover

_NAMES = ("family", "level", "seed", "given", "answers", "id")


@dataclass(frozen=True)
class Response:
    """What somebody answered: to the variant of a level and seed, or to numbers of the caller's own (`given`)."""

    family: str
    answers: Mapping[str, str]
    level: int = 1
    seed: str | None = None
    given: Mapping[str, Any] | None = None


class Grader:
    """Grades responses with one prover; remembers the last variants, because a class answers the same ones."""

    def __init__(self, prover: Prover) -> None:
        self._prover = prover
        self._of_seed: Callable[[str, int, str, frozenset[str]], Variant] = lru_cache(maxsize=512)(self._drawn)
        self._of_given: Callable[[str, str, frozenset[str]], Variant] = lru_cache(maxsize=512)(self._supplied)
        self.unavailable: str | None = None  # why PyTorch could not be asked, if it could not

    def grade(self, response: Response) -> dict[str, Any]:
        """Give {"family", "verdicts", "points", "max_points"}; points are counted over the answered parts.

        Raises UsageFault and the errors of `generator` for a family, level, part or `given` that cannot be.
        """
        variant = self._variant(response)
        observed = self._observed(variant)
        verdicts = grade(variant.parts, response.answers, observed=observed, mode="practice")
        shown = {}
        answered = [part for part in variant.parts if part.id in response.answers]
        counts = counted(answered, {part.id: verdicts[part.id].score for part in answered})
        points = sum((counts[part.id] * part.points for part in answered), Fraction(0))
        best = sum(part.points for part in answered)
        for part in answered:
            verdict = verdicts[part.id]
            shown[part.id] = {
                "outcome": verdict.outcome,
                "score": number(verdict.score),
                "read_as": verdict.read_as,
                "slip": verdict.slip,
                "note": verdict.note,
                "feedback": feedback(variant, part.id, verdict),
                "evidence": evidence(variant.certificate, part.id),
            }
        return {"family": variant.family, "verdicts": shown, "points": number(points), "max_points": number(best)}

    def _observed(self, variant: Variant) -> dict[str, Any] | None:
        """Ask PyTorch now: without it there is no verdict, also where the key was proven long ago."""
        found = self._prover.observed(variant)
        if found is None and self.unavailable is None:
            self.unavailable = "it did not answer, or not as the certificate says"
        return found

    def _variant(self, response: Response) -> Variant:
        wanted = frozenset(response.answers)
        if response.given is None:
            assert response.seed is not None
            return self._of_seed(find_family(response.family).id, response.level, response.seed, wanted)
        return self._of_given(find_family(response.family).id, json.dumps(response.given), wanted)

    def _supplied(self, family_id: str, given: str, wanted: frozenset[str]) -> Variant:
        try:
            asked = from_given(find_family(family_id), json.loads(given))
        except (ValueError, TypeError, KeyError) as error:
            raise UsageFault(f"given cannot be used: {error}") from None
        return self._proven(_with(asked, wanted))

    def _drawn(self, family_id: str, level: int, seed: str, wanted: frozenset[str]) -> Variant:
        asked = draft(find_family(family_id), level, seed)
        if not wanted <= set(asked.parts):  # a part that this level does not ask, on the same numbers
            more = from_given(asked.family, asked.given)
            served = {ask.id: (ask, rules) for ask, rules in (*more.served, *asked.served)}
            asked = replace(asked, served=tuple(served[ask.id] for ask in asked.family.asks if ask.id in served))
        return self._proven(_with(asked, wanted))

    def _proven(self, asked: Draft) -> Variant:
        from grader.runner.service import RunnerUnavailable  # noqa: PLC0415 - its module starts the client side

        try:
            return certify([asked], self._prover)[0]
        except RunnerUnavailable as error:
            self.unavailable = str(error)
            return asked.variant()


def _with(asked: Draft, wanted: frozenset[str]) -> Draft:
    """Check that every answered part is asked."""
    for part in sorted(wanted):
        if part not in asked.parts:
            raise UsageFault(
                f'{asked.family.id} has no part "{part}" on these numbers',
                help=did_you_mean(part, asked.parts) or f"the parts: {', '.join(asked.parts)}",
            )
    return asked


def number(value: Fraction | int) -> int | float:
    """Give points as a JSON number: whole ones without a decimal point."""
    return int(value) if value == int(value) else float(value)


def grade_lines(raw: Iterable[bytes], grader: Grader) -> Iterator[dict[str, Any]]:
    """Grade lines of responses; a line that cannot be graded becomes {"error", "line"} and the rest goes on."""

    def answer(line: Mapping[str, Any]) -> dict[str, Any]:
        result = grader.grade(parse_response(line))
        return {"id": line["id"], **result} if "id" in line else result

    return answer_lines(read_lines(raw), answer)


def parse_response(line: Mapping[str, Any]) -> Response:
    """Make a response from the object of a line; BadLine says what is missing."""
    only(line, *_NAMES)
    family = text_field(line, "family")
    answers = line.get("answers")
    if not isinstance(answers, dict) or not answers:
        raise BadLine('"answers" must be an object of part and answer, such as {"enc": "(5, 17, 40)"}')
    for part, answer in answers.items():
        if not isinstance(answer, str):
            raise BadLine(f'the answer to "{part}" must be text')
    given = line.get("given")
    if given is not None:
        if not isinstance(given, dict):
            raise BadLine('"given" must be an object of names and values')
        if "seed" in line:
            raise BadLine('"given" stands in place of "seed"')
        return Response(family, answers, given=given)
    level = line.get("level", 1)
    if type(level) is not int:
        raise BadLine('"level" must be a whole number')
    return Response(family, answers, level=level, seed=seed_text(line.get("seed")))


def seed_text(seed: Any) -> str:
    """Give a seed as it enters the draw; whole numbers and text are taken."""
    if type(seed) is int and seed >= 0:
        return str(seed)
    if isinstance(seed, str) and SEED.fullmatch(seed.strip()):
        return seed.strip()
    raise BadLine(
        '"seed" is missing; it stands on the sheet or in the manifest' if seed is None else '"seed" is no seed'
    )
