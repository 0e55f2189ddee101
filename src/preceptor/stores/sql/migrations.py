"""The schema's history, one numbered function a step. A step that was released is never edited."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, text

from preceptor.stores.sql.dialects import COLUMN_TYPES, WORD_TABLES, dialect_of
from preceptor.stores.sql.migration_concept_maps import m005_create_concept_maps
from preceptor.stores.sql.migration_consents import m007_create_consents
from preceptor.stores.sql.migration_courses import m004_create_courses
from preceptor.stores.sql.migration_memory import m006_create_memory
from preceptor.stores.sql.migration_nights import m008_create_nights


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


def m003_create_experiences(connection: Connection) -> None:
    """The experience repository: entries, vectors, sources, decisions, uses, thresholds and counts."""
    _run(
        connection,
        """
        CREATE TABLE experience (
            position {serial},
            experience_id TEXT NOT NULL UNIQUE,
            revision {int} NOT NULL,
            status TEXT NOT NULL,
            emotion TEXT NOT NULL,
            intent TEXT NOT NULL,
            error_type TEXT NOT NULL,
            struggle_status TEXT NOT NULL,
            embedder TEXT NOT NULL,
            sentence TEXT NOT NULL,
            utility {real} NOT NULL,
            scored_uses {int} NOT NULL,
            content TEXT NOT NULL,
            created_at TEXT NOT NULL
        ) {strict}
        """,
        "CREATE INDEX experience_changed ON experience (revision)",
        "CREATE INDEX experience_status ON experience (status, position)",
        """
        CREATE TABLE experience_vector (
            position {serial},
            experience_id TEXT NOT NULL UNIQUE,
            embedder TEXT NOT NULL,
            state TEXT NOT NULL,
            is_active {int} NOT NULL,
            vector {bytes} NOT NULL
        ) {strict}
        """,
        "CREATE INDEX experience_vector_key ON experience_vector (embedder, is_active, position, experience_id, state)",
        """
        CREATE TABLE experience_source (
            dialogue_id TEXT NOT NULL,
            turn {int} NOT NULL,
            experience_id TEXT NOT NULL,
            PRIMARY KEY (dialogue_id, turn, experience_id)
        ) {strict}
        """,
        """
        CREATE TABLE experience_decision (
            position {serial},
            candidate_id TEXT NOT NULL,
            outcome TEXT NOT NULL,
            other_id TEXT,
            result_id TEXT,
            similarity {real},
            threshold {real},
            reason TEXT NOT NULL,
            embedder TEXT NOT NULL,
            decided_at TEXT NOT NULL
        ) {strict}
        """,
        "CREATE INDEX experience_decision_candidate ON experience_decision (candidate_id, position)",
        "CREATE INDEX experience_decision_other ON experience_decision (other_id, position)",
        """
        CREATE TABLE experience_use (
            position {serial},
            experience_id TEXT NOT NULL,
            dialogue_id TEXT NOT NULL,
            turn {int} NOT NULL,
            score {real} NOT NULL,
            baseline_score {real},
            utility_after {real} NOT NULL,
            used_at TEXT NOT NULL,
            UNIQUE (experience_id, dialogue_id, turn)
        ) {strict}
        """,
        "CREATE INDEX experience_use_dialogue ON experience_use (dialogue_id)",
        "CREATE TABLE experience_threshold (embedder TEXT PRIMARY KEY, content TEXT NOT NULL) {strict}",
        """
        CREATE TABLE experience_count (
            batch TEXT NOT NULL, name TEXT NOT NULL, n {int} NOT NULL, PRIMARY KEY (batch, name)
        ) {strict}
        """,
        "CREATE TABLE experience_revision (revision {int} PRIMARY KEY) {strict}",
        "INSERT INTO experience_revision (revision) VALUES (0)",
    )


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (
    m001_create_record,
    m002_create_side_tables,
    m003_create_experiences,
    m004_create_courses,
    m005_create_concept_maps,
    m006_create_memory,
    m007_create_consents,
    m008_create_nights,
)
