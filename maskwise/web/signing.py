"""Signing in and out, and the choice of colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from flask import Blueprint, g, redirect, request, url_for

from maskwise.services import accounts
from maskwise.web.context import now, parts, safe_path
from maskwise.web.guard import THEMES, session_cookie, set_cookie
from maskwise.web.pages import page

if TYPE_CHECKING:
    from flask import Response
    from flask.typing import ResponseReturnValue

pages = Blueprint("signing", __name__)
_YEAR = 365 * 24 * 3600


@pages.route("/sign-in", methods=["GET", "POST"])
def sign_in() -> ResponseReturnValue:
    """Ask for address and password; the words for a wrong one never tell which was wrong."""
    goal = safe_path(request.values.get("next"))
    if request.method != "POST":
        if g.person is not None:
            return redirect(goal, 303)
        return page("sign_in", next=goal, email="", problem=None)
    email = request.form.get("email", "")
    try:
        token = accounts.sign_in(
            parts().store,
            email=email,
            password=request.form.get("password", ""),
            address=request.remote_addr or "",
            now=now(),
        )
    except accounts.WrongSignIn:
        return page("sign_in", 403, next=goal, email=email, problem="wrong")
    except accounts.TooManySignIns as error:
        answer = page("sign_in", 429, next=goal, email=email, problem="locked")
        answer.headers["Retry-After"] = str(error.seconds)
        return answer
    if g.session_token:  # whoever was signed in here before is not any more
        accounts.sign_out(parts().store, g.session_token)
    went = _to(goal)
    set_cookie(went, session_cookie(), token, int(accounts.SESSION.total_seconds()))
    went.delete_cookie("maskwise_visit", path="/", secure=parts().https, httponly=True, samesite="Lax")
    return went


@pages.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    """End the session on the server, and forget its cookie."""
    accounts.sign_out(parts().store, g.session_token)
    went = _to(url_for("signing.sign_in"))
    went.delete_cookie(session_cookie(), path="/", secure=parts().https, httponly=True, samesite="Lax")
    return went


@pages.post("/theme")
def theme() -> ResponseReturnValue:
    """Keep the choice of light, dark or as the system has it."""
    chosen = request.form.get("theme", "")
    went = _to(safe_path(request.form.get("next")))
    if chosen in THEMES:
        set_cookie(went, "maskwise_theme", chosen, _YEAR)
    return went


def _to(path: str) -> Response:
    return cast("Response", redirect(path, 303))  # Flask's redirect makes Flask's response
