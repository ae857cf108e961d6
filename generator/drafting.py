"""Drawing a question: numbers are chosen, wrong rules judged; nothing is rendered that costs, and nothing is proven.

A draft is a function of its family, level, version, seed and parts alone, and costs microseconds: a quick look, a count
of distinct variants and every proof start from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import templates
from generator.choices import CHOICE_MARK, as_choice
from generator.draw import Draw, draw_key
from generator.faults import BadFamily, UnknownName
from generator.raw import KEY, LEGAL, Values
from generator.variant import Variant
from grader.answers import Answer, Decimal, ExprAnswer, Shape, ShapeSym
from grader.part import Part, Slip
from grader.reading.outcomes import Context

if TYPE_CHECKING:
    from generator.family import Ask, Family, Rule

REDRAWS = 200
LESSON_SIZES = {"B": 8, "T": 20, "D": 48, "V": 1000}

Reveals = Callable[[str, str], bool]


@dataclass(frozen=True, eq=False, repr=False)
class Draft:
    """A drawn question: numbers chosen, wrong rules judged; nothing rendered or proven yet.

    `tries` says how many draws it took: those before it broke a rule of the family or of R2.
    """

    family: Family
    level: int
    seed: str
    given: Mapping[str, Any]
    sizes: Mapping[str, Any]
    served: tuple[tuple[Ask, tuple[Rule, ...]], ...]
    sealed: bool = False
    chosen: tuple[str, ...] = ()
    tries: int = 1

    @property
    def parts(self) -> tuple[str, ...]:
        """The ids of the asked parts."""
        return tuple(ask.id for ask, _rules in self.served)

    def front(self) -> dict[str, str]:
        """Render what a quick look shows: title, stem and asks."""
        values = {**self.given, "level": self.level, "parts": self.parts}
        return {name: render(values) for name, render in _front(self.family.template, self.parts)}

    def key(self, ask: Ask) -> Answer:
        """Return the key of a part as an answer in numbers."""
        return _resolve(ask, ask.key, self.given, self.sizes)

    @cached_property
    def answers(self) -> tuple[tuple[Answer, tuple[Answer, ...]], ...]:
        """For each asked part its key in numbers, and what each of its wrong rules gives."""
        return tuple(
            (self.key(ask), tuple(_resolve(rule, rule.value, self.given, self.sizes) for rule in rules))
            for ask, rules in self.served
        )

    def variant(self, words: Mapping[str, str] | None = None, reveals: Reveals | None = None) -> Variant:
        """Return the variant without a certificate, with the given words (default: the front).

        `reveals` tells of a (part, slip) whether its witness would show the key; where nobody can, it is held back.
        """
        return Variant(
            family=self.family.id,
            version=self.family.version,
            level=self.level,
            seed=None if self.sealed else self.seed,
            given=self.given,
            parts=self._parts(reveals),
            words=words if words is not None else self.front(),
            iso=(*self.family.iso(self.given), self.parts),
            chosen=self.chosen,
        )

    def _parts(self, reveals: Reveals | None) -> tuple[Part, ...]:
        letters = self.family.letters_shown(self.given)
        return tuple(
            self._asked(
                self._part(ask, rules, answers, _context(ask, answers[0], letters, self.given), reveals),
            )
            for (ask, rules), answers in zip(self.served, self.answers, strict=True)
        )

    def _asked(self, part: Part) -> Part:
        """Return a part as the plan wants it asked: openly, or as a choice."""
        if CHOICE_MARK + part.id not in self.chosen:
            return part
        seed = f"{self.seed}|options|{part.id}"
        return as_choice(part, Draw(draw_key(self.family.id, self.level, self.family.version, seed)))

    def spelled(self, line: str) -> str:
        """Return a line of the family as it is run for this question."""
        return self.family.spell(line, self.given) if self.family.spell else line

    def _part(
        self,
        ask: Ask,
        rules: tuple[Rule, ...],
        answers: tuple[Answer, tuple[Answer, ...]],
        context: Context,
        reveals: Reveals | None,
    ) -> Part:
        key, wrong = answers
        follows = ask.follows if ask.carry and set(ask.follows) <= set(self.parts) else ()
        part = Part(
            id=ask.id,
            answer=key,
            slips=tuple(
                Slip(
                    id=rule.id,
                    answer=answer,
                    witness=rule.witness and self.spelled(rule.witness),
                    reason=rule.reason,
                    reveals=reveals is None or reveals(ask.id, rule.id),
                )
                for rule, answer in zip(rules, wrong, strict=True)
            ),
            context=context,
            follows=follows,
            carry=ask.carry(self.given) if ask.carry and follows else None,
            together=ask.together if set(ask.together) <= set(self.parts) else (),
        )
        labels = self.family.labels(ask.id, part.options, self.given) if part.options else ()
        return replace(part, labels=labels) if labels else part


@lru_cache(maxsize=256)
def _front(template: str, parts: tuple[str, ...]) -> tuple[tuple[str, Callable[[Mapping[str, Any]], str]], ...]:
    names = ("title", "stem", *(f"ask_{part}" for part in parts))
    return tuple((name, templates.renderer(template, name)) for name in names)


def _resolve(of: Ask | Rule, formula: Any, given: Mapping[str, Any], sizes: Mapping[str, Any]) -> Answer:
    if type(formula) is Shape:  # most are; the compiled formula puts the sizes in at half the cost
        return Shape(*of.raw(given, sizes))
    answer = formula.at(sizes) if isinstance(formula, Answer) else formula(given)
    assert isinstance(answer, Answer)
    return answer


def _context(ask: Ask, answer: Answer, letters: tuple[str, ...], given: Mapping[str, Any]) -> Context:
    """Return what reading may use: never anything that depends on the key's value."""
    in_letters = isinstance(answer, ShapeSym | ExprAnswer)
    return Context(
        letters=letters if in_letters else (),
        unit=ask.unit,
        places=answer.places if isinstance(answer, Decimal) else None,
        allow=frozenset(ask.allow),
        **(ask.context(given) if ask.context else {}),
    )


