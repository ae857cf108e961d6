"""Callers' own `given` for the families about shown tokens: every form that is allowed works, the rest is refused."""

import copy
import re

import pytest

from generator.build import certify
from generator.drafting import draft, from_given
from grader.grade import grade
from question_bank.catalogue import family
from templates.markup import to_text

ROW = {"ids": [7, 3, 9, 4], "masked": [1, 3], "mask_id": 11}
ROWS = {"ids": [[7, 3, 9, 4], [5, 8, 0, 0]], "masked": [[1, 3], [1]], "mask_id": 11, "n": [4, 2]}
LABELS = {"labels": [[-100, 5, 0, -100], [8, -100, -100, -100]], "V": 12}
LEAKS = {
    "original": [7, 3, 9, 4, 6],
    "inputs": [7, 11, 9, 4, 6],
    "labels": [-100, 3, 9, -100, 6],
    "mask_id": 11,
}


def proven(prover, family_id, given):
    return certify([from_given(family(family_id), given)], prover)[0]


def keys(variant):
    return {part.id: part.answer.display() for part in variant.parts}


def slips(variant, part):
    return {slip.id: slip.answer.display() for slip in variant.part(part).slips}


# -- LB-BUILD


@pytest.mark.torch
@pytest.mark.parametrize(
    ("given", "inputs", "labels"),
    [
        (ROW, "[7, 11, 9, 11]", "[-100, 3, -100, 4]"),
        ({**ROW, "masked": [3, 1]}, "[7, 11, 9, 11]", "[-100, 3, -100, 4]"),
        ({**ROW, "masked": [[1, 3]]}, "[7, 11, 9, 11]", "[-100, 3, -100, 4]"),
        ({**ROW, "ids": [[7, 3, 9, 4]]}, "[7, 11, 9, 11]", "[-100, 3, -100, 4]"),
        ({**ROW, "ids": [[7, 3, 9, 4]], "masked": [[1, 3]], "n": [4]}, "[7, 11, 9, 11]", "[-100, 3, -100, 4]"),
        ({**ROW, "ids": [7, 3, 9, 4, 0], "n": 4}, "[7, 11, 9, 11, 0]", "[-100, 3, -100, 4, -100]"),
        ({**ROW, "masked": [0]}, "[11, 3, 9, 4]", "[7, -100, -100, -100]"),
        ({**ROW, "ignore": -1}, "[7, 11, 9, 11]", "[-1, 3, -1, 4]"),
        ({**ROW, "ignore": 0}, "[7, 11, 9, 11]", "[0, 3, 0, 4]"),
        ({**ROW, "mask_id": 2}, "[7, 2, 9, 2]", "[-100, 3, -100, 4]"),
        ({**ROW, "V": 12, "B": 1, "T": 4}, "[7, 11, 9, 11]", "[-100, 3, -100, 4]"),
        ({**ROW, "words": list("abcdefghijkl")}, "[7, 11, 9, 11]", "[-100, 3, -100, 4]"),
        (ROWS, "[[7, 11, 9, 11], [5, 11, 0, 0]]", "[[-100, 3, -100, 4], [-100, 8, -100, -100]]"),
        (
            {**ROWS, "masked": [[1, 3], []], "ignore": -9},
            "[[7, 11, 9, 11], [5, 8, 0, 0]]",
            "[[-9, 3, -9, 4], [-9, -9, -9, -9]]",
        ),
        (
            {"ids": [[7, 3, 9], [5, 8, 2]], "masked": [[1], [0]], "mask_id": 11, "n": 3},
            "[[7, 11, 9], [11, 8, 2]]",
            "[[-100, 3, -100], [5, -100, -100]]",
        ),
    ],
)
def test_inputs_and_labels_of_rows_in_every_form(prover, given, inputs, labels):
    before = copy.deepcopy(given)
    variant = proven(prover, "LB-BUILD", given)
    assert given == before
    assert keys(variant) == {"inputs": inputs, "labels": labels}
    kind = "tensor" if inputs.startswith("[[") else "seq"
    assert [part.kind for part in variant.parts] == [kind, kind]
    for part in variant.parts:
        observed = variant.certificate.observed()
        assert grade([part], {part.id: part.answer.display()}, observed=observed)[part.id].outcome == "right"
    assert all(to_text(words).strip() for words in variant.words.values())


