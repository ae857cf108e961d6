"""What formulas in answers may hold, kind by kind, and the limits that are checked before any work is done."""

from __future__ import annotations

from dataclasses import dataclass

MAX_DEPTH = 20
MAX_EXPONENT = 12
MAX_BITS = 2048
MAX_DEGREE = 2**20


@dataclass(frozen=True)
class Grammar:
    """What a kind reads beyond + - * / and whole powers."""

    functions: bool = True
    implicit: bool = True  # letters, numbers and brackets side by side are a product
    fractional_powers: bool = False
    what: str = "expression"
    sample: str = "2*(P + 1)"


EXPRESSION = Grammar()
AXIS = Grammar(functions=False, what="size", sample="P*Q")
