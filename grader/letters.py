"""The letters of the questions, what they mean, and the longer names under which answers may use them."""

from __future__ import annotations

from dataclasses import dataclass

from grader.expr import Letter


@dataclass(frozen=True)
class Meaning:
    """What a letter stands for, in words, and its aliases in answers."""

    name: str
    words: str
    aliases: tuple[str, ...] = ()


LETTERS: dict[str, Meaning] = {
    meaning.name: meaning
    for meaning in (
        Meaning("B", "sequences in the batch", ("batch", "batch_size")),
        Meaning("T", "positions per sequence, padding included", ("length", "seq_len", "seq_length")),
        Meaning("D", "model width", ("model_size", "d_model", "width")),
        Meaning("V", "vocabulary size", ("vocab", "vocab_size", "vocabulary_size")),
        Meaning("L", "maximum length of the position table", ("max_len", "maximum_length")),
        Meaning("H", "attention heads", ("heads", "nhead")),
        Meaning("F", "feed-forward width", ("ff", "dim_feedforward")),
        Meaning("N", "encoder layers", ("layers", "num_layers")),
        Meaning("C", "classes", ("classes", "num_classes")),
        Meaning("M", "masked (scored) positions in the whole batch", ("masked",)),
        Meaning("K", "masked positions per sequence, where every sequence has the same number"),
    )
}

B = Letter("B")
T = Letter("T")
D = Letter("D")
V = Letter("V")
L = Letter("L")
H = Letter("H")
F = Letter("F")
N = Letter("N")
C = Letter("C")
M = Letter("M")
K = Letter("K")
