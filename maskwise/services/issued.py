"""What was handed out on the pages, by its look-up id: for whoever owns the database, at the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from generator.codes import normal_id
from generator.variant import Variant
from maskwise.errors import EnvironmentFault, UsageFault
from maskwise.store import Store, StoreUnavailable, courses, schema
from maskwise.store.database import database_url

if TYPE_CHECKING:
    from maskwise.settings import Settings


class Handed(NamedTuple):
    """A frozen variant in somebody's hands: its words and keys are those of the day it was issued."""

    variant: Variant
    number: int
    quiz: str
    owner: str


def behind_id(settings: Settings, code: str) -> Handed | None:
    """Find the variant with a look-up id in the database; None when it has none, or when there is no database.

    No database is made for it. Raises EnvironmentFault when one is there and cannot be read.
    """
    url = database_url(settings.data_dir, settings.database_url.get_secret_value())
    kind, _, file = url.partition(":///")
    if kind == "sqlite" and not Path(file).exists():
        return None
    try:
        store = Store(url)
    except ValueError as error:
        raise UsageFault(f"MASKWISE_DATABASE_URL: {error}") from None
    try:
        if schema.current(store) is None:
            return None
        with store.reading() as t:
            found = courses.issued_by_code(t, normal_id(code))
    except StoreUnavailable as error:
        raise EnvironmentFault(f"the database cannot be read: {error}", help="see maskwise doctor") from None
    finally:
        store.close()
    if found is None:
        return None
    issued, quiz, user = found
    return Handed(Variant.from_json(json.loads(issued.variant)), issued.number, quiz.title, user.name)
