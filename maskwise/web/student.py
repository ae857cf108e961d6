"""A student's pages: home, a quiz, its questions, sending an answer, the record."""

from __future__ import annotations

import json
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, abort, g, redirect, request, url_for

from maskwise.services import attempts, classroom, picking, question
from maskwise.services.preview import Reading, preview
from maskwise.web.context import from_htmx, now, parts, person
from maskwise.web.pace import TooManyPreviews
from maskwise.web.pages import page, piece

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from maskwise.services.attempts import Place

pages = Blueprint("student", __name__)
LARGEST_ID = 2**31 - 1
_QUIZ = f"/quiz/<int(max={LARGEST_ID}):quiz_id>"
_QUESTION = f"{_QUIZ}/<int(max=10000):number>"


@pages.get("/")
def home() -> ResponseReturnValue:
    """List the courses with their quizzes."""
    return page("home", courses=classroom.home(parts().store, person().id))


@pages.get(_QUIZ)
def quiz(quiz_id: int) -> ResponseReturnValue:
    """Say the rules in plain words and list the questions."""
    course, line = classroom.quiz_of(parts().store, person().id, quiz_id)
    return page("quiz", course=course, line=line)


@pages.get(_QUESTION)
def ask(quiz_id: int, number: int) -> ResponseReturnValue:
    """Show a question with what was answered so far."""
    said, typed_over = request.args.get("said", ""), request.args.get("typed") == "1"
    return page("question", **_question(quiz_id, number, said=said, typed_over=typed_over))


@pages.post(f"{_QUESTION}/<part:part>")
def answer(quiz_id: int, number: int, part: str) -> ResponseReturnValue:
    """Take an answer: a piece of the page for htmx, else a redirect to the question, or 422 when it costs no try."""
    text, picks = request.form.get("text", ""), request.form.getlist("pick")
    try:
        stored = attempts.submit(
            parts().store,
            parts().observer,
            user_id=person().id,
            quiz_id=quiz_id,
            number=number,
            part_id=part,
            text=text,
            picks=picks,
            filled=request.form.get("filled", ""),
            key=request.form.get("key", ""),
            now=now(),
            tries_a_minute=parts().tries_a_minute,
            sends_a_minute=parts().sends_a_minute,
        )
    except picking.Nothing:
        return _shown(quiz_id, number, part, 422, typed=text, empty=True)
    reading = Reading.from_json(stored.verdict["reading"])
    readable = reading.outcome == "ok"
    typed_over = readable and bool(picks) and not picking.says(reading, picks)
    if from_htmx() or not readable:
        return _shown(quiz_id, number, part, 200 if readable else 422, typed_over=typed_over)
    typed = 1 if typed_over else None  # none of it stands in the address
    return redirect(url_for("student.ask", quiz_id=quiz_id, number=number, said=part, typed=typed), 303)


@pages.post(f"{_QUESTION}/<part:part>/preview")
def preview_page(quiz_id: int, number: int, part: str) -> ResponseReturnValue:
    """Show how a text is understood, for those who use no JavaScript; nothing is stored."""
    _paced()
    values = _question(quiz_id, number, said=part)
    shown = values["question"].part(part)
    if shown is None:
        raise attempts.Missing
    text, picks = request.form.get("text", ""), request.form.getlist("pick")
    with suppress(picking.Nothing):
        text = picking.sent(shown.kind, shown.options, text, picks, request.form.get("filled", ""))
    reading = preview(shown.kind, text, shown.declared)
    told = {"typed": {part: text}, "previews": {part: reading}, "at": part}
    typed_over = reading.outcome == "ok" and bool(picks) and not picking.says(reading, picks)
    return page("question", **{**values, **told, "said": "", "typed_over": typed_over})


@pages.post("/preview")
def preview_piece() -> ResponseReturnValue:
    """Tell how a text is understood. Nothing but the request is looked at: no question, no key."""
    _paced()
    try:
        declared = json.loads(request.form.get("declared", "{}"))
        if not isinstance(declared, dict):
            abort(400)
        text = request.form.get("text", "")
        reading = preview(request.form.get("kind", ""), text, declared)
    except (ValueError, TypeError, RecursionError):
        abort(400)
    return piece("question", "preview", reading=reading, raw=text, declared=declared)


@pages.get("/record")
def record() -> ResponseReturnValue:
    """List all that this person sent."""
    return page("record", rows=classroom.record(parts().store, person().id))


@pages.get("/record.csv")
def record_csv() -> ResponseReturnValue:
    """Give the same as a file."""
    return csv_answer(classroom.record_csv(parts().store, person().id), "maskwise-record.csv")


def _paced() -> None:
    if not parts().previews.allows(g.session_token, now()):
        raise TooManyPreviews


def csv_answer(lines: Any, name: str) -> Response:
    """Send a table as a download."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(lines, content_type="text/csv; charset=utf-8", headers=headers)


def _question(quiz_id: int, number: int, **more: Any) -> dict[str, Any]:
    at: Place = attempts.place(parts().store, person().id, quiz_id, number)
    _course, line = classroom.quiz_of(parts().store, person().id, quiz_id)
    seen = question.view(at.quiz, at.item, at.variant, at.tallies, at.said, at.course.time_zone)
    over = at.quiz.due_at is not None and now() > at.quiz.due_at
    return {
        "question": seen,
        "line": line,
        "course": at.course,
        "over": over,
        "keys": {part.id: secrets.token_urlsafe(18) for part in seen.parts},
        "declared": {part.id: json.dumps(part.declared, sort_keys=True) for part in seen.parts},
        "typed": {},
        "previews": {},
        "empty": "",
        "at": "",
        "typed_over": False,
        "understood": _again,
        "picked": picking.picked,
        **more,
    }


def _again(part: question.PartView, text: str) -> Reading:
    """Read a text in the context of a part, for a box that is shown filled."""
    return preview(part.kind, text, part.declared)


def _shown(
    quiz_id: int,
    number: int,
    part: str,
    status: int,
    *,
    typed: str | None = None,
    empty: bool = False,
    typed_over: bool = False,
) -> Response:
    values = _question(quiz_id, number, said="" if empty else part, typed_over=typed_over)
    shown = values["question"].part(part)
    if shown is None:
        raise attempts.Missing
    if typed is not None:
        values["typed"] = {part: typed}
    values["empty"] = part if empty else ""
    if from_htmx():
        return piece("question", "answered", status, part=shown, **values)
    return page("question", status, **values)
