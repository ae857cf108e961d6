"""Keys and wrong rules held against values worked out by hand, and what callers may give of their own."""

import re

import pytest

from generator.build import certify
from generator.drafting import draft, from_given
from grader.grade import grade
from maskwise.services.looking import as_text
from question_bank.catalogue import families, family
from templates.markup import to_text

GIVEN = {
    # 0 1 2 3 4 are real, 5 6 are padding; 3 reads.
    "VI-SEE": {"T": 7, "n": 5, "i": 3, "mode": "bidirectional"},
    "OB-COMPARE": {
        "B": 3,
        "T": 8,
        "M": 5,
        "statements": ["both_sides", "all_but_last", "replaced", "future_hidden", "chosen_only"],
    },
    # The masked losses add up to 6, all of them to 8.25.
    "LS-COMPARE": {"losses": ["2.00", "0.50", "4.00", "1.50", "0.25"], "masked": [0, 2]},
    # Four pooled vectors of width 12 and three classes, as in the lesson.
    "CL-SHAPES": {"B": 4, "T": 9, "D": 12, "C": 3, "V": 50},
    # The real rows add up to (6, 7), all of them to (12, 13).
    "CL-POOL": {"rows": [[2, -1], [4, 3], [0, 5], [6, 6]], "n": 3, "n2": 4},
}

BY_HAND = [
    ("VI-SEE", "visible", None, "{0, 1, 2, 3, 4}"),
    ("VI-SEE", "visible", "other_mode", "{0, 1, 2, 3}"),
    ("VI-SEE", "visible", "not_itself", "{0, 1, 2, 4}"),
    ("VI-SEE", "visible", "neighbours_only", "{2, 3, 4}"),
    ("VI-SEE", "visible", "future_only", "{3, 4}"),
    ("VI-SEE", "visible", "padding_too", "{0, 1, 2, 3, 4, 5, 6}"),
    ("OB-COMPARE", "bert", None, "5"),
    ("OB-COMPARE", "bert", "every_position", "24"),
    ("OB-COMPARE", "bert", "next_token", "21"),
    ("OB-COMPARE", "gpt", None, "21"),
    ("OB-COMPARE", "gpt", "every_position", "24"),
    ("OB-COMPARE", "gpt", "minus_one_total", "23"),
    ("OB-COMPARE", "gpt", "last_only", "3"),
    ("OB-COMPARE", "gpt", "masked_only", "5"),
    ("OB-COMPARE", "statements", None, "both_sides, replaced, chosen_only"),
    ("OB-COMPARE", "statements", "other_objective", "all_but_last, future_hidden"),
    ("OB-COMPARE", "statements", "future_hidden", "replaced, future_hidden, chosen_only"),
    ("OB-COMPARE", "statements", "all_but_last", "both_sides, all_but_last, replaced"),
    ("OB-COMPARE", "statements", "original_kept", "both_sides, chosen_only"),
    ("LS-COMPARE", "masked", None, "3.0000"),
    ("LS-COMPARE", "masked", "zero_filled", "1.2000"),
    ("LS-COMPARE", "masked", "everything", "1.6500"),
    ("LS-COMPARE", "everything", None, "1.6500"),
    ("LS-COMPARE", "everything", "masked_only", "3.0000"),
    ("LS-COMPARE", "everything", "zero_filled", "1.2000"),
    ("LS-COMPARE", "zero_filled", None, "1.2000"),
    ("LS-COMPARE", "zero_filled", "same_as_masked", "3.0000"),
    ("LS-COMPARE", "zero_filled", "everything", "1.6500"),
    ("LS-COMPARE", "shrink", None, "2/5"),
    ("LS-COMPARE", "shrink", "inverted", "5/2"),
    ("LS-COMPARE", "shrink", "masked_to_rest", "2/3"),
    ("LS-COMPARE", "gap", None, "1.3500"),
    ("LS-COMPARE", "gap", "sign_flipped", "-1.3500"),
    ("LS-COMPARE", "gap", "zero_filled_used", "1.8000"),
    ("CL-SHAPES", "pooled", None, "(4, 12)"),
    ("CL-SHAPES", "pooled", "axis_kept", "(4, 1, 12)"),
    ("CL-SHAPES", "pooled", "time", "(4, 9)"),
    ("CL-SHAPES", "pooled", "not_pooled", "(4, 9, 12)"),
    ("CL-SHAPES", "logits", None, "(4, 3)"),
    ("CL-SHAPES", "logits", "per_token", "(4, 9, 3)"),
    ("CL-SHAPES", "logits", "vocab", "(4, 50)"),
    ("CL-SHAPES", "logits", "width", "(4, 12)"),
    ("CL-SHAPES", "logits", "transposed", "(3, 4)"),
    ("CL-SHAPES", "labels", None, "(4,)"),
    ("CL-SHAPES", "labels", "one_hot", "(4, 3)"),
    ("CL-SHAPES", "labels", "column", "(4, 1)"),
    ("CL-SHAPES", "loss", None, "()"),
    ("CL-SHAPES", "loss", "per_example", "(4,)"),
    ("CL-SHAPES", "loss", "one_element_vector", "(1,)"),
    ("CL-SHAPES", "predictions", None, "(4,)"),
    ("CL-SHAPES", "predictions", "scores_kept", "(4, 3)"),
    ("CL-SHAPES", "predictions", "axis_kept", "(4, 1)"),
    ("CL-SHAPES", "weight", None, "(3, 12)"),
    ("CL-SHAPES", "weight", "in_by_out", "(12, 3)"),
    ("CL-SHAPES", "weight", "batch", "(4, 3)"),
    ("CL-SHAPES", "bias", None, "(3,)"),
    ("CL-SHAPES", "bias", "width", "(12,)"),
    ("CL-POOL", "first", None, "[2, -1]"),
    ("CL-POOL", "first", "mean", "[2, 7/3]"),
    ("CL-POOL", "mean", None, "[2, 7/3]"),
    ("CL-POOL", "mean", "padding_included", "[3, 13/4]"),
    ("CL-POOL", "mean", "divided_by_t", "[3/2, 7/4]"),
    ("CL-POOL", "mean", "divided_by_batch_tokens", "[6/7, 1]"),
    ("CL-POOL", "mean", "first_row", "[2, -1]"),
    ("CL-POOL", "mean", "not_divided", "[6, 7]"),
    ("CL-POOL", "mean", "mask_inverted", "[6, 6]"),
    ("CL-POOL", "mean", "features_averaged", "[1/2, 7/2, 5/2]"),
]