def _serve(family: Family, ask: Ask, given: Any, sizes: Any, *, strict: bool) -> tuple[Rule, ...] | None:
    """Return the wrong rules that tell something about this draw (rule R2); None: draw again.

    Not strict (a caller's own `given`): a rule that equals the key, or an earlier rule, is dropped instead.
    """
    values = Values(ask.raw(given, sizes))
    legal = LEGAL.get(ask.kind(given))
    served: list[Rule] = []
    listed = 0
    for rule in ask.rules:
        if not rule.applies(given, sizes):
            continue
        value = rule.raw(given, sizes)
        if value is None:
            continue
        listed += 1
        if legal is not None and not legal(value):
            continue
        twin = values.find(value)
        if twin is None:
            served.append(rule)
            values.add(value)
        elif strict and (twin == KEY or _say_unlike(family, ask, served[twin], rule)):
            return None
    if strict and listed >= 2 and len(served) < 2:
        return None
    return tuple(served)


def _say_unlike(family: Family, ask: Ask, one: Rule, other: Rule) -> bool:
    return family.feedback[ask.id, one.id] != family.feedback[ask.id, other.id]


def draft(family: Family, level: int, seed: str, *, parts: Sequence[str] | None = None, sealed: bool = False) -> Draft:
    """Draw one question: a function of (family, level, version, seed, parts) alone.

    `parts` replaces the parts the level would ask; `~sel` asks the part sel as a choice. Raises UnknownName for a level
    or part that does not exist and BadFamily when 200 redraws bring no question whose wrong rules all differ.
    """
    asks = _asks(family, level, parts)
    for tries, given, asked in _numbers(family, level, seed):
        mine = asks or tuple(family.by_id[part] for part in asked)
        judged = _judged(family, level, given, mine, asked)
        if judged is not None:
            sizes, served = judged
            return Draft(family, level, seed, given, sizes, served, sealed, tuple(parts or ()), tries)
    raise BadFamily(
        f"{family.id} level {level}: {REDRAWS} redraws brought no question whose wrong answers all differ from the key "
        "and from each other",
        file=family.template,
        help="widen the ranges of the level, or leave out the rule that is right by construction",
    )


