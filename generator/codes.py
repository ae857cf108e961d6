"""Secrets, seeds and look-up ids of graded work, and the digits that all codes are written with.

Graded variants are drawn with a secret, so that nobody who holds the program and a student's paper can rebuild a key.
The code on the paper is an HMAC of its own: it means nothing without the store or the teacher's manifest.
"""

from __future__ import annotations

import hashlib
import hmac

# Crockford's digits: no I, L, O or U, so that a code read aloud or copied by hand stays what it was.
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LOOK_UP_DIGITS = 16
_GROUP = 4
# Open seeds of a set's questions: short enough to be typed, with room enough for a large class.
_OPEN_SEEDS = 1 << 20


def seal(secret: bytes, *labels: str | int) -> str:
    """Return the seed of a sealed draw: HMAC-SHA-256 of the labels as 64 lower-case hex digits."""
    return hmac.new(secret, _message("draw", labels), hashlib.sha256).hexdigest()


def open_seed(seed: str, *labels: str | int) -> str:
    """Return the seed of one question of an open set: a whole number below 2**20, from the set's seed alone."""
    digest = hashlib.sha256(_message("open", (seed, *labels))).digest()
    return str(int.from_bytes(digest, "big") % _OPEN_SEEDS)


def lookup_id(secret: bytes, *labels: str | int) -> str:
    """Return a look-up id such as `7C1E-9RTA-H3PZ-K7QD` (80 bits of an HMAC of its own)."""
    digest = int.from_bytes(hmac.new(secret, _message("look-up", labels), hashlib.sha256).digest(), "big")
    return grouped("".join(DIGITS[digest >> (5 * place) & 31] for place in range(LOOK_UP_DIGITS)))


def derive(secret: bytes, *labels: str | int) -> bytes:
    """Return 32 bytes of key material for one purpose, named by the labels."""
    return hmac.new(secret, _message("derive", labels), hashlib.sha256).digest()


def open_key(seed: str, *labels: str | int) -> bytes:
    """Return 32 bytes that an open set draws from besides its questions."""
    return hashlib.sha256(_message("derive", (seed, *labels))).digest()


def normal_id(text: str) -> str:
    """Return a code as it is kept: upper case, blanks dropped, O and I/L read as digits, grouped by dashes."""
    plain = text.upper().replace("O", "0").replace("I", "1").replace("L", "1").replace("-", " ")
    return grouped("".join(plain.split()))


def is_lookup_id(text: str) -> bool:
    """Whether a text has the form of a look-up id, however it is written."""
    plain = normal_id(text).replace("-", "")
    return len(plain) == LOOK_UP_DIGITS and all(digit in DIGITS for digit in plain)


def grouped(digits: str) -> str:
    """Return digits in groups of four."""
    return "-".join(digits[start : start + _GROUP] for start in range(0, len(digits), _GROUP))


def _message(purpose: str, labels: tuple[str | int, ...]) -> bytes:
    # Lengths in front: ("a", "bc") and ("ab", "c") are different messages.
    parts = [f"maskwise/1/{purpose}", *(str(label) for label in labels)]
    return "".join(f"{len(part.encode())}:{part}" for part in parts).encode()
