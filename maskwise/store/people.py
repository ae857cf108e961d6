"""Accounts, sessions and the count of sign-in attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, func, insert, select, update

from maskwise.store.records import User
from maskwise.store.tables import sessions, sign_ins, users

if TYPE_CHECKING:
    from datetime import datetime

    from maskwise.store.database import Transaction

_USER = (users.c.id, users.c.email, users.c.name, users.c.password_hash)


def add_user(t: Transaction, *, email: str, name: str, password_hash: str | None, at: datetime) -> User:
    """Make an account; Duplicate when the address has one."""
    row = t.execute(
        insert(users)
        .values(email=email.casefold(), name=name, password_hash=password_hash, created_at=at)
        .returning(*_USER)
    ).one()
    return User(*row)


def user_by_email(t: Transaction, email: str) -> User | None:
    """Find an account, whatever the case of the address."""
    row = t.execute(select(*_USER).where(users.c.email == email.casefold())).first()
    return User(*row) if row else None


def set_password(t: Transaction, user_id: int, password_hash: str) -> None:
    """Replace the password and end every session of the account."""
    t.execute(update(users).where(users.c.id == user_id).values(password_hash=password_hash))
    t.execute(delete(sessions).where(sessions.c.user_id == user_id))


def add_session(t: Transaction, *, token_hash: str, user_id: int, at: datetime, expires_at: datetime) -> None:
    """Remember a session and forget those that have ended."""
    t.execute(delete(sessions).where(sessions.c.expires_at <= at))
    t.execute(insert(sessions).values(token_hash=token_hash, user_id=user_id, created_at=at, expires_at=expires_at))


def user_of_session(t: Transaction, token_hash: str, at: datetime) -> User | None:
    """Find whose session it is; none when it ended or never was."""
    row = t.execute(
        select(*_USER)
        .join(sessions, sessions.c.user_id == users.c.id)
        .where(sessions.c.token_hash == token_hash, sessions.c.expires_at > at)
    ).first()
    return User(*row) if row else None


def end_session(t: Transaction, token_hash: str) -> None:
    """Forget a session; harmless when there is none."""
    t.execute(delete(sessions).where(sessions.c.token_hash == token_hash))


def count_sign_in(t: Transaction, buckets: list[str], *, at: datetime, since: datetime, forget: datetime) -> int:
    """Note one attempt in each bucket and tell the highest count since a moment, this one included."""
    t.execute(delete(sign_ins).where(sign_ins.c.at < forget))
    t.execute(insert(sign_ins), [{"bucket": bucket, "at": at} for bucket in buckets])
    counts = t.execute(
        select(func.count()).where(sign_ins.c.bucket.in_(buckets), sign_ins.c.at > since).group_by(sign_ins.c.bucket)
    ).scalars()
    return max(counts, default=0)


def uncount_sign_in(t: Transaction, bucket: str, at: datetime) -> None:
    """Take back one attempt that was noted at a moment."""
    one = select(sign_ins.c.id).where(sign_ins.c.bucket == bucket, sign_ins.c.at == at).limit(1)
    t.execute(delete(sign_ins).where(sign_ins.c.id.in_(one.scalar_subquery())))
