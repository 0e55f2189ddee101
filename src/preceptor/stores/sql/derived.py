"""Everything derived from episodes goes in the transaction of their erasure."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from preceptor.stores.sql.beliefs import forget_beliefs
from preceptor.stores.sql.memory import forget_episodes
from preceptor.stores.sql.nights import forget_self_models


def forget_derived(connection: Connection, learner_id: str, episode_ids: Sequence[str]) -> None:
    """Delete index entries, vectors, later facts, beliefs and self-models that stand on erased episodes."""
    forget_episodes(connection, learner_id, episode_ids)
    forget_beliefs(connection, learner_id, episode_ids)
    forget_self_models(connection, learner_id)
