"""How long the command line takes to start, as multiples of `python -c pass` taken in the same run.

    python bench/command_line.py [--runs 15]

Each round runs every command once in turn, so that a busy machine slows all of them alike; medians are compared.
Targets (ratios): --help 6, preview and unconfirmed generate 15. Exit code 1 when one is missed.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

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
    medians = {name: statistics.median(times) for name, times in taken.items()}
    missed = 0
    print(f"| {'command':<48} | median ms | x pass | target |")
    print(f"|{'-' * 50}|{'-' * 11}|{'-' * 8}|{'-' * 8}|")
    for name, median in medians.items():
        ratio, target = median / medians[BASE], COMMANDS.get(name, (None, None))[1]
        missed += target is not None and ratio > target
        print(f"| {name:<48} | {median:9.1f} | {ratio:6.1f} | {'' if target is None else f'<= {target}':>6} |")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