@pytest.mark.torch
def test_slips_of_inputs_and_labels_by_hand(prover):
    variant = proven(prover, "LB-BUILD", {**ROW, "ids": [7, 3, 9, 4, 0], "n": 4})
    assert slips(variant, "inputs") == {
        "one_based": "[11, 3, 11, 4, 0]",
        "ignore_value_in_input": "[7, -100, 9, -100, 0]",
        "unchanged": "[7, 3, 9, 4, 0]",
    }
    assert slips(variant, "labels") == {
        "full_copy": "[7, 3, 9, 4, 0]",
        "inverted": "[7, -100, 9, -100, 0]",
        "mask_id_as_target": "[-100, 11, -100, 11, -100]",
        "zero_as_ignore": "[0, 3, 0, 4, 0]",
        "pads_scored": "[-100, 3, -100, 4, 0]",
        "one_based": "[7, -100, 9, -100, -100]",
    }


@pytest.mark.torch
def test_another_ignore_value_stands_in_lines_words_and_reading(prover):
    variant = proven(prover, "LB-BUILD", {**ROW, "ignore": -1})
    assert variant.certificate.routes["labels"].line == "ids.masked_fill(~mask, -1)"
    assert "ignore_index=-1)" in variant.certificate.routes["labels"].also[1]
    assert {slip.witness for slip in variant.part("inputs").slips} >= {"ids.masked_fill(mask, -1)"}
    assert "-100" not in "".join(
        to_text(words) for name, words in variant.words.items() if name != "slip_labels_inverted"
    )
    part = variant.part("labels")
    observed = variant.certificate.observed()
    assert grade([part], {"labels": "ignore, 3, ignore, 4"}, observed=observed)["labels"].outcome == "right"
    verdict = grade([part], {"labels": "ignore, [MASK], ignore, [MASK]"}, observed=observed)["labels"]
    assert (verdict.outcome, verdict.slip) == ("wrong", "mask_id_as_target")


@pytest.mark.torch
def test_a_slip_that_equals_the_key_and_one_without_its_names_are_dropped(prover):
    zero = proven(prover, "LB-BUILD", {**ROW, "ignore": 0})
    assert "zero_as_ignore" not in slips(zero, "labels")
    whole = proven(prover, "LB-BUILD", {"ids": [7, 3], "masked": [0, 1], "mask_id": 11})
    assert set(slips(whole, "labels")) == {"inverted", "mask_id_as_target"}
    bare = proven(prover, "LB-BUILD", {"ids": [7, 3, 9], "masked": [1]})
    assert list(keys(bare)) == ["labels"]
    assert "mask_id_as_target" not in slips(bare, "labels")
    unpadded = proven(prover, "LB-BUILD", {**ROWS, "n": [4, 4]})
    assert "pads_scored" not in slips(unpadded, "labels")


@pytest.mark.torch
def test_rows_of_words_show_words_and_no_ids_of_the_rows(prover):
    words = ["[PAD]", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "[MASK]"]
    variant = proven(prover, "LB-BUILD", {**ROWS, "words": words})
    stem = to_text(variant.words["stem"])
    assert "g  c  i  d" in stem
    assert "mask id" not in stem
    assert "Sequence 0 has 4 real tokens and sequence 1 has 2 real tokens" in stem


@pytest.mark.torch
def test_rows_with_the_same_masked_positions_are_told_apart(prover):
    given = {"ids": [[7, 3, 9], [5, 4, 3]], "masked": [[1], [1]], "mask_id": 11}
    variant = proven(prover, "LB-BUILD", given)
    assert "at position 1 of sequence 0 and at position 1 of sequence 1" in to_text(variant.words["solution_inputs"])
    solution = to_text(variant.words["solution_labels"])
    assert "sequence 0 has 3 at position 1; sequence 1 has 4 at position 1; g = -100 elsewhere" in solution


# -- LB-READ


@pytest.mark.torch
@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (LABELS, {"scored": "3", "ignored": "5", "sel": "(3, 12)", "where": "[(0, 1), (0, 2), (1, 0)]"}),
        ({"labels": LABELS["labels"]}, {"scored": "3", "ignored": "5", "where": "[(0, 1), (0, 2), (1, 0)]"}),
        ({"labels": [-100, 5], "V": 6}, {"scored": "1", "ignored": "1", "sel": "(1, 6)", "where": "[(0, 1)]"}),
        ({"labels": [[-100, 5]], "V": 6}, {"scored": "1", "ignored": "1", "sel": "(1, 6)", "where": "[(0, 1)]"}),
        ({"labels": [5, 1], "V": 6}, {"scored": "2", "ignored": "0", "sel": "(2, 6)", "where": "[(0, 0), (0, 1)]"}),
        (
            {"labels": [[0, 5], [-1, 0]], "V": 6, "ignore": -1},
            {"scored": "3", "ignored": "1", "sel": "(3, 6)", "where": "[(0, 0), (0, 1), (1, 1)]"},
        ),
        (
            {"labels": [[0, 5], [3, 0]], "V": 6, "ignore": 0},
            {"scored": "2", "ignored": "2", "sel": "(2, 6)", "where": "[(0, 1), (1, 0)]"},
        ),
    ],
)
def test_labels_in_every_form(prover, given, wanted):
    variant = proven(prover, "LB-READ", given)
    assert keys(variant) == wanted
    assert all(to_text(words).strip() for words in variant.words.values())


