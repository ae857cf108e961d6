"""A variant: one question with its numbers, keys, wrong values, words and proof, frozen once made.

What was handed out never changes: a variant carries its words and its keys, so that a later edit of a family or of a
wording touches nothing that a student has seen. Its canonical JSON is the same on every machine.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.part import Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

FORMAT = 1
LANGUAGE = "en"
_SEPARATOR = "."
_OPEN_CODE = re.compile(
    r"(?P<family>[^.\s]+)\.L(?P<level>\d{1,3})(?::(?P<parts>~?[a-z][a-z0-9_]*(?:\+~?[a-z][a-z0-9_]*)*))?"
    r"\.v(?P<version>\d{1,6})\.(?P<seed>.+)",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)


def part_letter(at: int) -> str:
    """Return the letter of the part at a place, counted from 0: a, b, ... z, aa, ab."""
    head, rest = divmod(at, 26)
    return (part_letter(head - 1) if head else "") + chr(ord("a") + rest)


def part_letters(parts: Iterable[Part]) -> dict[str, str]:
    """Name parts a, b, c ... in the order they are asked: part id -> letter."""
    return {part.id: part_letter(at) for at, part in enumerate(parts)}


def part_points(parts: Sequence[Part], points: Fraction) -> dict[str, Fraction]:
    """Share the points of a question by the weights of its parts: part id -> points."""
    total = sum(part.points for part in parts)
    return {part.id: points * part.points / total for part in parts}


def canonical(data: Any) -> bytes:
    """Return the one JSON spelling of `data`: sorted names, no blanks, UTF-8, no NaN."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


class Route(NamedTuple):
    """How the key of one part was proven.

    `formula`, `run` and `trace` are the key as each route displays it (None: no such route, and `reason` says why);
    `line` is what PyTorch was asked and `printed` what it printed; `observed` is the run's value for the grader;
    `device` is cpu, or meta for sizes beyond real memory. `raw` is the run's float, outside the hash. `also` are
    further lines that gave the same, or that held.
    """

    formula: str
    run: str | None
    trace: str | None
    by: str
    line: str
    printed: str
    observed: Any
    reason: str = ""
    device: str = "cpu"
    raw: str | None = None
    also: tuple[str, ...] = ()

    def displayed(self) -> dict[str, Any]:
        """Return what the certificate's hash covers."""
        shown = {"formula": self.formula, "run": self.run, "trace": self.trace, "by": self.by, "line": self.line}
        return {**shown, "also": list(self.also)} if self.also else shown

    def to_json(self) -> dict[str, Any]:
        """Return the route as plain data."""
        return {
            **self.displayed(),
            "printed": self.printed,
            "observed": self.observed,
            "reason": self.reason,
            "device": self.device,
            "raw": self.raw,
        }


