"""The rows of one learner on either database, found by the tables' own columns: a new table is not forgotten."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping

from sqlalchemy import Table, delete, select

from preceptor.stores.sql import consent_tables, course_tables, memory_tables, night_tables
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.tables import ACCESS_LOG, CHAIN_HEAD, EPISODE, METADATA

_KNOWN = (consent_tables, course_tables, memory_tables, night_tables)
"""Modules that declare tables of learners; imported, so that their tables are known."""
EPISODE_TABLES = frozenset({EPISODE.name})
"""Exported as episodes, by the log."""
KEPT = frozenset({EPISODE.name, CHAIN_HEAD.name, ACCESS_LOG.name})
"""Never deleted: envelopes and heads attest the chain, the access log says who read. None holds learners' words."""


def learner_tables() -> list[Table]:
    """Return every table with a learner in it, by name."""
    return [table for _, table in sorted(METADATA.tables.items()) if "learner_id" in table.columns]


class SqlLearnerRows:
    """`LearnerRows` on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        """Keep the database; nothing is read yet."""
        self._database = database

    def walk(self, learner_id: str) -> Iterator[tuple[str, Mapping[str, object]]]:
        """See `LearnerRows.walk`."""
        with self._database.read(learner_id) as connection:
            for table in learner_tables():
                if table.name in EPISODE_TABLES:
                    continue
                chosen = select(table).where(table.c.learner_id == learner_id).order_by(*table.primary_key.columns)
                for row in connection.execute(chosen):
                    yield table.name, {name: _plain(value) for name, value in row._mapping.items()}

    def forget(self, learner_id: str) -> Mapping[str, int]:
        """See `LearnerRows.forget`."""
        gone = {}
        with self._database.write(learner_id) as connection:
            for table in learner_tables():
                if table.name not in KEPT:
                    done = connection.execute(delete(table).where(table.c.learner_id == learner_id))
                    gone[table.name] = done.rowcount
        return gone


def _plain(value: object) -> object:
    return base64.b64encode(bytes(value)).decode() if isinstance(value, bytes | memoryview) else value
