"""LB-BUILD: from a row of ids and its masked positions to what the model reads and what the loss compares with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from generator.family import Ask, Family, Rule
from grader.answers import Seq, TensorAnswer
from question_bank.families._tokens import (
    PAD,
    check_ids,
    check_ignore,
    check_positions,
    check_rows,
    check_typed,
    flat,
    ignore_of,
    rows_of,
    spell,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generator.draw import Draw
    from grader.answers import Answer

PARTS = ("inputs", "labels")

# Short sentences of common words, apart by their length: a batch has one of each, so that one of its rows is padded.
_LONG = (
    "the old man sold his boat",
    "we saw a ship at sea",
    "she put the book on it",
    "my dog ran after the ball",
    "rain fell on the red roof",
    "he left his coat at home",
    "they sang a song by night",
    "our train was late once more",
)
_SHORT = (
    "the cat went home",
    "a bird sat still",
    "he saw the sea",
    "we ate at night",
    "the rain fell again",
    "she ran by us",
    "our boat was red",
    "they like his song",
    "the sun came out too",
    "a man sat on it",
    "my cat sleeps all day",
    "he put the ball away",
)


def draw(draw: Draw, level: int) -> tuple[str, ...]:
    """Level 1: one row without padding; 2: a padded row; 3: two rows of words with a vocabulary."""
    if level == 3:
        _draw_words(draw)
        return PARTS
    given = draw.given
    length = 5 + draw.below(4) if level == 1 else 7 + draw.below(4)
    real = length if level == 1 else length - 1 - draw.below(3)
    mask_id = draw.between("mask_id", 20, 59)
    ids = [1 + draw.below(mask_id - 1)]
    while len(ids) < real:
        token = 1 + draw.below(mask_id - 1)
        if token not in ids:
            ids.append(token)
    # Never position 0, so that counting positions from 1 shows itself.
    given["masked"] = draw.sample(range(1, real), 2 + draw.below(2))
    if level == 2:
        if not draw.below(3):  # a real token with the id that padding has: 0 among the labels is an answer
            ids[draw.pick(given["masked"])] = PAD
        given["n"] = real
    given["ids"] = ids + [PAD] * (length - real)
    return PARTS


def _draw_words(draw: Draw) -> None:
    """Draw a long and a short sentence, in either order, and the ids of their words: [PAD] first, [MASK] last."""
    sentences = draw.shuffled([draw.pick(_LONG).split(), draw.pick(_SHORT).split()])
    known = list(dict.fromkeys(word for sentence in sentences for word in sentence))
    words = draw.given["words"] = ["[PAD]", *draw.shuffled(known), "[MASK]"]
    length = max(map(len, sentences))
    draw.given["mask_id"] = len(words) - 1
    draw.given["ids"] = [
        [words.index(word) for word in sentence] + [PAD] * (length - len(sentence)) for sentence in sentences
    ]
    draw.given["n"] = [len(sentence) for sentence in sentences]
    draw.given["masked"] = [draw.sample(range(1, real), 1 + draw.below(2)) for real in draw.given["n"]]


def real_lengths(given: Mapping[str, Any]) -> list[int]:
    """Return the real positions of each row: all of them, where nothing is said of padding."""
    rows = rows_of(given["ids"])
    stated = given.get("n", len(rows[0]))
    return list(stated) if isinstance(stated, list) else [stated] * len(rows)


def check_build(given: Mapping[str, Any]) -> None:
    """Raise ValueError unless ids and masked positions describe a batch (rule R4)."""
    if "ids" not in given or "masked" not in given:
        raise ValueError("ids and masked are both needed: the original ids and the masked positions.")
    rows = check_rows(given, "ids")
    tokens = [token for row in rows for token in row]
    check_ids(given, len(tokens), {"ids": tokens})
    ignore = check_ignore(given)
    masked = check_positions(given["masked"], "masked", _check_lengths(given, rows))
    if not any(masked):
        raise ValueError("at least one position must be masked: without one nothing is hidden and nothing is scored.")
    for row, places in zip(rows, masked, strict=True):
        for place in places:
            if row[place] == given.get("mask_id"):
                raise ValueError(f"position {place} holds mask_id already: no token would be hidden there.")
            if row[place] == ignore:
                raise ValueError(f"position {place} holds the ignore value {ignore}: its label would not be scored.")
    _check_words(given, rows)
    for part, key in KEYS.items():
        if part == "labels" or "mask_id" in given:
            check_typed(part, key(given).display())


def _check_lengths(given: Mapping[str, Any], rows: list[list[int]]) -> list[int]:
    lengths = real_lengths(given)
    width = len(rows[0])
    if len(lengths) != len(rows) or any(type(real) is not int or not 1 <= real <= width for real in lengths):
        raise ValueError(f"n counts the real positions, one number or one a row, each from 1 to {width}.")
    if any(token != PAD for row, real in zip(rows, lengths, strict=True) for token in row[real:]):
        raise ValueError(f"positions from n on are padding, and padding has id {PAD}.")
    return lengths


def _check_words(given: Mapping[str, Any], rows: list[list[int]]) -> None:
    if "words" not in given:
        return
    words = given["words"]
    if not isinstance(words, list) or not all(isinstance(word, str) and 0 < len(word) <= 30 for word in words):
        raise ValueError("words is a list of words of up to 30 signs: the token of each id.")
    if len(set(words)) != len(words):
        raise ValueError("words holds a word twice: a shown word must have one id.")
    if not max(given.get("mask_id", 0), *(token for row in rows for token in row)) < len(words) <= 100:
        raise ValueError("words must name every id, and at most 100.")


def runs(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what is run: one row flat, several as rows, and real lengths for each."""
    run: dict[str, Any] = {"ids": flat(rows_of(given["ids"])), "masked": flat(_masked(given))}
    run |= {name: given[name] for name in ("mask_id", "ignore") if name in given}
    if "n" in given:
        run["n"] = real_lengths(given)
    return [run]


