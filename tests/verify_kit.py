"""What the tests of the verifier share: small quizzes over all families, a forger, and the verifier as a program."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import importlib.util
import io
import json
import random
import re
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

from generator.faults import BadFamily, BadPlan
from generator.plan import EVERY_PART, PlanItem, QuizPlan, Source
from generator.quiz import Item, Paper, Quiz, assemble
from generator.variant import canonical
from maskwise.exporters.json import document
from question_bank.catalogue import families

VERIFIER = Path(__file__).parent.parent / "verify" / "verify.py"
LEVELS = [(each.id, level) for each in families().values() for level in each.levels]
_TOKEN = re.compile(r"⟦(\[.*?\])⟧")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:/\d+)?")
_PAYLOADS = ("axes", "value", "items", "rows", "words")


def quizzes(prover, count, seed):
    """Yield `count` small quizzes of one or two questions: every family and level in turn, four in ten as choices."""
    rng = random.Random(seed)
    for number in range(count):
        pair = [LEVELS[number % len(LEVELS)], *rng.sample(LEVELS, number % 2)]
        while True:
            sources = [Source(*level, choice=(EVERY_PART,) if rng.random() < 0.4 else ()) for level in pair]
            items = tuple(
                PlanItem(f"q{place}", (source,), points=rng.choice([None, Fraction(3, 2), Fraction(5)]))
                for place, source in enumerate(sources, 1)
            )
            try:
                plan = QuizPlan("Small", "small", items)
                yield assemble(plan, families(), f"{seed}-{number}", papers=2 if number % 5 == 0 else 1, prover=prover)
            except (BadFamily, BadPlan):  # too few values for a choice, or one question twice: drawn again
                continue
            break


def export_of(variants):
    """Return the export of one paper with these questions, one point a part."""
    items = tuple(
        Item(f"q{number}", number, variant, Fraction(len(variant.parts)), f"CODE-{number}", "seed")
        for number, variant in enumerate(variants, 1)
    )
    plan = QuizPlan("One", "one", ())
    return document(Quiz("One", "one", "", (Paper(1, "CODE", items),), plan, sealed=True, confirmed=True))


def written(data, path, indent=1):
    """Write an export as a file."""
    path.write_text(json.dumps(data, ensure_ascii=False, indent=indent), encoding="utf-8")
    return path


def run(paths):
    """Run the verifier as a program: its exit code and its lines, one a file."""
    command = [sys.executable, str(VERIFIER), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.stderr == "", done.stderr
    return done.returncode, done.stdout.splitlines()


@cache
def _loaded():
    spec = importlib.util.spec_from_file_location("verify_program", VERIFIER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def verify(paths):
    """Run the verifier within this process, which spares the two seconds that PyTorch takes to load."""
    program, printed = _loaded(), io.StringIO()
    threads = program.torch.get_num_threads()
    program.torch.set_num_threads(1)  # as the program does: small tensors only wait for each other
    try:
        with contextlib.redirect_stdout(printed):
            code = max(program.check(str(path)) for path in paths)
    finally:
        program.torch.set_num_threads(threads)
    return code, printed.getvalue().splitlines()


def rehashed(data):
    """Return an export with every hash in it made anew, as a forger would."""
    data = copy.deepcopy(data)
    for paper in data["papers"]:
        for item in paper["items"]:
            body = {name: value for name, value in item["variant"].items() if name != "certificate"}
            certificate = item["variant"]["certificate"]
            shown = ("formula", "run", "trace", "by", "line", "also")
            routes = {
                part: {name: route[name] for name in shown if name in route}
                for part, route in certificate["routes"].items()
            }
            certificate["sha256"] = hashlib.sha256(canonical({"variant": body, "routes": routes})).hexdigest()
    data.pop("sha256")
    return {**data, "sha256": hashlib.sha256(canonical(data)).hexdigest()}


class Place(NamedTuple):
    """Something in an export that a forger changes: its owner, the name or index in it, and where a reader finds it."""

    owner: object
    name: object
    what: str
    question: str
    part: object = None

    @property
    def value(self):
        return self.owner[self.name]


class Forgery(NamedTuple):
    """An export with one thing changed: what it was, in which question, and from what to what."""

    data: dict
    what: str
    question: str
    change: str


def leaves(data, what, question):
    """Yield every place of a number, text or truth value in some data."""
    for name, value in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(value, dict | list):
            yield from leaves(value, what, question)
        elif value is not None:
            yield Place(data, name, what, question)


def places(data):
    """Return what a forger may want to change, by kind."""
    found = {kind: [] for kind in ("number", "key", "option", "observation", "words", "slip", "points")}
    for paper in data["papers"]:
        for item in paper["items"]:
            variant, question = item["variant"], f"paper {paper['number']}, question {item['number']}"
            found["number"] += [
                each
                for each in leaves(variant["given"], "number", question)
                if _numeric(each.value) and (variant["family"], each.name) != ("VI-SEE", "n")  # see docs/verifying.md
            ]
            found["points"] += [Place(item, "points", "points", question)]
            found["words"] += [
                Place(variant["words"], name, "words", question)
                for name in ("stem", *(f"ask_{part['id']}" for part in variant["parts"]))
                if _printed(variant["words"][name])
            ]
            for part in variant["parts"]:
                answer, route = part["answer"], variant["certificate"]["routes"][part["id"]]
                plain = answer.get("of", answer)
                payload = next(name for name in _PAYLOADS if name in plain)
                found["key"] += [Place(plain, payload, "key", question)]
                if "of" in answer:
                    found["option"] += [Place(answer, name, "option", question) for name in ("word", "options")]
                found["slip"] += [Place(slip, "answer", "slip", question, part) for slip in part["slips"]]
                found["observation"] += [
                    Place(route, name, "observation", question)
                    for name in ("observed", "run", "printed")
                    if _NUMBER.search(_without_types(str(route[name])))
                ]
    return found


def forge(data, rng, kind=None):
    """Return the export with one thing changed at random; hashes stay as they were."""
    data = copy.deepcopy(data)
    if kind is None:
        place = rng.choice(list(leaves(data, "anything", "")))
        old, new = place.value, _other(place.value, rng)
    else:
        place = rng.choice(places(data)[kind])
        old, new = place.value, _FORGERS[kind](place, rng)
    assert new != old
    place.owner[place.name] = new
    return Forgery(data, place.what, place.question, f"{place.name}: {old} -> {new}"[:300])


def _numeric(value):
    return not isinstance(value, bool) and _NUMBER.fullmatch(str(value)) is not None


def _without_types(text):
    return re.sub(r"dtype=[\w.]+", "", text)


def _printed(words):
    return [token for token in _TOKEN.finditer(words) if _NUMBER.search(_shown(json.loads(token[1])))]


def _shown(token):
    """Return what a token shows of a question: for code only what stands in its own numbers."""
    return str(token[1]) if token[0] in ("num", "named", "strip", "table", "code") else ""


def _other(value, rng):
    """Return another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice([-10, -2, -1, 1, 2, 7, 100])
    if _NUMBER.search(value):
        return _renumbered(value, rng)
    place = rng.randrange(len(value) + 1)
    return value[:place] + rng.choice("abcxyz ") + value[place:]


