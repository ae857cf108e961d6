"""Reads PDFs for the tests of print: words, all strings, the structure tree, and where everything stands on a page."""

from __future__ import annotations

import io
from dataclasses import dataclass

import pypdf
from pypdf.generic import (
    ArrayObject,
    ContentStream,
    DictionaryObject,
    FloatObject,
    IndirectObject,
    NumberObject,
    StreamObject,
)


def reader(data):
    return pypdf.PdfReader(io.BytesIO(data))


def text_of(data, *pages):
    read = reader(data)
    chosen = [read.pages[at] for at in pages] if pages else read.pages
    return "\n".join(page.extract_text() for page in chosen).replace("\N{NO-BREAK SPACE}", " ")


def flat(text):
    """Return a text without blanks: lines break where they must."""
    return "".join(text.replace("\u200b", "").split())


def everything_in(data):
    """Return all strings and streams of a PDF, decoded: text, names, metadata, tags and alternative texts."""
    read = reader(data)
    out = [data.decode("latin-1"), text_of(data)]

    def walk(value, depth=0):
        if depth > 60 or isinstance(value, IndirectObject):
            return
        if isinstance(value, DictionaryObject):
            for name, inner in value.items():
                out.append(str(name))
                walk(inner, depth + 1)
            if isinstance(value, StreamObject):
                out.append(value.get_data().decode("latin-1"))
        elif isinstance(value, list):
            for inner in value:
                walk(inner, depth + 1)
        else:
            out.append(str(value))

    for number in range(1, len(read.xref[0]) + len(read.xref_objStm) + 1):
        walk(read.get_object(number))
    return "\n".join(out)


def struct(data, kinds):
    """Return the elements of these kinds in the structure tree."""
    found, todo = [], [reader(data).root_object["/StructTreeRoot"]]
    while todo:
        node = todo.pop()
        if isinstance(node, IndirectObject):
            node = node.get_object()
        if isinstance(node, list):
            todo.extend(node)
        elif isinstance(node, DictionaryObject):
            if node.get("/S") in kinds:
                found.append(node)
            todo.append(node.get("/K", []))
    return found


# --- where things stand ---


@dataclass(frozen=True)
class Box:
    """What is drawn: a run of text with its words, or a shape; in points from the lower left corner of the page."""

    left: float
    bottom: float
    right: float
    top: float
    words: str | None = None

    def meets(self, other, by):
        """Say whether two boxes lie over each other by more than a little."""
        across = min(self.right, other.right) - max(self.left, other.left)
        up = min(self.top, other.top) - max(self.bottom, other.bottom)
        return across > by and up > by


class _Font:
    """The widths of a font that Typst embedded, and what its signs mean."""

    def __init__(self, font):
        inner = font["/DescendantFonts"][0].get_object()
        self.widths, listed, at = {}, inner["/W"], 0
        while at < len(listed):
            if isinstance(listed[at + 1], ArrayObject):
                self.widths.update(enumerate(map(float, listed[at + 1]), start=int(listed[at])))
                at += 2
            else:
                first, last, width = int(listed[at]), int(listed[at + 1]), float(listed[at + 2])
                self.widths.update(dict.fromkeys(range(first, last + 1), width))
                at += 3
        self.standard = float(inner.get("/DW", 0))
        self.signs = _signs(font["/ToUnicode"].get_object().get_data().decode())

    def width(self, glyph):
        return self.widths.get(glyph, self.standard)


def _signs(table):
    signs, words = {}, table.split()
    for at, word in enumerate(words):
        if word == "beginbfchar":
            end = words.index("endbfchar", at)
            pairs = "".join(words[at + 1 : end]).strip("<>").replace("><", ">").split(">")
            for code, text in zip(pairs[::2], pairs[1::2], strict=True):
                signs[int(code.strip("<"), 16)] = bytes.fromhex(text.strip("<")).decode("utf-16-be")
    return signs


