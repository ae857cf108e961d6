"""Run every benchmark and write their tables, with the commands that give them, to bench/README.md.

python bench/table.py            all of them, a few minutes
python bench/table.py --only generate,hostile
python bench/table.py --print    to the screen, no file changed
"""

import argparse
import datetime as dt
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
READY = "<!-- The tables below are written by bench/table.py. -->"


MISSED = "**no**"  # as bench/shown.py writes it


@dataclass(frozen=True)
class Row:
    """One benchmark: its script, what it measures, what is aimed at, and why that is missed where it is."""

    script: str
    title: str
    target: str
    reason: str


ROWS = (
    Row(
        "decide",
        "Decide one symbolic answer",
        "≤ 1/100 of the SymPy path, ≤ 1/5 of warm Maxima, 0 wrong",
        "Ours takes microseconds, so that a busy machine weighs on it more than on SymPy.",
    ),
    Row(
        "hostile",
        "Read and decide any hostile answer, in process",
        "≤ 5 ms and ≤ 20 MB",
        "The slowest text is named in the table.",
    ),
    Row(
        "generate",
        "Generate 1,000 variants, not confirmed",
        "≤ 3 × a plain Python and Jinja loop",
        "Ours also judges every wrong rule of every part and protects every value, which the plain loop does not.",
    ),
    Row(
        "confirm",
        "Confirm a variant by running the model",
        "≤ 1.15 × bare construct and forward; a known size ≤ 1/500",
        "Beside the forward pass that bare runs, ours runs every key and witness line and one backward(): many small "
        "steps, on which a busy machine weighs more.",
    ),
    Row(
        "moodle",
        "100 questions to Moodle XML, whole process",
        "≤ 1 × text2qti, ≤ 1/25 of R/exams, before confirmation",
        "text2qti is given 100 questions of one part; all parts are 300, each with its key, slips, hint and worked "
        "solution. The command goes on where the target ends: it looks proofs up, holds them against every key and "
        "slip once more, hashes certificates, and loads a command line and a database for that.",
    ),
    Row(
        "pdf",
        "Personal PDFs: 100 of 12 questions, and lesson-12 for 300 people",
        "≤ 1.1 × bare compiler reuse; 2 processes ≤ 0.6 × that",
        "Ours also turns words into data and data into JSON, which bare does not; two processes "
        "want two free cores, so that whatever else runs on the machine weighs on them and hardly on one.",
    ),
    Row(
        "command_line",
        "Start of the command line",
        "--help ≤ 6 ×, preview and unconfirmed generate ≤ 15 × `python -c pass`",
        "What starts is mostly imports: click, Jinja, and our own modules of reading and equality.",
    ),
)

HEAD = """# Measured speed

Every figure is a median taken side by side with its peer in one run on a shared machine, so the ratio is what counts.
Peers that install from PyPI (SymPy, text2qti, WeasyPrint) run in the same script. Figures of others are marked as
quoted: they were taken on a like machine in December 2026. A missed target is called missed.

```console
$ make bench
```

writes this page anew; each script alone prints its own table.
"""


def measured(row):
    """Return what the script prints; where it fails, that it failed, so that the others still stand."""
    print(f"bench/{row.script}.py ...", file=sys.stderr)
    script = [sys.executable, str(HERE / f"{row.script}.py")]
    done = subprocess.run(script, capture_output=True, text=True, cwd=HERE.parent, check=False)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return f"**Not measured**: the script ended with code {done.returncode}."
    return done.stdout.strip()


def section(row):
    found = measured(row)
    if MISSED in found:
        found += f"\n\nWhy it is missed: {row.reason}"
    return "\n".join(
        (
            f"## {row.title}",
            "",
            f"Target: {row.target}.",
            "",
            "```console",
            f"$ python bench/{row.script}.py",
            "```",
            "",
            found,
            "",
        )
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="names of scripts, separated by commas")
    parser.add_argument("--print", action="store_true", help="print instead of writing bench/README.md")
    options = parser.parse_args()
    wanted = [row for row in ROWS if not options.only or row.script in options.only.split(",")]
    busy = os.getloadavg()[0]
    sections = [section(row) for row in wanted]
    when = (
        f"Taken on {dt.datetime.now(tz=dt.UTC).date()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"load average {busy:.1f} at the start."
    )
    page = "\n".join([HEAD, READY, "", when, "", *sections])
    if options.print or options.only:
        print(page)
    else:
        (HERE / "README.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
