"""Who opened which flagged transcript, on either database."""

from __future__ import annotations

from sqlalchemy import insert, select

from preceptor.stores.instants import instant_from, instant_text
from preceptor.stores.protocols import Access
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.tables import ACCESS_LOG


class SqlAccessLog:
    """`AccessLog` on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        """Keep the database; nothing is read yet."""
        self._database = database

    def add(self, access: Access) -> None:
        """See `AccessLog.add`."""
        with self._database.write() as connection:
            connection.execute(
                insert(ACCESS_LOG).values(
                    reader_id=access.reader_id,
                    learner_id=access.learner_id,
                    dialogue_id=access.dialogue_id,
                    accessed_at=instant_text(access.accessed_at),
                )
            )

    def list_for_dialogue(self, learner_id: str, dialogue_id: str) -> list[Access]:
        """See `AccessLog.list_for_dialogue`."""
        chosen = (
            select(ACCESS_LOG)
            .where(ACCESS_LOG.c.learner_id == learner_id, ACCESS_LOG.c.dialogue_id == dialogue_id)
            .order_by(ACCESS_LOG.c.position)
        )
        with self._database.read() as connection:
            return [
                Access(
                    reader_id=row.reader_id,
                    learner_id=row.learner_id,
                    dialogue_id=row.dialogue_id,
                    accessed_at=instant_from(row.accessed_at),
                )
                for row in connection.execute(chosen)
            ]
