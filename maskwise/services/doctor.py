"""Whether this machine has all that Maskwise needs: one function a question, each with what to do about a no."""

from __future__ import annotations

import importlib.metadata
import platform
import socket
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from maskwise.services.lower import translated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from maskwise.settings import Settings

OLDEST_PYTHON = (3, 11)
# Sizes that a trace holds fixed; batch and length stay open.
_TRACED = {"D": 24, "V": 60, "H": 3, "C": 5, "L": 512}
Status = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class Finding:
    """One answer: `fail` means that something essential is missing, `warn` that one thing will not work."""

    name: str
    status: Status
    detail: str
    help: str = ""


def examine(settings: Settings) -> Iterator[Finding]:
    """Ask every question in turn; a question that breaks is itself a finding."""
    checks: tuple[tuple[str, Callable[[Settings], Iterator[Finding]]], ...] = (
        ("python", _python),
        ("torch", _torch),
        ("runner", _runner),
        ("typst", _typst),
        ("data folder", _data_folder),
        ("database", _database),
        ("port", _port),
    )
    for name, check in checks:
        try:
            yield from check(settings)
        except Exception as error:  # noqa: BLE001 - a broken library must not hide the other answers
            known = translated(error)
            detail = known.message if known else f"{type(error).__name__}: {error}"
            useful = known is not None and "doctor" not in known.help
            advice = known.help if known and useful else "reinstall Maskwise into its own environment"
            yield Finding(name, "fail", detail, advice)


def _python(_settings: Settings) -> Iterator[Finding]:
    detail = f"{platform.python_version()} ({sys.executable})"
    if sys.version_info < OLDEST_PYTHON:
        yield Finding("python", "fail", detail, "Maskwise needs Python 3.11 or newer")
    else:
        yield Finding("python", "ok", detail)


def _torch(_settings: Settings) -> Iterator[Finding]:
    try:
        yield Finding("torch", "ok", importlib.metadata.version("torch"))
    except importlib.metadata.PackageNotFoundError:
        yield Finding("torch", "fail", "not installed", 'install it: pip install "torch>=2.10,<2.15"')


def _runner(_settings: Settings) -> Iterator[Finding]:
    """Start PyTorch in its own process, then trace there; a trace that fails does not hide that runs work."""
    from grader.runner.service import Runner  # noqa: PLC0415 - a broken install must become a finding

    started = time.perf_counter()
    with Runner(wait=True) as runner:
        seen = runner.observe("model", {"B": 2, "T": 3, "D": 12, "V": 7}, {"logits": "logits.shape"})["logits"]
        took = time.perf_counter() - started
        if seen.shape != (2, 3, 7):
            yield Finding("runner", "fail", f"logits of shape {seen.shape} ({seen.error})", "reinstall torch")
            return
        yield Finding("runner", "ok", f"PyTorch {runner.version()}, first answer after {took:.1f} s")
        started = time.perf_counter()
        try:
            axes = runner.trace(_TRACED, {"logits": "logits"})["logits"]
        except Exception as error:  # noqa: BLE001 - whatever torch.export says
            yield Finding("trace", "fail", f"{type(error).__name__}: {error}", "reinstall torch")
            return
        took = time.perf_counter() - started
    if len(axes) != 3:
        yield Finding("trace", "fail", f"logits traced as {axes}", "reinstall torch")
    else:
        yield Finding("trace", "ok", f"torch.export, {took:.1f} s")


def _typst(_settings: Settings) -> Iterator[Finding]:
    import typst  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "x.typ"
        source.write_text("Works.", encoding="utf-8")
        pdf = typst.compile(str(source))
    version = importlib.metadata.version("typst")
    if not pdf.startswith(b"%PDF"):
        yield Finding("typst", "fail", f"{version} wrote no PDF", "reinstall typst")
    else:
        yield Finding("typst", "ok", version)


def _data_folder(settings: Settings) -> Iterator[Finding]:
    from maskwise.services.secret import course_secret  # noqa: PLC0415

    course_secret(settings.data_dir)  # made and read: what every sealed paper needs
    with tempfile.NamedTemporaryFile(dir=settings.data_dir, prefix=".doctor-"):
        pass
    yield Finding("data folder", "ok", f"{settings.data_dir} can be written")


def _database(settings: Settings) -> Iterator[Finding]:
    from maskwise.services.database import state  # noqa: PLC0415

    found = state(settings)
    if found.current is None:
        yield Finding("database", "warn", f"{found.kind}, without tables yet", "`maskwise db upgrade` makes them")
    elif found.current != found.newest:
        detail = f"{found.kind} at {found.current}, needed is {found.newest}"
        yield Finding("database", "fail", detail, "run `maskwise db upgrade`")
    else:
        yield Finding("database", "ok", f"{found.kind}, version {found.current}")


def _port(settings: Settings) -> Iterator[Finding]:
    where = f"{settings.host}:{settings.port}"
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((settings.host, settings.port))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            yield Finding("port", "warn", f"{where}: {reason}", "take another one: maskwise serve --port 8001")
        else:
            yield Finding("port", "ok", f"{where} is free")
