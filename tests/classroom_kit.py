"""A course to test pages and services with: hand-made questions, a stand-in for PyTorch that repeats the key."""

from __future__ import annotations

import re
import secrets
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from html import unescape

import stores
from argon2 import PasswordHasher
from flask.testing import FlaskClient

from generator.variant import Certificate, Replay, Route, Variant
from grader.answers import ChoiceAnswer, Int, MultiAnswer, Rational, Seq, SetAnswer, Shape, ShapeSym, TensorAnswer
from grader.expr import Letter
from grader.grade import FORMULA_ONLY
from grader.letters import B, T, V
from grader.part import Part, Slip
from grader.read import Context
from maskwise.services import accounts
from maskwise.store import courses
from maskwise.web import Parts, create_app
from templates import tokens

NOW = datetime(2026, 11, 12, 13, 57, tzinfo=UTC)
SECRETS = ("SH-CANARY", "canaryhash", "sha256", "certificate", "level", "seed")
PASSWORD = "correct horse battery"

# Real hashes take 50 ms each, by design; tests make hundreds. test_web.py looks at the real setting.
REAL_HASHER = accounts._hasher
accounts._hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


class Clock:
    """Server time that a test moves."""

    def __init__(self, now=NOW):
        self.now = now

    def __call__(self):
        return self.now

    def forward(self, **how):
        self.now += timedelta(**how)


class Echo:
    """Stands in for PyTorch: what the certificate says, until it is switched off."""

    def __init__(self):
        self.on = True

    def observed(self, variant):
        return variant.certificate.observed() if self.on else None


def shapes(size=8):
    """A question of three parts: two shapes and a count."""
    given = {"B": size, "T": 20, "D": 48, "V": 1000, "M": 12}
    words = {
        "title": "From batch to loss",
        "stem": f'A batch has ⟦["named","{size}","B"]⟧ sequences of ⟦["named","20","T"]⟧ token ids. The model is '
        '⟦["named","48","D"]⟧ wide and knows ⟦["named","1000","V"]⟧ tokens. ⟦["num","12",""]⟧ positions are masked.\n\n'
        '⟦["strip",[["the","cat","[MASK]","home","and","the","dog","ran","[MASK]","it"]],"",0]⟧',
        "ask_logits": "Give the shape of the prediction scores.",
        "hint_logits": "Which axis does a Linear replace?",
        "slip_logits_width_kept": "The head is a Linear. Which axis does a Linear change?",
        "slip_logits_keyed": "Look at the mask again.",
        "solution_logits": 'The head replaces the last axis: ⟦["maths","B \\\\times T \\\\times V",0]⟧.',
        "ask_sel": "Give the shape of the scores of the masked positions.",
        "hint_sel": "What does each hit of the mask contribute?",
        "slip_sel_keeps_batch": "Does the mask keep the rows apart?",
        "solution_sel": "Each hit gives one row.",
        "ask_hits": "How many positions are masked?",
        "hint_hits": "Go row by row, then add.",
        "solution_hits": "They add up.",
    }
    parts = (
        Part(
            "logits",
            Shape(size, 20, 1000),
            (
                Slip("width_kept", Shape(size, 20, 48), "encoded"),
                Slip("keyed", Shape(1000, 20, size), "logits.permute(2, 1, 0)", reveals=True),
            ),
        ),
        Part("sel", Shape(12, 1000), (Slip("keeps_batch", Shape(size, 12, 1000), None, "none"),)),
        Part("hits", Int(12)),
    )
    lines = {
        "logits": ("logits.shape", f"torch.Size([{size}, 20, 1000])", [size, 20, 1000]),
        "sel": ("logits[mask].shape", "torch.Size([12, 1000])", [12, 1000]),
        "hits": ("mask.sum()", "tensor(12)", 12),
    }
    return _frozen(given, parts, words, lines)


def letters():
    """A question in letters, and a fraction that follows a count."""
    words = {
        "title": "Shapes in letters",
        "stem": 'A batch of ⟦["maths","B",0]⟧ sequences goes in.',
        "ask_flat": "Give the shape of the flat scores in letters.",
        "hint_flat": "What does -1 stand for?",
        "solution_flat": "Rows are positions.",
        "ask_total": "How many are masked in all?",
        "hint_total": "Add.",
        "solution_total": "Sum.",
        "ask_rate": "Which share is masked? Give an exact fraction.",
        "hint_rate": "Part over whole.",
        "solution_rate": "Divide.",
    }
    parts = (
        Part("flat", ShapeSym(B * T, V), (), Context(letters=("B", "T", "V"))),
        Part("total", Int(24)),
        Part("rate", Rational(Fraction(1, 7)), follows=("total",), carry=Rational(Letter("total") / 168)),
    )
    lines = {
        "flat": (
            "logits.flatten(0, 1).shape",
            "torch.Size([160, 1000])",
            {"sizes": {"B": 8, "T": 20, "V": 1000}, "shape": [160, 1000]},
        ),
        "total": ("mask.sum()", "tensor(24)", 24),
        "rate": ("mask.double().mean()", "tensor(0.1429, dtype=torch.float64)", "0.14285714285714285"),
    }
    return _frozen({}, parts, words, lines)