@pytest.mark.torch
def test_slips_of_reading_labels_by_hand(prover):
    variant = proven(prover, "LB-READ", LABELS)
    assert slips(variant, "scored") == {"ignored_counted": "5", "label_zero_is_padding": "2", "all": "8"}
    assert slips(variant, "ignored") == {"scored_counted": "3", "label_zero_is_padding": "6"}
    assert slips(variant, "sel") == {"batch_kept": "(2, 3, 12)", "all_positions": "(8, 12)"}
    assert slips(variant, "where") == {
        "one_based": "[(1, 2), (1, 3), (2, 1)]",
        "ignored_listed": "[(0, 0), (0, 3), (1, 1), (1, 2), (1, 3)]",
    }
    everything = proven(prover, "LB-READ", {"labels": [5, 1], "V": 6})
    assert slips(everything, "where") == {"one_based": "[(1, 1), (1, 2)]"}


@pytest.mark.torch
def test_a_drawn_ignore_value_is_said_and_run(prover):
    for seed in range(8):
        variant = certify([draft(family("LB-READ"), 3, str(seed))], prover)[0]
        ignore = variant.given["ignore"]
        assert ignore != -100
        assert f"The ignore value is {ignore}." in to_text(variant.words["stem"])
        for route in variant.certificate.routes.values():
            assert "-100" not in "".join((route.line, *route.also))
        assert f"ignore_index={ignore}" in variant.certificate.routes["scored"].also[0]


# -- LK-FIND


@pytest.mark.torch
@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (LEAKS, {"leaked": "{2, 4}", "count": "2", "share": "2/3", "hidden": "1"}),
        ({**LEAKS, "kept": [4]}, {"leaked": "{2}", "count": "1", "share": "1/3", "hidden": "1"}),
        ({**LEAKS, "kept": [[2, 4]]}, {"leaked": "none", "count": "0", "share": "0", "hidden": "1"}),
        ({**LEAKS, "kept": []}, {"leaked": "{2, 4}", "count": "2", "share": "2/3", "hidden": "1"}),
        (
            {name: [value] if isinstance(value, list) else value for name, value in LEAKS.items()},
            {"leaked": "{2, 4}", "count": "2", "share": "2/3", "hidden": "1"},
        ),
        (
            {**LEAKS, "labels": [-1, 3, 9, -1, 6], "ignore": -1},
            {"leaked": "{2, 4}", "count": "2", "share": "2/3", "hidden": "1"},
        ),
        (
            {"inputs": LEAKS["inputs"], "labels": LEAKS["labels"]},
            {"leaked": "{2, 4}", "count": "2", "share": "2/3"},
        ),
        (
            {**LEAKS, "inputs": [7, 11, 11, 4, 11]},
            {"leaked": "none", "count": "0", "share": "0", "hidden": "3"},
        ),
        (
            {**LEAKS, "inputs": [7, 3, 9, 4, 6]},
            {"leaked": "{1, 2, 4}", "count": "3", "share": "1", "hidden": "0"},
        ),
    ],
)
def test_leaks_in_every_form(prover, given, wanted):
    variant = proven(prover, "LK-FIND", given)
    assert keys(variant) == wanted
    assert all(to_text(words).strip() for words in variant.words.values())


@pytest.mark.torch
def test_slips_of_leaks_by_hand(prover):
    variant = proven(prover, "LK-FIND", {**LEAKS, "kept": [4]})
    assert slips(variant, "leaked") == {
        "hidden_instead": "{1}",
        "every_visible": "{0, 2, 3, 4}",
        "every_scored": "{1, 2, 4}",
        "one_based": "{3}",
        "kept_by_design": "{2, 4}",
    }
    # One is hidden, as many as leak: what equals the key is dropped.
    assert slips(variant, "count") == {"all_scored": "3"}
    assert slips(variant, "hidden") == {}
    assert slips(variant, "share") == {"over_t": "1/5", "leaked_to_hidden": "1"}
    assert slips(proven(prover, "LK-FIND", {**LEAKS, "inputs": [7, 3, 9, 4, 6]}), "share") == {"over_t": "3/5"}
    assert "kept_by_design" not in slips(proven(prover, "LK-FIND", LEAKS), "leaked")


