"""The schema's step for memory: the word index, vectors, later facts about episodes, beliefs."""

from __future__ import annotations

from sqlalchemy import Connection, text

from preceptor.stores.sql.dialects import COLUMN_TYPES, dialect_of

_STATEMENTS = (
    """
    CREATE TABLE memory_progress (
        learner_id TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        layout {int} NOT NULL,
        sequence {int} NOT NULL,
        revision {int} NOT NULL,
        vector_writes {int} NOT NULL,
        PRIMARY KEY (learner_id, subject_id)
    ) {strict}
    """,
    """
    CREATE TABLE memory_entry (
        learner_id TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        sequence {int} NOT NULL,
        episode_id TEXT NOT NULL UNIQUE,
        content {bytes} NOT NULL,
        PRIMARY KEY (learner_id, subject_id, sequence)
    ) {strict}
    """,
    """
    CREATE TABLE memory_vector (
        learner_id TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        embedder TEXT NOT NULL,
        sequence {int} NOT NULL,
        episode_id TEXT NOT NULL,
        vector {bytes} NOT NULL,
        PRIMARY KEY (learner_id, subject_id, embedder, sequence)
    ) {strict}
    """,
    "CREATE INDEX memory_vector_episode ON memory_vector (episode_id)",
    """
    CREATE TABLE memory_stance (
        episode_id TEXT PRIMARY KEY,
        learner_id TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        stance TEXT NOT NULL,
        decided_at TEXT NOT NULL
    ) {strict}
    """,
    """
    CREATE TABLE memory_verification (
        episode_id TEXT PRIMARY KEY,
        learner_id TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        status TEXT NOT NULL,
        note TEXT NOT NULL,
        checked_at TEXT NOT NULL
    ) {strict}
    """,
    "CREATE INDEX memory_verification_scope ON memory_verification (learner_id, subject_id, checked_at)",
    """
    CREATE TABLE belief (
        position {serial},
        belief_id TEXT NOT NULL UNIQUE,
        learner_id TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        concept_id TEXT,
        predicate TEXT NOT NULL,
        claim TEXT NOT NULL,
        confidence {real},
        provenance TEXT NOT NULL,
        evidence_ids TEXT NOT NULL,
        valid_from TEXT NOT NULL,
        valid_to TEXT,
        recorded_at TEXT NOT NULL,
        superseded_by TEXT,
        reason TEXT NOT NULL
    ) {strict}
    """,
    "CREATE INDEX belief_scope ON belief (learner_id, subject_id, concept_id, predicate, position)",
)


def m006_create_memory(connection: Connection) -> None:
    """Progress, entries and vectors of the index; stance and verification; beliefs."""
    types = COLUMN_TYPES[dialect_of(connection)]
    for statement in _STATEMENTS:
        connection.execute(text(statement.format(**types)))
