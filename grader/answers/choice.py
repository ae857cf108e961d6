"""One option of several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from grader.answers.answer import RIGHT, WRONG, Answer, Judgement
from grader.form import Form, Pick
from grader.options import letters_of, spelled_word, typed_alike, word_tex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from grader.exact import Number
    from grader.reading.outcomes import Value


@dataclass(frozen=True, eq=False, init=False)
class ChoiceAnswer(Answer):
    """One option word: ``ChoiceAnswer("nan", ("nan", "zero", "finite"))``.

    ``of`` is the answer behind the word where a part of another kind is asked as a choice; a run is held against it.
    """

    word: str
    options: tuple[str, ...]
    of: Answer | None
    kind: ClassVar[str] = "choice"

    def __init__(self, word: str, options: Iterable[str], of: Answer | None = None) -> None:
        object.__setattr__(self, "word", word)
        object.__setattr__(self, "options", tuple(options))
        object.__setattr__(self, "of", of)

    def at(self, given: Mapping[str, Number]) -> Self:  # noqa: ARG002 - words hold no letters
        """Return the choice as it is."""
        return self

    def legal(self) -> bool:
        """Say whether the word is an option, and no two options are alike when typed."""
        return self.word in self.options and not typed_alike(self.options)

    def equals(self, other: Answer) -> bool | None:
        """Compare the words."""
        return isinstance(other, ChoiceAnswer) and self.word == other.word

    def judge(self, value: Value) -> Judgement:
        """Compare the words."""
        return RIGHT if isinstance(value, str) and value == self.word else WRONG

    def display(self) -> str:
        """Return the word."""
        return self.word

    def tex(self) -> str:
        """Return the word as TeX."""
        return word_tex(self.word) if self.of is None else self.of.tex()

    def form(self) -> Form:
        """Return the options with the one that is right."""
        return Pick(self.options, (self.options.index(self.word),))

    def spellings(self) -> tuple[str, ...]:
        """Return the word, and its letter in every usual form where options go by letters."""
        spelled = spelled_word(self.word)
        letters = letters_of(self.options)
        if letters:
            letter = letters[self.options.index(self.word)]
            spelled += [letter, letter.lower(), f"({letter.lower()})", f"{letter})", f"[{letter}]"]
        return tuple(dict.fromkeys(spelled))

    def unreadable(self) -> tuple[str, ...]:
        """Return several options, a number, words that are none of them, and nothing."""
        two = " or ".join((*self.options, "idk")[:2])
        texts = (two, "A, B, C, D", "97", "all", "idk, perhaps", "*", "None of these", "")
        return tuple(text for text in texts if text not in self.options)

    def others(self) -> tuple[Answer, ...]:
        """Return the other options."""
        return tuple(ChoiceAnswer(word, self.options) for word in self.options if word != self.word)

    def to_json(self) -> dict[str, Any]:
        """Return the kind, the word, the options, and the answer behind the word."""
        data: dict[str, Any] = {"kind": self.kind, "word": self.word, "options": list(self.options)}
        return data if self.of is None else data | {"of": self.of.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the choice."""
        from grader.answers import answer_from_json  # noqa: PLC0415 - the kinds know each other only there

        behind = data.get("of")
        return cls(data["word"], data["options"], None if behind is None else answer_from_json(behind))
