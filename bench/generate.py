"""Generate 1,000 unconfirmed variants (title, stem and asks rendered), beside a plain Python and Jinja loop.

The plain loop draws with `random`, renders the same sentences and checks nothing; ours draws from SHA-256, judges every
wrong rule of every part and protects every value. The two take turns; the ratio is the median of the turns' ratios.

    python bench/generate.py [-n 1000] [--rounds 9]
"""

import argparse
import random
import statistics
import time

import jinja2
from shown import table, verdict

from generator.drafting import draft
from question_bank.catalogue import family

TARGET = 3

SENTENCES = {
    ("SH-TRYIT", 2): (
        "From batch to loss",
        "A batch has B = {{ B }} sequences of length T = {{ T }}. The encoder has model width D = {{ D }} and the "
        "vocabulary has V = {{ V }} entries. {{ M }} positions are masked in the whole batch.",
        "Give the shape of the encoder output.",
        "Give the shape of the prediction scores.",
        "Give the shape of the scores handed to cross-entropy: those of the masked positions.",
        "Give the shape of the targets handed to cross-entropy.",
        "Give the shape of the mean loss.",
    ),
    ("CT-BASIC", 2): (
        "Counting hidden tokens",
        "A batch has B = {{ B }} sequences of length T = {{ T }}. They have {% for n in k %}{{ n }}"
        "{{ ' and ' if loop.revindex == 2 else ', ' if not loop.last }}{% endfor %} masked positions, in this order. "
        "The vocabulary has V = {{ V }} entries.",
        "How many positions are masked in the whole batch?",
        "How many positions stay visible in the whole batch?",
        "Which share of all positions in the whole batch is masked? Give it exactly.",
    ),
    ("LS-MEAN", 2): (
        "Mean over masked positions",
        "The table gives the token loss at each position of a sequence, counted from 0. The masked positions are "
        "{% for n in masked %}{{ n }}{{ ' and ' if loop.revindex == 2 else ', ' if not loop.last }}{% endfor %}.\n\n"
        "| {% for x in losses %}{{ loop.index0 }} | {% endfor %}\n| {% for x in losses %}{{ x }} | {% endfor %}",
        "How many numbers enter the masked mean of the whole batch?",
        "Give their sum, to 2 decimals.",
        "Give the masked-language loss of the whole batch, to 4 decimals.",
    ),
}


def plain_draw(family_id, rng):
    if family_id == "SH-TRYIT":
        heads = rng.randint(1, 8)
        given = {"B": rng.randint(2, 16), "T": rng.randint(4, 40), "D": heads * rng.randint(2, 8)}
        return {**given, "V": rng.randint(20, 1000), "M": rng.randint(2, given["B"] * given["T"] // 3)}
    if family_id == "CT-BASIC":
        given = {"B": rng.randint(2, 8), "T": rng.randint(6, 24), "V": rng.randint(20, 1000)}
        return {**given, "k": [rng.randint(1, given["T"] // 2) for _ in range(given["B"])]}
    length = rng.randint(6, 10)
    losses = [f"{rng.randint(5, 600) / 100:.2f}" for _ in range(length)]
    return {"losses": losses, "masked": sorted(rng.sample(range(1, length), rng.randint(3, 4)))}


def plain(family_id, templates, n, seed):
    rng = random.Random(seed)
    for _ in range(n):
        values = plain_draw(family_id, rng)
        for template in templates:
            template.render(values)


def ours(each, level, n, seed):
    for number in range(n):
        draft(each, level, f"{seed}/{number}").front()


def timed(work, *arguments):
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=1000, help="variants a round")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    shown = []
    for (family_id, level), sentences in SENTENCES.items():
        each = family(family_id)
        templates = [jinja2.Template(text) for text in sentences]
        timed(plain, family_id, templates, 100, 0)
        timed(ours, each, level, 100, 0)
        pairs = [
            (timed(plain, family_id, templates, options.n, seed), timed(ours, each, level, options.n, seed))
            for seed in range(options.rounds)
        ]
        peer = statistics.median(pair[0] for pair in pairs) / options.n * 1e6
        own = statistics.median(pair[1] for pair in pairs) / options.n * 1e6
        ratio = statistics.median(b / a for a, b in pairs)
        name = f"{family_id}, level {level}"
        shown.append((name, f"{peer:.1f}", f"{own:.1f}", f"{ratio:.2f}", f"≤ {TARGET}", verdict(ratio, TARGET)))
    table((f"{options.n:,} variants", "plain loop, µs each", "ours, µs each", "ratio", "target", "met"), shown)


if __name__ == "__main__":
    main()
