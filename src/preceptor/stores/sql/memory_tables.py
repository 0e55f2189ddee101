"""Memory's tables as statements name them; `migration_memory.py` makes them."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Float, LargeBinary, Table, Text

from preceptor.stores.sql.tables import METADATA

MEMORY_PROGRESS = Table(
    "memory_progress",
    METADATA,
    Column("learner_id", Text, primary_key=True),
    Column("subject_id", Text, primary_key=True),
    Column("layout", BigInteger),
    Column("sequence", BigInteger),
    Column("revision", BigInteger),
    Column("vector_writes", BigInteger),
)
MEMORY_ENTRY = Table(
    "memory_entry",
    METADATA,
    Column("learner_id", Text, primary_key=True),
    Column("subject_id", Text, primary_key=True),
    Column("sequence", BigInteger, primary_key=True),
    Column("episode_id", Text),
    Column("content", LargeBinary),
)
MEMORY_VECTOR = Table(
    "memory_vector",
    METADATA,
    Column("learner_id", Text, primary_key=True),
    Column("subject_id", Text, primary_key=True),
    Column("embedder", Text, primary_key=True),
    Column("sequence", BigInteger, primary_key=True),
    Column("episode_id", Text),
    Column("vector", LargeBinary),
)
MEMORY_STANCE = Table(
    "memory_stance",
    METADATA,
    Column("episode_id", Text, primary_key=True),
    Column("learner_id", Text),
    Column("subject_id", Text),
    Column("stance", Text),
    Column("decided_at", Text),
)
MEMORY_VERIFICATION = Table(
    "memory_verification",
    METADATA,
    Column("episode_id", Text, primary_key=True),
    Column("learner_id", Text),
    Column("subject_id", Text),
    Column("status", Text),
    Column("note", Text),
    Column("checked_at", Text),
)
BELIEF = Table(
    "belief",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("belief_id", Text),
    Column("learner_id", Text),
    Column("subject_id", Text),
    Column("concept_id", Text),
    Column("predicate", Text),
    Column("claim", Text),
    Column("confidence", Float),
    Column("provenance", Text),
    Column("evidence_ids", Text),
    Column("valid_from", Text),
    Column("valid_to", Text),
    Column("recorded_at", Text),
    Column("superseded_by", Text),
    Column("reason", Text),
)