def iso(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return rows and length, masked positions, padded ones, a real id 0, words in place of ids, digits of the ids."""
    rows, lengths = rows_of(given["ids"]), real_lengths(given)
    return (
        len(rows),
        len(rows[0]),
        sum(map(len, _masked(given))),
        sum(len(row) - real for row, real in zip(rows, lengths, strict=True)),
        any(PAD in row[:real] for row, real in zip(rows, lengths, strict=True)),
        "words" in given,
        len(str(max(max(row) for row in rows))),
    )


def context(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what reading may use: the words for two ids, and how many rows an answer of several has."""
    rows = len(rows_of(given["ids"]))
    declared: dict[str, Any] = {"mask_id": given.get("mask_id"), "ignore": ignore_of(given)}
    return declared | ({"rows": rows} if rows > 1 else {})


def _masked(given: Mapping[str, Any]) -> list[list[int]]:
    masked = given["masked"]
    return rows_of(masked) if masked else [masked]


# What stands in one place: a function of the id there and of the question.
Entry = Callable[[int, "Mapping[str, Any]"], int]


def filled(masked: Entry, elsewhere: Entry, *, left: int = 0) -> Callable[[Mapping[str, Any]], Answer]:
    """Return the tensor with one entry at masked positions and another elsewhere.

    `left` moves the masked positions to the left, as `mask.roll` does: round the end of their row.
    """

    def value(given: Mapping[str, Any]) -> Answer:
        made = []
        for row, places in zip(rows_of(given["ids"]), _masked(given), strict=True):
            hit = {(place - left) % len(row) for place in places}
            made.append([(masked if at in hit else elsewhere)(token, given) for at, token in enumerate(row)])
        return Seq(*made[0]) if len(made) == 1 else TensorAnswer(made)

    return value


def _own(token: int, _given: Mapping[str, Any]) -> int:
    return token


def _mask_id(_token: int, given: Mapping[str, Any]) -> int:
    return int(given["mask_id"])


def _ignore(_token: int, given: Mapping[str, Any]) -> int:
    return ignore_of(given)


def _zero(_token: int, _given: Mapping[str, Any]) -> int:
    return 0


def _pad_or_ignore(token: int, given: Mapping[str, Any]) -> int:
    return token if token == PAD else ignore_of(given)


def _padded(given: Mapping[str, Any]) -> bool:
    return any(real < len(row) for row, real in zip(rows_of(given["ids"]), real_lengths(given), strict=True))


KEYS = {"inputs": filled(_mask_id, _own), "labels": filled(_own, _ignore)}

FAMILY = Family(
    id="LB-BUILD",
    slug="build_labels",
    title="Make inputs and labels",
    topic="labels",
    core=True,
    version=1,
    world="tokens",
    levels={1: "one row", 2: "a padded row", 3: "two rows of words with a vocabulary"},
    draw=draw,
    asks=(
        Ask(
            "inputs",
            KEYS["inputs"],
            "ids.masked_fill(mask, mask_id)",
            (
                Rule("one_based", filled(_mask_id, _own, left=1), "ids.masked_fill(mask.roll(-1, -1), mask_id)"),
                Rule("ignore_value_in_input", filled(_ignore, _own), "ids.masked_fill(mask, -100)"),
                Rule("unchanged", filled(_own, _own), "ids"),
            ),
            needs=("mask_id",),
            also=("torch.where(mask, mask_id, ids)",),
            context=context,
        ),
        Ask(
            "labels",
            KEYS["labels"],
            "ids.masked_fill(~mask, -100)",
            (
                Rule("full_copy", filled(_own, _own), "ids.clone()"),
                Rule("inverted", filled(_ignore, _own), "ids.masked_fill(mask, -100)"),
                Rule(
                    "mask_id_as_target",
                    filled(_mask_id, _ignore),
                    "inputs.masked_fill(~mask, -100)",
                    needs=("mask_id",),
                ),
                Rule("zero_as_ignore", filled(_own, _zero), "ids * mask"),
                Rule(
                    "pads_scored",
                    filled(_own, _pad_or_ignore),
                    "ids.masked_fill(~mask & (ids != PAD), -100)",
                    when=_padded,
                ),
                Rule("one_based", filled(_own, _ignore, left=1), "ids.masked_fill(~mask.roll(-1, -1), -100)"),
            ),
            also=("torch.where(mask, ids, -100)",),
            holds=("CE(flat, labels.reshape(-1), ignore_index=-100).isclose(CE(logits[mask], ids[mask]))",),
            context=context,
        ),
    ),
    given_names=("ids", "masked", "mask_id", "ignore", "n", "words"),
    check_given=check_build,
    runs=runs,
    iso=iso,
    spell=spell,
)
