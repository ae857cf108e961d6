"""What a question family is: ranges, parts, wrong rules and the line of PyTorch that proves each.

A family says everything once. Its keys and wrong rules are formulas in the letters wherever that is possible, so one
definition serves questions in numbers, questions in letters, the worked solution and every export.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import templates
from generator.faults import BadFamily, UnknownName
from generator.raw import RawFormula, compile_formula, letters_of
from grader.answers import Answer, Shape, ShapeSym

if TYPE_CHECKING:
    from fractions import Fraction

    from generator.draw import Draw

Given = Mapping[str, Any]
Sizes = Mapping[str, "int | Fraction"]
Formula = "Answer | Callable[[Given], Answer | None]"


@dataclass(frozen=True, eq=False, repr=False)
class Rule:
    """One wrong rule of a part: what it gives, and the line of PyTorch that really gives it.

    `value` is a formula in the letters, or a function of `given` (None: not defined for this draw). A rule without a
    `witness` says why (`reason`) and carries a worked `example` (given, displayed value), so that a slip of the pen in
    its formula is still caught. `needs` are names the question itself must show for the rule to make sense; `when`
    leaves the rule out where it is right by construction.

    `once`: the witness costs a second whole forward pass, and the trace proves its shape for every B, T and M. So it is
    run on the family's trial questions and traced once a family version, not run again with every variant.
    """

    id: str
    value: Answer | Callable[[Given], Answer | None]
    witness: str | None
    reason: str = ""
    example: tuple[Given, str] | None = None
    needs: tuple[str, ...] = ()
    when: Callable[[Given], bool] | None = None
    once: bool = False

    @cached_property
    def raw(self) -> RawFormula:
        """The value as a quick function of (given, sizes)."""
        return compile_formula(self.value)

    @cached_property
    def letters(self) -> frozenset[str]:
        """The letters that must have a size before the formula means anything."""
        return letters_of(self.value)

    def applies(self, given: Given, sizes: Sizes) -> bool:
        """Whether this rule makes sense for the question at hand."""
        if self.when is not None and not self.when(given):
            return False
        return self.letters <= sizes.keys() and (not self.needs or all(name in given for name in self.needs))


@dataclass(frozen=True, eq=False, repr=False)
class Ask:
    """One part that can be asked: its key, what PyTorch is asked to confirm it, and its wrong rules in matching order.

    `line` gives the key when it is run; None where no run can show it, and then `reason` says what the key rests on.
    `also` are further lines that must give the same value, `holds` lines that must give True: other ways of looking.
    `needs` names what a run needs besides the letters of the key (a mean loss has no axis, but needs masked positions).
    `follows` and `carry` give method credit: `carry` is the key with letters named after earlier parts. `context` says
    what reading may use of the question: `mask_id`, `ignore`, `rows`, `options`. `together` are the reason parts with
    which this part, having two options, scores. `guessable` says why a blind guesser may score more than a quarter.
    """

    id: str
    key: Answer | Callable[[Given], Answer]
    line: str | None
    rules: tuple[Rule, ...] = ()
    follows: tuple[str, ...] = ()
    carry: Callable[[Given], Answer] | None = None
    unit: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    prints: str | None = None
    needs: tuple[str, ...] = ()
    traced: bool = False
    also: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    reason: str = ""
    context: Callable[[Given], Mapping[str, Any]] | None = None
    together: tuple[str, ...] = ()
    guessable: str = ""

    @cached_property
    def raw(self) -> RawFormula:
        """The key as a quick function of (given, sizes)."""
        return compile_formula(self.key)

    @cached_property
    def letters(self) -> frozenset[str]:
        """The letters the key needs."""
        return letters_of(self.key)

    def kind(self, given: Given) -> str:
        """Return the answer kind of the key."""
        return self._fixed_kind or self.key(given).kind  # type: ignore[operator]

    @cached_property
    def _fixed_kind(self) -> str:
        return self.key.kind if isinstance(self.key, Answer) else ""

    def answerable(self, given: Given, sizes: Sizes) -> bool:
        """Whether the names given suffice to grade this part."""
        return self.letters <= sizes.keys() and all(name in given or name in sizes for name in self.needs)


def sizes_of(given: Given) -> dict[str, int | Fraction]:
    """Return the letters that have a value: those given, and M where the masked counts per row are given."""
    sizes: dict[str, int | Fraction] = {
        name: value for name, value in given.items() if len(name) == 1 and name.isupper() and type(value) is int
    }
    if "M" not in sizes and "k" in given:
        sizes["M"] = sum(given["k"])
    return sizes


def no_given_check(given: Given) -> None:
    """Accept any given; families replace it with their rule R4."""


def itself(given: Given) -> list[dict[str, Any]]:
    """Run once, with exactly what the question shows."""
    return [dict(given)]


@dataclass(frozen=True, eq=False, repr=False)
class Family:
    """A question family: `draw` fills `given` and returns the asked parts, or None to draw again.

    `runs` turns `given` into the sizes the model is run with (families in letters run twice); `check_given` raises
    ValueError with a sentence when a caller's `given` describes no model that can be built (rule R4); `iso` is what two
    variants of one level must share to be equally difficult. `spell` rewrites a line of PyTorch for values that a
    caller gave and no level draws, such as another ignore value.
    """

    id: str
    slug: str
    title: str
    topic: str
    core: bool
    version: int
    world: str
    levels: Mapping[int, str]
    draw: Callable[[Draw, int], tuple[str, ...] | None]
    asks: tuple[Ask, ...]
    given_names: tuple[str, ...]
    sizes: Callable[[Given], dict[str, int | Fraction]] = sizes_of
    check_given: Callable[[Given], None] = no_given_check
    runs: Callable[[Given], list[dict[str, Any]]] = itself
    iso: Callable[[Given], tuple[Any, ...]] = field(default=lambda given: (len(given),))
    letters_shown: Callable[[Given], tuple[str, ...]] = field(default=lambda given: tuple(sizes_of(given)))
    trace_sizes: tuple[Mapping[str, int], ...] = ()
    spell: Callable[[str, Given], str] | None = None

    def __post_init__(self) -> None:
        ids = [ask.id for ask in self.asks]
        if len(set(ids)) != len(ids):
            raise BadFamily(f"{self.id}: a part id is used twice", file=self.template)
        for ask in self.asks:
            if ask.line is None and not ask.reason:
                raise BadFamily(f"{self.id} {ask.id}: a key that no run can show needs a reason", file=self.template)
            slips = [rule.id for rule in ask.rules]
            if len(set(slips)) != len(slips):
                raise BadFamily(f"{self.id} {ask.id}: a slip id is used twice", file=self.template)
            for rule in ask.rules:
                if rule.witness is None and not (rule.reason and rule.example):
                    raise BadFamily(
                        f"{self.id} {ask.id}.{rule.id}: a slip without a witness needs a reason and an example",
                        file=self.template,
                    )
                if rule.once and not (rule.witness and isinstance(rule.value, Shape | ShapeSym) and self.trace_sizes):
                    raise BadFamily(
                        f"{self.id} {ask.id}.{rule.id}: a slip that is proven once needs a witness, a shape in the "
                        "letters and sizes to trace it at",
                        file=self.template,
                    )

    @property
    def template(self) -> str:
        """The template that holds this family's words."""
        return f"questions/{self.slug}.j2.md"

    @cached_property
    def by_id(self) -> dict[str, Ask]:
        """The parts by their ids."""
        return {ask.id: ask for ask in self.asks}

    def ask(self, part: str) -> Ask:
        """Return one part, or raise UnknownName."""
        if part not in self.by_id:
            raise UnknownName(f"part of {self.id}", part, self.by_id)
        return self.by_id[part]

    def level(self, level: int) -> int:
        """Return the level if the family has it, or raise UnknownName."""
        if level not in self.levels:
            raise UnknownName(f"level of {self.id}", str(level), [str(known) for known in self.levels])
        return level

    def labels(self, part: str, options: Sequence[str], given: Given) -> tuple[str, ...]:
        """Return the words of each option of a part: `option_<word>` of the template, or `pick_<part>` for positions.

        Empty where the template has none: then the options are their own words.
        """
        known = templates.blocks(self.template)
        if (block := f"pick_{part}") in known:
            return tuple(
                templates.render(self.template, block, **given, item=int(option)).strip() for option in options
            )
        if all(f"option_{option}" in known for option in options):
            return tuple(templates.render(self.template, f"option_{option}", **given).strip() for option in options)
        return ()

    def slip_block(self, part: str, slip: str) -> str:
        """Return the name of the block that holds the words of a slip: its own, or the one all parts share."""
        own = f"slip_{part}_{slip}"
        return own if own in templates.blocks(self.template) else f"slip_{slip}"

    @cached_property
    def feedback(self) -> dict[tuple[str, str], str]:
        """The words of each slip (part, slip): they hold no values, so that no key can stand in them."""
        return {
            (ask.id, rule.id): templates.render(self.template, self.slip_block(ask.id, rule.id)).strip()
            for ask in self.asks
            for rule in ask.rules
        }
