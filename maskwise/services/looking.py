"""Looking at a question before it is used: one variant as JSON, plain text or HTML, with or without its key.

A quick look is not confirmed by PyTorch and says so; it never becomes paper, an LMS file or a grade.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

from generator.build import certify
from generator.drafting import draft
from generator.variant import OpenCode, part_letters
from grader.answers import ChoiceAnswer
from maskwise.errors import BadFile, NotFound, Refused, UsageFault
from question_bank.catalogue import family as find_family

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from generator.build import Prover
    from generator.drafting import Draft
    from generator.variant import Variant
    from grader.part import Part

SEED = re.compile(r"[A-Za-z0-9_/.:-]{1,100}")
PAPER = re.compile(r"(?P<slug>[a-z0-9-]+)\.(?P<seed>.+)\.(?P<number>[1-9]\d{0,5})", re.ASCII)
NOT_CONFIRMED = "not confirmed"


def checked_seed(seed: str) -> str:
    """Give a seed that can stand in a printed code; UsageFault for another one."""
    if not SEED.fullmatch(seed):
        raise UsageFault("a seed is up to 100 letters, digits and - _ / . :", help="a whole number does: --seed 12")
    return seed


def seeds(first: str, count: int) -> Iterator[str]:
    """Give `count` seeds: whole numbers go up by one, other texts get a number behind."""
    if count < 1:
        raise UsageFault("-n is a whole number of 1 or more")
    if first.isascii() and first.isdecimal():
        yield from (str(int(first) + step) for step in range(count))
    else:
        yield from (first if step == 0 else f"{first}/{step + 1}" for step in range(count))


def look(family_id: str, level: int, wanted: Sequence[str], prover: Prover | None) -> list[Variant]:
    """Make open variants of one family and level; without a prover they are not confirmed."""
    family = find_family(family_id)
    return made([draft(family, level, seed) for seed in wanted], prover)


def made(drafts: Sequence[Draft], prover: Prover | None) -> list[Variant]:
    """Prove drafts in one round, or take them unproven."""
    return certify(drafts, prover) if prover is not None else [each.variant() for each in drafts]


def behind_code(code: str, plan: str | None = None) -> list[Draft] | None:
    """Draw the question of an open code, plain or short, again, or those of an open paper; None for a look-up id.

    `plan` is the plan of an open paper's code (a file or a name), when it is no ready-made one. Refused for a plain
    code of another version; NotFound for a short one that was made by another content of its family, or by a family
    that is not installed; UsageFault for a short one with a wrong digit.
    """
    said = OpenCode.parse(code)
    if said is None:
        return _open_paper(code, plan) or _behind_short(code)
    family = find_family(said.family)
    if said.version != family.version:
        raise Refused(
            f"this code was made by version {said.version} of {family.id}; this program holds version {family.version}",
            help="its numbers would differ: install the version of Maskwise that printed the code",
        )
    return [draft(family, said.level, checked_seed(said.seed), parts=said.parts)]


def _behind_short(code: str) -> list[Draft] | None:
    from generator.short_codes import BadCode, OtherContent, UnknownFamily, could_be_short, read_short  # noqa: PLC0415
    from question_bank.catalogue import families  # noqa: PLC0415 - plain codes name their family

    if not could_be_short(code):
        return None
    try:
        said = read_short(code, families().values())
    except OtherContent as problem:
        raise NotFound(
            str(problem), help="its question would differ: install the version of Maskwise that printed the code"
        ) from None
    except UnknownFamily as problem:
        raise NotFound(str(problem), help="install the version of Maskwise that printed the code") from None
    except BadCode as problem:
        raise UsageFault(str(problem), help="read it once more; O and 0, I, L and 1 may be mixed") from None
    return [draft(said.family, said.level, checked_seed(said.seed), parts=said.parts)]


def _open_paper(code: str, plan: str | None) -> list[Draft] | None:
    from generator.quiz import open_paper  # noqa: PLC0415 - codes of single questions do without
    from question_bank.catalogue import families, quiz_plan, quizzes  # noqa: PLC0415

    found = PAPER.fullmatch(code.strip())
    if found is None or (plan is None and found["slug"] not in quizzes()):
        return None
    chosen = quiz_plan(plan or found["slug"])
    if chosen.slug != found["slug"]:
        raise NotFound(f'the plan {plan} makes "{chosen.slug}", and the code is of "{found["slug"]}"')
    return open_paper(chosen, families(), checked_seed(found["seed"]), int(found["number"]))


def behind_id(manifest: Mapping[str, Any], code: str, name: str) -> list[tuple[str, Draft]]:
    """Draw the questions behind a look-up id again, each with its number and id: one, or those of a whole paper.

    NotFound for an unknown id.
    """
    from generator.quiz import find_in_manifest  # noqa: PLC0415 - codes of practice sheets do without

    try:
        drafts = [
            (f"{item['number']}. {item['code']}", _of_manifest(item, name)) for item in find_in_manifest(manifest, code)
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise BadFile(f"{name} is no manifest of papers ({error})", help="it stands beside the key") from None
    if not drafts:
        raise NotFound(f'{name} knows no look-up id "{code}"', help="is it the manifest of this set of papers?")
    return drafts


def _of_manifest(item: Mapping[str, Any], name: str) -> Draft:
    family = find_family(item["family"])
    if item["version"] != family.version:
        raise Refused(
            f"{name} was made by version {item['version']} of {family.id}; this program holds version {family.version}",
            help="install the version of Maskwise that made it",
        )
    # Where the plan chose no parts, the level's own are drawn again. Earlier manifests did not tell the two apart.
    chosen = item.get("chosen", item["parts"])
    return draft(family, item["level"], item["seed"], parts=chosen or None, sealed=True)


def owner_of(manifest: Mapping[str, Any], code: str) -> str:
    """Say whose paper a look-up id belongs to, such as `Ada Byron (s-17)`; "" for numbered papers."""
    from generator.quiz import paper_in_manifest  # noqa: PLC0415 - as above

    person = (paper_in_manifest(manifest, code) or {}).get("person")
    if not isinstance(person, dict):
        return ""
    name, known = str(person.get("name", "")), str(person.get("id", ""))
    return f"{name} ({known})" if name else known


def short_of(variant: Variant) -> str:
    """Give the short form of an open variant's code; "" for a sealed one, and where there is none."""
    from generator.short_codes import short_code  # noqa: PLC0415 - sealed variants have none

    if variant.seed is None:
        return ""
    return short_code(find_family(variant.family), variant.level, variant.seed, variant.chosen)


