"""The step of the schema that brings consents and distilled turns."""

from __future__ import annotations

from sqlalchemy import Connection, text

from preceptor.stores.sql.dialects import COLUMN_TYPES, dialect_of

_STATEMENTS = (
    """
    CREATE TABLE consent (
        learner_id TEXT PRIMARY KEY,
        use_for_teaching {int} NOT NULL,
        decided_at TEXT NOT NULL
    ) {strict}
    """,
    """
    CREATE TABLE distilled_turn (
        dialogue_id TEXT NOT NULL,
        turn {int} NOT NULL,
        digest TEXT NOT NULL,
        bucket TEXT NOT NULL,
        routed {int} NOT NULL,
        rounds {int} NOT NULL,
        experience_id TEXT,
        batch TEXT NOT NULL,
        done_at TEXT NOT NULL,
        PRIMARY KEY (dialogue_id, turn, digest)
    ) {strict}
    """,
)


def m007_create_consents(connection: Connection) -> None:
    """What learners allow, and which turns were distilled."""
    types = COLUMN_TYPES[dialect_of(connection)]
    for statement in _STATEMENTS:
        connection.execute(text(statement.format(**types)))
