"""A small quiz built by hand for the tests of words and exports: no family, no runner, every kind of form."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from types import SimpleNamespace

from grader.form import Number, Pick, Text
from grader.reading.outcomes import Context
from templates import tokens as t

HASH = "5d41402abc4b2a76b9719d911017c592ae8f3c1d5d41402abc4b2a76b9719d91"
SEED = "00ff" * 16


@dataclass(frozen=True)
class Key:
    """An answer that knows only what exporters may ask."""

    shown: str
    made: object

    def display(self):
        return self.shown

    def form(self):
        return self.made

    def to_json(self):
        return {"shown": self.shown}


def shape(*axes):
    inner = ", ".join(map(str, axes)) + ("," if len(axes) == 1 else "")
    plain = f"({inner})"
    spellings = (plain, plain.replace(" ", ""), plain.strip("()"), f"[{inner}]", f"torch.Size([{inner.rstrip(',')}])")
    return Key(plain, Text(tuple(dict.fromkeys(spellings)), exact=False))


def whole(value):
    return Key(str(value), Number(Fraction(value), Fraction(0)))


def decimal(value, places):
    return Key(value, Number(Fraction(value), Fraction(6, 10 ** (places + 1))))


def choice(right, *options):
    return Key(right, Pick(options, (options.index(right),)))


def slip(name, answer, witness="", *, reveals=False):
    return SimpleNamespace(id=name, answer=answer, witness=witness or None, reason="", reveals=reveals)


def part(name, answer, *slips, points=1, carry=None, follows=(), kind="text", labels=(), together=()):
    facts = {"kind": kind, "labels": labels, "context": Context(), "together": together}
    return SimpleNamespace(
        id=name, answer=answer, slips=slips, points=points, carry=carry, follows=follows, form=answer.form, **facts
    )


@dataclass(frozen=True)
class Variant:
    family: str
    level: int
    parts: tuple
    words: dict
    certificate: object
    version: int = 1
    seed: str | None = None
    given: dict = field(default_factory=dict)

    def to_json(self):
        return {"family": self.family, "level": self.level, "words": self.words, "given": self.given}


def certificate(*routes):
    made = {
        name: SimpleNamespace(line=line, printed=printed, by="formula + run", formula=printed, run=printed, trace=None)
        for name, line, printed in routes
    }
    return SimpleNamespace(routes=made, torch="2.13.0", sha256=HASH)


def shapes(number):
    B, T, D, V, M = 3 + number % 5, 17 + number, 40, 321, 9 + number  # noqa: N806  the letters of the field
    words = {
        "title": "From batch to loss",
        "stem": (
            f"A batch has {t.named(B, 'B')} sequences of length {t.named(T, 'T')}. The encoder has model width "
            f"{t.named(D, 'D')} and the vocabulary has {t.named(V, 'V')} entries. In the whole batch, "
            f"**{t.num(M)} positions are masked**."
        ),
        "ask_enc": "What is the shape of the encoder output?",
        "ask_sel": (
            "Before cross-entropy the masked positions are selected, as in "
            f"{t.code('logits[mask]')}. What shape do the selected scores have?"
        ),
        "hint_enc": "What must a layer keep so that another can follow it?",
        "hint_sel": "What does each hit of the mask contribute?",
        "slip_enc_time_axis_dropped": "One vector per position, or one per sentence? Which axis did you lose?",
        "slip_sel_features": "Cross-entropy compares scores. Over what?",
        "slip_sel_all": "That keeps every position. Which ones are scored?",
        "solution_enc": (
            f"$(B, T, D)$ = {t.shape((B, T, D))}: every position keeps its features. {t.code('encoded.shape')} prints "
            f"{t.code(f'torch.Size([{B}, {T}, {D}])')}."
        ),
        "solution_sel": f"$(M, V)$ = {t.shape((M, V))}: one row of scores for each masked position.",
    }
    parts = (
        part("enc", shape(B, T, D), slip("time_axis_dropped", shape(B, D), "encoded.mean(1)")),
        part(
            "sel",
            shape(M, V),
            slip("features", shape(M, D), "encoded[mask]"),
            slip("all", shape(B * T, V), "logits.reshape(-1, V)", reveals=True),
            points=2,
        ),
    )
    proof = certificate(
        ("enc", "encoded.shape", f"torch.Size([{B}, {T}, {D}])"),
        ("sel", "logits[mask].shape", f"torch.Size([{M}, {V}])"),
    )
    return Variant("SH-SECRETFAMILY", 1, parts, words, proof, given={"B": B, "T": T, "D": D, "V": V, "M": M})


SENTENCES = (
    "the cat went home and the dog ran",
    "a bird sang while rain fell on roofs",
    "we read old books in the warm sun",
)


def counting(number):
    rows = [text.split() for text in SENTENCES]
    for at, row in enumerate(rows):
        row[(number + at) % 8] = row[(number + 3 * at + 1) % 8] = "[MASK]"
    total = sum(row.count("[MASK]") for row in rows)
    words = {
        "title": "Counting hidden tokens",
        "stem": f"Three sequences, counted from 0:\n\n{t.strip(rows)}",
        "ask_total": "How many positions are masked in the whole batch?",
        "ask_rate": "Which share of all positions is masked, exactly?",
        "hint_total": "Go row by row, then add.",
        "hint_rate": "Count part and whole over the same batch.",
        "slip_total_one_row": "Is your number for one row or for the whole batch? How many rows are there?",
        "solution_total": f"$k_0 + k_1 + k_2 = {total}$: add the rows.",
        "solution_rate": f"$\\frac{{M}}{{B \\times T}} = \\frac{{{total}}}{{24}}$: the part over the whole.",
    }
    share = Fraction(total, 24)
    rate = Key(str(share), Text((str(share), f"{total}/24"), exact=False))
    parts = (
        part("total", whole(total), slip("one_row", whole(2), "mask[0].sum()")),
        part("rate", rate, slip("over_one_sequence", Key(str(Fraction(total, 8)), Text((f"{total}/8",), exact=False)))),
    )
    proof = certificate(("total", "mask.sum()", f"tensor({total})"), ("rate", "mask.double().mean()", "tensor(0.2500)"))
    return Variant("CT-SECRETFAMILY", 3, parts, words, proof, given={"rows": rows})


def mean(number):
    losses = [f"0.{30 + number % 60}", "1.25", "2.10", f"0.{40 + number % 50}", "3.05"]
    key = (Fraction(losses[1]) + Fraction(losses[2])) / 2
    shown = f"{float(key):.4f}"
    words = {
        "title": "Mean over masked positions",
        "stem": (
            f"The losses per position are:\n\n{t.table(losses, head=range(5), sides=['loss'])}\n\n"
            "Masked are positions 1 and 2, counted from 0. The loss is\n\n$$\n"
            "L = \\frac{1}{|M|} \\sum_{t \\in M} -\\log p_t\n$$"
        ),
        "ask_mean": "Give the masked-language loss, to 4 decimals.",
        "hint_mean": "Which sum, over which count?",
        "slip_mean_all_positions": "You averaged every position. Which of them had hidden answers?",
        "solution_mean": f"$S / M = {shown}$: only hidden answers are averaged.",
    }
    over_all = f"{float(sum(map(Fraction, losses)) / 5):.4f}"
    parts = (part("mean", decimal(shown, 4), slip("all_positions", decimal(over_all, 4), "losses.mean()")),)
    return Variant("LS-SECRETFAMILY", 1, parts, words, certificate(("mean", "losses[mask].mean()", f"tensor({shown})")))


@dataclass(frozen=True)
class Item:
    id: str
    number: int
    variant: Variant
    points: Fraction
    code: str
    seed: str = SEED

    def part_points(self):
        weights = sum(each.points for each in self.variant.parts)
        return {each.id: self.points * each.points / weights for each in self.variant.parts}


def look_up(paper, place):
    return f"K{paper:03d}-9RT{place}-H3PZ-7QD0"


def quiz(
    papers=2, items=3, *, sealed=True, title="Problem set 12: Masked models", course="DL 301 · Autumn 2026", intro=""
):
    makers = (shapes, counting, mean)
    made = []
    for number in range(1, papers + 1):
        each = tuple(
            Item(
                f"q{place + 1}",
                place + 1,
                variant := makers[place % 3](number + place),
                Fraction(sum(one.points for one in variant.parts)),
                look_up(number, place + 1),
            )
            for place in range(items)
        )
        total = sum((one.points for one in each), Fraction(0))
        made.append(SimpleNamespace(number=number, code=look_up(number, 0), items=each, points=total))
    return SimpleNamespace(
        title=title,
        slug="lesson-12",
        course=course,
        papers=tuple(made),
        plan=SimpleNamespace(intro=intro),
        sealed=sealed,
        confirmed=True,
        manifest=lambda: {"papers": []},
    )