CAUSAL = {"T": 6, "n": 5, "i": 2, "mode": "causal", "N": 2}
CAUSAL_BY_HAND = {
    None: "{0, 1, 2}",
    "other_mode": "{0, 1, 2, 3, 4}",
    "not_itself": "{0, 1}",
    "neighbours_only": "{1, 2, 3}",
    "future_only": "{2, 3, 4}",
    "padding_too": "{0, 1, 2, 3, 4, 5}",
}


def values(family_id, given):
    """Return {(part, slip or None): displayed value} of a caller's question."""
    item = from_given(family(family_id), given)
    shown = {}
    for (ask, rules), (key, wrong) in zip(item.served, item.answers, strict=True):
        shown[ask.id, None] = key.display()
        shown.update({(ask.id, rule.id): answer.display() for rule, answer in zip(rules, wrong, strict=True)})
    return shown


@pytest.mark.parametrize(("family_id", "part", "slip", "wanted"), BY_HAND)
def test_value_worked_out_by_hand(family_id, part, slip, wanted):
    assert values(family_id, GIVEN[family_id])[part, slip] == wanted


@pytest.mark.parametrize("family_id", sorted(GIVEN))
def test_every_part_and_slip_has_been_worked_out(family_id):
    """And no rule is served that nobody worked out."""
    by_hand = [(part, slip) for name, part, slip, _value in BY_HAND if name == family_id]
    listed = [(ask.id, slip) for ask in family(family_id).asks for slip in (None, *(rule.id for rule in ask.rules))]
    assert by_hand == listed
    assert set(values(family_id, GIVEN[family_id])) == set(listed)


@pytest.mark.torch
@pytest.mark.parametrize("family_id", sorted(GIVEN))
def test_pytorch_gives_what_was_worked_out(family_id, prover):
    variant = certify([from_given(family(family_id), GIVEN[family_id])], prover)[0]
    assert [part.id for part in variant.parts] == [ask.id for ask in family(family_id).asks]


@pytest.mark.parametrize(("slip", "wanted"), CAUSAL_BY_HAND.items())
def test_a_causal_mask_worked_out_by_hand(slip, wanted):
    assert values("VI-SEE", CAUSAL)["visible", slip] == wanted


