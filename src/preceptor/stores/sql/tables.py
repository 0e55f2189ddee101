"""The columns that statements name. `migrations.py` makes them; a contract test compares the two."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Float, LargeBinary, MetaData, Table, Text

METADATA = MetaData()

EPISODE = Table(
    "episode",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("episode_id", Text),
    Column("learner_id", Text),
    Column("subject_id", Text),
    Column("sequence", BigInteger),
    Column("kind", Text),
    Column("kind_version", BigInteger),
    Column("actor", Text),
    Column("provenance", Text),
    Column("language", Text),
    Column("time_zone", Text),
    Column("occurred_at", Text),
    Column("recorded_at", Text),
    Column("dialogue_id", Text),
    Column("turn", BigInteger),
    Column("parent_id", Text),
    Column("salience", Float),
    Column("concept_ids", Text),
    Column("evidence", Text),
    Column("commitment", Text),
    Column("previous_hash", Text),
    Column("chain_hash", Text),
)
PAYLOAD = Table(
    "payload",
    METADATA,
    Column("episode_id", Text, primary_key=True),
    Column("nonce", LargeBinary),
    Column("content", Text),
)
CHAIN_HEAD = Table(
    "chain_head",
    METADATA,
    Column("learner_id", Text, primary_key=True),
    Column("subject_id", Text, primary_key=True),
    Column("sequence", BigInteger),
    Column("chain_hash", Text),
    Column("seal", Text),
)
RECORD_FACT = Table("record_fact", METADATA, Column("name", Text, primary_key=True), Column("value", Text))
PROBLEM = Table(
    "problem",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("problem_id", Text),
    Column("subject_id", Text),
    Column("language", Text),
    Column("text", Text),
    Column("text_folded", Text),
    Column("solution", Text),
    Column("answer", Text),
    Column("source", Text),
    Column("licence", Text),
    Column("policy", Text),
)
TURN_DRAFT = Table(
    "turn_draft",
    METADATA,
    Column("learner_id", Text, primary_key=True),
    Column("dialogue_id", Text, primary_key=True),
    Column("turn", BigInteger, primary_key=True),
    Column("text", Text),
    Column("last_event_id", BigInteger),
    Column("updated_at", Text),
    Column("events", Text),
)
ACCESS_LOG = Table(
    "access_log",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("reader_id", Text),
    Column("learner_id", Text),
    Column("dialogue_id", Text),
    Column("accessed_at", Text),
)
EXPERIENCE = Table(
    "experience",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("experience_id", Text),
    Column("revision", BigInteger),
    Column("status", Text),
    Column("emotion", Text),
    Column("intent", Text),
    Column("error_type", Text),
    Column("struggle_status", Text),
    Column("embedder", Text),
    Column("sentence", Text),
    Column("utility", Float),
    Column("scored_uses", BigInteger),
    Column("content", Text),
    Column("created_at", Text),
)
EXPERIENCE_VECTOR = Table(
    "experience_vector",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("experience_id", Text),
    Column("embedder", Text),
    Column("state", Text),
    Column("is_active", BigInteger),
    Column("vector", LargeBinary),
)
EXPERIENCE_SOURCE = Table(
    "experience_source",
    METADATA,
    Column("dialogue_id", Text, primary_key=True),
    Column("turn", BigInteger, primary_key=True),
    Column("experience_id", Text, primary_key=True),
)
EXPERIENCE_DECISION = Table(
    "experience_decision",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("candidate_id", Text),
    Column("outcome", Text),
    Column("other_id", Text),
    Column("result_id", Text),
    Column("similarity", Float),
    Column("threshold", Float),
    Column("reason", Text),
    Column("embedder", Text),
    Column("decided_at", Text),
)
EXPERIENCE_USE = Table(
    "experience_use",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("experience_id", Text),
    Column("dialogue_id", Text),
    Column("turn", BigInteger),
    Column("score", Float),
    Column("baseline_score", Float),
    Column("utility_after", Float),
    Column("used_at", Text),
)
EXPERIENCE_THRESHOLD = Table(
    "experience_threshold", METADATA, Column("embedder", Text, primary_key=True), Column("content", Text)
)
EXPERIENCE_COUNT = Table(
    "experience_count",
    METADATA,
    Column("batch", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("n", BigInteger),
)
EXPERIENCE_REVISION = Table("experience_revision", METADATA, Column("revision", BigInteger, primary_key=True))
