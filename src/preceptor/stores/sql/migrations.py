"""The schema's history, one numbered function a step. A step that was released is never edited."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, text

from preceptor.stores.sql.dialects import COLUMN_TYPES, WORD_TABLES, dialect_of


def _run(connection: Connection, *statements: str) -> None:
    types = COLUMN_TYPES[dialect_of(connection)]
    for statement in statements:
        connection.execute(text(statement.format(**types)))


def m001_create_record(connection: Connection) -> None:
    """Episodes, their payload, the chains' heads and the word index."""
    _run(
        connection,
        """
        CREATE TABLE episode (
            position {serial},
            episode_id TEXT NOT NULL UNIQUE,
            learner_id TEXT NOT NULL,
            subject_id TEXT NOT NULL,
            sequence {int} NOT NULL,
            kind TEXT NOT NULL,
            kind_version {int} NOT NULL,
            actor TEXT NOT NULL,
            provenance TEXT NOT NULL,
            language TEXT NOT NULL,
            time_zone TEXT NOT NULL,
            occurred_at TEXT NOT NULL,
            recorded_at TEXT NOT NULL,
            dialogue_id TEXT,
            turn {int},
            parent_id TEXT,
            salience {real},
            concept_ids TEXT NOT NULL,
            evidence TEXT NOT NULL,
            commitment TEXT NOT NULL,
            previous_hash TEXT NOT NULL,
            chain_hash TEXT NOT NULL,
            UNIQUE (learner_id, subject_id, sequence)
        ) {strict}
        """,
        "CREATE INDEX episode_dialogue ON episode (learner_id, dialogue_id, position)",
        "CREATE INDEX episode_learner ON episode (learner_id, position)",
        "CREATE INDEX episode_kind ON episode (kind, position)",
        """
        CREATE TABLE payload (
            episode_id TEXT PRIMARY KEY REFERENCES episode (episode_id),
            nonce {bytes} NOT NULL,
            content TEXT NOT NULL
        ) {strict}
        """,
        """
        CREATE TABLE chain_head (
            learner_id TEXT NOT NULL,
            subject_id TEXT NOT NULL,
            sequence {int} NOT NULL,
            chain_hash TEXT NOT NULL,
            seal TEXT NOT NULL,
            PRIMARY KEY (learner_id, subject_id)
        ) {strict}
        """,
        "CREATE TABLE record_fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) {strict}",
        *WORD_TABLES[dialect_of(connection)],
    )


def m002_create_side_tables(connection: Connection) -> None:
    """The problem bank, replies in mid-stream and the access log."""
    _run(
        connection,
        """
        CREATE TABLE problem (
            position {serial},
            problem_id TEXT NOT NULL UNIQUE,
            subject_id TEXT NOT NULL,
            language TEXT NOT NULL,
            text TEXT NOT NULL,
            text_folded TEXT NOT NULL,
            solution TEXT,
            answer TEXT,
            source TEXT,
            licence TEXT,
            policy TEXT NOT NULL
        ) {strict}
        """,
        "CREATE INDEX problem_subject ON problem (subject_id, position)",
        """
        CREATE TABLE turn_draft (
            learner_id TEXT NOT NULL,
            dialogue_id TEXT NOT NULL,
            turn {int} NOT NULL,
            text TEXT NOT NULL,
            last_event_id {int} NOT NULL,
            updated_at TEXT NOT NULL,
            events TEXT NOT NULL,
            PRIMARY KEY (learner_id, dialogue_id, turn)
        ) {strict}
        """,
        """
        CREATE TABLE access_log (
            position {serial},
            reader_id TEXT NOT NULL,
            learner_id TEXT NOT NULL,
            dialogue_id TEXT NOT NULL,
            accessed_at TEXT NOT NULL
        ) {strict}
        """,
        "CREATE INDEX access_log_dialogue ON access_log (learner_id, dialogue_id, position)",
    )


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (m001_create_record, m002_create_side_tables)
