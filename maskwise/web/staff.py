"""The pages of those who teach: what the class sent, filtered, and as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, request

from maskwise.services import classroom
from maskwise.store.records import Wanted
from maskwise.web.context import parts, person
from maskwise.web.guard import only
from maskwise.web.pages import page
from maskwise.web.student import LARGEST_ID, csv_answer

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from maskwise.store.records import Course

pages = Blueprint("staff", __name__)
_COURSE = f"/course/<int(max={LARGEST_ID}):course_id>"


@pages.get(f"{_COURSE}/attempts")
def attempts(course_id: int) -> ResponseReturnValue:
    """List what the class sent, newest first."""
    course = _course(course_id)
    wanted = _wanted()
    shown = classroom.class_page(parts().store, course, wanted, _whole("page") or 1)
    return page("attempts", shown=shown, wanted=wanted, course=course)


@pages.get(f"{_COURSE}/attempts.csv")
def attempts_csv(course_id: int) -> ResponseReturnValue:
    """Give all that matches as a file."""
    course = _course(course_id)
    return csv_answer(classroom.class_csv(parts().store, course, _wanted()), f"{course.slug}-attempts.csv")


def _course(course_id: int) -> Course:
    course, enrolment = classroom.course_of(parts().store, person().id, course_id)
    only(allowed=enrolment.staff)
    return course


def _wanted() -> Wanted:
    """Read the filter; what is no choice of it means any."""
    outcome = request.args.get("outcome")
    return Wanted(
        enrolment_id=_whole("student"),
        quiz_id=_whole("quiz"),
        number=_whole("question"),
        outcome=outcome if outcome in classroom.OUTCOMES else None,
    )


def _whole(name: str) -> int | None:
    text = request.args.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
