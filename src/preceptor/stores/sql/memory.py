"""Memory's derived rows on either database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, Table, and_, delete, insert, or_, select, update
from sqlalchemy.sql.elements import ColumnElement

from preceptor.domain.scope import Scope
from preceptor.stores.instants import instant_from, instant_text
from preceptor.stores.memory import MemoryState, Stance, StoredEntry, Verification
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.memory_tables import (
    MEMORY_ENTRY,
    MEMORY_PROGRESS,
    MEMORY_STANCE,
    MEMORY_VECTOR,
    MEMORY_VERIFICATION,
)
from preceptor.stores.sql.tables import CHAIN_HEAD, EPISODE, PAYLOAD

_BATCH = 500
_Item = TypeVar("_Item")
_BY_EPISODE = (MEMORY_ENTRY, MEMORY_VECTOR, MEMORY_STANCE, MEMORY_VERIFICATION)


class SqlMemoryStore:
    """`MemoryStore` on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        """Keep the database; nothing is read yet."""
        self._database = database

    def state(self, scope: Scope, layout: int) -> MemoryState:
        """See `MemoryStore.state`."""
        both = and_(
            MEMORY_PROGRESS.c.learner_id == CHAIN_HEAD.c.learner_id,
            MEMORY_PROGRESS.c.subject_id == CHAIN_HEAD.c.subject_id,
        )
        chosen = (
            select(
                CHAIN_HEAD.c.sequence,
                MEMORY_PROGRESS.c.layout,
                MEMORY_PROGRESS.c.sequence,
                MEMORY_PROGRESS.c.revision,
                MEMORY_PROGRESS.c.vector_writes,
            )
            .select_from(CHAIN_HEAD.outerjoin(MEMORY_PROGRESS, both))
            .where(*_own(CHAIN_HEAD, scope))
        )
        with self._database.read(scope.learner_id) as connection:
            row = connection.execute(chosen).first()
        if row is None:
            return MemoryState(head_sequence=0, indexed_sequence=0, revision=0, vector_writes=0)
        last, stored_layout, sequence, revision, vector_writes = row
        return MemoryState(
            head_sequence=last,
            indexed_sequence=sequence if stored_layout == layout else 0,
            revision=revision or 0,
            vector_writes=vector_writes or 0,
        )

    def entries(self, scope: Scope, *, after_sequence: int = 0) -> list[StoredEntry]:
        """See `MemoryStore.entries`."""
        chosen = (
            select(MEMORY_ENTRY.c.sequence, MEMORY_ENTRY.c.episode_id, MEMORY_ENTRY.c.content)
            .where(*_own(MEMORY_ENTRY, scope), MEMORY_ENTRY.c.sequence > after_sequence)
            .order_by(MEMORY_ENTRY.c.sequence)
        )
        with self._database.read(scope.learner_id) as connection:
            return list(map(StoredEntry._make, _rows(connection, chosen)))

    def put_entries(self, scope: Scope, entries: Sequence[StoredEntry], *, layout: int, through_sequence: int) -> None:
        """See `MemoryStore.put_entries`."""
        with self._database.write(scope.learner_id) as connection:
            chosen = select(MEMORY_PROGRESS).where(*_own(MEMORY_PROGRESS, scope)).with_for_update()
            row = connection.execute(chosen).first()
            if row is None:
                connection.execute(
                    insert(MEMORY_PROGRESS).values(
                        **_names(scope), layout=layout, sequence=0, revision=0, vector_writes=0
                    )
                )
            elif row.layout != layout:
                connection.execute(delete(MEMORY_ENTRY).where(*_own(MEMORY_ENTRY, scope)))
            elif row.sequence >= through_sequence:
                return  # another process was here first
            kept = _with_payload(connection, scope, [entry.episode_id for entry in entries])
            rows = [
                {
                    **_names(scope),
                    "sequence": kept[one.episode_id],
                    "episode_id": one.episode_id,
                    "content": one.content,
                }
                for one in entries
                if one.episode_id in kept
            ]
            if rows:
                connection.execute(insert(MEMORY_ENTRY), rows)
            connection.execute(
                update(MEMORY_PROGRESS)
                .where(*_own(MEMORY_PROGRESS, scope))
                .values(layout=layout, sequence=through_sequence)
            )

    def waits_elsewhere(self, scope: Scope, *, after_sequence: int, dialogue_id: str) -> bool:
        """See `MemoryStore.waits_elsewhere`."""
        chosen = (
            select(EPISODE.c.sequence)
            .where(
                *_own(EPISODE, scope),
                EPISODE.c.sequence > after_sequence,
                or_(
                    EPISODE.c.dialogue_id.is_(None),
                    EPISODE.c.dialogue_id != dialogue_id,
                    EPISODE.c.kind == "taught",
                ),
            )
            .limit(1)
        )
        with self._database.read(scope.learner_id) as connection:
            return connection.execute(chosen).first() is not None

    def without_vector(self, scope: Scope, embedder: str, *, limit: int) -> list[str]:
        """See `MemoryStore.without_vector`."""
        seen = select(MEMORY_VECTOR.c.sequence).where(*_own(MEMORY_VECTOR, scope), MEMORY_VECTOR.c.embedder == embedder)
        chosen = (
            select(MEMORY_ENTRY.c.episode_id)
            .where(*_own(MEMORY_ENTRY, scope), MEMORY_ENTRY.c.sequence.not_in(seen))
            .order_by(MEMORY_ENTRY.c.sequence)
            .limit(limit)
        )
        with self._database.read(scope.learner_id) as connection:
            return list(connection.execute(chosen).scalars())

    def put_vectors(self, scope: Scope, embedder: str, vectors: Mapping[str, bytes]) -> None:
        """See `MemoryStore.put_vectors`."""
        with self._database.write(scope.learner_id) as connection:
            kept = _with_payload(connection, scope, list(vectors))
            rows = [
                {
                    **_names(scope),
                    "embedder": embedder,
                    "sequence": sequence,
                    "episode_id": episode_id,
                    "vector": vectors[episode_id],
                }
                for episode_id, sequence in kept.items()
            ]
            for ids in _batches(list(kept)):
                connection.execute(
                    delete(MEMORY_VECTOR).where(
                        *_own(MEMORY_VECTOR, scope),
                        MEMORY_VECTOR.c.embedder == embedder,
                        MEMORY_VECTOR.c.episode_id.in_(ids),
                    )
                )
            if rows:
                connection.execute(insert(MEMORY_VECTOR), rows)
            connection.execute(
                update(MEMORY_PROGRESS)
                .where(*_own(MEMORY_PROGRESS, scope))
                .values(vector_writes=MEMORY_PROGRESS.c.vector_writes + 1)
            )

    def vectors(self, scope: Scope, embedder: str, *, after_sequence: int = 0) -> list[tuple[int, bytes]]:
        """See `MemoryStore.vectors`."""
        chosen = (
            select(MEMORY_VECTOR.c.sequence, MEMORY_VECTOR.c.vector)
            .where(
                *_own(MEMORY_VECTOR, scope),
                MEMORY_VECTOR.c.embedder == embedder,
                MEMORY_VECTOR.c.sequence > after_sequence,
            )
            .order_by(MEMORY_VECTOR.c.sequence)
        )
        with self._database.read(scope.learner_id) as connection:
            return _rows(connection, chosen)

    def set_stance(self, scope: Scope, episode_id: str, stance: Stance, *, decided_at: datetime) -> None:
        """See `MemoryStore.set_stance`."""
        self._replace(MEMORY_STANCE, scope, episode_id, {"stance": stance, "decided_at": instant_text(decided_at)})

    def stances(self, scope: Scope, episode_ids: Sequence[str]) -> dict[str, Stance]:
        """See `MemoryStore.stances`."""
        return {row.episode_id: row.stance for row in self._facts(MEMORY_STANCE, scope, episode_ids)}

    def set_verification(self, scope: Scope, found: Verification) -> None:
        """See `MemoryStore.set_verification`."""
        values = {"status": found.status, "note": found.note, "checked_at": instant_text(found.checked_at)}
        self._replace(MEMORY_VERIFICATION, scope, found.episode_id, values)

    def verifications(self, scope: Scope, episode_ids: Sequence[str]) -> dict[str, Verification]:
        """See `MemoryStore.verifications`."""
        return {
            row.episode_id: Verification(
                episode_id=row.episode_id,
                status=row.status,
                note=row.note,
                checked_at=instant_from(row.checked_at),
            )
            for row in self._facts(MEMORY_VERIFICATION, scope, episode_ids)
        }

    def _replace(self, table: Table, scope: Scope, episode_id: str, values: Mapping[str, object]) -> None:
        with self._database.write(scope.learner_id) as connection:
            if not _with_payload(connection, scope, [episode_id]):
                return
            connection.execute(delete(table).where(table.c.episode_id == episode_id))
            connection.execute(insert(table).values(**_names(scope), episode_id=episode_id, **values))

    def _facts(self, table: Table, scope: Scope, episode_ids: Sequence[str]) -> list[Any]:
        rows: list[Any] = []
        with self._database.read(scope.learner_id) as connection:
            for ids in _batches(episode_ids):
                rows += connection.execute(
                    select(table).where(*_own_of_ids(table, scope), table.c.episode_id.in_(ids))
                ).all()
        return rows