TOKENS = ("the", "cat", "[MASK]", "home", "and", "purred")
STATEMENTS = {
    "future_hidden": "The future is hidden.",
    "replaced": "The original id is replaced in the input.",
    "chosen_only": "The loss is taken only at `chosen` positions.",
    "both_sides": "Both sides are read.",
}


def lists(leaked=(2, 4)):
    """A question of lists: positions, ids, labels in rows, and two that are picked from options."""
    words = {
        "title": "Lists and options",
        "stem": f"A sequence goes in.\n\n{tokens.strip(TOKENS)}",
        "ask_leaked": "Which positions leak their answer?",
        "hint_leaked": "Two things make a leak.",
        "slip_leaked_one_based": "Where does counting begin?",
        "solution_leaked": "Compare input and label.",
        "ask_inputs": "Give the input ids.",
        "hint_inputs": "What stands at a hidden place?",
        "slip_inputs_unchanged": "Can the answer still be read there?",
        "solution_inputs": "The mask id goes in.",
        "ask_labels": "Give the labels of both rows.",
        "hint_labels": "Which labels should not count?",
        "solution_labels": "Originals where hidden.",
        "ask_effect": "What does the inverted mask do?",
        "hint_effect": "Try it with one padded row.",
        "slip_effect_nan": "What does nothing to average give?",
        "solution_effect": "It looks at the padding.",
        "ask_statements": "Which statements hold for the masked objective?",
        "hint_statements": "Take one gap.",
        "slip_statements_other_objective": "What was changed in the input?",
        "solution_statements": "A gap is filled from both sides.",
    }
    effects = ("nan", "zero", "finite", "IndexError")
    options = tuple(STATEMENTS)
    parts = (
        Part(
            "leaked",
            SetAnswer(leaked, among=range(6)),
            (Slip("one_based", SetAnswer([at + 1 for at in leaked], among=range(6)), "leak.nonzero() + 1"),),
            labels=tuple(f"position {tokens.num(at)}, {tokens.code(word)}" for at, word in enumerate(TOKENS)),
        ),
        Part(
            "inputs",
            Seq(7, 9, 41, 3, 4, 8),
            (Slip("unchanged", Seq(7, 9, 5, 3, 4, 8), "ids"),),
            Context(mask_id=41),
        ),
        Part("labels", TensorAnswer([[-100, 7, -100], [3, -100, -100]]), (), Context(rows=2, ignore=-100)),
        Part(
            "effect",
            ChoiceAnswer("finite", effects),
            (Slip("nan", ChoiceAnswer("nan", effects), "losses[:0].mean()"),),
            Context(options=effects),
        ),
        Part(
            "statements",
            MultiAnswer(("replaced", "chosen_only", "both_sides"), options),
            (Slip("other_objective", MultiAnswer(("future_hidden",), options), None, "none"),),
            Context(options=options),
            labels=tuple(STATEMENTS.values()),
        ),
    )
    lines = {
        "leaked": ("leak.nonzero()[:, 0]", f"tensor({list(leaked)})", list(leaked)),
        "inputs": ("inputs", "tensor([ 7,  9, 41,  3,  4,  8])", [7, 9, 41, 3, 4, 8]),
        "labels": (
            "labels",
            "tensor([[-100,    7, -100],\n        [   3, -100, -100]])",
            [[-100, 7, -100], [3, -100, -100]],
        ),
        "effect": ("effect", "'finite'", "finite"),
        "statements": ("", "", FORMULA_ONLY),
    }
    return _frozen({"T": 6}, parts, words, lines)


def joined():
    """A part of two options that counts only with its reason, and the reason."""
    words = {
        "title": "It runs, or does it",
        "stem": "Ids up to 12 go into a table of 12 rows.",
        "ask_runs": "Does it run?",
        "hint_runs": "Ids count from 0.",
        "solution_runs": "It does not.",
        "ask_which": "Which id is the first that fails?",
        "hint_which": "Which rows are there?",
        "solution_which": "The rows are 0 to 11.",
    }
    parts = (
        Part(
            "runs",
            ChoiceAnswer("error", ("ok", "error")),
            (),
            Context(options=("ok", "error")),
            together=("which",),
        ),
        Part("which", Int(12)),
    )
    lines = {
        "runs": ("effect", "'error'", "error"),
        "which": ("fits.logical_not().nonzero()[0, 0]", "tensor(12)", 12),
    }
    return _frozen({}, parts, words, lines)