@pytest.mark.torch
def test_a_position_is_picked_with_the_token_that_the_model_reads(prover):
    part = proven(prover, "LK-FIND", LEAKS).part("leaked")
    assert part.options == ("0", "1", "2", "3", "4")
    labels = [to_text(label) for label in part.labels]
    assert labels == ["position 0, 7", "position 1, [MASK]", "position 2, 9", "position 3, 4", "position 4, 6"]


# -- what is refused


def without(given, *names):
    return {name: value for name, value in given.items() if name not in names}


REFUSED = [
    ("LB-BUILD", without(ROW, "masked"), "ids and masked are both needed"),
    ("LB-BUILD", {**ROW, "ids": []}, "ids is a row of whole numbers"),
    ("LB-BUILD", {**ROW, "ids": "7 3"}, "ids is a row of whole numbers"),
    ("LB-BUILD", {**ROW, "ids": [[7, 3], [4]]}, "equally long"),
    ("LB-BUILD", {**ROW, "ids": [[7, 3], 4]}, "equally long"),
    ("LB-BUILD", {**ROW, "ids": [7, "3", 9, 4]}, "holds '3', which is no whole number"),
    ("LB-BUILD", {**ROW, "ids": [7, True, 9, 4]}, "holds True, which is no whole number"),
    ("LB-BUILD", {**ROW, "ids": [7, [3], 9, 4]}, "holds [3], which is no whole number"),
    ("LB-BUILD", {**ROW, "ids": [7, -3, 9, 4]}, "ids holds -3, and ids start at 0"),
    ("LB-BUILD", {**ROW, "ids": [1] * 101}, "at most 100 entries"),
    ("LB-BUILD", {**ROW, "ids": [123456] * 40}, "too many scores"),
    ("LB-BUILD", {**ROW, "ids": [1234] * 60}, "more than 200 signs"),
    ("LB-BUILD", {**ROW, "masked": [4]}, "from 0 to 3, the real positions"),
    ("LB-BUILD", {**ROW, "masked": [-1]}, "from 0 to 3, the real positions"),
    ("LB-BUILD", {**ROW, "masked": [1, 1]}, "lists a position twice"),
    ("LB-BUILD", {**ROW, "masked": [1, "2"]}, "whole numbers from 0 to 3"),
    ("LB-BUILD", {**ROW, "masked": [[1], [2]]}, "one list of positions for each row"),
    ("LB-BUILD", {**ROWS, "masked": [1, 3]}, "one list of positions for each row"),
    ("LB-BUILD", {**ROWS, "masked": [[1], 3]}, "one list of positions for each row"),
    ("LB-BUILD", {**ROW, "masked": 1}, "masked is a list of positions"),
    ("LB-BUILD", {**ROW, "masked": []}, "at least one position must be masked"),
    ("LB-BUILD", {**ROWS, "masked": [[], []]}, "at least one position must be masked"),
    ("LB-BUILD", {**ROWS, "masked": [[1], [2]]}, "from 0 to 1, the real positions"),
    ("LB-BUILD", {**ROWS, "n": [4]}, "n counts the real positions"),
    ("LB-BUILD", {**ROWS, "n": [4, 5]}, "each from 1 to 4"),
    ("LB-BUILD", {**ROWS, "n": [4, 0]}, "each from 1 to 4"),
    ("LB-BUILD", {**ROW, "n": True}, "n counts the real positions"),
    ("LB-BUILD", {**ROW, "masked": [1], "n": 3}, "padding has id 0"),
    ("LB-BUILD", {**ROW, "mask_id": 3}, "position 1 holds mask_id already"),
    ("LB-BUILD", {**ROW, "mask_id": -1}, "mask_id must be a whole number from 0"),
    ("LB-BUILD", {**ROW, "mask_id": "11"}, "mask_id must be a whole number"),
    ("LB-BUILD", {**ROW, "ignore": 3}, "position 1 holds the ignore value 3"),
    ("LB-BUILD", {**ROW, "ignore": "-100"}, "ignore must be a whole number"),
    ("LB-BUILD", {**ROW, "ignore": 10**12}, "ignore must be a whole number"),
    ("LB-BUILD", {**ROW, "V": 11}, "V = 11 is too small: id 11 is shown"),
    ("LB-BUILD", {**ROW, "words": ["a", "b"]}, "words must name every id"),
    ("LB-BUILD", {**ROW, "words": ["a"] * 12}, "words holds a word twice"),
    ("LB-BUILD", {**ROW, "words": "abc"}, "words is a list of words"),
    ("LB-BUILD", {**ROW, "labels": [1]}, 'knows no "labels"'),
    ("LB-READ", {"V": 9}, "labels is needed"),
    ("LB-READ", {"labels": [[5], [6, 7]]}, "equally long"),
    ("LB-READ", {"labels": [-100, -100], "V": 9}, "at least one label must differ from the ignore value -100"),
    ("LB-READ", {"labels": [-1, 5], "V": 9}, "labels holds -1, and ids start at 0"),
    ("LB-READ", {"labels": [-100, 9], "V": 9}, "V = 9 is too small: id 9 is shown"),
    ("LB-READ", {"labels": [-100, 9], "V": "9"}, "V must be a whole number"),
    ("LB-READ", {"labels": [-100, 9], "V": 0}, "V must be a whole number from 1"),
    ("LB-READ", {"labels": [5] * 40, "V": 60000}, "too many scores"),
    ("LB-READ", {"labels": [5] * 40, "V": 9}, "more than 200 signs"),
    ("LK-FIND", without(LEAKS, "inputs"), "inputs and labels are both needed"),
    ("LK-FIND", {**LEAKS, "labels": [-100, 3]}, "equally long"),
    ("LK-FIND", {**LEAKS, "inputs": [[7, 11, 9, 4, 6]] * 2}, "leaks are looked for in one sequence"),
    ("LK-FIND", {**LEAKS, "labels": [-100] * 5}, "at least one label must differ"),
    ("LK-FIND", {**LEAKS, "labels": [-100, 5, 9, -100, 6]}, "the label at position 1 is not the original id there, 3"),
    ("LK-FIND", {**LEAKS, "mask_id": 9}, "the label at position 2 is mask_id"),
    ("LK-FIND", {**LEAKS, "kept": [1]}, "position 1 does not"),
    ("LK-FIND", {**LEAKS, "kept": [0]}, "position 0 does not"),
    ("LK-FIND", {**LEAKS, "kept": [5]}, "from 0 to 4"),
    ("LK-FIND", {**LEAKS, "kept": 4}, "kept is a list of positions"),
    ("LK-FIND", {**LEAKS, "inputs": [7, -11, 9, 4, 6]}, "inputs holds -11, and ids start at 0"),
]


