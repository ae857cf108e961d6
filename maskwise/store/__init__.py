"""Memory: courses, people, issued work and attempts, on SQLite or PostgreSQL, behind plain functions and records.

    database.py   Store: opens the database, hands out one transaction at a time, names what can fail
    schema.py     brings the tables to the version of this code and back (Alembic, shipped in `migrations/`)
    tables.py     the tables
    records.py    what the functions give back: frozen, without any tie to the database
    people.py     accounts, sessions, the count of sign-in attempts
    courses.py    courses, enrolments, quizzes, issued variants
    attempts.py   the one guarded statement that spends a try, and the append-only list of attempts

SQLAlchemy is known here and nowhere else.
"""

from maskwise.store.database import Duplicate, Store, StoreUnavailable, Transaction

__all__ = ["Duplicate", "Store", "StoreUnavailable", "Transaction"]