# -- what callers may give


@pytest.mark.torch
@pytest.mark.parametrize(
    ("family_id", "given", "wanted"),
    [
        ("VI-SEE", {"T": 1, "n": 1, "i": 0, "mode": "causal"}, {"visible": "{0}"}),
        ("VI-SEE", {"T": 5, "n": 5, "i": 4, "mode": "causal", "N": 3}, {"visible": "{0, 1, 2, 3, 4}"}),
        ("VI-SEE", {"T": 9, "n": 2, "i": 0, "mode": "bidirectional", "D": 48}, {"visible": "{0, 1}"}),
        ("OB-COMPARE", {"B": 1, "T": 2, "M": 1}, {"bert": "1", "gpt": "1"}),
        ("OB-COMPARE", {"B": 8, "T": 20, "M": 12, "D": 48, "V": 1000}, {"bert": "12", "gpt": "152"}),
        (
            "OB-COMPARE",
            {"B": 2, "T": 6, "M": 3, "statements": ["future_hidden", "both_sides"]},
            {"bert": "3", "gpt": "10", "statements": "both_sides"},
        ),
        (
            "OB-COMPARE",
            {"B": 2, "T": 6, "M": 3, "statements": ["future_hidden", "all_but_last"]},
            {"bert": "3", "gpt": "10", "statements": "none"},
        ),
        (
            "LS-COMPARE",
            {"losses": [["2", "0.5"], ["4", "1.5"]], "masked": [[0], [0, 1]]},
            {"masked": "2.5000", "everything": "2.0000", "zero_filled": "1.8750", "shrink": "3/4", "gap": "0.5000"},
        ),
        (
            "LS-COMPARE",
            {"losses": [["2", "0.5"], ["4", "1.5"]], "masked": [[], [0]]},
            {"masked": "4.0000", "everything": "2.0000", "zero_filled": "1.0000", "shrink": "1/4", "gap": "2.0000"},
        ),
        (
            "LS-COMPARE",
            {"losses": ["0.125", "3"], "masked": [0, 1]},
            {"masked": "1.5625", "everything": "1.5625", "zero_filled": "1.5625", "shrink": "1", "gap": "0.0000"},
        ),
        ("LS-COMPARE", {"losses": ["2"], "masked": [0], "V": 7}, None),
        ("CL-SHAPES", {"B": 4, "T": 9, "D": 12, "V": 50}, {"pooled": "(4, 12)"}),
        ("CL-SHAPES", {"B": 1, "T": 1, "D": 1, "C": 1, "V": 1}, None),
        (
            "CL-SHAPES",
            {"B": 64, "T": 512, "D": 768, "C": 3, "V": 30522, "H": 12, "N": 12},
            {
                "pooled": "(64, 768)",
                "logits": "(64, 3)",
                "labels": "(64,)",
                "loss": "()",
                "predictions": "(64,)",
                "weight": "(3, 768)",
                "bias": "(3,)",
            },
        ),
        ("CL-POOL", {"rows": [[1, 2], [3, 5]], "n": 2}, {"first": "[1, 2]", "mean": "[2, 7/2]"}),
        ("CL-POOL", {"rows": [[1], [3], [8]], "n": 2, "n2": 1}, {"first": "[1]", "mean": "[2]"}),
        (
            "CL-POOL",
            {"rows": [["1/2", "0.25"], [3, -1], [0, 0]], "n": 2},
            {"first": "[1/2, 1/4]", "mean": "[7/4, -3/8]"},
        ),
        (
            "CL-POOL",
            {"rows": [[1, 2], [4, 5]], "n": 1, "n2": 2, "neighbour": [[0, 7], [2, 2]]},
            {"first": "[1, 2]", "mean": "[1, 2]"},
        ),
    ],
)
def test_a_callers_own_question_is_proven_and_worded(family_id, given, wanted, prover):
    variant = certify([from_given(family(family_id), given)], prover)[0]
    if wanted is not None:
        assert {part.id: part.answer.display() for part in variant.parts} == wanted
    assert all(to_text(words).strip() for words in variant.words.values())
    for part in variant.parts:
        assert to_text(variant.words[f"solution_{part.id}"]).endswith(part.answer.display())
        verdict = grade([part], {part.id: part.answer.display()}, observed=variant.certificate.observed())[part.id]
        assert verdict.outcome == "right", (part.id, verdict)


