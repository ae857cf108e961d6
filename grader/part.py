"""A part of a question: its key, the wrong rules that are recognised, and what may be carried on from earlier parts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from grader.answers import Answer, ChoiceAnswer, MultiAnswer, SetAnswer, answer_from_json
from grader.form import Form, Pick
from grader.reading.outcomes import Context


@dataclass(frozen=True)
class Slip:
    """A wrong rule: what it gives, and a line of PyTorch that really yields it, or the reason why no line does.

    ``reveals`` marks a witness that shows the key; it is held back until the part is closed.
    """

    id: str
    answer: Answer
    witness: str | None
    reason: str = ""
    reveals: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the slip as JSON values."""
        data: dict[str, Any] = {"id": self.id, "answer": self.answer.to_json(), "witness": self.witness}
        if self.reason:
            data["reason"] = self.reason
        if self.reveals:
            data["reveals"] = True
        return data

    @staticmethod
    def from_json(data: dict[str, Any]) -> Slip:
        """Rebuild a slip. Raises ``KeyError`` or ``ValueError`` where the data is no slip."""
        answer = answer_from_json(data["answer"])
        return Slip(data["id"], answer, data["witness"], data.get("reason", ""), data.get("reveals", False))


@dataclass(frozen=True)
class Part:
    """A part with its key, its slips in matching order, and its points.

    ``follows`` names the earlier parts on which this one builds. ``carry`` is the key again, as a formula whose letters
    are named after those parts, for judging work that carries a wrong earlier value on. ``labels`` stand for the
    options on a page, one each, as Markdown. A part of two options counts only with its reason: ``together`` names the
    parts that must be right with it.
    """

    id: str
    answer: Answer
    slips: tuple[Slip, ...] = ()
    context: Context = field(default_factory=Context)
    points: int = 1
    follows: tuple[str, ...] = ()
    carry: Answer | None = None
    labels: tuple[str, ...] = ()
    together: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of its answer."""
        return self.answer.kind

    @property
    def options(self) -> tuple[str, ...]:
        """The words that a picker offers, empty where there is nothing to pick."""
        match self.answer:
            case ChoiceAnswer(options=options) | MultiAnswer(options=options):
                return options
            case SetAnswer(among=among):
                return tuple(map(str, among))
        return ()

    @property
    def one_try(self) -> bool:
        """Whether graded work allows one try: a second one among few options would be a guess."""
        return isinstance(self.answer, ChoiceAnswer)

    def form(self) -> Form:
        """Return what a sheet or a learning platform can ask, with the labels of its options."""
        form = self.answer.form()
        return replace(form, labels=self.labels) if isinstance(form, Pick) and self.labels else form

    def to_json(self) -> dict[str, Any]:
        """Return the part as JSON values."""
        data: dict[str, Any] = {
            "id": self.id,
            "answer": self.answer.to_json(),
            "slips": [slip.to_json() for slip in self.slips],
            "context": self.context.to_json(),
            "points": self.points,
        }
        if self.follows:
            data["follows"] = list(self.follows)
        if self.carry is not None:
            data["carry"] = self.carry.to_json()
        if self.labels:
            data["labels"] = list(self.labels)
        if self.together:
            data["together"] = list(self.together)
        return data

    @staticmethod
    def from_json(data: dict[str, Any]) -> Part:
        """Rebuild a part. Raises ``KeyError`` or ``ValueError`` where the data is no part."""
        carry = data.get("carry")
        return Part(
            data["id"],
            answer_from_json(data["answer"]),
            tuple(Slip.from_json(slip) for slip in data["slips"]),
            Context.from_json(data["context"]),
            data["points"],
            tuple(data.get("follows", ())),
            None if carry is None else answer_from_json(carry),
            tuple(data.get("labels", ())),
            tuple(data.get("together", ())),
        )
