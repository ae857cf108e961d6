"""The draw is a function of its key alone; its golden values are part of every stored variant."""

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.draw import Draw, draw_key


def test_golden_words_and_numbers():
    key = draw_key("SH-TRYIT", 1, 1, "12")
    assert Draw(key).word() == 5503305508120276416
    draw = Draw(key)
    assert [draw.below(10) for _ in range(6)] == [6, 3, 2, 0, 7, 1]
    draw = Draw(key)
    assert [draw.below(1000) for _ in range(6)] == [416, 463, 412, 440, 527, 921]
    draw = Draw(draw_key("LS-MEAN", 3, 1, "0"))
    assert [draw.below(n) for n in (2, 3, 5, 7, 11, 13)] == [1, 0, 0, 0, 9, 7]


@given(st.binary(min_size=32, max_size=32), st.integers(1, 2**64))
def test_same_as_the_rule_written_out(key, n):
    """Block i is SHA-256(key || i) as big-endian words; words at or above the last multiple of n are passed over."""
    words = []
    for block in range(40):
        digest = hashlib.sha256(key + block.to_bytes(8, "big")).digest()
        words += [int.from_bytes(digest[at : at + 8], "big") for at in range(0, 32, 8)]
    expected = next(word % n for word in words if word < 2**64 - 2**64 % n)
    assert Draw(key).below(n) == expected


def test_every_number_is_equally_likely():
    draw = Draw(b"\x07" * 32)
    counts = Counter(draw.below(7) for _ in range(7000))
    assert set(counts) == set(range(7))
    assert all(850 < count < 1150 for count in counts.values())


@given(st.binary(min_size=32, max_size=32), st.integers(0, 12), st.data())
def test_sample_and_shuffle_keep_what_they_are_given(key, size, data):
    items = list(range(size))
    k = data.draw(st.integers(0, size))
    draw = Draw(key)
    assert sorted(draw.shuffled(items)) == items
    chosen = draw.sample(items, k)
    assert len(set(chosen)) == k
    assert chosen == sorted(chosen)


def test_between_keeps_the_value_under_its_name():
    draw = Draw(b"\x01" * 32)
    value = draw.between("B", 2, 16)
    assert 2 <= value <= 16
    assert draw.given == {"B": value}


def test_nothing_below_one():
    with pytest.raises(ValueError, match="nothing to draw"):
        Draw(b"\x01" * 32).below(0)