@pytest.mark.parametrize(
    ("family_id", "given", "says"),
    [
        ("VI-SEE", {"T": 7, "i": 3, "mode": "causal"}, "n is needed"),
        ("VI-SEE", {"T": 7, "n": 5, "i": 3}, "bidirectional or causal"),
        ("VI-SEE", {"T": 7, "n": 5, "i": 3, "mode": "both"}, "bidirectional or causal"),
        ("VI-SEE", {"T": 7, "n": 5, "i": 5, "mode": "causal"}, "i = 5 is no real position"),
        ("VI-SEE", {"T": 7, "n": 8, "i": 3, "mode": "causal"}, "do not fit"),
        ("VI-SEE", {"T": 7, "n": 5, "i": -1, "mode": "causal"}, "no real position"),
        ("VI-SEE", {"T": 900, "n": 5, "i": 1, "mode": "causal"}, "from 1 to 64"),
        ("VI-SEE", {"T": True, "n": 1, "i": 0, "mode": "causal"}, "T must be a whole number"),
        ("VI-SEE", {"T": 7, "n": 5, "i": 3, "mode": "causal", "N": 0}, "N must be"),
        ("OB-COMPARE", {"B": 2, "T": 6}, "M is missing"),
        ("OB-COMPARE", {"B": 2, "T": 1, "M": 1}, "nothing to predict"),
        ("OB-COMPARE", {"B": 2, "T": 6, "M": 13}, "do not fit"),
        ("OB-COMPARE", {"B": 0, "T": 6, "M": 1}, "whole number from 1"),
        ("OB-COMPARE", {"B": 10**6, "T": 6, "M": 1}, "too large"),
        ("OB-COMPARE", {"B": 2, "T": 6, "M": 1, "statements": ["replaced"]}, "two or more"),
        ("OB-COMPARE", {"B": 2, "T": 6, "M": 1, "statements": ["replaced", "replaced"]}, "each once"),
        ("OB-COMPARE", {"B": 2, "T": 6, "M": 1, "statements": ["replaced", "left_side"]}, "statements must list"),
        ("LS-COMPARE", {"losses": ["0.5", "-1"], "masked": [1]}, "positive number"),
        ("LS-COMPARE", {"losses": ["0.5", "1"], "masked": []}, "at least one"),
        ("LS-COMPARE", {"losses": ["0.5", "1"]}, "both needed"),
        ("CL-SHAPES", {"B": 4, "T": 9, "D": 12, "C": 3}, "V is missing"),
        ("CL-SHAPES", {"B": 4, "T": 9, "D": 12, "C": 0, "V": 50}, "whole number from 1"),
        ("CL-SHAPES", {"B": 4, "T": 9, "D": 12, "C": 3, "V": 50, "H": 5}, "not a multiple of H"),
        ("CL-POOL", {"rows": [[1, 2]]}, "both needed"),
        ("CL-POOL", {"rows": [[1, 2], [3]], "n": 1}, "same number of entries"),
        ("CL-POOL", {"rows": [1, 2], "n": 1}, "list of rows"),
        ("CL-POOL", {"rows": [[1, 2]], "n": 2}, "from 1 to 1"),
        ("CL-POOL", {"rows": [[1, 0.5]], "n": 1}, "0.5 is neither"),
        ("CL-POOL", {"rows": [[1, "1/0"]], "n": 1}, "is neither"),
        ("CL-POOL", {"rows": [[1, 2], [3, 4]], "n": 1, "neighbour": [[1, 2], [3, 4]]}, "n2 is needed"),
        ("CL-POOL", {"rows": [[1, 2], [3, 4]], "n": 1, "n2": 1, "neighbour": [[1, 2]]}, "padding included"),
        ("CL-POOL", {"rows": [[0] * 30] * 30, "n": 1}, "more than 200"),
    ],
)
def test_a_given_that_describes_nothing_is_refused_with_a_sentence(family_id, given, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        from_given(family(family_id), given)


# -- what belongs to a level


def test_rules_that_are_right_by_construction_are_left_out():
    unpadded = values("VI-SEE", {"T": 5, "n": 5, "i": 2, "mode": "causal"})
    assert ("visible", "padding_too") not in unpadded
    one_row = values("OB-COMPARE", {"B": 1, "T": 9, "M": 3})
    assert ("gpt", "minus_one_total") not in one_row
    alone = values("CL-POOL", {key: GIVEN["CL-POOL"][key] for key in ("rows", "n")})
    assert ("mean", "divided_by_batch_tokens") not in alone


def test_positions_are_picked_by_their_names():
    part = draft(family("VI-SEE"), 2, "1").variant().parts[0]
    given = draft(family("VI-SEE"), 2, "1").given
    labels = [to_text(label) for label in part.labels]
    assert labels == [
        f"position {place}" + (" [padding]" if place >= given["n"] else "") for place in range(given["T"])
    ]


def test_statements_are_picked_as_sentences_in_the_order_drawn():
    item = draft(family("OB-COMPARE"), 3, "1")
    part = item.variant().parts[2]
    assert part.options == tuple(item.given["statements"])
    labels = dict(zip(part.options, map(to_text, part.labels), strict=True))
    assert labels["replaced"] == "The original id is replaced in the input."
    assert labels["all_but_last"] == "The loss is taken at every position but the last."
    orders = {tuple(draft(family("OB-COMPARE"), 3, str(seed)).given["statements"]) for seed in range(60)}
    assert len(orders) > 30


def test_a_batch_of_three_averages_may_have_an_easy_rest():
    easy = [draft(family("LS-COMPARE"), 3, str(seed)).variant().iso[2] for seed in range(100)]
    assert 30 < sum(easy) < 70


@pytest.mark.parametrize("level", [1, 2, 3])
def test_padding_rows_are_never_zero(level):
    for seed in range(100):
        given = draft(family("CL-POOL"), level, str(seed)).given
        assert all(any(row) for row in given["rows"])
        assert 2 <= given["n"] < len(given["rows"])
        assert given.get("n2", len(given["rows"])) == len(given["rows"])


@pytest.mark.parametrize(
    ("parts", "answers", "carried"),
    [
        # The mean over all was taken for the masked one; the quotient and the difference go on with it.
        (("masked", "zero_filled", "shrink"), {"masked": "1.65", "zero_filled": "1.2", "shrink": "8/11"}, "shrink"),
        (("masked", "zero_filled", "shrink"), {"masked": "1.65", "zero_filled": "1.2", "shrink": "0.7273"}, "shrink"),
        (("masked", "everything", "gap"), {"masked": "3", "everything": "1.2", "gap": "1.8"}, "gap"),
        (("masked", "everything", "gap"), {"masked": "2.5", "everything": "1.65", "gap": "0.85"}, "gap"),
    ],
)
def test_a_wrong_mean_carried_on_earns_half(parts, answers, carried):
    asked = {part.id: part for part in from_given(family("LS-COMPARE"), GIVEN["LS-COMPARE"]).variant().parts}
    observed = {"masked": "3.0", "everything": "1.65", "zero_filled": "1.2", "shrink": "0.4", "gap": "1.35"}
    verdicts = grade([asked[name] for name in parts], answers, observed={name: observed[name] for name in parts})
    verdict = verdicts[carried]
    assert (verdict.outcome, verdict.note, verdict.score) == ("wrong", "carried", 0.5)
    assert verdict.slip is None


def test_families_of_the_lesson_are_all_there():
    assert set(GIVEN) <= set(families())


@pytest.mark.torch
def test_a_reasoned_key_is_shown_with_its_reason_and_no_run(prover):
    variant = certify([draft(family("OB-COMPARE"), 3, "1")], prover)[0]
    route = variant.certificate.routes["statements"]
    assert (route.by, route.run, route.line) == ("reasoned", None, "")
    (shown,) = [line for line in as_text(variant, key=True).splitlines() if "statements = " in line]
    assert shown.endswith(f"(reasoned: {route.reason})")
    assert "prints" not in shown


@pytest.mark.torch
def test_losses_of_a_caller_may_be_fractions(prover):
    given = {"losses": ["1/3", "0.5", "2", "3/20"], "masked": [0, 1]}
    variant = certify([from_given(family("LS-COMPARE"), given)], prover)[0]
    keys = {part.id: part.answer.display() for part in variant.parts}
    assert keys["masked"] == "0.4167"
    assert keys["everything"] == "0.7458"
    assert keys["shrink"] == "1/2"
    with pytest.raises(ValueError, match="positive number"):
        from_given(family("LS-COMPARE"), {"losses": ["1/0", "1"], "masked": [0]})
