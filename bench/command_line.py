"""How long the command line takes to start, as multiples of `python -c pass` taken in the same run.

    python bench/command_line.py [--runs 15]

Each round runs every command once in turn, so that a busy machine slows all of them alike; the ratio is the median of
the rounds' ratios.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

from shown import table, verdict

BASE = "python -c pass"
COMMANDS = {  # name -> (words, ratio that must not be passed)
    "maskwise --help": (["--help"], 6),
    "maskwise read decimal -0.69": (["read", "decimal", "-0.69"], 15),
    "maskwise families list": (["families", "list"], 15),
    "maskwise preview SH-TRYIT --no-confirm": (["preview", "SH-TRYIT", "--seed", "7", "--no-confirm"], 15),
    "maskwise preview SH-TRYIT (known)": (["preview", "SH-TRYIT", "--seed", "7"], 15),
    "maskwise generate lesson-12 --no-confirm -f json": (
        ["generate", "lesson-12", "--seed", "7", "--no-confirm", "-f", "json"],
        15,
    ),
}


def milliseconds(command, environment):
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    return (time.perf_counter() - started) * 1000


def main():
    parser = argparse.ArgumentParser(description="Start-up of the command line against `python -c pass`.")
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MASKWISE_DATA_DIR": folder, "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has its compiled files
        commands = {BASE: [sys.executable, "-c", "pass"]}
        commands |= {name: [sys.executable, "-m", "maskwise", *words] for name, (words, _) in COMMANDS.items()}
        taken = {name: [] for name in commands}
        for command in commands.values():  # once unmeasured: compiled files and kept results stand, as in daily use
            milliseconds(command, environment)
        for _ in range(runs):
            for name, command in commands.items():
                taken[name].append(milliseconds(command, environment))
    shown = [(BASE, f"{statistics.median(taken[BASE]):.1f}", "", "", "")]
    for name, (_, target) in COMMANDS.items():
        ratio = statistics.median(mine / base for mine, base in zip(taken[name], taken[BASE], strict=True))
        median = f"{statistics.median(taken[name]):.1f}"
        shown.append((name, median, f"{ratio:.1f}", f"≤ {target}", verdict(ratio, target)))
    table(("command", "median, ms", "× pass", "target", "met"), shown)


if __name__ == "__main__":
    main()
