"""What names an option: its letter, its word with case and blanks free, or the other name of a dtype."""

from __future__ import annotations

import re
from functools import lru_cache

from grader.options import letters_of, typed
from grader.reading.clean import clean
from grader.reading.outcomes import Context, Reject
from grader.reading.signals import Unreadable

_QUESTIONS = 64  # whose options are kept: what is kept lives as long as the process

_DTYPES = {
    "long": "int64",
    "short": "int16",
    "byte": "uint8",
    "float": "float32",
    "half": "float16",
    "double": "float64",
    "boolean": "bool",
}
_LETTER = re.compile(r"[(\[{<]? ?([A-Za-z]) ?[)\]}>]?[.:]?")
_LETTER_AND_WORD = re.compile(r"[(\[]?([A-Za-z])(?:[)\]] ?[.:]?|[.:]) ?(.+)", re.DOTALL)
_LETTERED = re.compile(r"[(\[]?[A-Za-z](?:[)\]][.:]?|[.:])")
BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_WRAPS = {**BRACKETS, "'": "'", '"': '"', "`": "`"}
_MOST_WRAPS = 2  # brackets and quotes around one option
_MOST_WORDS = 12  # that an option typed between blanks may have


class Options:
    """The options of one question, and what names each of them."""

    def __init__(self, options: tuple[str, ...]) -> None:
        self.options = options
        self.letters = letters_of(options)
        self._words: dict[str, str | None] = {}
        for option in options:
            cleaned = clean(option, Context())
            for spelling in dict.fromkeys((typed(option), typed(option if isinstance(cleaned, Reject) else cleaned))):
                # Two options that come out alike are named by their letters only.
                self._words[spelling] = None if spelling in self._words else option
        self._most = min(max(len(re.split(r"[\s_-]+", option)) for option in options), _MOST_WORDS)
        self._dtypes = {typed(option.removeprefix("torch.")): option for option in options}

    def word(self, text: str) -> str | None:
        """Return the option that a text writes out, case and blanks free, or with the other name of a dtype."""
        spelling = typed(text)
        return text if text in self.options and spelling else self._spelled(spelling)

    def _spelled(self, spelling: str) -> str | None:
        """Return the option whose word comes to this spelling."""
        if not spelling or spelling in self._words:
            return self._words.get(spelling)
        name = spelling.removeprefix("torch.")
        return self._dtypes.get(_DTYPES.get(name, name))

    def letter(self, text: str) -> str | None:
        """Return the option that a text names by its letter: B, (b), b. or b)."""
        found = _LETTER.fullmatch(text)
        if found is None:
            return None
        if not self.letters:
            return self.word(found[1])
        place = self.letters.index(found[1].upper()) if found[1].upper() in self.letters else None
        return None if place is None else self.options[place]

    def named(self, text: str) -> str | None:
        """Return the option that a text names, by word or letter or both. Raises ``Unreadable`` where these differ."""
        found = self.word(text) or self.letter(text)
        if found is not None:
            return found
        both = _LETTER_AND_WORD.fullmatch(text)
        if both is not None:
            lettered, worded = self.letter(both[1]), self.word(both[2])
            if lettered is not None and worded is not None:
                if lettered != worded:
                    raise Unreadable("The letter and the word name different options.")
                return worded
        for _ in range(_MOST_WRAPS):
            if len(text) < 3 or _WRAPS.get(text[0]) != text[-1]:
                break
            text = text[1:-1].strip()
            found = self.word(text) or self.letter(text)
            if found is not None:
                return found
        return None

    def run(self, text: str) -> tuple[list[str], str | None]:
        """Return the options that stand between blanks, the longest words first, and the first piece that is none."""
        pieces = text.split(" ")
        spellings = [typed(piece) for piece in pieces]
        found: list[str] = []
        start = 0
        while start < len(pieces):
            word, end = self._longest(spellings, start)
            if word is None:
                word, end = self.named(pieces[start]), start + 1
            if word is None:
                return found, pieces[start]
            if _LETTERED.fullmatch(pieces[start]):  # b) replaced
                spelled, after = self._longest(spellings, end)
                if spelled is not None and spelled != word:
                    raise Unreadable("The letter and the word name different options.")
                end = after if spelled is not None else end
            found.append(word)
            start = end
        return found, None

    def _longest(self, spellings: list[str], start: int) -> tuple[str | None, int]:
        """Return the option of most words that begins at a piece, and where it ends."""
        for end in range(min(len(spellings), start + self._most), start, -1):
            found = self._spelled("".join(spellings[start:end]))
            if found is not None:
                return found, end
        return None, start

    @property
    def how(self) -> str:
        """How an option is named here."""
        if self.letters:
            return f"by its letter, A to {self.letters[-1]}, or write it as it stands"
        lettered = all(len(option) == 1 for option in self.options)
        return "by its letter" if lettered else "by its name, as it stands"

    @property
    def sample(self) -> str:
        """How several options are listed here."""
        if self.letters or all(len(option) == 1 for option in self.options):
            return "List the letters of the options, with commas between them."
        return "List the names of the options, with commas between them."


@lru_cache(maxsize=_QUESTIONS)
def options_of(options: tuple[str, ...]) -> Options:
    """Return the options of a question."""
    return Options(options)