def forget_episodes(connection: Connection, learner_id: str, episode_ids: Sequence[str]) -> None:
    """Delete what was derived from a learner's episodes, in the transaction of their erasure."""
    for ids in _batches(episode_ids):
        for table in _BY_EPISODE:
            connection.execute(
                delete(table).where(table.c.learner_id.concat("") == learner_id, table.c.episode_id.in_(list(ids)))
            )
    connection.execute(
        update(MEMORY_PROGRESS)
        .where(MEMORY_PROGRESS.c.learner_id == learner_id)
        .values(revision=MEMORY_PROGRESS.c.revision + 1)
    )


def _with_payload(connection: Connection, scope: Scope, episode_ids: Sequence[str]) -> dict[str, int]:
    """Return id → sequence of the scope's episodes that still have their payload, locked against an erasure."""
    found: dict[str, int] = {}
    for ids in _batches(episode_ids):
        chosen = (
            select(EPISODE.c.episode_id, EPISODE.c.sequence)
            .join(PAYLOAD, PAYLOAD.c.episode_id == EPISODE.c.episode_id)
            .where(*_own_of_ids(EPISODE, scope), EPISODE.c.episode_id.in_(list(ids)))
            .with_for_update(read=True, of=PAYLOAD)
        )
        found |= {row.episode_id: row.sequence for row in connection.execute(chosen)}
    return found


def _rows(connection: Connection, chosen: Select[Any]) -> list[Any]:
    """Return plain tuples, all at once: ten thousand of SQLAlchemy's own rows take three times as long."""
    cursor = connection.execute(chosen).cursor
    return list(cursor.fetchall()) if cursor is not None else []


def _own(table: Table, scope: Scope) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return table.c.learner_id == scope.learner_id, table.c.subject_id == scope.subject_id


def _own_of_ids(table: Table, scope: Scope) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Return the scope as a condition beside ids: SQLite would else read the whole scope instead of looking them up."""
    return table.c.learner_id.concat("") == scope.learner_id, table.c.subject_id.concat("") == scope.subject_id


def _names(scope: Scope) -> dict[str, str]:
    return {"learner_id": scope.learner_id, "subject_id": scope.subject_id}


def _batches(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(items), _BATCH):
        yield items[start : start + _BATCH]
