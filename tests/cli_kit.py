"""The command line as tests call it: in a folder with a plan, one PyTorch process, one data folder a module."""

from maskwise.cli import main
from maskwise.services.prover import Prover

PLAN = """\
title = "Two questions"

[[item]]
family = "SH-CHAIN"
level = 1

[[item]]
family = "CT-BASIC"
level = 2
"""


def command_line(capsys, folder, monkeypatch, data_dir, runner):
    """Give a function that runs `maskwise` with its words in a folder: exit code, stdout, stderr."""

    def opened(place=None, **more):
        return Prover(place, start=lambda: runner, **more)

    monkeypatch.setattr("maskwise.services.prover.Prover", opened)
    monkeypatch.setenv("MASKWISE_DATA_DIR", str(data_dir))
    monkeypatch.chdir(folder)
    (folder / "plan.toml").write_text(PLAN)

    def run(*words):
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def contents(folder):
    """Give the bytes of each file in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}