def _frozen(given, parts, words, lines):
    made = Variant(family="SH-CANARY", version=1, level=2, seed=None, given=given, parts=parts, words=words, wording=1)
    routes = {
        part.id: Route(
            formula=part.answer.display(),
            run=part.answer.display(),
            trace=None,
            by="formula+run",
            line=lines[part.id][0],
            printed=lines[part.id][1],
            observed=lines[part.id][2],
        )
        for part in parts
    }
    return made, routes


def certified(made):
    variant, routes = made
    replay = Replay("counts", ({"B": 8},), {part: route.line for part, route in routes.items()})
    return replace(variant, certificate=Certificate(routes, "2.13.0", "canaryhash" * 6 + "0000", replay))


def issue(t, quiz, enrolment, variants, now=NOW):
    items = [
        {
            "number": number,
            "item": f"item-{number}",
            "code": "-".join(secrets.token_hex(2).upper() for _ in range(4)),
            "points": str(len(variant.parts)),
            "variant": variant.canonical().decode(),
            "parts": [part.id for part in variant.parts],
        }
        for number, variant in enumerate(variants, start=1)
    ]
    courses.issue(t, enrolment_id=enrolment.id, quiz_id=quiz.id, tries=quiz.tries, items=items, at=now)


class Client(FlaskClient):
    """Reads every answer to its end, so that files are closed."""

    def open(self, *args, **kwargs):
        return super().open(*args, **{"buffered": True, **kwargs})


class School:
    """Two courses: in the first two students, an assistant and an instructor, in the second one of each."""

    def __init__(
        self,
        store,
        *,
        clock=None,
        observer=None,
        tries=3,
        limit=1000,
        sends=1000,
        due=None,
        mode="homework",
        questions=(shapes, letters),
    ):
        self.store, self.clock, self.observer = store, clock or Clock(), observer or Echo()
        self.people, self.enrolments, self.quizzes, self.courses = {}, {}, {}, {}
        with store.writing() as t:
            for slug, members in (
                ("dl", {"ada": "student", "ben": "student", "tess": "assistant", "ivy": "instructor"}),
                ("other", {"cy": "student", "joe": "instructor"}),
            ):
                course = courses.add_course(
                    t, slug=slug, title=f"Course {slug}", time_zone="Europe/Helsinki", secret=b"s" * 32, at=NOW
                )
                self.courses[slug] = course
                quiz = courses.add_quiz(
                    t,
                    course_id=course.id,
                    slug="twelve",
                    title="Problem set 12",
                    plan="{}",
                    version=1,
                    mode=mode,
                    tries=tries,
                    due_at=due,
                    at=NOW,
                )
                self.quizzes[slug] = quiz
                for name, role in members.items():
                    person = accounts.create_account(
                        t, email=f"{name}@example.org", name=name.title(), password=PASSWORD, now=NOW
                    )
                    enrolment = courses.enrol(t, course_id=course.id, user_id=person.id, role=role)
                    self.people[name], self.enrolments[name] = person, enrolment
                    if role == "student":
                        issue(t, quiz, enrolment, [certified(make()) for make in questions])
        self.app = create_app(
            Parts(
                store=store,
                observer=self.observer,
                secret=b"k" * 32,
                clock=self.clock,
                tries_a_minute=limit,
                sends_a_minute=sends,
            )
        )
        self.app.test_client_class = Client

    def browser(self, name=None):
        return Browser(self, name)


class Browser:
    """A client that keeps its cookies and takes forms from the pages it reads."""

    def __init__(self, school, name=None):
        self.school = school
        self.http = school.app.test_client()
        if name:
            token = accounts.open_session(school.store, school.people[name].id, school.clock())
            self.http.set_cookie("maskwise", token)

    def sign_in(self, email, password=PASSWORD, **more):
        csrf = fields(self.get("/sign-in", follow_redirects=True).text)["csrf"]
        return self.http.post("/sign-in", data={"csrf": csrf, "email": email, "password": password, **more})

    def get(self, path, **kwargs):
        return self.http.get(path, **kwargs)

    def form(self, part, quiz=1, number=1):
        page = self.get(f"/quiz/{quiz}/{number}").text
        start = page.index(f'id="answer-{part}"')
        return fields(page[start : page.index("</form>", start)])

    def answer(self, part, text="", *, picks=(), quiz=1, number=1, htmx=False, form=None):
        form = form or self.form(part, quiz, number)
        headers = {"HX-Request": "true"} if htmx else {}
        return self.http.post(
            f"/quiz/{quiz}/{number}/{part}",
            data={**form, "text": text, "pick": list(picks)},
            headers=headers,
            follow_redirects=not htmx,
        )


def fields(html):
    """Read the hidden fields of the first form in a piece of HTML."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', html)
    return {name: unescape(value) for name, value in reversed(found)}


@contextmanager
def school(kind, folder, **options):
    with stores.opened(kind, folder) as store:
        yield School(store, **options)
