"""Secrets, seeds and look-up ids of graded work.

Graded variants are drawn with a secret, so that nobody who holds the program and a student's paper can rebuild a key.
The code on the paper is an HMAC of its own: it means nothing without the store or the teacher's manifest.
"""

from __future__ import annotations

import hashlib
import hmac

# Crockford's digits: no I, L, O or U, so that a code read aloud or copied by hand stays what it was.
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CODE_DIGITS = 16
_GROUP = 4


def seal(secret: bytes, *labels: str | int) -> str:
    """Return the seed of a sealed draw: HMAC-SHA-256 of the labels as 64 lower-case hex digits."""
    return hmac.new(secret, _message("draw", labels), hashlib.sha256).hexdigest()


def lookup_id(secret: bytes, *labels: str | int) -> str:
    """Return a look-up id such as `7C1E-9RTA-H3PZ-K7QD` (80 bits of an HMAC of its own)."""
    digest = int.from_bytes(hmac.new(secret, _message("look-up", labels), hashlib.sha256).digest(), "big")
    digits = "".join(_DIGITS[digest >> (5 * place) & 31] for place in range(_CODE_DIGITS))
    return "-".join(digits[start : start + _GROUP] for start in range(0, _CODE_DIGITS, _GROUP))


def derive(secret: bytes, *labels: str | int) -> bytes:
    """Return 32 bytes of key material for one purpose, named by the labels."""
    return hmac.new(secret, _message("derive", labels), hashlib.sha256).digest()


def normal_id(text: str) -> str:
    """Return a look-up id as it is kept: upper case, blanks dropped, O and I/L read as digits, grouped by dashes."""
    plain = "".join(text.upper().replace("O", "0").replace("I", "1").replace("L", "1").replace("-", " ").split())
    return "-".join(plain[start : start + _GROUP] for start in range(0, len(plain), _GROUP))


def _message(purpose: str, labels: tuple[str | int, ...]) -> bytes:
    # Lengths in front: ("a", "bc") and ("ab", "c") are different messages.
    parts = [f"maskwise/1/{purpose}", *(str(label) for label in labels)]
    return "".join(f"{len(part.encode())}:{part}" for part in parts).encode()
