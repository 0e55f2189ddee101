"""Tables of consents and of distilled turns."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Table, Text

from preceptor.stores.sql.tables import METADATA

CONSENT = Table(
    "consent",
    METADATA,
    Column("learner_id", Text, primary_key=True),
    Column("use_for_teaching", BigInteger),
    Column("decided_at", Text),
)
DISTILLED_TURN = Table(
    "distilled_turn",
    METADATA,
    Column("dialogue_id", Text, primary_key=True),
    Column("turn", BigInteger, primary_key=True),
    Column("digest", Text, primary_key=True),
    Column("bucket", Text),
    Column("routed", BigInteger),
    Column("rounds", BigInteger),
    Column("experience_id", Text),
    Column("batch", Text),
    Column("done_at", Text),
)
