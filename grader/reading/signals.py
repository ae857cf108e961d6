"""How a reader deep inside a formula says that it cannot go on; never seen outside."""

from __future__ import annotations


class Unreadable(Exception):
    """The text cannot be read from position ``at`` on; ``hint`` says what to change."""

    def __init__(self, hint: str, at: int = 0, repair: str | None = None) -> None:
        super().__init__(hint)
        self.hint = hint
        self.at = at
        self.repair = repair


class Ambiguous(Exception):
    """The text has several readings: ``texts`` are the spellings that mean each of them.

    ``alone`` is what to add where only one of them can be an answer.
    """

    def __init__(self, question: str, texts: tuple[str, ...], alone: str = "") -> None:
        super().__init__(question)
        self.question = question
        self.texts = texts
        self.alone = alone
