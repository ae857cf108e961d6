"""The content of a family as a fingerprint: what makes its variants, besides their seeds.

A family's version is raised by hand when ranges, order of draws or keys change. The fingerprint sees a change that
nobody thought worth a version, in a rule, a witness or a word: the same seed would then give another question.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from generator.codes import DIGITS
from generator.drafting import draft
from generator.variant import canonical
from grader.answers import Answer
from templates.faults import ROOT

if TYPE_CHECKING:
    from generator.drafting import Draft
    from generator.family import Ask, Family, Rule

# Another template whose blocks or macros a template uses.
_USES = re.compile(r"""\{%-?\s*(?:import|from|include|extends)\s+["']([^"']+)["']""")
# Draws of each level that stand for its ranges and for keys that are no formula.
_DRAWS = 3


@lru_cache(maxsize=256)
def content_of(family: Family) -> str:
    """Return three of Crockford's digits over a family's definition, a few fixed draws, and its template.

    Raises what drawing and rendering raise for a family that is broken.
    """
    content = {
        "id": family.id,
        "version": family.version,
        "world": family.world,
        "levels": {str(level): words for level, words in family.levels.items()},
        "asks": [_ask(ask) for ask in family.asks],
        "draws": [
            _draw(draft(family, level, f"content/{number}")) for level in family.levels for number in range(_DRAWS)
        ],
        "words": _words(family.template),
    }
    number = int.from_bytes(hashlib.sha256(canonical(content)).digest()[:2], "big") >> 1
    return "".join(DIGITS[number >> shift & 31] for shift in (10, 5, 0))


def _ask(ask: Ask) -> dict[str, Any]:
    return {
        "id": ask.id,
        "key": _formula(ask.key),
        "lines": [ask.line, *ask.also, *ask.holds],
        "reason": ask.reason,
        "prints": ask.prints,
        "follows": list(ask.follows),
        "together": list(ask.together),
        "reads": [list(ask.unit), list(ask.allow)],
        "needs": list(ask.needs),
        "traced": ask.traced,
        "rules": [_rule(rule) for rule in ask.rules],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "value": _formula(rule.value),
        "witness": rule.witness,
        "reason": rule.reason,
        "needs": list(rule.needs),
        "once": rule.once,
    }


def _formula(value: object) -> list[str] | None:
    """Return kind and text of a formula in the letters; None for a function, which the draws tell of."""
    return [value.kind, value.display()] if isinstance(value, Answer) else None


def _draw(each: Draft) -> dict[str, Any]:
    return {
        "given": dict(each.given),
        "parts": list(each.parts),
        "values": [
            [key.display(), {rule.id: wrong.display() for rule, wrong in zip(rules, others, strict=True)}]
            for (_ask, rules), (key, others) in zip(each.served, each.answers, strict=True)
        ],
    }


def _words(name: str) -> dict[str, str]:
    """Return the source of a template, and of those it uses, by name."""
    found: dict[str, str] = {}
    wanted = [name]
    while wanted:
        each = wanted.pop()
        if each not in found:
            found[each] = (ROOT / each).read_text(encoding="utf-8")
            wanted += _USES.findall(found[each])
    return found
