"""Options by their letters or words: one of them, several, or a list of them in order."""

from __future__ import annotations

import re

from grader.reading.clean import clean
from grader.reading.formulas import rejected
from grader.reading.labels import without_label
from grader.reading.named import BRACKETS, Options, options_of
from grader.reading.outcomes import Ask, Choice, Context, Ok, Reject
from grader.reading.signals import Ambiguous, Unreadable

_SHOWN = 40
_CALLED = re.compile(r"(?:option|choice|answer|letter|statement)s?(?: is| are)?[ :=]+", re.IGNORECASE)
_NUMERAL = re.compile(r"[#(\[{]?[-+]?\d[\d., ]*[)\]}.]?")
_NUMBERS = re.compile(r"[-+#(){}\[\]\d.,; /]*\d[-+#(){}\[\]\d.,; /]*")
_BETWEEN = re.compile(r" ?(?:[,;]|(?<!\w)(?:and|&)(?!\w)) ?", re.IGNORECASE)
_SEVERAL = re.compile(r" ?(?:[,;/+|]|(?<!\w)(?:and|or|&)(?!\w)) ?", re.IGNORECASE)
_RANGE = re.compile(r"(.+?) ?(?:-|\.{2,3}|(?<!\w)(?:to|through)(?!\w)) ?(.+)", re.IGNORECASE | re.DOTALL)
_ALL = re.compile(
    r"(?:all|both|every|everything|any)(?: (?:of )?(?:them|these|the above|options|statements))?", re.IGNORECASE
)
_NOTHING = re.compile(
    r"none(?: of (?:them|these|the above|the options|the statements))?|nothing|no (?:options?|statements?|letters?)"
    r"|[∅øØ]|(?:the )?empty(?: set| list)?|[({\[] ?[)}\]]"
    r"|(?:tensor|list|set|tuple) ?\((?:\[\])?\)",
    re.IGNORECASE,
)


# -- one option


def read_choice(text: str, context: Context) -> Ok | Ask | Reject:
    """Read one option; the value is the option as it is declared."""
    cleaned = clean(text, context)
    if isinstance(cleaned, Reject):
        return cleaned
    if not context.options:
        return Reject("This part declares no options, so none can be chosen.")
    options = options_of(context.options)
    try:
        return _one(cleaned, options)
    except Unreadable as problem:
        return rejected(problem, cleaned, f"Choose one option {options.how}.")


def _one(text: str, options: Options) -> Ok:
    bare = text.rstrip(",; ")
    found = options.named(text) or options.named(bare)
    if found is None and (label := _CALLED.match(bare)):
        bare = bare[label.end() :]
        found = options.named(bare)
    if found is not None:
        return Ok(found, found)
    if _NUMBERS.fullmatch(bare):
        raise Unreadable("Numbers choose no option here.")
    _refuse_int(bare, options)
    pieces = [piece for piece in _SEVERAL.split(bare) if piece]
    blanks = bare.split(" ")
    for several in (pieces, blanks, list(bare) if options.letters else []):
        if len(several) > 1 and all(options.named(piece) for piece in several):
            raise Unreadable("Several options are named: choose one only.")
    raise _unknown(bare, options)


def _refuse_int(text: str, options: Options) -> None:
    """Say that int is the name of two types, where these are options."""
    wide = [name for name in ("int32", "int64") if options.word(name)]
    if wide and text.lower().removeprefix("torch.") in ("int", "integer"):
        raise Unreadable("int could be more than one type: say int32 or int64.")


def _unknown(text: str, options: Options) -> Unreadable:
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    if not options.letters and len(text) == 1 and all(len(option) == 1 for option in options.options):
        return Unreadable(f"{shown} is not one of the letters of the options.")
    return Unreadable(f"{shown} is not one of the options.")


# -- several options


def read_multi(text: str, context: Context) -> Ok | Ask | Reject:
    """Read several options; the value is a tuple of them in the order in which they are declared."""
    return _listed(text, context, ordered=False)


def read_words(text: str, context: Context) -> Ok | Ask | Reject:
    """Read a list of options in order; the value is a tuple of them as typed."""
    return _listed(text, context, ordered=True)


def _listed(text: str, context: Context, *, ordered: bool) -> Ok | Ask | Reject:
    cleaned = clean(text, context)
    if isinstance(cleaned, Reject):
        return cleaned
    if not context.options:
        return Reject("This part declares no options, so none can be chosen.")
    options = options_of(context.options)
    try:
        words = _several(without_label(cleaned, context), options, ordered=ordered)
    except Unreadable as problem:
        return rejected(problem, cleaned, options.sample)
    except Ambiguous as problem:
        return Ask(problem.question, tuple(Choice("", spelling) for spelling in problem.texts))
    if ordered:
        return Ok(words, f"[{', '.join(words)}]")
    chosen = tuple(option for option in options.options if option in words)
    return Ok(chosen, ", ".join(chosen) or "none")


