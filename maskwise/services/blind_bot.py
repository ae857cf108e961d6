"""The blind guesser: how far somebody comes who understands nothing, sees the numbers, and hears what everybody hears.

It plays a question as the policy of graded work lets a student play it: three tries a part in homework, with the words
and lines of PyTorch that wrong answers earn, one silent answer in an exam, one try where the part is a choice. Every
answer goes through the real grader. What it can learn from feedback without understanding it, it uses: which guesses
are gone; a line of PyTorch that another part asks about; and parts whose keys a closed part would tell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.choices import as_choice
from generator.draw import Draw, draw_key
from generator.faults import BadFamily
from generator.testwise import Options
from grader.grade import grade
from maskwise.services.feedback import witness
from maskwise.services.guesses import guesses, numbers_in
from maskwise.services.telling import told_by
from templates import tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generator.variant import Variant
    from grader.part import Part
    from grader.verdict import Verdict

TARGET = Fraction(1, 4)
TRIES = 3
_SUBMITS = 40  # those that cannot be read are free, but not for ever
_LOOKED_AT = 8  # guesses that stand for all of them, in an exam
_CHOICES = 120  # questions of a level that are played as choices: making options takes milliseconds
_SURE = 3  # standard errors above the target before a part is called guessable


@dataclass
class Share:
    """How many of the questions played were got right: by luck, so with a standard error."""

    played: int = 0
    right: float = 0.0

    def add(self, right: float) -> None:
        """Count one question; the chance of a single guess counts as what it is."""
        self.played += 1
        self.right += right

    @property
    def score(self) -> float:
        """The share, 0 where nothing was played."""
        return self.right / self.played if self.played else 0.0

    @property
    def above(self) -> bool:
        """Whether the share is above the target by more than luck explains (lower end of Wilson's interval)."""
        if not self.played:
            return False
        p, n, z = self.score, self.played, _SURE
        middle, spread = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return (middle - spread) / (1 + z * z / n) > float(TARGET)


@dataclass
class PartScore:
    """What the blind guesser scores at one part: in homework, in an exam, and where the part is asked as a choice.

    `positions` counts at which place the right option stood, by the number of options.
    """

    homework: Share = field(default_factory=Share)
    exam: Share = field(default_factory=Share)
    choice: dict[str, Share] = field(default_factory=dict)
    positions: dict[int, list[int]] = field(default_factory=dict)

    @property
    def best_choice(self) -> Share:
        """The best way of picking an option without reading the question."""
        return max(self.choice.values(), key=lambda share: share.score, default=Share())

    @property
    def best_way(self) -> str:
        """The name of that way."""
        return max(self.choice, key=lambda way: self.choice[way].score, default="")

    @property
    def above(self) -> bool:
        """Whether any policy lets the guesser score more than the target."""
        return self.homework.above or self.exam.above or self.best_choice.above

    def to_json(self) -> dict[str, Any]:
        """Return the shares, to three decimals."""
        return {
            "homework": round(self.homework.score, 3),
            "exam": round(self.exam.score, 3),
            "choice": round(self.best_choice.score, 3) if self.choice else None,
            "way": self.best_way,
            "played": self.homework.played,
            "above": self.above,
        }


class BlindBot:
    """Plays questions of one level and keeps the score of each part."""

    def __init__(self) -> None:
        self.scores: dict[str, PartScore] = {}

    def play(self, variant: Variant) -> None:
        """Play a certified question under every policy."""
        assert variant.certificate is not None
        game = _Game(variant, variant.certificate.observed())
        won = game.homework()
        for part in variant.parts:
            score = self.scores.setdefault(part.id, PartScore())
            score.homework.add(part.id in won)
            score.exam.add(game.chance(part))
            if score.exam.played <= _CHOICES:
                _choose(variant, part, score)


class _Game:
    """One question with the verdicts it gives."""

    def __init__(self, variant: Variant, observed: Mapping[str, Any]) -> None:
        self.variant = variant
        self.observed = observed
        self.draw = Draw(draw_key(variant.family, variant.level, variant.version, f"{variant.seed}|blind"))
        words = [variant.words["stem"], *(variant.words[f"ask_{part.id}"] for part in variant.parts)]
        seen = numbers_in(words)
        self.guesses = {part.id: guesses(part, seen) for part in variant.parts}
        self.codes = {part.id: _codes(variant.words[f"ask_{part.id}"]) for part in variant.parts}

    def submit(self, part: Part, text: str, before: Sequence[str], mode: Any) -> Verdict:
        """Hand one answer in."""
        return grade([part], {part.id: text}, {part.id: before}, observed=self.observed, mode=mode)[part.id]

    def chance(self, part: Part) -> float:
        """Return the chance that one answer, drawn from the guesses, is right in an exam: the share of some of them."""
        texts = self.guesses[part.id]
        some = self.draw.sample(texts, min(len(texts), _LOOKED_AT))
        verdicts = [self.submit(part, text, (), "exam").outcome for text in some]
        read = [verdict for verdict in verdicts if verdict != "not_graded"]
        return read.count("right") / len(read) if read else 0.0

    def homework(self) -> set[str]:
        """Play all parts, a try at each in turn, and return those that were got right."""
        parts = {part.id: part for part in self.variant.parts}
        left = {part.id: 1 if part.one_try else TRIES for part in self.variant.parts}
        waiting = {part_id: self.draw.shuffled(texts) for part_id, texts in self.guesses.items()}
        said: dict[str, list[str]] = {part_id: [] for part_id in parts}
        won: set[str] = set()
        while any(left[part_id] and waiting[part_id] for part_id in parts if part_id not in won):
            for part_id, part in parts.items():
                if part_id not in won and left[part_id] and waiting[part_id]:
                    self._try(part, left, waiting, said, won)
        return won

    def _try(
        self,
        part: Part,
        left: dict[str, int],
        waiting: dict[str, list[str]],
        said: dict[str, list[str]],
        won: set[str],
    ) -> None:
        text = waiting[part.id].pop(0)
        verdict = self.submit(part, text, said[part.id], "homework")
        said[part.id].append(text)
        if verdict.outcome == "not_graded":
            left[part.id] = left[part.id] if len(said[part.id]) < _SUBMITS else 0
            return
        left[part.id] -= 1
        if verdict.outcome == "right":
            won.add(part.id)
            for other in told_by(self.variant, part):
                waiting.get(other, []).insert(0, text)
        elif verdict.slip is not None:
            slip = next(slip for slip in part.slips if slip.id == verdict.slip)
            if witness(slip):
                for other, codes in self.codes.items():
                    if slip.witness in codes:
                        waiting[other].insert(0, text)


def _codes(words: str) -> set[str]:
    """Return the pieces of code that stand in some words."""
    read = (tokens.read(found[1]) for found in tokens.PATTERN.finditer(words))
    return {token[1] for token in read if token is not None and token[0] == "code"}


# -- choices


def _choose(variant: Variant, part: Part, score: PartScore) -> None:
    """Pick an option in every blind way; nothing where the part has too few values to be asked as a choice."""
    seed = f"{variant.seed}|options|{part.id}"
    try:
        asked = as_choice(part, Draw(draw_key(variant.family, variant.level, variant.version, seed)))
    except BadFamily:
        return
    if asked.kind != "choice":
        return
    options = asked.options
    right = options.index(asked.answer.display())
    counts = score.positions.setdefault(len(options), [0] * len(options))
    counts[right] += 1
    places = [right, *(place for place in range(len(options)) if place != right)]
    for way, won in Options(options).won(places).items():
        score.choice.setdefault(way, Share()).add(won)