def without_key(variant: Variant) -> dict[str, Any]:
    """Give a variant as JSON without key, slips, solution and proof."""
    body = variant.body()
    return {
        **{name: body[name] for name in ("family", "version", "level", "seed", "given", "language")},
        "code": variant.open_code,
        "short": short_of(variant) or None,
        "confirmed": variant.certificate is not None,
        "parts": [
            {
                "id": part.id,
                "kind": part.answer.kind,
                "points": part.points,
                "context": part.context.to_json(),
                "follows": list(part.follows),
                "options": list(part.options),
                "labels": list(part.labels),
            }
            for part in variant.parts
        ],
        "words": {
            name: words
            for name, words in variant.words.items()
            if name in ("title", "stem") or name.startswith(("ask_", "hint_"))
        },
    }


def with_key(variant: Variant) -> dict[str, Any]:
    """Give a variant as JSON with everything: keys as displayed, slips in matching order, solution, certificate."""
    out = without_key(variant)
    for shown, part in zip(out["parts"], variant.parts, strict=True):
        shown["key"] = part.answer.display()
        shown["slips"] = [
            {"id": slip.id, "value": slip.answer.display(), "witness": slip.witness, "reason": slip.reason}
            for slip in part.slips
        ]
    out["words"] = dict(variant.words)
    out["certificate"] = variant.certificate.to_json() if variant.certificate else None
    return out


def as_text(variant: Variant, *, key: bool, head: str = "") -> str:
    """Give a question as plain text, with a line before it; with its key, slips and solution for staff."""
    from templates.markup import to_text  # noqa: PLC0415 - JSON needs no Markdown

    words = variant.words
    mark = "" if variant.certificate else f"  [{NOT_CONFIRMED}]"
    code = f"  {_codes(variant)}" if variant.open_code else f"  {variant.family} level {variant.level}"
    lines = [head] if head else []
    lines += [f"{to_text(words['title']).strip()}{code}{mark}", "", to_text(words["stem"]).strip(), ""]
    letters = part_letters(variant.parts)
    for part in variant.parts:
        lines.append(f"({letters[part.id]}) {to_text(words[f'ask_{part.id}']).strip()}")
        lines += [
            f"      {option}" + (f"  {to_text(label).strip()}" if label else "") for option, label in _options(part)
        ]
        if key:
            lines.append(f"    {part.id} = {part.answer.display()}{_proof(variant, part.id)}")
            for slip in part.slips:
                witness = f"  `{slip.witness}`" if slip.witness else ""
                lines.append(f"      {slip.id}: {slip.answer.display()}{witness}")
            solution = words.get(f"solution_{part.id}")
            if solution:
                lines.extend(f"    {line}" for line in to_text(solution).strip().splitlines())
    return "\n".join(lines) + "\n"


def _options(part: Part) -> list[tuple[str, str]]:
    """Pair each option of a part with its words; "" where the option is its own word, as a value is."""
    valued = isinstance(part.answer, ChoiceAnswer) and part.answer.of is not None
    labels = part.labels if part.labels and not valued else ("",) * len(part.options)
    return list(zip(part.options, labels, strict=True))


def _codes(variant: Variant) -> str:
    """Give both forms of an open code, as far as there are two."""
    short = short_of(variant)
    return f"{variant.open_code}" + (f" = {short}" if short else "")


def _proof(variant: Variant, part: str) -> str:
    if variant.certificate is None:
        return ""
    route = variant.certificate.routes[part]
    if not route.line:  # a key that no run can show
        return f"    ({route.by}: {route.reason})"
    return f"    {route.line} prints {route.printed}  ({route.by})"


def as_html(variants: Sequence[Variant], *, key: bool) -> str:
    """Give questions as one plain HTML page that stands alone."""
    from templates.markup import to_html, to_html_line, to_text  # noqa: PLC0415

    body = []
    for variant in variants:
        words = variant.words
        mark = "" if variant.certificate else f" <em>({NOT_CONFIRMED})</em>"
        code = f"<p><code>{escape(_codes(variant))}</code></p>" if variant.open_code else ""
        body.append(f"<article>\n<h1>{to_html_line(words['title'])}{mark}</h1>\n{code}\n{to_html(words['stem'])}\n<ol>")
        for part in variant.parts:
            body.append(f"<li>{to_html(words[f'ask_{part.id}'])}")
            for option, label in _options(part):
                body.append(f"<p><code>{escape(option)}</code> {to_html_line(label) if label else ''}</p>")
            if key:
                solution = words.get(f"solution_{part.id}")
                body.append(f"<p><strong>{escape(part.answer.display())}</strong></p>")
                body.append(to_html(solution) if solution else "")
            body.append("</li>")
        body.append("</ol>\n</article>")
    title = escape(to_text(variants[0].words["title"]).strip())
    inside = "\n".join(line for line in body if line)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n</head>\n'
        f"<body>\n<main>\n{inside}\n</main>\n</body>\n</html>\n"
    )
