"""The schema's step for the nightly loop, and for PostgreSQL's row-level security on what a learner wrote."""

from __future__ import annotations

from sqlalchemy import Connection, text

from preceptor.stores.sql.dialects import COLUMN_TYPES, LEARNER_POLICIES, dialect_of

_STATEMENTS = (
    """
    CREATE TABLE memory_night (
        learner_id TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        begun_day TEXT NOT NULL,
        through_day TEXT,
        sequence {int} NOT NULL,
        ended_at TEXT,
        PRIMARY KEY (learner_id, subject_id)
    ) {strict}
    """,
    """
    CREATE TABLE memory_self_model (
        learner_id TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        content TEXT NOT NULL,
        composed_at TEXT NOT NULL,
        PRIMARY KEY (learner_id, subject_id)
    ) {strict}
    """,
    "CREATE INDEX belief_current ON belief (learner_id, subject_id, position) WHERE superseded_by IS NULL",
)


def m008_create_nights(connection: Connection) -> None:
    """Nights and self-models; policies that keep a named learner's transaction to that learner's rows."""
    dialect = dialect_of(connection)
    for statement in _STATEMENTS:
        connection.execute(text(statement.format(**COLUMN_TYPES[dialect])))
    for statement in LEARNER_POLICIES[dialect]:
        connection.execute(text(statement))
