"""Clean-up of typed text, the same for every kind: what hands and pasteboards add goes, and nothing is guessed.

The steps stand in the order in which they must run: a raised 2 becomes a power before Unicode folding would turn V²
into V2, and the length is bounded before anything is done at all.
"""

from __future__ import annotations

import re
import unicodedata

from grader.reading.outcomes import Context, Reject

LIMIT = 200

EMPTY = "Type an answer first."

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_PLAIN = re.compile(r"[A-Za-z0-9+\-*/^()\[\]{},;_ ]+")
_BLANKS = re.compile(r"\s+")
_BLANKS_IN_LINE = re.compile(r"[^\S\n\r]+")
_LINE_BREAK = re.compile(r" ?[\n\r][ \n\r]*")
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_DROPPED = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_POWER = re.compile(r"[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_SIGNS = str.maketrans(
    {
        "\u3001": ",",  # ideographic comma
        "\u2212": "-",
        "\u2013": "-",
        "\ufe63": "-",
        "\u2044": "/",
        "\u2215": "/",
        "\u00f7": "/",
        "\u22c5": "·",
        "\u2217": "·",
        "\u2219": "·",
    }
)
_PAIRS = (
    ("```", "```"),
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
    ("“", "”"),
    ("„", "“"),
    ("‘", "’"),
    ("$$", "$$"),
    ("$", "$"),
    (r"\(", r"\)"),
    (r"\[", r"\]"),
)
_FENCE_LANGUAGE = re.compile(r"(?:python|py|text)[ \n]", re.IGNORECASE)
_FRACTION = re.compile(r"\\[dt]?frac ?\{([^{}]*)\} ?\{([^{}]*)\}")
_LABEL = re.compile(
    r"(?P<name>shape|size|answer|result|tuple|[A-Za-z_][\w.]*(?:\[[^\[\]]*\])?\.shape) ?(?:==|=|:) ?", re.IGNORECASE
)


def clean(text: str, context: Context, limit: int = LIMIT, *, lines: bool = False) -> str | Reject:
    """Return the text cleaned up by the steps of content.md 4.1, or why it cannot be read at all.

    Line breaks become blanks, or with ``lines`` stay, one between lines that are not empty.
    """
    if len(text) > 4 * limit:
        return Reject(f"The answer is too long: at most {limit} characters are read.")
    if _PLAIN.fullmatch(text):  # what most people type needs none of the steps
        cleaned = text.strip(" ")
        if "  " in cleaned:
            cleaned = _BLANKS.sub(" ", cleaned)
    else:
        folded = _fold(text, lines=lines)
        if isinstance(folded, Reject):
            return folded
        cleaned = _unwrap(folded, context)
    if len(cleaned) > limit:
        return Reject(f"The answer is too long: at most {limit} characters are read.")
    if not cleaned:
        return Reject(EMPTY)
    if cleaned.startswith("=") and not cleaned.startswith("=="):
        rest = cleaned[1:].strip()
        return Reject("Leave out the = at the front: give only the answer.", None, rest or None)
    return cleaned


def _fold(text: str, *, lines: bool) -> str | Reject:
    """Fold Unicode spellings into plain ones; the result may still be wrapped in quotes or labels."""
    if text.isascii():
        if found := _CONTROL.search(text):
            return _forbidden(found.group())
        return _spaced(text, lines=lines)
    for char in text:
        if char > "\x7f" or char < " ":
            if _is_forbidden(char):
                return _forbidden(char)
            if char not in "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻" and unicodedata.decomposition(char).startswith("<super>"):
                return Reject(f"The raised sign {char} is not read: write powers with ^ and a whole number.")
    text = text.translate(_DROPPED)
    powers = _raise(text)
    if isinstance(powers, Reject):
        return powers
    folded = unicodedata.normalize("NFKC", _stack(powers)).translate(_SIGNS)
    if not folded.isascii():
        folded = "".join(str(unicodedata.decimal(char, char)) for char in folded)
    return _spaced(folded, lines=lines)


