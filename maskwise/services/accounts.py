"""Signing in and out: passwords by argon2, sessions as random tokens of which only a hash is kept.

A wrong password and an unknown address give the same words after the same work. Attempts are counted per account and
per address of the network, so that passwords cannot be tried out fast; a right one does not count against its address,
because a whole class may sit behind one.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from maskwise.store import people

if TYPE_CHECKING:
    from datetime import datetime

    from maskwise.store import Store, Transaction

SESSION = timedelta(hours=12)
TRIES_A_MINUTE = 10
LONGEST_PASSWORD = 1000
_WINDOW = timedelta(minutes=1)
_FORGET = timedelta(hours=1)
_hasher = PasswordHasher()


@dataclass(frozen=True)
class Person:
    """Who is signed in."""

    id: int
    email: str
    name: str


class WrongSignIn(Exception):
    """The address or the password is wrong; nobody is told which."""


class TooManySignIns(Exception):
    """Too many attempts in a minute; `seconds` is how long to wait."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"wait {seconds} seconds")
        self.seconds = seconds


def create_account(t: Transaction, *, email: str, name: str, password: str, now: datetime) -> Person:
    """Make an account inside the caller's transaction; Duplicate when the address has one."""
    user = people.add_user(t, email=email, name=name, password_hash=_hasher.hash(password), at=now)
    return Person(user.id, user.email, user.name)


def change_password(t: Transaction, user_id: int, password: str) -> None:
    """Give an account another password inside the caller's transaction; its sessions end."""
    people.set_password(t, user_id, _hasher.hash(password))


def new_password() -> str:
    """Draw a password that can be read aloud: four groups of four letters and digits, 80 bits."""
    signs = "abcdefghjkmnpqrstuvwxyz23456789"  # nothing that looks like something else
    return "-".join("".join(secrets.choice(signs) for _ in range(4)) for _ in range(4))


def sign_in(store: Store, *, email: str, password: str, address: str, now: datetime) -> str:
    """Check a password and open a session; gives the token for the browser, which is kept nowhere else.

    Raises WrongSignIn or TooManySignIns.
    """
    email = email.strip().casefold()
    _count(store, email, address, now)
    with store.reading() as t:
        user = people.user_by_email(t, email) if email.isprintable() else None
    kept = user.password_hash if user and user.password_hash else _nobody()
    right = _matches(kept, password) and user is not None and user.password_hash is not None
    if not right or user is None:
        raise WrongSignIn
    with store.writing() as t:
        people.uncount_sign_in(t, _address_bucket(address), now)
    return open_session(store, user.id, now)


def open_session(store: Store, user_id: int, now: datetime) -> str:
    """Open a session for somebody who has shown who they are; gives the token for the browser."""
    token = secrets.token_urlsafe(32)
    with store.writing() as t:
        people.add_session(t, token_hash=_hashed(token), user_id=user_id, at=now, expires_at=now + SESSION)
    return token


def whose(store: Store, token: str, now: datetime) -> Person | None:
    """Tell whose session a token opens; none when it ended, was closed or never was."""
    with store.reading() as t:
        user = people.user_of_session(t, _hashed(token), now)
    return Person(user.id, user.email, user.name) if user else None


def sign_out(store: Store, token: str) -> None:
    """Close a session for good, whoever still holds its token."""
    with store.writing() as t:
        people.end_session(t, _hashed(token))


def _count(store: Store, email: str, address: str, now: datetime) -> None:
    buckets = [_hashed(f"account:{email}"), _address_bucket(address)]
    with store.writing() as t:
        tries = people.count_sign_in(t, buckets, at=now, since=now - _WINDOW, forget=now - _FORGET)
    if tries > TRIES_A_MINUTE:
        raise TooManySignIns(int(_WINDOW.total_seconds()))


def _address_bucket(address: str) -> str:
    return _hashed(f"address:{address}")


def _matches(kept: str, password: str) -> bool:
    if len(password) > LONGEST_PASSWORD:
        return False
    try:
        return _hasher.verify(kept, password.encode("utf-8", "surrogatepass"))
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobody() -> str:
    """Give a hash that no password matches, so that an unknown address costs the same time as a known one."""
    return _hasher.hash(secrets.token_urlsafe(32))


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