@pytest.mark.parametrize(("family_id", "given", "says"), REFUSED)
def test_what_describes_no_batch_is_refused_with_a_sentence(family_id, given, says):
    with pytest.raises(ValueError, match=re.escape(says)) as refusal:
        from_given(family(family_id), given)
    assert str(refusal.value).endswith(".")


# -- what drawing promises


@pytest.mark.parametrize("seed", range(60))
def test_drawn_batches_show_what_their_level_is_about(seed):
    one, padded, words = (draft(family("LB-BUILD"), level, str(seed)).given for level in (1, 2, 3))
    assert 0 not in one["ids"]
    assert "n" not in one
    assert padded["n"] < len(padded["ids"])
    assert not any(padded["ids"][padded["n"] :])
    assert len(words["ids"]) == 2
    assert min(words["n"]) < len(words["ids"][0]) == max(words["n"])
    for given in (one, padded):
        assert 0 not in given["masked"]
        assert given["mask_id"] not in given["ids"]
    row, two, own = (draft(family("LB-READ"), level, str(seed)).given for level in (1, 2, 3))
    assert len(row["labels"]) == 1
    assert 0 not in row["labels"][0]
    for given in (two, own):
        assert sum(labels.count(0) for labels in given["labels"]) == 1
    first, several, kept = (draft(family("LK-FIND"), level, str(seed)) for level in (1, 2, 3))
    assert len(first.answers[0][0].items) == 1
    assert len(several.answers[0][0].items) > 1
    assert kept.given["kept"]
    for item in (first, several, kept):
        unscored = [label == -100 for label in item.given["labels"]]
        shown = [a == b for a, b in zip(item.given["inputs"], item.given["original"], strict=True)]
        assert any(a and b for a, b in zip(unscored, shown, strict=True))
        assert item.sizes["hidden"] >= 1
        assert 6 <= len(item.given["labels"]) <= 14


def test_a_third_of_padded_rows_hold_a_real_zero():
    found = [draft(family("LB-BUILD"), 2, str(seed)).given for seed in range(600)]
    zeros = sum(0 in given["ids"][: given["n"]] for given in found)
    assert 160 < zeros < 240