def draft_like(
    family: Family,
    level: int,
    seed: str,
    key: tuple[Any, ...],
    *,
    parts: Sequence[str] | None = None,
    sealed: bool = False,
) -> Draft | None:
    """Draw a question that is as difficult as `key` says, what `iso_key` gives; None when this seed gives none.

    None, too, where the first numbers are not those of `draft`: wrong rules, which cost most, are judged only where
    the numbers fit. Raises UnknownName as `draft` does.
    """
    asks = _asks(family, level, parts)
    for tries, given, asked in _numbers(family, level, seed):
        mine = asks or tuple(family.by_id[part] for part in asked)
        if (*family.iso(given), tuple(ask.id for ask in mine)) != key:
            return None
        judged = _judged(family, level, given, mine, asked)
        if judged is None:
            return None
        sizes, served = judged
        return Draft(family, level, seed, given, sizes, served, sealed, tuple(parts or ()), tries)
    return None


def iso_key(family: Family, level: int, seed: str, parts: Sequence[str] | None = None) -> tuple[Any, ...] | None:
    """Return what the first numbers of a seed must share with others to be equally difficult; None without numbers."""
    asks = _asks(family, level, parts)
    for _tries, given, asked in _numbers(family, level, seed):
        return (*family.iso(given), tuple(ask.id for ask in asks) if asks else tuple(asked))
    return None


def _asks(family: Family, level: int, parts: Sequence[str] | None) -> tuple[Ask, ...]:
    family.level(level)
    return tuple(family.ask(part.removeprefix(CHOICE_MARK)) for part in parts or ())


def _numbers(family: Family, level: int, seed: str) -> Iterator[tuple[int, dict[str, Any], tuple[str, ...]]]:
    """Yield what a seed draws: how often was drawn, the numbers, and the parts that the level asks of them."""
    draw = Draw(draw_key(family.id, level, family.version, seed))
    for tries in range(1, REDRAWS + 2):
        draw.given = {}
        asked = family.draw(draw, level)
        if asked is not None and not all(draw.given.get(name) == value for name, value in LESSON_SIZES.items()):
            yield tries, draw.given, asked


def _judged(
    family: Family, level: int, given: Mapping[str, Any], asks: tuple[Ask, ...], asked: tuple[str, ...]
) -> tuple[Mapping[str, Any], tuple[tuple[Ask, tuple[Rule, ...]], ...]] | None:
    """Return the sizes, and the parts with the wrong rules that tell something; None: draw again."""
    sizes = family.sizes(given)
    served = []
    for ask in asks:
        if not ask.answerable(given, sizes):
            raise UnknownName(f"part of {family.id} at level {level}", ask.id, asked)
    for ask in asks:
        rules = _serve(family, ask, given, sizes, strict=True)
        if rules is None:
            return None
        served.append((ask, rules))
    return sizes, tuple(served)


def from_given(family: Family, given: Mapping[str, Any], *, level: int | None = None) -> Draft:
    """Return a question on a caller's own numbers: no drawing, only rule R4 applies, every answerable part is asked.

    Raises ValueError with a sentence when the numbers describe no model that can be built, or suffice for no part.
    """
    unknown = [name for name in given if name not in family.given_names]
    known_letters = [name for name in unknown if len(name) == 1 and name.isupper() and type(given[name]) is int]
    if len(unknown) > len(known_letters):
        names = ", ".join(family.given_names)
        wrong = next(name for name in unknown if name not in known_letters)
        raise ValueError(f'{family.id} knows no "{wrong}" in given; it takes {names}.')
    family.check_given(given)
    sizes = family.sizes(given)
    served = []
    for ask in family.asks:
        if ask.answerable(given, sizes):
            rules = _serve(family, ask, given, sizes, strict=False)
            served.append((ask, rules or ()))
    if not served:
        raise ValueError(f"{family.id}: these names suffice for no part; it takes {', '.join(family.given_names)}.")
    chosen = level if level is not None and level in family.levels else max(family.levels)
    return Draft(family, chosen, "given", dict(given), sizes, tuple(served), sealed=True)
