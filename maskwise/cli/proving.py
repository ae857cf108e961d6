"""Opening the prover for one command: PyTorch starts when the first question really needs it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from maskwise.cli.options import asked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maskwise.services.prover import Prover


@contextmanager
def open_prover() -> Iterator[Prover]:
    """Give the prover of the data folder, with its kept results."""
    from maskwise.config import data_folder, ready_data_folder
    from maskwise.services.prover import Prover

    with Prover(ready_data_folder(data_folder(asked().data_dir))) as opened:
        yield opened


@contextmanager
def optional_prover(*, confirm: bool) -> Iterator[Prover | None]:
    """Give a prover, or none for a quick look; either way templates are going to be rendered."""
    from maskwise.config import data_folder
    from maskwise.services.compiled import keep_compiled

    keep_compiled(data_folder(asked().data_dir))
    if not confirm:
        yield None
        return
    with open_prover() as opened:
        yield opened
