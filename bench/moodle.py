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

PLAN = 'title = "One hundred"\n' + "".join(
    f'[[item]]\nfamily = "{family}"\nlevel = {level}\ncount = {count}\n'
    for family, level, count in (
        ("SH-TRYIT", 1, 25),
        ("SH-CHAIN", 2, 25),
        ("CT-BASIC", 1, 25),
        ("LS-MEAN", 1, 25),
    )
)


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
        (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
        (folder / "quiz.txt").write_text(written(), encoding="utf-8")
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"MASKWISE_DATA_DIR": str(folder / "data"), "PYTHONPYCACHEPREFIX": str(folder / "pyc")}
        # Both sides run compiled, as installed programs do.
        python = sys.executable
        ours = [
            python,
            "-m",
            "maskwise",
            "generate",
            "plan.toml",
            "--seed",
            "12",
            "-f",
            "moodle",
            "-o",
            "out",
            "--force",
        ]
        peer = [str(Path(python).with_name("text2qti")), "quiz.txt"]
        taken(ours, folder, environment)  # proves the keys and compiles what Python compiles
        taken(peer, folder, environment)
        one, other = [], []
        for _ in range(runs):
            one.append(taken(ours, folder, environment))
            other.append(taken(peer, folder, environment))
    mine, theirs = statistics.median(one), statistics.median(other)
    one_over = mine / R_EXAMS_SECONDS
    table(
        ("100 questions, whole process", "ms", "ours is", "target", "met"),
        (
            ("Maskwise, keys known", f"{mine * 1000:.0f}", "", "", ""),
            (
                "text2qti",
                f"{theirs * 1000:.0f}",
                f"{mine / theirs:.2f} ×",
                f"≤ {TARGET} ×",
                verdict(mine / theirs, TARGET),
            ),
            ("R/exams (quoted)", "3,370", f"1/{1 / one_over:.0f}", "≤ 1/25", verdict(one_over, R_EXAMS_TARGET)),
        ),
    )


if __name__ == "__main__":
    main()
