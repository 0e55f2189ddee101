"""The step of the schema that brings concept maps."""

from __future__ import annotations

from sqlalchemy import Connection, text

from preceptor.stores.sql.dialects import COLUMN_TYPES, dialect_of

_STATEMENTS = (
    """
    CREATE TABLE concept_map (
        subject_id TEXT PRIMARY KEY,
        revision {int} NOT NULL,
        built_at TEXT NOT NULL
    ) {strict}
    """,
    """
    CREATE TABLE concept (
        position {serial},
        subject_id TEXT NOT NULL REFERENCES concept_map (subject_id) ON DELETE CASCADE,
        concept_id TEXT NOT NULL,
        concept_key TEXT NOT NULL,
        name TEXT NOT NULL,
        layer TEXT NOT NULL,
        readiness {real} NOT NULL,
        content TEXT NOT NULL,
        UNIQUE (subject_id, concept_id),
        UNIQUE (subject_id, concept_key)
    ) {strict}
    """,
    """
    CREATE TABLE concept_edge (
        position {serial},
        subject_id TEXT NOT NULL,
        concept_id TEXT NOT NULL,
        prerequisite_id TEXT NOT NULL,
        weight {real} NOT NULL,
        provenance TEXT NOT NULL,
        UNIQUE (subject_id, concept_id, prerequisite_id),
        FOREIGN KEY (subject_id, concept_id) REFERENCES concept (subject_id, concept_id) ON DELETE CASCADE,
        FOREIGN KEY (subject_id, prerequisite_id) REFERENCES concept (subject_id, concept_id) ON DELETE CASCADE
    ) {strict}
    """,
    """
    CREATE TABLE concept_merge (
        position {serial},
        subject_id TEXT NOT NULL REFERENCES concept_map (subject_id) ON DELETE CASCADE,
        kept TEXT NOT NULL,
        merged TEXT NOT NULL,
        reason TEXT NOT NULL,
        similarity {real},
        threshold {real},
        embedder TEXT
    ) {strict}
    """,
    "CREATE INDEX concept_merge_subject ON concept_merge (subject_id, position)",
    """
    CREATE TABLE concept_reading (
        position {serial},
        subject_id TEXT NOT NULL,
        document_id TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        engine TEXT NOT NULL,
        content TEXT NOT NULL,
        UNIQUE (subject_id, document_id)
    ) {strict}
    """,
    """
    CREATE TABLE concept_note (
        position {serial},
        note_id TEXT NOT NULL UNIQUE,
        subject_id TEXT NOT NULL,
        concept_name TEXT NOT NULL,
        text TEXT NOT NULL,
        language TEXT NOT NULL,
        taught_at TEXT NOT NULL
    ) {strict}
    """,
    "CREATE INDEX concept_note_subject ON concept_note (subject_id, position)",
    "CREATE TABLE concept_threshold (embedder TEXT PRIMARY KEY, content TEXT NOT NULL) {strict}",
)


def m005_create_concept_maps(connection: Connection) -> None:
    """Maps with concepts, edges and merges; readings they are built from; instructors' notes; thresholds."""
    types = COLUMN_TYPES[dialect_of(connection)]
    for statement in _STATEMENTS:
        connection.execute(text(statement.format(**types)))
