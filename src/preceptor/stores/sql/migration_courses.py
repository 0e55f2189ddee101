"""The step of the schema that brings course files."""

from __future__ import annotations

from sqlalchemy import Connection, text

from preceptor.stores.sql.dialects import COLUMN_TYPES, PASSAGE_WORD_TABLES, dialect_of

_STATEMENTS = (
    """
    CREATE TABLE course (
        position {serial},
        subject_id TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL,
        created_at TEXT NOT NULL,
        revision {int} NOT NULL
    ) {strict}
    """,
    """
    CREATE TABLE course_document (
        position {serial},
        document_id TEXT NOT NULL UNIQUE,
        subject_id TEXT NOT NULL REFERENCES course (subject_id),
        name TEXT NOT NULL,
        media_type TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        n_pages {int} NOT NULL,
        added_at TEXT NOT NULL,
        official {int} NOT NULL,
        read_by TEXT NOT NULL,
        UNIQUE (subject_id, name)
    ) {strict}
    """,
    """
    CREATE TABLE course_page (
        document_id TEXT NOT NULL REFERENCES course_document (document_id) ON DELETE CASCADE,
        page {int} NOT NULL,
        text TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        headings TEXT NOT NULL,
        PRIMARY KEY (document_id, page)
    ) {strict}
    """,
    """
    CREATE TABLE course_passage (
        position {serial},
        passage_id TEXT NOT NULL UNIQUE,
        subject_id TEXT NOT NULL,
        document_id TEXT NOT NULL REFERENCES course_document (document_id),
        page {int} NOT NULL,
        start_char {int} NOT NULL,
        end_char {int} NOT NULL,
        text TEXT NOT NULL,
        heading_path TEXT NOT NULL,
        page_fingerprint TEXT NOT NULL
    ) {strict}
    """,
    "CREATE INDEX course_passage_place ON course_passage (document_id, page, start_char)",
    "CREATE INDEX course_passage_subject ON course_passage (subject_id, position)",
    """
    CREATE TABLE course_passage_past (
        passage_id TEXT PRIMARY KEY,
        document_id TEXT NOT NULL
    ) {strict}
    """,
    """
    CREATE TABLE course_vector (
        embedder TEXT NOT NULL,
        passage_id TEXT NOT NULL REFERENCES course_passage (passage_id) ON DELETE CASCADE,
        vector {bytes},
        PRIMARY KEY (embedder, passage_id)
    ) {strict}
    """,
    "CREATE INDEX course_vector_passage ON course_vector (passage_id)",
    """
    CREATE TABLE course_problem (
        position {serial},
        document_id TEXT NOT NULL REFERENCES course_document (document_id) ON DELETE CASCADE,
        page {int} NOT NULL,
        kind TEXT NOT NULL,
        detail TEXT NOT NULL,
        excerpt TEXT NOT NULL
    ) {strict}
    """,
    "CREATE INDEX course_problem_document ON course_problem (document_id, page, position)",
    """
    CREATE TABLE course_unanswered (
        position {serial},
        subject_id TEXT NOT NULL,
        learner_id TEXT NOT NULL,
        dialogue_id TEXT NOT NULL,
        question TEXT NOT NULL,
        asked_at TEXT NOT NULL,
        details TEXT NOT NULL
    ) {strict}
    """,
    "CREATE INDEX course_unanswered_subject ON course_unanswered (subject_id, position)",
    "CREATE INDEX course_unanswered_dialogue ON course_unanswered (dialogue_id)",
)


def m004_create_courses(connection: Connection) -> None:
    """Courses, documents, pages, passages with their word index and vectors, problems, unanswered questions."""
    types = COLUMN_TYPES[dialect_of(connection)]
    for statement in _STATEMENTS:
        connection.execute(text(statement.format(**types)))
    for statement in PASSAGE_WORD_TABLES[dialect_of(connection)]:
        connection.execute(text(statement))