def _times(one, other):
    a, b, c, d, e, f = one
    g, h, i, j, k, m = other
    return (
        a * g + b * i,
        a * h + b * j,
        c * g + d * i,
        c * h + d * j,
        e * g + f * i + k,
        e * h + f * j + m,
    )


def _at(matrix, x, y):
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


class _Pen:
    """Follows the drawing of a page, operator by operator, and keeps the place of everything."""

    def __init__(self, fonts):
        self.fonts, self.found, self.kept, self.path = fonts, [], [], []
        self.here = self.lines = (1, 0, 0, 1, 0, 0)
        self.font, self.size = None, 0.0

    def draw(self, operator, operands):
        match operator:
            case "q":
                self.kept.append(self.here)
            case "Q":
                self.here = self.kept.pop()
            case "cm":
                self.here = _times(tuple(map(float, operands)), self.here)
            case "Tf":
                self.font, self.size = self.fonts[operands[0]], float(operands[1])
            case "Tm":
                self.lines = tuple(map(float, operands))
            case "TJ" | "Tj":
                self.write(operands[0] if operator == "TJ" else [operands[0]])
            case _:
                self.shape(operator, list(map(float, operands)) if operator in _PATHS else ())

    def write(self, run):
        width, words, glyphs = 0.0, "", []
        for piece in run:
            if isinstance(piece, NumberObject | FloatObject):
                width -= float(piece) * self.size / 1000
                continue
            raw = piece if isinstance(piece, bytes) else piece.original_bytes
            glyphs = [int.from_bytes(raw[at : at + 2], "big") for at in range(0, len(raw), 2)]
            width += sum(map(self.font.width, glyphs)) * self.size / 1000
            words += "".join(self.font.signs.get(glyph, "") for glyph in glyphs)
        if words.endswith(" "):  # a blank at the end of a line shows nothing
            width -= self.font.width(glyphs[-1]) * self.size / 1000
        matrix = _times(self.lines, self.here)
        self.box([_at(matrix, 0, 0), _at(matrix, width, self.size * 0.5)], words)

    def shape(self, operator, numbers):
        if operator == "re":
            x, y, width, height = numbers
            self.path += [_at(self.here, x, y), _at(self.here, x + width, y + height)]
        elif operator in _PATHS:
            self.path += [_at(self.here, *numbers[at : at + 2]) for at in range(0, len(numbers), 2)]
        elif operator in _PAINTS:
            if self.path and operator != "n":
                self.box(self.path)
            self.path = []

    def box(self, places, words=None):
        across, up = zip(*places, strict=True)
        self.found.append(Box(min(across), min(up), max(across), max(up), words))


_PATHS = frozenset(["m", "l", "c", "v", "y", "re"])
_PAINTS = frozenset(["S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "n"])


def boxes(read, page):
    """Return all text runs and shapes of a page with their places."""
    fonts = {name: _Font(font.get_object()) for name, font in page["/Resources"].get("/Font", {}).items()}
    pen = _Pen(fonts)
    for operands, operator in ContentStream(page.get_contents(), read).operations:
        pen.draw(operator.decode(), operands)
    return pen.found


def faults(data, *, side=64.7, ends=22.0):
    """Return what leaves the margins of its page, and which runs of text lie over each other."""
    read, wrong = reader(data), []
    for number, page in enumerate(read.pages, start=1):
        width, height = float(page.mediabox.width), float(page.mediabox.height)
        drawn = boxes(read, page)
        wrong += [
            f"page {number}: leaves its margins: {box}"
            for box in drawn
            if box.left < side or box.right > width - side or box.bottom < ends or box.top > height - ends
        ]
        texts = [box for box in drawn if box.words and box.words.strip()]
        wrong += [
            f"page {number}: over each other: {one} {other}"
            for at, one in enumerate(texts)
            for other in texts[at + 1 :]
            if one.meets(other, 0.7)
        ]
    return wrong
