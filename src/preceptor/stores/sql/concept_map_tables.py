"""The columns of the concept map's tables. `migration_concept_maps.py` makes them; a contract test compares the two."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Float, Table, Text

from preceptor.stores.sql.tables import METADATA

CONCEPT_MAP = Table(
    "concept_map",
    METADATA,
    Column("subject_id", Text, primary_key=True),
    Column("revision", BigInteger),
    Column("built_at", Text),
)
CONCEPT = Table(
    "concept",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("subject_id", Text),
    Column("concept_id", Text),
    Column("concept_key", Text),
    Column("name", Text),
    Column("layer", Text),
    Column("readiness", Float),
    Column("content", Text),
)
CONCEPT_EDGE = Table(
    "concept_edge",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("subject_id", Text),
    Column("concept_id", Text),
    Column("prerequisite_id", Text),
    Column("weight", Float),
    Column("provenance", Text),
)
CONCEPT_MERGE = Table(
    "concept_merge",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("subject_id", Text),
    Column("kept", Text),
    Column("merged", Text),
    Column("reason", Text),
    Column("similarity", Float),
    Column("threshold", Float),
    Column("embedder", Text),
)
CONCEPT_READING = Table(
    "concept_reading",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("subject_id", Text),
    Column("document_id", Text),
    Column("fingerprint", Text),
    Column("engine", Text),
    Column("content", Text),
)
CONCEPT_NOTE = Table(
    "concept_note",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("note_id", Text),
    Column("subject_id", Text),
    Column("concept_name", Text),
    Column("text", Text),
    Column("language", Text),
    Column("taught_at", Text),
)
CONCEPT_THRESHOLD = Table(
    "concept_threshold",
    METADATA,
    Column("embedder", Text, primary_key=True),
    Column("content", Text),
)
