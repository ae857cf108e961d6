"""100 questions to Moodle XML as one process from start to file, against text2qti from start to zip.

    python bench/moodle.py [--runs 9]

Ours is `maskwise generate` with keys that are known already: what PyTorch printed for them stands in the data folder,
as it does for an instructor who makes a set again, so that confirmation itself is not measured (`bench/confirm.py` does
that). text2qti reads 100 written questions. Both sides take turns; medians are compared. R/exams is no Python package:
its figure is quoted.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from shown import table, verdict

TARGET, R_EXAMS_TARGET = 1, 1 / 25
R_EXAMS_SECONDS = 3.37
PEER = "text2qti"
SHARES = (  # family, level, its part where a question has one only
    ("SH-TRYIT", 1, "sel"),
    ("SH-CHAIN", 2, "enc"),
    ("CT-BASIC", 1, "total"),
    ("LS-MEAN", 1, "mean"),
)


def plan(title, *, one_part):
    """Return a plan of 100 questions: with one part each, as text2qti's are, or with all the parts of their levels."""
    out = f'title = "{title}"\n'
    for family, level, part in SHARES:
        out += f'[[item]]\nfamily = "{family}"\nlevel = {level}\ncount = 25\n'
        out += f'parts = ["{part}"]\n' if one_part else ""
    return out


def written():
    """Return 100 questions in text2qti's own form."""
    out = ["Quiz title: One hundred", ""]
    for number in range(1, 101):
        out += [
            f"{number}. A batch has {number + 100} sequences of length 20 and width 48. "
            "Which shape has the encoder output?",
            f"a) ({number + 100}, 20)",
            f"*b) ({number + 100}, 20, 48)",
            f"c) (20, {number + 100}, 48)",
            "",
        ]
    return "\n".join(out)


def taken(command, folder, environment):
    started = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr}")
    return time.perf_counter() - started


def main():
    parser = argparse.ArgumentParser(description="Moodle XML against text2qti, whole processes.")
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plans = {"one part each": "one", "all parts": "all"}
        for words, stem in plans.items():
            (folder / f"{stem}.toml").write_text(plan(words, one_part=stem == "one"), encoding="utf-8")
        (folder / "quiz.txt").write_text(written(), encoding="utf-8")
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"MASKWISE_DATA_DIR": str(folder / "data"), "PYTHONPYCACHEPREFIX": str(folder / "pyc")}
        # Both sides run compiled, as installed programs do.
        generate = [sys.executable, "-m", "maskwise", "generate"]
        commands = {
            words: [*generate, f"{stem}.toml", "--seed", "12", "-f", "moodle", "-o", "out", "--force"]
            for words, stem in plans.items()
        } | {PEER: [str(Path(sys.executable).with_name("text2qti")), "quiz.txt"]}
        for command in commands.values():  # proves the keys and compiles what Python compiles
            taken(command, folder, environment)
        turns = [{name: taken(command, folder, environment) for name, command in commands.items()} for _ in range(runs)]
    medians = {name: statistics.median(turn[name] for turn in turns) for name in commands}
    shown = [
        (PEER, f"{medians[PEER] * 1000:.0f}", "1.00", "", f"1/{R_EXAMS_SECONDS / medians[PEER]:.0f}", ""),
        ("R/exams (quoted)", f"{R_EXAMS_SECONDS * 1000:.0f}", "", "", "1", ""),
    ]
    for words in plans:
        ratio = statistics.median(turn[words] / turn[PEER] for turn in turns)
        share = medians[words] / R_EXAMS_SECONDS
        met = (f"≤ {TARGET}: {verdict(ratio, TARGET)}", f"≤ 1/25: {verdict(share, R_EXAMS_TARGET)}")
        cells = (f"{medians[words] * 1000:.0f}", f"{ratio:.2f}", met[0], f"1/{1 / share:.0f}", met[1])
        shown.append((f"Maskwise, keys known, {words}", *cells))
    table(("100 questions, whole process", "ms", "× text2qti", "met", "of R/exams", "met"), shown)


if __name__ == "__main__":
    main()
