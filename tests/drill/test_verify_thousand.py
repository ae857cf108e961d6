"""A thousand true exports pass the verifier; a thousand with one thing changed are named, half of them hashed anew."""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter

import pytest
import verify_kit as kit

from maskwise.exporters.json import document

pytestmark = [pytest.mark.drill, pytest.mark.torch]

COUNT = 1000
BATCH = 250


def verified(paths):
    """Run the program on files in batches: its lines, and the seconds it took."""
    started, lines = time.perf_counter(), []
    for start in range(0, len(paths), BATCH):
        _code, printed = kit.run(paths[start : start + BATCH])
        lines += printed
    return lines, time.perf_counter() - started


def test_a_thousand_true_and_a_thousand_tampered_exports(prover, tmp_path, capsys):
    started = time.perf_counter()
    exports = [json.loads(json.dumps(document(quiz))) for quiz in kit.quizzes(prover, COUNT, "drill")]
    made = time.perf_counter() - started
    paths = [kit.written(data, tmp_path / f"true-{number:04}.json") for number, data in enumerate(exports)]
    lines, took = verified(paths)
    keys = [
        sum(len(item["variant"]["parts"]) for paper in data["papers"] for item in paper["items"]) for data in exports
    ]
    assert lines == [f"ok {path}  {count} keys" for path, count in zip(paths, keys, strict=True)]

    rng = random.Random("drill")
    forged = []
    for number, data in enumerate(exports):
        if number % 2:
            forged.append(kit.forge(data, rng))
            continue
        kinds = [kind for kind, places in kit.places(data).items() if places]
        change = kit.forge(data, rng, kinds[number // 2 % len(kinds)])
        forged.append(change._replace(data=kit.rehashed(change.data)))
    paths = [kit.written(each.data, tmp_path / f"forged-{number:04}.json") for number, each in enumerate(forged)]
    lines, forged_took = verified(paths)
    for path, each, line in zip(paths, forged, lines, strict=True):
        assert line.startswith((f"TAMPERED {path}  {each.question}", f"UNREADABLE {path}  ")), (each.change, line)
    kinds = Counter(each.what for each in forged)
    rehashed = ", ".join(f"{kinds[kind]} {kind}" for kind in sorted(kinds) if kind != "anything")
    report = [
        f"{COUNT} true exports with {sum(keys)} keys, made in {made:.0f} s: {COUNT} pass, in {took:.0f} s",
        f"{COUNT} with one thing changed: {len(lines)} named, in {forged_took:.0f} s",
        f"  hashes made anew: {rehashed}",
        f"  hashes left as they were: {kinds['anything']}, changed anywhere",
    ]
    with capsys.disabled():
        sys.stdout.write("\n" + "\n".join(report) + "\n")
