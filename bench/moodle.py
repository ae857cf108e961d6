"""100 questions to Moodle XML as one process from start to file, against text2qti from start to zip.

    python bench/moodle.py [--runs 9]

Two ways of ours, each a fresh process that imports everything, draws and words 100 questions and writes the file:
"before confirmation" is `bench/unconfirmed.py`, the functions behind the command without the command line and without
the proof, since the product itself writes no such file unproven. "generate, keys known" is the stricter real command:
what PyTorch printed stands in the data folder, as it does for an instructor who makes a set again, and is looked up and
held against every key and slip once more. text2qti reads 100 written questions of one part. All take turns; a ratio is
the median of the turns' ratios. R/exams is no Python package: its figure is quoted, and the share of it is taken by way
of text2qti, which both machines ran.
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
R_EXAMS_SECONDS, PEER_SECONDS_THERE = 3.37, 0.118  # on one machine, December 2026
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
        program = Path(sys.executable)
        unconfirmed = [program, Path(__file__).with_name("unconfirmed.py")]
        generate = [program, "-m", "maskwise", "generate"]
        commands = (
            {
                f"before confirmation, {words}": [*unconfirmed, f"{stem}.toml", "12", folder / "data", f"{stem}.xml"]
                for words, stem in plans.items()
            }
            | {
                f"generate, keys known, {words}": [
                    *(*generate, f"{stem}.toml", "--seed", "12", "-f", "moodle", "-o", "out", "--force")
                ]
                for words, stem in plans.items()
            }
            | {PEER: [program.with_name("text2qti"), "quiz.txt"]}
        )
        for command in commands.values():  # proves the keys and compiles what Python compiles
            taken(command, folder, environment)
        turns = [{name: taken(command, folder, environment) for name, command in commands.items()} for _ in range(runs)]
    medians = {name: statistics.median(turn[name] for turn in turns) for name in commands}
    there = R_EXAMS_SECONDS / PEER_SECONDS_THERE
    shown = [
        (PEER, f"{medians[PEER] * 1000:.0f}", "1.00", "", f"1/{there:.0f}", ""),
        ("R/exams (quoted)", "", f"{there:.1f}", "", "1", ""),
    ]
    for words in commands:
        if words == PEER:
            continue
        ratio = statistics.median(turn[words] / turn[PEER] for turn in turns)
        cells = (f"{medians[words] * 1000:.0f}", f"{ratio:.2f}")
        met = (f"≤ {TARGET}: {verdict(ratio, TARGET)}", f"≤ 1/25: {verdict(ratio / there, R_EXAMS_TARGET)}")
        shown.append((f"Maskwise, {words}", *cells, met[0], f"1/{there / ratio:.0f}", met[1]))
    table(("100 questions, whole process", "ms", "× text2qti", "met", "of R/exams", "met"), shown)
    print(
        "\nBefore confirmation: `bench/unconfirmed.py`, the command's own functions without the command line and the "
        f"proof; its file is not to be handed out. Quoted: {R_EXAMS_SECONDS} s where text2qti took "
        f"{PEER_SECONDS_THERE * 1000:.0f} ms (December 2026); the share is taken by way of text2qti."
    )


if __name__ == "__main__":
    main()