def _spaced(text: str, *, lines: bool) -> str:
    """Return the text with single blanks, and line breaks as blanks or as single signs."""
    if lines:
        return _LINE_BREAK.sub("\n", _BLANKS_IN_LINE.sub(" ", text)).strip(" \n")
    return _BLANKS.sub(" ", text).strip(" ")


def _is_forbidden(char: str) -> bool:
    """Say whether a sign is invisible, half a sign, or reserved."""
    if char in "\t\n\r" or ord(char) in _DROPPED:
        return False
    category = unicodedata.category(char)
    return category in ("Cc", "Cf", "Cs", "Cn", "Co") or category[0] == "M" or char in _BIDI


def _forbidden(char: str) -> Reject:
    number = f"U+{ord(char):04X}"
    if unicodedata.category(char)[0] == "M":
        return Reject(f"The answer holds a combining mark ({number}); type plain letters and digits.")
    return Reject(f"The answer holds an invisible or reserved sign ({number}); type it again by hand.")


def _raise(text: str) -> str | Reject:
    """Turn raised digits into powers: V² into V^(2)."""
    pieces: list[str] = []
    end = 0
    for found in _POWER.finditer(text):
        before = text[: found.start()]
        if not before or not (before[-1].isalnum() or before[-1] in ")]}") or before[-1] in "⁰¹²³⁴⁵⁶⁷⁸⁹":
            return Reject("A small raised number needs a letter, a number or a bracket in front of it.")
        pieces += [text[end : found.start()], f"^({found.group().translate(_RAISED)})"]
        end = found.end()
    if end == 0:
        return text
    return "".join((*pieces, text[end:]))


def _stack(text: str) -> str:
    """Write fraction signs out: ½ as (1/2), and after a digit as the mixed number that 1½ means."""
    pieces: list[str] = []
    for char in text:
        if char > "\x7f" and unicodedata.decomposition(char).startswith("<fraction>"):
            quotient = unicodedata.normalize("NFKC", char).replace("\u2044", "/")
            before = "".join(pieces[-2:])
            mixed = before.rstrip(" ")[-1:].isdigit()
            gap = "" if before.endswith(" ") else " "
            pieces.append(f"{gap}{quotient}" if mixed else f"({quotient})")
        else:
            pieces.append(char)
    return "".join(pieces)


def _unwrap(text: str, context: Context) -> str:
    """Strip quotes, ticks, TeX delimiters, prompts, labels and a final full stop around the whole."""
    if "\\" in text:
        text = re.sub(r"\\times(?![A-Za-z])", "×", text)
        text = re.sub(r"\\cdot(?![A-Za-z])", "·", text)
        text = _FRACTION.sub(_quotient, text)
    for _ in range(8):
        before = text
        text = text.removeprefix(">>>").strip(" \n")
        for opening, closing in _PAIRS:
            inner = text[len(opening) : -len(closing)]
            wrapped = text.startswith(opening) and text.endswith(closing) and len(text) >= len(opening + closing)
            if wrapped and opening not in inner and closing not in inner:
                text = _FENCE_LANGUAGE.sub("", inner, count=1) if opening == "```" else inner
                text = text.strip(" \n")
                break
        if text.endswith(".") and not text.endswith(".."):
            text = text[:-1].rstrip(" \n")
        label = _LABEL.match(text)
        if label and label["name"] not in context.letters:
            text = text[label.end() :]
        if text == before:
            break
    return text


def _quotient(found: re.Match[str]) -> str:
    """Write a TeX fraction out; after a digit it is the fraction of a mixed number."""
    above, below = found[1].strip(), found[2].strip()
    before = found.string[: found.start()].rstrip(" ")
    if before[-1:].isdigit() and above.isdigit() and below.isdigit():
        return f" {above}/{below}"
    return f"(({above})/({below}))"