def _several(text: str, options: Options, *, ordered: bool) -> tuple[str, ...]:
    """Return the options that a text lists."""
    alone = options.named(text)
    if alone is not None:
        return (alone,)
    if label := _CALLED.match(text):
        text = text[label.end() :]
    if not text:
        raise Unreadable("No option is named.")
    body = _inside(text)
    if _NOTHING.fullmatch(text) or not body:
        return ()
    if set(text) <= set("-–—/."):
        raise Unreadable("Write none if there are no options to list.")
    if _ALL.fullmatch(body):
        raise Unreadable(f"{body} is not read here.")
    words: list[str] = []
    for piece in _pieces(body):
        words += _words(piece, body, options, ordered=ordered)
    twice = [word for place, word in enumerate(words) if word in words[:place]]
    if twice and not ordered:
        raise Unreadable(f"{twice[0]} is listed twice: name every option once.")
    return tuple(words)


def _inside(text: str) -> str:
    """Return what stands in the one pair of brackets around everything, or the text where there is none."""
    if text[0] not in BRACKETS or not text.endswith(BRACKETS[text[0]]):
        return text
    inner, depth = text[1:-1], 0
    for sign in inner:
        depth += (sign == text[0]) - (sign == text[-1])
        if depth < 0:
            return text  # (a), (c)
    return inner.strip()


def _pieces(body: str) -> list[str]:
    """Split at commas, semicolons and "and". Raises ``Unreadable`` for a gap between two."""
    pieces: list[str] = []
    end = 0
    closed = True  # whether an "and" may stand beside the last separator
    for found in _BETWEEN.finditer(body):
        piece = body[end : found.start()]
        if piece:
            pieces.append(piece)
        elif found.group().strip() in ",;" or not pieces or not closed:
            raise Unreadable("Something is missing between two separators.", found.start())
        closed = found.group().strip() in ",;"
        end = found.end()
    if end < len(body):
        pieces.append(body[end:])
    elif not closed:
        raise Unreadable("Something is missing after the last word.", len(body))
    return pieces


def _words(piece: str, body: str, options: Options, *, ordered: bool) -> list[str]:
    """Return the options that stand in a piece, between blanks: the longest that fit, from the left."""
    found = options.named(piece)
    if found is not None:
        return [found]
    _ask_range(piece, body, options)
    words, unknown = options.run(piece)
    if unknown is not None:
        raise _unlisted(unknown, piece, body, options, ordered=ordered)
    return words


def _ask_range(piece: str, body: str, options: Options) -> None:
    """Raise ``Ambiguous`` for A-C: two options, or all between them."""
    found = _RANGE.fullmatch(piece)
    if found is None:
        return
    first, last = options.named(found[1]), options.named(found[2])
    if first is None or last is None:
        return
    names = options.letters or options.options
    low, high = options.options.index(first), options.options.index(last)
    if low >= high:
        raise Unreadable("List the options one by one.", max(body.find(piece), 0))
    both, every = f"{names[low]}, {names[high]}", ", ".join(names[low : high + 1])
    before, after = body.split(piece, 1)
    texts = tuple(f"{before}{listed}{after}" for listed in dict.fromkeys((both, every)))
    rest = f", or all of {every}" if len(texts) > 1 else ""
    raise Ambiguous(f"Did you mean {names[low]} and {names[high]}{rest}?", texts)


def _unlisted(word: str, piece: str, body: str, options: Options, *, ordered: bool) -> Unreadable:
    at = max(body.find(piece), 0)
    if word.lower() == "or":
        return Unreadable("Give one answer only: one list.", at)
    if _NUMERAL.fullmatch(word):
        return Unreadable("Numbers name no option here.", at)
    if _ALL.fullmatch(word):
        return Unreadable(f"{word} is not read here: list every option.", at)
    letters = [options.letter(sign) for sign in word]
    lettered = bool(options.letters) or all(len(option) == 1 for option in options.options)
    if len(word) > 1 and lettered and all(letters) and (ordered or len(set(letters)) == len(letters)):
        repair = ", ".join(word) if piece == body == word else None
        return Unreadable(f"Separate the letters of {word} with commas.", at, repair)
    return _unknown(word, options)
