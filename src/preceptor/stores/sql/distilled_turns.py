"""Which turns were distilled, on either database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import delete, func, insert, select

from preceptor.stores.distilled_turns import DistilledTurn
from preceptor.stores.instants import instant_text
from preceptor.stores.sql.consent_tables import DISTILLED_TURN
from preceptor.stores.sql.database import Database

_AT_ONCE = 500
"""Ids in one statement: below the limit of both databases."""


class SqlDistilledTurnStore:
    """`DistilledTurnStore` on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        """Keep the database; nothing is read yet."""
        self._database = database

    def add(self, turns: Sequence[DistilledTurn]) -> None:
        """See `DistilledTurnStore.add`."""
        with self._database.write() as connection:
            for turn in turns:
                known = select(DISTILLED_TURN.c.turn).where(
                    DISTILLED_TURN.c.dialogue_id == turn.dialogue_id,
                    DISTILLED_TURN.c.turn == turn.turn,
                    DISTILLED_TURN.c.digest == turn.digest,
                )
                if connection.execute(known).first() is None:
                    connection.execute(insert(DISTILLED_TURN).values(**_row(turn)))

    def digests(self, dialogue_id: str) -> frozenset[tuple[int, str]]:
        """See `DistilledTurnStore.digests`."""
        chosen = select(DISTILLED_TURN.c.turn, DISTILLED_TURN.c.digest).where(
            DISTILLED_TURN.c.dialogue_id == dialogue_id
        )
        with self._database.read() as connection:
            return frozenset((row.turn, row.digest) for row in connection.execute(chosen))

    def tally(self, dialogue_ids: Sequence[str] | None = None) -> list[tuple[str, bool, int, int]]:
        """See `DistilledTurnStore.tally`."""
        columns = (DISTILLED_TURN.c.bucket, DISTILLED_TURN.c.routed, DISTILLED_TURN.c.rounds)
        counted = select(*columns, func.count().label("n")).group_by(*columns)
        found: Counter[tuple[str, bool, int]] = Counter()
        with self._database.read() as connection:
            for some in _pieces(dialogue_ids):
                asked = counted if some is None else counted.where(DISTILLED_TURN.c.dialogue_id.in_(some))
                for row in connection.execute(asked):
                    found[(row.bucket, bool(row.routed), row.rounds)] += row.n
        return [(*key, n) for key, n in sorted(found.items())]

    def forget(self, dialogue_ids: Sequence[str]) -> int:
        """See `DistilledTurnStore.forget`."""
        gone = 0
        with self._database.write() as connection:
            for some in _pieces(dialogue_ids):
                chosen = delete(DISTILLED_TURN).where(DISTILLED_TURN.c.dialogue_id.in_(some or []))
                gone += connection.execute(chosen).rowcount
        return gone


def _pieces(dialogue_ids: Sequence[str] | None) -> list[list[str] | None]:
    if dialogue_ids is None:
        return [None]
    unique = list(dict.fromkeys(dialogue_ids))
    return [unique[place : place + _AT_ONCE] for place in range(0, len(unique), _AT_ONCE)]


def _row(turn: DistilledTurn) -> dict[str, object]:
    return {
        "dialogue_id": turn.dialogue_id,
        "turn": turn.turn,
        "digest": turn.digest,
        "bucket": turn.bucket,
        "routed": int(turn.routed),
        "rounds": turn.rounds,
        "experience_id": turn.experience_id,
        "batch": turn.batch,
        "done_at": instant_text(turn.done_at),
    }
