"""Heavy libraries stay out of the light packages: looked at in a fresh interpreter."""

import subprocess
import sys
import tomllib
from pathlib import Path
from pkgutil import iter_modules

import pytest

HEAVY = ("torch", "sympy", "flask", "sqlalchemy")
LOOK = """
import sys
{code}
print(" ".join(name for name in {names!r} if name in sys.modules))
"""


def loaded(code, names=HEAVY):
    """Run a program in a fresh interpreter and give which of the names it loaded."""
    program = LOOK.format(code=code, names=names)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return run.stdout.split()[-len(names) :] if run.stdout.split() else []


@pytest.mark.parametrize("package", ["maskwise.cli", "question_bank", "generator"])
def test_light_packages_load_nothing_heavy(package):
    assert loaded(f"import {package}") == []


def test_every_family_and_the_drawing_load_nothing_heavy():
    code = (
        "from question_bank.catalogue import families\n"
        "from generator.drafting import draft\n"
        "[draft(family, level, '7').front() for family in families().values() for level in family.levels]"
    )
    assert loaded(code) == []


def test_the_contract_on_torch_names_all_of_the_grader_but_the_runner():
    root = Path(__file__).parent.parent
    contracts = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    named = next(set(each["source_modules"]) for each in contracts if each["name"] == "torch only in the runner")
    modules = {f"grader.{found.name}" for found in iter_modules([str(root / "grader")])}
    assert modules - named == {"grader.runner"}


def test_this_test_can_fail():
    assert loaded("import json, sqlalchemy") == ["sqlalchemy"]


@pytest.mark.parametrize("words", [["--help"], ["preview", "--help"], ["generate", "--help"], ["--version"]])
def test_help_loads_no_more_than_click(words):
    code = (
        "from maskwise.cli import main\nimport contextlib, io\n"
        f"with contextlib.redirect_stdout(io.StringIO()): main({words!r})"
    )
    unwanted = (*HEAVY, "rich", "jinja2", "pydantic", "pydantic_settings", "grader", "generator", "templates", "typst")
    assert loaded(code, unwanted) == []
