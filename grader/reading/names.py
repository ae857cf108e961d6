"""Which words an answer may use: declared letters, their aliases, and the functions; case folds where that is safe."""

from __future__ import annotations

import re
from functools import lru_cache

from grader.expr import Letter
from grader.letters import LETTERS

FUNCTIONS = {
    "ln": "ln",
    "log": "log",
    "log_e": "log",
    "exp": "exp",
    "sqrt": "sqrt",
    "log2": "log2",
    "log_2": "log2",
    "log10": "log10",
    "log_10": "log10",
    "lg": "lg",
}
_GLUED_BEFORE = re.compile(r"(ln|log|exp|sqrt)(.+)", re.DOTALL)
_GLUED_AFTER = re.compile(r"(.+?)(ln|log|exp|sqrt)", re.DOTALL)

# What is kept lives as long as the process, and what people type is endless: a few short words of a few questions.
_QUESTIONS, _WORDS, _LONGEST = 64, 128, 12

# What a word stands for: letters, a function by name, or the sign of a product.
Piece = Letter | str
TIMES = "×"


class Names:
    """The words of one question."""

    def __init__(self, letters: tuple[str, ...]) -> None:
        self.letters = letters
        self.exact: dict[str, Letter] = {name: Letter(name) for name in letters}
        for name in letters:
            for alias in LETTERS[name].aliases if name in LETTERS else ():
                self.exact.setdefault(alias, Letter(name))
        # Case folds only where no two letters of the question differ by case alone.
        self.folded: dict[str, Letter] = {}
        if len({name.lower() for name in letters}) == len(letters):
            for name, letter in self.exact.items():
                self.folded.setdefault(name.lower(), letter)
        self.has_x = self.letter("x") is not None or self.letter("X") is not None
        self.has_e = self.letter("e") is not None or self.letter("E") is not None
        self._known: dict[str, tuple[Piece, ...]] = {name: (letter,) for name, letter in self.exact.items()}

    def letter(self, word: str) -> Letter | None:
        """Return the letter that a word names by itself."""
        return self.exact.get(word) or self.folded.get(word.lower())

    def resolve(self, word: str) -> tuple[Piece, ...]:
        """Return what a word stands for; empty where it stands for nothing. Exact spellings win over folded ones."""
        found = self._known.get(word)
        if found is not None:
            return found
        found = self._resolve(word)
        if len(self._known) < _WORDS and len(word) <= _LONGEST:
            self._known[word] = found
        return found

    def _resolve(self, word: str) -> tuple[Piece, ...]:
        if word in FUNCTIONS:
            return (FUNCTIONS[word],)
        if word in ("x", "X") and not self.has_x:
            return (TIMES,)
        if run := self._run(word, self.exact):
            return run
        folded = self.folded.get(word.lower())
        if folded is not None:
            return (folded,)
        if word.lower() in FUNCTIONS:
            return (FUNCTIONS[word.lower()],)
        glued = self._glued(word)
        lower = {name.lower(): letter for name, letter in self.folded.items()}
        run = self._run(word.lower(), lower)
        # "lnv" may be a logarithm or three letters: neither is guessed.
        return () if glued and run and word.islower() else glued or run

    def _run(self, word: str, letters: dict[str, Letter]) -> tuple[Piece, ...]:
        """Split letters that stand side by side, with x between them as times; empty where one is unknown."""
        pieces: list[Piece] = []
        for char in word:
            letter = letters.get(char)
            if letter is not None:
                pieces.append(letter)
            elif char in "xX" and not self.has_x and pieces and isinstance(pieces[-1], Letter):
                pieces.append(TIMES)
            else:
                return ()
        return tuple(pieces) if pieces and isinstance(pieces[-1], Letter) else ()

    def _glued(self, word: str) -> tuple[Piece, ...]:
        """Split a function from the letter that it touches: lnV, 2BTln(V)."""
        if found := _GLUED_BEFORE.fullmatch(word):
            letter = self.letter(found[2])
            return (FUNCTIONS[found[1]], letter) if letter else ()
        if found := _GLUED_AFTER.fullmatch(word):
            run = self._run(found[1], self.exact) or self._run(found[1].lower(), self.folded)
            return (*run, FUNCTIONS[found[2]]) if run else ()
        return ()


@lru_cache(maxsize=_QUESTIONS)
def names(letters: tuple[str, ...]) -> Names:
    """Return the words of a question with these letters."""
    return Names(letters)
