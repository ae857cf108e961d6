"""Several options of a list, all or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from grader.answers.answer import RIGHT, WRONG, Answer, Judgement, items_of
from grader.form import Form, Pick
from grader.options import letters_of, typed_alike, word_tex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from grader.exact import Number
    from grader.reading.outcomes import Value


@dataclass(frozen=True, eq=False, init=False)
class MultiAnswer(Answer):
    """The options that hold: ``MultiAnswer(("replaced", "both_sides"), options)``; the order does not count."""

    words: tuple[str, ...]
    options: tuple[str, ...]
    kind: ClassVar[str] = "multi"

    def __init__(self, words: Iterable[str], options: Iterable[str]) -> None:
        listed, chosen = tuple(options), frozenset(words)
        if unknown := sorted(chosen.difference(listed)):
            raise ValueError(f"{unknown[0]!r} is not one of the options {', '.join(listed)}")
        object.__setattr__(self, "words", tuple(word for word in listed if word in chosen))
        object.__setattr__(self, "options", listed)

    def at(self, given: Mapping[str, Number]) -> Self:  # noqa: ARG002 - words hold no letters
        """Return the options as they are."""
        return self

    def legal(self) -> bool:
        """Say whether no two options are alike when typed, and none holds what stands between two of them."""
        return not typed_alike(self.options) and not any("," in option or ";" in option for option in self.options)

    def equals(self, other: Answer) -> bool | None:
        """Compare the words."""
        return isinstance(other, MultiAnswer) and set(self.words) == set(other.words)

    def judge(self, value: Value) -> Judgement:
        """Compare the words; all of them count, and no others."""
        return RIGHT if items_of(value) == self.words else WRONG

    def display(self) -> str:
        """Return ``replaced, both_sides`` in the order of the options, or ``none``."""
        return ", ".join(self.words) or "none"

    def tex(self) -> str:
        """Return the words as TeX."""
        return ", ".join(map(word_tex, self.words)) or word_tex("none")

    def form(self) -> Form:
        """Return the options with those that are right."""
        right = tuple(place for place, word in enumerate(self.options) if word in self.words)
        return Pick(self.options, right, several=True)

    def spellings(self) -> tuple[str, ...]:
        """Return the words with commas and with "and", in braces, turned round, and by their letters."""
        words = self.words
        if not words:
            return ("none", "{}", "[]", "()", "∅", "None")
        listed = ", ".join(words)
        spelled = [listed, f"{{{listed}}}", " and ".join(words), ", ".join(reversed(words)), f"[{listed}]"]
        letters = letters_of(self.options)
        if letters:
            chosen = [letters[self.options.index(word)] for word in words]
            spelled += [", ".join(chosen), " ".join(chosen).lower(), " and ".join(chosen), ",".join(reversed(chosen))]
        spelled += [f"({listed})", f"{listed},", f" {listed} "]
        return tuple(dict.fromkeys(spelled))

    def unreadable(self) -> tuple[str, ...]:
        """Return everything at once, an option twice, numbers, words that are no options, a dash and nothing."""
        twice = ", ".join((*self.options[:1], *self.options[:1], "idk"))
        texts = ("all", twice, "97", "idk", "-", "all of them", "A, , B", "")
        return tuple(text for text in texts if text not in self.options)

    def others(self) -> tuple[Answer, ...]:
        """Return the words with one option more or less."""
        chosen = set(self.words)
        return tuple(MultiAnswer(chosen ^ {word}, self.options) for word in self.options)

    def to_json(self) -> dict[str, Any]:
        """Return the kind, the words and the options."""
        return {"kind": self.kind, "words": list(self.words), "options": list(self.options)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the answer."""
        return cls(data["words"], data["options"])
