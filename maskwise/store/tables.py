"""The tables. Rows of `attempts` and `issued` are never changed or removed: triggers in the database refuse it."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from maskwise.store.columns import AnyText, Instant

# Every constraint has a name, so that a later migration can speak of it on both databases.
metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


users = Table(
    "users",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("email", String(254), nullable=False, unique=True),  # case folded
    Column("name", String(200), nullable=False),
    Column("password_hash", String(255)),  # none: cannot sign in with a password
    Column("created_at", Instant, nullable=False),
)

# The browser holds a random token; the table holds its SHA-256, so that a copy of the database signs nobody in.
sessions = Table(
    "sessions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("user_id", Integer, ForeignKey("users.id"), nullable=False, index=True),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
)

# For the limit on sign-in attempts; `bucket` is a hash of the account or of the address, rows live for an hour.
sign_ins = Table(
    "sign_ins",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("bucket", String(64), nullable=False),
    Column("at", Instant, nullable=False),
    Index("ix_sign_ins_bucket_at", "bucket", "at"),
)

courses = Table(
    "courses",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("slug", String(80), nullable=False, unique=True),
    Column("title", String(200), nullable=False),
    Column("time_zone", String(64), nullable=False),  # IANA name
    Column("secret", LargeBinary(32), nullable=False),  # keys of sealed variants are HMACs under it
    Column("created_at", Instant, nullable=False),
)

enrolments = Table(
    "enrolments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("course_id", Integer, ForeignKey("courses.id"), nullable=False),
    Column("user_id", Integer, ForeignKey("users.id"), nullable=False, index=True),
    Column("role", String(16), nullable=False),
    UniqueConstraint("course_id", "user_id"),
    CheckConstraint("role IN ('student', 'assistant', 'instructor')", name="role"),
)

quizzes = Table(
    "quizzes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("course_id", Integer, ForeignKey("courses.id"), nullable=False),
    Column("slug", String(80), nullable=False),
    Column("title", String(200), nullable=False),
    Column("plan", Text, nullable=False),  # as published
    Column("version", Integer, nullable=False),
    Column("mode", String(16), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("due_at", Instant),
    Column("published_at", Instant, nullable=False),
    UniqueConstraint("course_id", "slug", "version"),
    CheckConstraint("tries > 0", name="tries"),
    CheckConstraint("mode IN ('practice', 'homework', 'exam')", name="mode"),
)

issued = Table(
    "issued",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("enrolment_id", Integer, ForeignKey("enrolments.id"), nullable=False),
    Column("quiz_id", Integer, ForeignKey("quizzes.id"), nullable=False, index=True),
    Column("number", Integer, nullable=False),  # as the student counts, from 1
    Column("item", String(80), nullable=False),  # the item of the plan
    Column("code", String(40), nullable=False, unique=True),  # look-up id, without meaning
    Column("points", String(40), nullable=False),  # an exact fraction
    Column("variant", Text, nullable=False),  # canonical JSON, frozen with its words and its certificate
    Column("issued_at", Instant, nullable=False),
    UniqueConstraint("enrolment_id", "quiz_id", "number"),
)

tallies = Table(
    "tallies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("issued_id", Integer, ForeignKey("issued.id"), nullable=False),
    Column("part", String(40), nullable=False),
    Column("used", Integer, nullable=False, server_default=text("0")),
    Column("allowed", Integer, nullable=False),
    Column("closed", Boolean, nullable=False, server_default=text("false")),
    UniqueConstraint("issued_id", "part"),
    CheckConstraint("used >= 0 AND used <= allowed", name="used"),
)

attempts = Table(
    "attempts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("tally_id", Integer, ForeignKey("tallies.id"), nullable=False),
    Column("enrolment_id", Integer, ForeignKey("enrolments.id"), nullable=False),
    Column("raw", AnyText, nullable=False),
    Column("verdict", Text, nullable=False),  # JSON: codes and values, no prose
    Column("outcome", String(16), nullable=False),
    Column("counted", Boolean, nullable=False),
    Column("n", Integer),  # which try it was; none when it was not counted
    Column("meaning", String(64)),  # hash of value and score of a counted answer: the same is never charged twice
    Column("repeats_id", Integer, ForeignKey("attempts.id")),  # the counted attempt that said the same before
    Column("grader", String(40), nullable=False),
    Column("idempotency_key", String(64), nullable=False),
    Column("body_hash", String(64), nullable=False),
    Column("at", Instant, nullable=False),
    UniqueConstraint("enrolment_id", "idempotency_key"),
    CheckConstraint("counted = (n IS NOT NULL)", name="counted"),
    CheckConstraint("outcome IN ('right', 'wrong', 'not_graded')", name="outcome"),
    Index("ix_attempts_enrolment_id_at", "enrolment_id", "at"),
    Index("uq_attempts_tally_id_n", "tally_id", "n", unique=True),
    Index("uq_attempts_tally_id_meaning", "tally_id", "meaning", unique=True),
)