class Replay(NamedTuple):
    """What to run to see the keys again: the world, the sizes of each run, and the line of each part."""

    world: str
    runs: tuple[Mapping[str, Any], ...]
    lines: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {"world": self.world, "runs": [dict(run) for run in self.runs], "lines": dict(self.lines)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Replay:
        """Rebuild from `to_json`."""
        return cls(data["world"], tuple(data["runs"]), data["lines"])


class Certificate(NamedTuple):
    """The routes of every part, that they agree, and a SHA-256 over the variant and the routes as displayed."""

    routes: Mapping[str, Route]
    torch: str
    sha256: str
    replay: Replay

    def observed(self) -> dict[str, Any]:
        """Return per part what the run gave, as the grader compares it."""
        return {part: route.observed for part, route in self.routes.items()}

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as plain data."""
        routes = {part: route.to_json() for part, route in self.routes.items()}
        return {
            "agree": True,
            "routes": routes,
            "torch": self.torch,
            "sha256": self.sha256,
            "replay": self.replay.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Certificate:
        """Rebuild a certificate from `to_json`."""
        routes = {
            part: Route(**{**route, "also": tuple(route.get("also", ()))}) for part, route in data["routes"].items()
        }
        return cls(routes, data["torch"], data["sha256"], Replay.from_json(data["replay"]))


@dataclass(frozen=True, eq=False, repr=False)
class Variant:
    """One frozen question.

    `seed` is the printed seed of an open variant and None for a sealed one. `chosen` names the parts a plan asked for
    in place of the level's own (none: the level's). `words` are Markdown blocks with protected
    values: title, stem, ask_<part>, hint_<part>, slip_<part>_<slip>, solution_<part>. Without a certificate the variant
    is not confirmed: good for a quick look, never for paper, LMS or grading.
    """

    family: str
    version: int
    level: int
    seed: str | None
    given: Mapping[str, Any]
    parts: tuple[Part, ...]
    words: Mapping[str, str]
    language: str = LANGUAGE
    wording: int = 1
    certificate: Certificate | None = None
    iso: tuple[Any, ...] = field(default=())
    chosen: tuple[str, ...] = ()

    def part(self, part_id: str) -> Part:
        """Return one part by its id; KeyError when it is not asked here."""
        for part in self.parts:
            if part.id == part_id:
                return part
        raise KeyError(part_id)

    @property
    def open_code(self) -> str | None:
        """The replay code of an open variant: family, level, version and seed in plain text; None when sealed."""
        if self.seed is None:
            return None
        return OpenCode(self.family, self.level, self.version, self.seed, self.chosen).text()

    def body(self) -> dict[str, Any]:
        """Return everything but the certificate as plain data."""
        return {
            "format": FORMAT,
            "family": self.family,
            "version": self.version,
            "level": self.level,
            "seed": self.seed,
            "given": dict(self.given),
            "parts": [part.to_json() for part in self.parts],
            "words": dict(self.words),
            "language": self.language,
            "wording": self.wording,
            "iso": list(self.iso),
            "chosen": list(self.chosen),
        }

    def to_json(self) -> dict[str, Any]:
        """Return the whole variant as plain data."""
        return {**self.body(), "certificate": self.certificate.to_json() if self.certificate else None}

    def canonical(self) -> bytes:
        """Return the whole variant as canonical JSON."""
        return canonical(self.to_json())

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Variant:
        """Rebuild a variant from `to_json`; ValueError when it was written by a newer format."""
        if data.get("format") != FORMAT:
            raise ValueError(f"This variant has format {data.get('format')}; this program reads format {FORMAT}.")
        certificate = data["certificate"]
        return cls(
            family=data["family"],
            version=data["version"],
            level=data["level"],
            seed=data["seed"],
            given=data["given"],
            parts=tuple(Part.from_json(part) for part in data["parts"]),
            words=data["words"],
            language=data["language"],
            wording=data["wording"],
            certificate=Certificate.from_json(certificate) if certificate else None,
            iso=_tuples(data["iso"]),
            chosen=tuple(data.get("chosen", ())),
        )

    def certified(self, routes: Mapping[str, Route], torch: str, replay: Replay) -> Variant:
        """Return this variant with a certificate over its body and the routes as displayed."""
        shown = {part: route.displayed() for part, route in routes.items()}
        digest = hashlib.sha256(canonical({"variant": self.body(), "routes": shown})).hexdigest()
        return replace(self, certificate=Certificate(routes, torch, digest, replay))

    def intact(self) -> bool:
        """Whether the certificate's hash still covers this variant: False after any change, True when untouched."""
        if self.certificate is None:
            return False
        mine = self.certificate
        again = self.certified(mine.routes, mine.torch, mine.replay).certificate
        return again is not None and again.sha256 == mine.sha256


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


class OpenCode(NamedTuple):
    """What a replay code says: `SH-TRYIT.L1.v1.12`, or `LS-MEAN.L1:terms+~sum.v1.12` where a plan chose the parts.

    A part with `~` in front is asked as a choice.
    """

    family: str
    level: int
    version: int
    seed: str
    parts: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the code as it is printed."""
        chosen = ":" + "+".join(self.parts) if self.parts else ""
        return _SEPARATOR.join((self.family, f"L{self.level}{chosen}", f"v{self.version}", self.seed))

    @classmethod
    def parse(cls, text: str) -> OpenCode | None:
        """Return what a code says, in any case of its letters but the seed's; None when the text is no such code."""
        found = _OPEN_CODE.fullmatch(text.strip())
        if found is None:
            return None
        parts = tuple(found["parts"].lower().split("+")) if found["parts"] else ()
        if len({part.removeprefix("~") for part in parts}) < len(parts):  # a question asks each part once
            return None
        return cls(found["family"].upper(), int(found["level"]), int(found["version"]), found["seed"], parts)
