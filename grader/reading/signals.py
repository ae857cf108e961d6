"""How a reader deep inside a formula says that it cannot go on: caught by the reader of the kind, never seen outside."""

from __future__ import annotations


class Unreadable(Exception):  # noqa: N818 - a signal, not an error of the program
    """The text cannot be read from position ``at`` on; ``hint`` says what to change."""

    def __init__(self, hint: str, at: int = 0, repair: str | None = None) -> None:
        super().__init__(hint)
        self.hint = hint
        self.at = at
        self.repair = repair


class Ambiguous(Exception):  # noqa: N818 - a signal, not an error of the program
    """The text has several readings: ``texts`` are the spellings that mean each of them."""

    def __init__(self, question: str, texts: tuple[str, ...]) -> None:
        super().__init__(question)
        self.question = question
        self.texts = texts
