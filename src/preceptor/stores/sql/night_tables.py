"""The nightly loop's tables as statements name them; `migration_nights.py` makes them."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Table, Text

from preceptor.stores.sql.tables import METADATA

MEMORY_NIGHT = Table(
    "memory_night",
    METADATA,
    Column("learner_id", Text, primary_key=True),
    Column("subject_id", Text, primary_key=True),
    Column("begun_day", Text),
    Column("through_day", Text),
    Column("sequence", BigInteger),
    Column("ended_at", Text),
)
MEMORY_SELF_MODEL = Table(
    "memory_self_model",
    METADATA,
    Column("learner_id", Text, primary_key=True),
    Column("subject_id", Text, primary_key=True),
    Column("content", Text),
    Column("composed_at", Text),
)
