"""The nightly loop's rows on either database."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import Connection, Table, and_, delete, func, insert, or_, select, update
from sqlalchemy.sql.elements import ColumnElement

from preceptor.domain.episode import Evidence
from preceptor.domain.scope import Scope
from preceptor.stores.instants import instant_from, instant_text
from preceptor.stores.memory import Verification
from preceptor.stores.nights import Cited, Night
from preceptor.stores.sql.course_tables import COURSE_DOCUMENT, COURSE_PAGE
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import as_json
from preceptor.stores.sql.memory_tables import MEMORY_VERIFICATION
from preceptor.stores.sql.night_tables import MEMORY_NIGHT, MEMORY_SELF_MODEL
from preceptor.stores.sql.tables import EPISODE, PAYLOAD

QUIET_KINDS = ("consolidation", "erasure")
"""Kinds that are no activity: the loop's own notes, and the record of what was erased."""
UNCITED_KINDS = (*QUIET_KINDS, "safety_flag", "hint")
"""Kinds that are not verified: nothing of them is ever recalled."""
_BATCH = 500


class SqlNightStore:
    """`NightStore` on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        """Keep the database; nothing is read yet."""
        self._database = database

    def last(self, scope: Scope) -> Night | None:
        """See `NightStore.last`."""
        with self._database.read(scope.learner_id) as connection:
            row = connection.execute(select(MEMORY_NIGHT).where(*_own(MEMORY_NIGHT, scope))).first()
        if row is None or row.through_day is None:
            return None
        return Night(
            through_day=date.fromisoformat(row.through_day),
            sequence=row.sequence,
            ended_at=instant_from(row.ended_at),
        )

    def begin(self, scope: Scope, day: date) -> None:
        """See `NightStore.begin`."""
        begun = {"begun_day": day.isoformat()}
        with self._database.write(scope.learner_id) as connection:
            changed = connection.execute(update(MEMORY_NIGHT).where(*_own(MEMORY_NIGHT, scope)).values(**begun))
            if not changed.rowcount:
                _replace(connection, MEMORY_NIGHT, scope, {**begun, "through_day": None, "sequence": 0})

    def active_scopes(self) -> list[Scope]:
        """See `NightStore.active_scopes`."""
        both = and_(
            MEMORY_NIGHT.c.learner_id == EPISODE.c.learner_id, MEMORY_NIGHT.c.subject_id == EPISODE.c.subject_id
        )
        new = or_(MEMORY_NIGHT.c.sequence.is_(None), EPISODE.c.sequence > MEMORY_NIGHT.c.sequence)
        chosen = (
            select(EPISODE.c.learner_id, EPISODE.c.subject_id)
            .select_from(EPISODE.outerjoin(MEMORY_NIGHT, both))
            .where(new, EPISODE.c.kind.not_in(QUIET_KINDS))
            .distinct()
        )
        night = MEMORY_NIGHT.c
        begun = select(night.learner_id, night.subject_id).where(night.begun_day > func.coalesce(night.through_day, ""))
        with self._database.read() as connection:
            found = {(row[0], row[1]) for one in (chosen, begun) for row in connection.execute(one)}
        return [Scope(learner_id=learner_id, subject_id=subject_id) for learner_id, subject_id in sorted(found)]

    def end(self, scope: Scope, night: Night, self_model: Mapping[str, object], found: Sequence[Verification]) -> None:
        """See `NightStore.end`."""
        ended_at = instant_text(night.ended_at)
        with self._database.write(scope.learner_id) as connection:
            _put_verifications(connection, scope, found)
            _replace(
                connection,
                MEMORY_NIGHT,
                scope,
                {
                    "begun_day": night.through_day.isoformat(),
                    "through_day": night.through_day.isoformat(),
                    "sequence": night.sequence,
                    "ended_at": ended_at,
                },
            )
            content = as_json(dict(self_model))
            _replace(connection, MEMORY_SELF_MODEL, scope, {"content": content, "composed_at": ended_at})

    def self_model(self, scope: Scope) -> Mapping[str, object] | None:
        """See `NightStore.self_model`."""
        chosen = select(MEMORY_SELF_MODEL.c.content).where(*_own(MEMORY_SELF_MODEL, scope))
        with self._database.read(scope.learner_id) as connection:
            content = connection.execute(chosen).scalar()
        return None if content is None else dict(json.loads(content))

    def to_verify(self, scope: Scope, *, limit: int) -> list[Cited]:
        """See `NightStore.to_verify`."""
        chosen = (
            select(EPISODE.c.episode_id, EPISODE.c.evidence)
            .join(PAYLOAD, PAYLOAD.c.episode_id == EPISODE.c.episode_id)
            .outerjoin(MEMORY_VERIFICATION, MEMORY_VERIFICATION.c.episode_id == EPISODE.c.episode_id)
            .where(*_own(EPISODE, scope), EPISODE.c.kind.not_in(UNCITED_KINDS))
            .order_by(func.coalesce(MEMORY_VERIFICATION.c.checked_at, ""), EPISODE.c.sequence)
            .limit(limit)
        )
        with self._database.read(scope.learner_id) as connection:
            return [
                Cited(
                    episode_id=row.episode_id,
                    evidence=() if row.evidence == "[]" else tuple(_evidence(row.evidence)),
                )
                for row in connection.execute(chosen)
            ]

    def evidence_found(self, scope: Scope, evidence: Sequence[Evidence]) -> list[str]:
        """See `NightStore.evidence_found`."""
        pages: dict[str, dict[int, str]] = {}
        files: dict[str, str] = {}
        wanted = sorted({one.document_id for one in evidence})
        with self._database.read() as connection:
            for ids in (wanted[start : start + _BATCH] for start in range(0, len(wanted), _BATCH)):
                document = COURSE_DOCUMENT.c
                own = select(document.document_id, document.fingerprint).where(
                    document.document_id.in_(ids), document.subject_id == scope.subject_id
                )
                files |= {row.document_id: row.fingerprint for row in connection.execute(own)}
                of_pages = select(COURSE_PAGE.c.document_id, COURSE_PAGE.c.page, COURSE_PAGE.c.fingerprint)
                for row in connection.execute(of_pages.where(COURSE_PAGE.c.document_id.in_(ids))):
                    pages.setdefault(row.document_id, {})[row.page] = row.fingerprint
        held = {name: {fingerprint, *pages.get(name, {}).values()} for name, fingerprint in files.items()}
        return [_status(one, held.get(one.document_id), pages.get(one.document_id, {})) for one in evidence]

    def put_verifications(self, scope: Scope, found: Sequence[Verification]) -> int:
        """See `NightStore.put_verifications`."""
        with self._database.write(scope.learner_id) as connection:
            return _put_verifications(connection, scope, found)

    def verification_counts(self, scope: Scope) -> Mapping[str, int]:
        """See `NightStore.verification_counts`."""
        status = MEMORY_VERIFICATION.c.status
        chosen = select(status, func.count()).where(*_own(MEMORY_VERIFICATION, scope)).group_by(status)
        with self._database.read(scope.learner_id) as connection:
            return {row[0]: int(row[1]) for row in connection.execute(chosen.order_by(status))}


def forget_self_models(connection: Connection, learner_id: str) -> None:
    """Delete what was composed about a learner, in the transaction of an erasure of theirs."""
    connection.execute(delete(MEMORY_SELF_MODEL).where(MEMORY_SELF_MODEL.c.learner_id == learner_id))


def _status(one: Evidence, held: set[str] | None, pages: Mapping[int, str]) -> str:
    if held is None:
        return "removed"
    if one.fingerprint in held:
        return "holds"
    return "changed" if one.page is None or one.page in pages else "removed"


def _put_verifications(connection: Connection, scope: Scope, found: Sequence[Verification]) -> int:
    stored = 0
    for start in range(0, len(found), _BATCH):
        batch = {one.episode_id: one for one in found[start : start + _BATCH]}
        here = (
            select(EPISODE.c.episode_id)
            .join(PAYLOAD, PAYLOAD.c.episode_id == EPISODE.c.episode_id)
            .where(
                EPISODE.c.learner_id.concat("") == scope.learner_id,
                EPISODE.c.subject_id.concat("") == scope.subject_id,
                EPISODE.c.episode_id.in_(list(batch)),
            )
            .with_for_update(read=True, of=PAYLOAD)
        )
        rows = [
            {
                "learner_id": scope.learner_id,
                "subject_id": scope.subject_id,
                "episode_id": episode_id,
                "status": batch[episode_id].status,
                "note": batch[episode_id].note,
                "checked_at": instant_text(batch[episode_id].checked_at),
            }
            for episode_id in connection.execute(here).scalars()
        ]
        if rows:
            ids = [row["episode_id"] for row in rows]
            connection.execute(delete(MEMORY_VERIFICATION).where(MEMORY_VERIFICATION.c.episode_id.in_(ids)))
            connection.execute(insert(MEMORY_VERIFICATION), rows)
        stored += len(rows)
    return stored


def _replace(connection: Connection, table: Table, scope: Scope, values: dict[str, Any]) -> None:
    connection.execute(delete(table).where(*_own(table, scope)))
    connection.execute(insert(table).values(learner_id=scope.learner_id, subject_id=scope.subject_id, **values))


def _own(table: Table, scope: Scope) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return table.c.learner_id == scope.learner_id, table.c.subject_id == scope.subject_id


def _evidence(stored: str) -> list[Evidence]:
    return [
        Evidence(document_id=document_id, page=page, fingerprint=fingerprint)
        for document_id, page, fingerprint in json.loads(stored)
    ]
