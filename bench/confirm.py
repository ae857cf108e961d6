"""Confirm one variant of "From batch to loss" by running it, beside bare PyTorch doing the least that could be done.

    python bench/confirm.py [--rounds 200]

Bare: construct the model and run one batch through it. Confirm: a model of sizes that were never seen before, the stage
shapes by hooks, and the very lines that the product runs for a question on these sizes: every key, the witness of every
served slip, and one backward(). What a family's proof holds once for all variants (`Rule.once`: where L is shown, one
slip's witness is a second whole forward pass) is not among them, as it is not run with a variant. Both do the same
sizes, turn by turn, in one process with one thread; a ratio is the median of the turns' ratios. The last rows are a
request over the socket and the look-up of a variant that is known already, in the asking process.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

warnings.simplefilter("ignore")  # at import PyTorch speaks of numpy, and later the encoder of odd head counts

import torch  # noqa: E402
from shown import table, verdict  # noqa: E402

from generator.drafting import from_given  # noqa: E402
from generator.proof import run_lines  # noqa: E402
from grader.runner.fit import fitted  # noqa: E402
from grader.runner.model_world import watched  # noqa: E402
from grader.runner.observe import observe  # noqa: E402
from grader.runner.service import Runner  # noqa: E402
from grader.runner.tiny_model import TinyMaskedModel  # noqa: E402
from question_bank.catalogue import family  # noqa: E402

WITH_WITNESSES, WITH_LENGTH = 1, 3  # the ways of `compare` behind "bare" that the target speaks of
TARGET, LOOK_UP = 1.15, 500
CASES = ((1, 5, 12, 6, 2), (8, 20, 48, 1000, 12))


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(given: dict[str, int], rounds: int) -> dict[str, tuple[float, float]]:
    """Return the median seconds and the median ratio to bare: of bare, and of four ways to confirm."""
    ids = torch.randint(0, given["V"], (given["B"], given["T"]))
    longer = {**given, "L": given["T"] + 5}
    lines = product_lines(given)
    keys = {name: line for name, line in lines.items() if "." not in name}

    def bare() -> None:
        TinyMaskedModel(given["V"], given["T"], given["D"], H=given["H"], F=given["F"], N=given["N"])(ids)

    def confirm(what: Mapping[str, str], sizes: dict[str, int], *, fresh: bool = True) -> None:
        if fresh:
            fitted.cache_clear()
            watched.cache_clear()
        wrong = {name: seen.error for name, seen in observe("model", sizes, what).items() if seen.error}
        if wrong:
            raise SystemExit(f"not confirmed: {wrong}")

    ways: dict[str, Callable[[], object]] = {
        "bare": bare,
        "keys": lambda: confirm(keys, given),
        "and witnesses": lambda: confirm(lines, given),
        "model at hand": lambda: confirm(lines, given, fresh=False),
        "L shown, too": lambda: confirm(product_lines(longer), longer),
    }
    turns = [{name: seconds(work) for name, work in ways.items()} for _ in range(rounds + 5)][5:]
    return {
        name: (
            statistics.median(turn[name] for turn in turns),
            statistics.median(turn[name] / turn["bare"] for turn in turns),
        )
        for name in ways
    }


def product_lines(given: dict[str, int]) -> Mapping[str, str]:
    """Return the lines that are run for a question on these sizes: <part> for keys, <part>.<slip> for witnesses."""
    return run_lines(from_given(family("SH-TRYIT"), given))


def look_up(rounds: int) -> tuple[float, float]:
    """Return the medians in seconds of a request over the socket for new sizes and of one for known sizes."""
    lines = product_lines(sizes(1000))
    with Runner() as runner:
        new = [seconds(lambda v=v: runner.observe("model", sizes(v), lines)) for v in range(1000, 1000 + rounds)]
        known = sizes(1000)
        start = time.perf_counter()
        for _ in range(10_000):
            runner.observe("model", known, lines)
        return statistics.median(new), (time.perf_counter() - start) / 10_000


def sizes(V: int) -> dict[str, int]:  # noqa: N803
    return {"B": 8, "T": 20, "D": 48, "V": V, "M": 12}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    shown = []
    for b, t, d, v, m in CASES:
        for heads, layers in ((1, 1), (3, 2)):
            given = {"B": b, "T": t, "D": d, "V": v, "M": m, "H": heads, "N": layers, "F": 2 * d}
            (bare, _), *others = compare(given, rounds).values()
            met = (verdict(others[WITH_WITNESSES][1], TARGET), verdict(others[WITH_LENGTH][1], TARGET))
            cells = [f"{1e3 * taken:.2f} ({ratio:.2f} ×)" for taken, ratio in others]
            shown.append((f"({b}, {t}, {d}, {v}), {heads}, {layers}", f"{1e3 * bare:.2f}", *cells, *met))
    head = ("ms", "bare", "keys", "and witnesses", "model at hand", "L shown, too", f"≤ {TARGET} ×", "with L")
    table(("(B, T, D, V), H, N: " + head[0], *head[1:]), shown)
    asked, known = look_up(rounds)
    print()
    table(
        ("over the socket, (8, 20, 48, V)", "µs", "part", "target", "met"),
        (
            ("sizes never seen", f"{1e6 * asked:,.0f}", "", "", ""),
            (
                "known sizes",
                f"{1e6 * known:.2f}",
                f"1/{asked / known:,.0f}",
                f"≤ 1/{LOOK_UP}",
                verdict(known / asked, 1 / LOOK_UP),
            ),
        ),
    )


if __name__ == "__main__":
    main()
