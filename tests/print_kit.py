"""Quizzes built by hand for the tests of print: every kind of answer, real parts and variants, no runner."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from generator.plan import QuizPlan
from generator.quiz import Item, Paper, Quiz
from generator.variant import Certificate, Replay, Route, Variant
from grader.answers import (
    ChoiceAnswer,
    Decimal,
    ExprAnswer,
    Int,
    MultiAnswer,
    Rational,
    Seq,
    SetAnswer,
    Shape,
    ShapeSym,
    TensorAnswer,
)
from grader.expr import ln
from grader.letters import B, M, T, V
from grader.part import Part, Slip
from grader.reading.outcomes import Context
from templates import tokens as t

HASH = "5d41402abc4b2a76b9719d911017c592ae8f3c1d5d41402abc4b2a76b9719d91"
SEED = "00ff" * 16
FAMILY = "SH-SECRETFAMILY"


def made(title, stem, given, *parts, words=None, level=1, seed=None):
    """Build a variant. parts: (part, ask, line, printed); slips get words of their own."""
    said = {"title": title, "stem": stem}
    routes = {}
    for part, ask, line, printed in parts:
        said[f"ask_{part.id}"] = ask
        said[f"hint_{part.id}"] = "What must come first?"
        said[f"solution_{part.id}"] = f"The rule gives {t.code(part.answer)}."
        for slip in part.slips:
            said[f"slip_{part.id}_{slip.id}"] = f"Which of them did you mean by {slip.id.replace('_', ' ')}?"
        shown = part.answer.display()
        by, why = ("formula + run", "") if line else ("reasoned", "it is the objective in words")
        routes[part.id] = Route(shown, shown if line else None, None, by, line, printed, None, why)
    proof = Certificate(routes, "2.13.0", HASH, Replay("model", (), {}))
    return Variant(
        family=FAMILY,
        version=1,
        level=level,
        seed=seed,
        given=given,
        parts=tuple(part for part, *_ in parts),
        words={**said, **(words or {})},
        certificate=proof,
    )


def proven(variant):
    """Give a real variant a certificate in form, without PyTorch: what it says is not looked at."""
    routes = {
        part.id: Route(part.answer.display(), None, None, "formula + run", "line", "printed", None)
        for part in variant.parts
    }
    return replace(variant, certificate=Certificate(routes, "2.13.0", HASH, Replay("model", (), {})))


def slip(name, answer, witness="", reason=""):
    return Slip(name, answer, witness or None, reason)


def shapes(n):
    b, length, d, v, m = 3 + n % 5, 17 + n, 40, 321, 9 + n
    stem = (
        f"A batch has {t.named(b, 'B')} sequences of length {t.named(length, 'T')}. The encoder has model width "
        f"{t.named(d, 'D')} and the vocabulary has {t.named(v, 'V')} entries. In the whole batch, "
        f"**{t.num(m)} positions are masked**."
    )
    return made(
        "From batch to loss",
        stem,
        {"B": b, "T": length, "D": d, "V": v, "M": m},
        (
            Part("enc", Shape(b, length, d), (slip("time_axis_dropped", Shape(b, d), "encoded.mean(1)"),)),
            "What is the shape of the encoder output?",
            "encoded.shape",
            f"torch.Size([{b}, {length}, {d}])",
        ),
        (
            Part(
                "sel",
                Shape(m, v),
                (
                    slip("features", Shape(m, d), "encoded[mask]"),
                    slip("all", Shape(b * length, v), "logits.reshape(-1, V)"),
                    slip("sum_not_product", Shape(b + length, v), "", "no line of PyTorch lists B + T rows"),
                ),
                points=2,
            ),
            f"The masked positions are selected, as in {t.code('logits[mask]')}. What shape do their scores have?",
            "logits[mask].shape",
            f"torch.Size([{m}, {v}])",
        ),
    )


SENTENCES = (
    "the cat went home and the dog ran",
    "a bird sang while rain fell on roofs",
    "we read old books in the warm sun",
)


def counting(n):
    rows = [text.split() for text in SENTENCES]
    for at, row in enumerate(rows):
        row[(n + at) % 8] = row[(n + 3 * at + 1) % 8] = t.MASK
    total = sum(row.count(t.MASK) for row in rows)
    return made(
        "Counting hidden tokens",
        f"Three sequences, counted from 0:\n\n{t.strip(rows)}",
        {"tokens": rows},
        (
            Part("total", Int(total), (slip("one_row", Int(2), "mask[0].sum()"),)),
            "How many positions are masked in the whole batch?",
            "mask.sum()",
            f"tensor({total})",
        ),
        (
            Part("rate", Rational(Fraction(total, 24)), (slip("over_one_sequence", Rational(Fraction(total, 8))),)),
            "Which share of all positions is masked, exactly?",
            "mask.double().mean()",
            "tensor(0.2500)",
        ),
    )


def mean(n):
    losses = [f"0.{30 + n % 60}", "1.25", "2.10", f"0.{40 + n % 50}", "3.05"]
    key = (Fraction(losses[1]) + Fraction(losses[2])) / 2
    stem = (
        f"The losses per position are:\n\n{t.table(losses, head=range(5), sides=['loss'])}\n\n"
        "Masked are positions 1 and 2, counted from 0. The loss is\n\n$$\n"
        "L = \\frac{1}{|M|} \\sum_{t \\in M} -\\log p_t\n$$"
    )
    over_all = Decimal(sum(map(Fraction, losses)) / 5, 4)
    return made(
        "Mean over masked positions",
        stem,
        {"losses": losses},
        (
            Part(
                "mean",
                Decimal(key, 4),
                (slip("all_positions", over_all, "losses.mean()"),),
                Context(places=4),
            ),
            "Give the masked-language loss, to 4 decimals.",
            "losses[mask].mean()",
            f"tensor({float(key):.4f})",
        ),
    )


def letters(n):
    shown = Context(letters=("B", "T", "D", "V", "M"))
    return made(
        "Shapes in letters",
        f"Scores of shape {t.shape('(B, T, V)')} are flattened, and {t.maths('M')} of them are selected.",
        {"letters": ["B", "T", "D", "V", "M"]},
        (
            Part("flat", ShapeSym(B * T, V), (slip("sum_not_product", ShapeSym(B + T, V)),), shown),
            f"What is the shape of {t.code('logits.reshape(-1, V)')}?",
            "logits.reshape(-1, V).shape",
            "torch.Size([72, 321])",
        ),
        (
            Part("loss", ExprAnswer(M * ln(V)), (slip("one_position", ExprAnswer(ln(V))),), shown, points=3),
            "Give the sum of the losses where every score is the same.",
            "F.cross_entropy(sel, tgt, reduction='sum')",
            "tensor(52.1000)",
        ),
    )


def labels(n):
    """A row of ids from which a list of labels is made: cells as many as the row has places."""
    ids = [7 + n, 3, 11, 5, 0, 12, 8, 4, 9, 2, 6, 13][: 8 + n % 5]
    masked = [1, 4 + n % 3]
    key = [each if at in masked else -100 for at, each in enumerate(ids)]
    turned = [-100 if at in masked else each for at, each in enumerate(ids)]
    context = Context(mask_id=19, ignore=-100)
    return made(
        "Make the labels",
        f"Ids of one sequence:\n\n{t.table(ids, head=range(len(ids)), sides=['id'])}\n\nPositions {masked[0]} and "
        f"{masked[1]} are masked.",
        {"ids": ids, "masked": masked, "mask_id": 19},
        (
            Part(
                "labels",
                Seq(*key),
                (slip("turned_round", Seq(*turned), "ids.masked_fill(mask, -100)"),),
                context,
            ),
            "Write the labels, with −100 where nothing is scored.",
            "labels",
            f"tensor({key})",
        ),
        (
            Part("where", Seq((0, masked[0]), (0, masked[1])), (slip("one_based", Seq((0, 2), (0, 6))),)),
            f"List the scored positions as pairs {t.maths('(b, t)')}.",
            "mask.nonzero()",
            f"tensor([[0, {masked[0]}],\n        [0, {masked[1]}]])",
        ),
    )


def grid(n):
    rows = [[5, 3, 11, 5, 0, 2 + n], [8, 4, 9, 0, 0, 0]]
    key = [[-100, 3, -100, -100, -100, -100], [8, -100, -100, -100, -100, -100]]
    other = [[-100, -100, 11, -100, -100, -100], [8, -100, -100, -100, -100, -100]]
    mask = [[each == 0 for each in row] for row in rows]
    context = Context(mask_id=19, ignore=-100, rows=2)
    return made(
        "Labels of two rows",
        f"Ids of two sequences:\n\n{t.table(rows, head=range(6), sides=[0, 1])}",
        {"ids": rows, "mask_id": 19},
        (
            Part("labels", TensorAnswer(key), (slip("shifted", TensorAnswer(other), "labels.roll(1)"),), context),
            "Write the labels where the second and the first position are masked.",
            "labels",
            "tensor([[-100, 3], [8, -100]])",
        ),
        (
            Part("pad", TensorAnswer(mask), (), Context(rows=2, allow=frozenset({"boolean"}))),
            "Write the padding mask.",
            "ids == 0",
            "tensor([[False, True]])",
        ),
    )


def seen(n):
    places = tuple(range(6 + n % 3))
    words = "the cat went home and then slept again"
    row = [*words.split()][: len(places)]
    row[2] = t.MASK
    named = tuple(t.code(word) for word in row)
    key = SetAnswer((0, 1, 2), among=places)
    return made(
        "Who sees what",
        f"One sequence:\n\n{t.strip(row)}\n\nThe model reads from left to right.",
        {"T": len(places), "i": 2, "mode": "causal"},
        (
            Part("visible", key, (slip("future", SetAnswer((3, 4), among=places)),), labels=named),
            "Which positions can position 2 read?",
            "reached",
            "tensor([True, True, True])",
        ),
        (
            Part("leaked", SetAnswer((), among=places), (slip("all", SetAnswer(places, among=places)),)),
            "Which of them are leaks?",
            "leak.nonzero()",
            "tensor([])",
        ),
    )


EFFECTS = ("nan", "zero", "finite", "IndexError")
STATEMENTS = {
    "future_hidden": "the future is hidden",
    "replaced": "the original id is replaced in the input",
    "all_but_last": "the loss stands at every position but the last",
    "chosen_only": "the loss stands at chosen positions only",
    "both_sides": "both sides are read",
}


def choices(n):
    right = EFFECTS[n % 4]
    shape = Shape(9 + n, 321)
    values = (Shape(9 + n, 40), shape, Shape(72, 321), Shape(9 + n, 1))
    offered = tuple(each.display() for each in values)
    return made(
        "What comes out",
        f"Every label is {t.num(-100)}.",
        {"n": 4 + n, "V": 321},
        (
            Part(
                "all_ignored",
                ChoiceAnswer(right, EFFECTS),
                (slip("zero_assumed", ChoiceAnswer(EFFECTS[(n + 1) % 4], EFFECTS), "losses.sum()"),),
                together=("statements",),
            ),
            "What is the mean loss?",
            "F.cross_entropy(flat, labels)",
            "tensor(nan)",
        ),
        (
            Part(
                "statements",
                MultiAnswer(("replaced", "chosen_only", "both_sides"), STATEMENTS),
                (slip("next_token", MultiAnswer(("future_hidden", "all_but_last"), STATEMENTS)),),
                labels=tuple(STATEMENTS.values()),
            ),
            "Which statements hold for the masked objective?",
            "",
            "",
        ),
        (
            Part(
                "sel",
                ChoiceAnswer(shape.display(), offered, of=shape),
                (slip("features", ChoiceAnswer(offered[0], offered, of=values[0]), "encoded[mask]"),),
                labels=tuple(map(t.shape, values)),
            ),
            "What shape do the selected scores have?",
            "logits[mask].shape",
            f"torch.Size([{9 + n}, 321])",
        ),
    )


ALL = (shapes, counting, mean, letters, labels, grid, seen, choices)
CLASSIC = (shapes, counting, mean)
SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def look_up(paper, place):
    return f"K{paper:03d}-9RT{SIGNS[place]}-H3PZ-7QD0"


def quiz(
    papers=2,
    items=CLASSIC,
    *,
    sealed=True,
    title="Problem set 12: Masked models",
    course="DL 301 · Autumn 2026",
    intro="",
    people=(),
    slug="lesson-12",
):
    """Assemble papers of the variants that `items` make from numbers."""
    numbered = []
    for number in range(1, (len(people) or papers) + 1):
        each = []
        for place, maker in enumerate(items, start=1):
            variant = maker(number + place)
            if not sealed:
                variant = replace(variant, seed="7")
            points = Fraction(sum(part.points for part in variant.parts))
            code = look_up(number, place) if sealed else str(variant.open_code)
            short = "" if sealed else f"W{number}{SIGNS[place]}-7KQ2-M"
            each.append(Item(f"q{place}", place, variant, points, code, SEED if sealed else "7", short))
        code = look_up(number, 0) if sealed else f"{slug}.7.{number}"
        person = people[number - 1] if people else ""
        version = "" if people or papers > 26 else chr(ord("A") + number - 1)
        numbered.append(Paper(number, code, tuple(each), person, version))
    plan = QuizPlan(title, slug, (), course, intro)
    return Quiz(title, slug, course, tuple(numbered), plan, sealed, confirmed=True)
