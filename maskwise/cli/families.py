"""`maskwise families`: what can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from maskwise.cli.options import Command, GlobalOptions, asked
from maskwise.cli.talk import bold, data, emit

if TYPE_CHECKING:
    from generator.family import Family


class _Group(GlobalOptions, click.Group):
    """A group with the global options."""


@click.group(cls=_Group, epilog="Example: maskwise families show SH-TRYIT", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Show what can be asked, with parts, levels and slips.

    Without a further word it lists.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_families)


@command.command("list", cls=Command, example="maskwise families list\nmaskwise families list --json")
def list_families() -> None:
    """List every question family with its levels and parts."""
    from question_bank.catalogue import families

    found = families().values()
    if asked().json:
        emit([summary(family) for family in found])
        return
    width = max(len(family.title) for family in found)
    for family in found:
        levels = ",".join(str(level) for level in family.levels)
        parts = " ".join(ask.id for ask in family.asks)
        data(f"{family.id:<10}  {family.title:<{width}}  levels {levels}  {parts}")


@command.command(cls=Command, example="maskwise families show SH-TRYIT\nmaskwise families show ls-mean --json")
@click.argument("family_id", metavar="ID")
def show(family_id: str) -> None:
    """Show one family: its levels, its parts, and the slips that each part tells apart."""
    from question_bank.catalogue import family as find

    family = find(family_id)
    if asked().json:
        emit(detail(family))
        return
    data(f"{bold(family.id)}  {family.title}")
    data(f"topic    {family.topic}{' (core)' if family.core else ''}, version {family.version}")
    for level, words in family.levels.items():
        data(f"level {level}  {words}")
    data(f"given    {' '.join(family.given_names)}")
    for part in detail(family)["parts"]:
        data()
        data(f"{bold(part['id'])}  {part['kind']}, proven by `{part['line']}`")
        for slip in part["slips"]:
            witness = f"`{slip['witness']}`" if slip["witness"] else f"no line of PyTorch: {slip['reason']}"
            data(f"  {slip['id']:<24} {witness}")


def summary(family: Family) -> dict[str, Any]:
    """Give what `families list --json` says of a family."""
    from grader.answers import Answer

    return {
        "id": family.id,
        "slug": family.slug,
        "title": family.title,
        "topic": family.topic,
        "core": family.core,
        "levels": list(family.levels),
        "parts": [
            {
                "id": ask.id,
                "kind": ask.key.kind if isinstance(ask.key, Answer) else _kind(family, ask.id),
                "slips": [rule.id for rule in ask.rules],
            }
            for ask in family.asks
        ],
    }


def detail(family: Family) -> dict[str, Any]:
    """Give what `families show --json` says: the summary, with words for the levels and a witness for each slip."""
    out = summary(family)
    out["version"] = family.version
    out["given"] = list(family.given_names)
    out["levels"] = [{"level": level, "words": words} for level, words in family.levels.items()]
    for part, ask in zip(out["parts"], family.asks, strict=True):
        part["line"] = ask.line
        part["slips"] = [{"id": rule.id, "witness": rule.witness, "reason": rule.reason} for rule in ask.rules]
    return out


def _kind(family: Family, part: str) -> str:
    """Look at one draw: a key that is computed from lists shows its kind only there."""
    from generator.drafting import draft

    for level in family.levels:
        for ask, _rules in draft(family, level, "0").served:
            if ask.id == part:
                return str(draft(family, level, "0").key(ask).kind)
    return str(draft(family, max(family.levels), "0", parts=[part]).key(family.ask(part)).kind)
