"""Replies in mid-stream on either database."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Row, and_, delete, insert, select

from preceptor.stores.instants import instant_from, instant_text
from preceptor.stores.protocols import TurnDraft
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import as_json
from preceptor.stores.sql.tables import TURN_DRAFT


class SqlTurnDraftStore:
    """`TurnDraftStore` on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        """Keep the database; nothing is read yet."""
        self._database = database

    def put(self, draft: TurnDraft) -> None:
        """See `TurnDraftStore.put`."""
        row = {
            "learner_id": draft.learner_id,
            "dialogue_id": draft.dialogue_id,
            "turn": draft.turn,
            "text": draft.text,
            "last_event_id": draft.last_event_id,
            "updated_at": instant_text(draft.updated_at),
            "events": as_json([dict(event) for event in draft.events]),
        }
        with self._database.write() as connection:
            connection.execute(delete(TURN_DRAFT).where(_one(draft.learner_id, draft.dialogue_id, draft.turn)))
            connection.execute(insert(TURN_DRAFT).values(**row))

    def get(self, learner_id: str, dialogue_id: str, turn: int) -> TurnDraft | None:
        """See `TurnDraftStore.get`."""
        with self._database.read() as connection:
            row = connection.execute(select(TURN_DRAFT).where(_one(learner_id, dialogue_id, turn))).first()
        return None if row is None else _draft(row)

    def list_for_learner(self, learner_id: str) -> list[TurnDraft]:
        """See `TurnDraftStore.list_for_learner`."""
        chosen = select(TURN_DRAFT).where(TURN_DRAFT.c.learner_id == learner_id).order_by(TURN_DRAFT.c.updated_at)
        with self._database.read() as connection:
            return [_draft(row) for row in connection.execute(chosen)]

    def drop(self, learner_id: str, dialogue_id: str, turn: int) -> None:
        """See `TurnDraftStore.drop`."""
        with self._database.write() as connection:
            connection.execute(delete(TURN_DRAFT).where(_one(learner_id, dialogue_id, turn)))


def _one(learner_id: str, dialogue_id: str, turn: int) -> Any:
    return and_(
        TURN_DRAFT.c.learner_id == learner_id, TURN_DRAFT.c.dialogue_id == dialogue_id, TURN_DRAFT.c.turn == turn
    )


def _draft(row: Row[Any]) -> TurnDraft:
    return TurnDraft(
        learner_id=row.learner_id,
        dialogue_id=row.dialogue_id,
        turn=row.turn,
        text=row.text,
        last_event_id=row.last_event_id,
        updated_at=instant_from(row.updated_at),
        events=tuple(json.loads(row.events)),
    )
