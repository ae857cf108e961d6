"""Reads QR codes as they are drawn in a PDF, without the library that made them: versions 1 to 4, no correction."""

from __future__ import annotations

import re

from print_pdf import reader

_SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
# (version, level of correction as its two bits) -> blocks and data codewords of each; levels are M, L, H, Q.
_BLOCKS = {
    (1, 0): (1, 16),
    (1, 1): (1, 19),
    (1, 2): (1, 9),
    (1, 3): (1, 13),
    (2, 0): (1, 28),
    (2, 1): (1, 34),
    (2, 2): (1, 16),
    (2, 3): (1, 22),
    (3, 0): (1, 44),
    (3, 1): (1, 55),
    (3, 2): (2, 13),
    (3, 3): (2, 17),
    (4, 0): (2, 32),
    (4, 1): (1, 80),
    (4, 2): (4, 9),
    (4, 3): (2, 24),
}
_MASKS = (
    lambda row, column: (row + column) % 2,
    lambda row, _column: row % 2,
    lambda _row, column: column % 3,
    lambda row, column: (row + column) % 3,
    lambda row, column: (row // 2 + column // 3) % 2,
    lambda row, column: row * column % 2 + row * column % 3,
    lambda row, column: (row * column % 2 + row * column % 3) % 2,
    lambda row, column: ((row + column) % 2 + row * column % 3) % 2,
)


def codes_in(pdf):
    """Return what the QR codes of a PDF say, page by page."""
    found = []
    for page in reader(pdf).pages:
        content = page.get_contents().get_data().decode("latin-1")
        drawn = re.findall(r"/Alt\(The (?:code|look-up id) [^)]*QR code\)>>BDC(.*?)EMC", content, re.DOTALL)
        found += [decoded(_modules(each)) for each in drawn]
    return found


def _modules(drawn):
    """Return the rows of squares that are drawn as lines half a square below each row's top."""
    lines = [
        (float(x), int(float(y) - 0.5), float(end))
        for x, y, end, same in re.findall(r"([\d.]+) ([\d.]+) m ([\d.]+) ([\d.]+) l\b", drawn)
        if y == same and y.endswith(".5")
    ]
    size = max(row for _x, row, _end in lines) + 1
    rows = [[0] * size for _ in range(size)]
    for start, row, end in lines:
        rows[row][int(start) : int(end)] = [1] * (int(end) - int(start))
    return rows


def decoded(rows):
    size = len(rows)
    version = (size - 17) // 4
    shape = [
        *(rows[8][column] for column in (0, 1, 2, 3, 4, 5, 7, 8)),
        *(rows[row][8] for row in (7, 5, 4, 3, 2, 1, 0)),
    ]
    told = int("".join(map(str, shape)), 2) ^ 0x5412
    mask = _MASKS[told >> 10 & 7]
    bits = [rows[row][column] ^ (mask(row, column) == 0) for row, column in _path(size, version)]
    words = [int("".join(map(str, bits[at : at + 8])), 2) for at in range(0, len(bits) - 7, 8)]
    blocks, each = _BLOCKS[version, told >> 13]
    data = [words[at * blocks + block] for block in range(blocks) for at in range(each)]
    return _text("".join(f"{word:08b}" for word in data))


def _path(size, version):
    """Yield the places that hold data, in their order."""
    upward, right = True, size - 1
    while right > 0:
        if right == 6:
            right -= 1
        for row in range(size - 1, -1, -1) if upward else range(size):
            for column in (right, right - 1):
                if not _fixed(row, column, size, version):
                    yield row, column
        upward, right = not upward, right - 2


def _fixed(row, column, size, version):
    corner = (row < 9 and (column < 9 or column >= size - 8)) or (row >= size - 8 and column < 9)
    small = version > 1 and size - 9 <= row < size - 4 and size - 9 <= column < size - 4
    return corner or small or row == 6 or column == 6


def _text(bits):
    out, at = "", 0

    def take(count):
        nonlocal at
        at += count
        return int(bits[at - count : at] or "0", 2)

    while at + 4 <= len(bits) and (mode := take(4)):
        if mode == 1:
            left = take(10)
            while left > 0:
                digits = min(3, left)
                out += f"{take((0, 4, 7, 10)[digits]):0{digits}d}"
                left -= digits
        elif mode == 2:
            left = take(9)
            while left > 1:
                out += "".join(_SIGNS[part] for part in divmod(take(11), 45))
                left -= 2
            out += _SIGNS[take(6)] if left else ""
        else:
            assert mode == 4, f"another mode: {mode}"
            out += bytes(take(8) for _ in range(take(8))).decode()
    return out
