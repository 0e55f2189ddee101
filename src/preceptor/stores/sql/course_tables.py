"""The columns of course files that statements name. `migration_courses.py` makes them."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, LargeBinary, Table, Text

from preceptor.stores.sql.tables import METADATA

COURSE = Table(
    "course",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("subject_id", Text),
    Column("title", Text),
    Column("created_at", Text),
    Column("revision", BigInteger),
)
COURSE_DOCUMENT = Table(
    "course_document",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("document_id", Text),
    Column("subject_id", Text),
    Column("name", Text),
    Column("media_type", Text),
    Column("fingerprint", Text),
    Column("n_pages", BigInteger),
    Column("added_at", Text),
    Column("official", BigInteger),
    Column("read_by", Text),
)
COURSE_PAGE = Table(
    "course_page",
    METADATA,
    Column("document_id", Text, primary_key=True),
    Column("page", BigInteger, primary_key=True),
    Column("text", Text),
    Column("fingerprint", Text),
    Column("headings", Text),
)
COURSE_PASSAGE = Table(
    "course_passage",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("passage_id", Text),
    Column("subject_id", Text),
    Column("document_id", Text),
    Column("page", BigInteger),
    Column("start_char", BigInteger),
    Column("end_char", BigInteger),
    Column("text", Text),
    Column("heading_path", Text),
    Column("page_fingerprint", Text),
)
COURSE_PASSAGE_PAST = Table(
    "course_passage_past",
    METADATA,
    Column("passage_id", Text, primary_key=True),
    Column("document_id", Text),
)
COURSE_VECTOR = Table(
    "course_vector",
    METADATA,
    Column("embedder", Text, primary_key=True),
    Column("passage_id", Text, primary_key=True),
    Column("vector", LargeBinary),
)
COURSE_PROBLEM = Table(
    "course_problem",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("document_id", Text),
    Column("page", BigInteger),
    Column("kind", Text),
    Column("detail", Text),
    Column("excerpt", Text),
)
COURSE_UNANSWERED = Table(
    "course_unanswered",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("subject_id", Text),
    Column("learner_id", Text),
    Column("dialogue_id", Text),
    Column("question", Text),
    Column("asked_at", Text),
    Column("details", Text),
)