def _renumbered(text, rng):
    """Return a text with one of its numbers changed to a number of another value."""
    found = rng.choice(list(_NUMBER.finditer(text)))
    while True:
        digits = list(found[0])
        at = rng.choice([place for place, sign in enumerate(digits) if sign.isdigit()])
        digits[at] = rng.choice("0123456789")
        new = "".join(digits)
        try:
            # The last digits of a float are noise, and differ from machine to machine.
            if abs(Fraction(new) - Fraction(found[0])) > Fraction(1, 10**11) and not re.match(r"-?0\d", new):
                return text[: found.start()] + new + text[found.end() :]
        except ZeroDivisionError:
            continue


def _number(place, rng):
    return _other(place.value, rng)


def _key(place, rng):
    """Return the stored key with one number, letter or word of it changed, added or taken away."""
    new = copy.deepcopy(place.value)
    if not isinstance(new, list):
        return _other(new, rng)
    if place.name == "words":
        return [*new[1:]] if rng.random() < 0.5 else [*new, *(set(place.owner["options"]) - set(new))][: len(new) + 1]
    if not new or rng.random() < 0.2:
        return [*new, 1] if rng.random() < 0.5 or not new else new[1:]
    if place.name == "axes":
        at = rng.randrange(len(new))
        if isinstance(new[at], str):
            return [*new[:at], rng.choice([letter for letter in "BTDVMCH" if letter != new[at]]), *new[at + 1 :]]
    return _changed_leaf(new, rng)


def _changed_leaf(data, rng):
    leaf = rng.choice([each for each in leaves(data, "", "") if _numeric(each.value)] or list(leaves(data, "", "")))
    leaf.owner[leaf.name] = _other(leaf.value, rng)
    return data


def _option(place, rng):
    """Mark another option; or change one of the options: to another value, or to the same as its neighbour."""
    options = place.owner["options"]
    if place.name == "word":
        return rng.choice([option for option in options if option != place.value])
    at = options.index(place.owner["word"]) if rng.random() < 0.5 else rng.randrange(len(options))
    new = options[at - 1]
    if at == options.index(place.owner["word"]) and rng.random() < 0.7 and _NUMBER.search(options[at]):
        new = _renumbered(options[at], rng)
    return [*options[:at], new, *options[at + 1 :]]


def _observation(place, rng):
    if isinstance(place.value, str):
        kept = _without_types(place.value)
        changed = _renumbered(kept, rng)
        return changed if kept == place.value else changed.rstrip(")") + place.value[len(kept.rstrip(") ")) :]
    if isinstance(place.value, int):
        return _other(place.value, rng)
    return _changed_leaf(copy.deepcopy(place.value), rng)


def _words(place, rng):
    """Return words with one printed number changed."""
    token = rng.choice(_printed(place.value))
    kind, said, *more = json.loads(token[1])
    if isinstance(said, list):
        said = copy.deepcopy(said)
        leaf = rng.choice([each for each in leaves(said, "", "") if _NUMBER.search(each.value)])
        leaf.owner[leaf.name] = _renumbered(leaf.value, rng)
    else:
        said = _renumbered(said, rng)
    changed = f"⟦{json.dumps([kind, said, *more], separators=(',', ':'))}⟧"
    return place.value[: token.start()] + changed + place.value[token.end() :]


def _slip(place, _rng):
    """Return the key as what a wrong rule gives."""
    return copy.deepcopy(place.part["answer"])


def _points(place, rng):
    return str(Fraction(place.value) + rng.choice([1, 2]))


_FORGERS = {
    "number": _number,
    "key": _key,
    "option": _option,
    "observation": _observation,
    "words": _words,
    "slip": _slip,
    "points": _points,
}
