"""Beliefs on either database: chains of rows, and what an erasure takes out of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Any

from sqlalchemy import Connection, Row, and_, delete, func, insert, select, update
from sqlalchemy.sql.elements import ColumnElement

from preceptor.domain.belief import RESETS, Belief, BeliefEvidence
from preceptor.domain.scope import Scope
from preceptor.errors import DuplicateError, NotFoundError
from preceptor.stores.instants import instant_from, instant_text
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import as_json
from preceptor.stores.sql.memory_tables import BELIEF
from preceptor.stores.sql.tables import EPISODE, PAYLOAD

_CHECKS = ("check", "quiz")
_BATCH = 500


class SqlBeliefStore:
    """`BeliefStore` on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        """Keep the database; nothing is read yet."""
        self._database = database

    def heads(self, scope: Scope) -> list[Belief]:
        """See `BeliefStore.heads`."""
        chosen = select(BELIEF).where(*_own(scope), BELIEF.c.superseded_by.is_(None)).order_by(BELIEF.c.position)
        with self._database.read(scope.learner_id) as connection:
            return [_belief(row) for row in connection.execute(chosen)]

    def rows(self, scope: Scope, concept_id: str | None = None) -> list[Belief]:
        """See `BeliefStore.rows`."""
        chosen = select(BELIEF).where(*_own(scope)).order_by(BELIEF.c.position)
        if concept_id is not None:
            chosen = chosen.where(BELIEF.c.concept_id == concept_id)
        with self._database.read(scope.learner_id) as connection:
            return _with_evidence([_belief(row) for row in connection.execute(chosen)])

    def chain(self, scope: Scope, belief_id: str) -> list[Belief]:
        """See `BeliefStore.chain`."""
        chosen = select(BELIEF.c.concept_id).where(*_own(scope), BELIEF.c.belief_id == belief_id)
        with self._database.read(scope.learner_id) as connection:
            concept_id = connection.execute(chosen).scalar()
        found = self.rows(scope, concept_id) if concept_id is not None else []
        if not any(one.belief_id == belief_id for one in found):
            raise NotFoundError(f"learner {scope.learner_id!r} has no belief {belief_id!r} in {scope.subject_id!r}")
        return found

    def add(self, scope: Scope, rows: Sequence[Belief], expected_head: str | None) -> bool:
        """See `BeliefStore.add`."""
        if not rows:
            return True
        if {(one.learner_id, one.subject_id) for one in rows} != {(scope.learner_id, scope.subject_id)}:
            raise ValueError(f"a belief to be added is not of {scope}")
        if len({(one.concept_id, one.predicate) for one in rows}) != 1:
            raise ValueError("beliefs added together must be of one concept and predicate")
        try:
            with self._database.write(scope.learner_id) as connection:
                return _add(connection, scope, rows, expected_head)
        except DuplicateError:  # another process made the same rows first
            return False

    def checks_tied(self, scope: Scope) -> int:
        """See `BeliefStore.checks_tied`."""
        # A check's row adds that check alone, in the same words whatever its concept.
        chosen = select(func.count(BELIEF.c.evidence_ids.distinct())).where(*_own(scope), BELIEF.c.reason == "check")
        with self._database.read(scope.learner_id) as connection:
            return int(connection.execute(chosen).scalar_one())

    def checks_on_record(self, scope: Scope) -> int:
        """See `BeliefStore.checks_on_record`."""
        chosen = (
            select(func.count())
            .select_from(EPISODE.join(PAYLOAD, PAYLOAD.c.episode_id == EPISODE.c.episode_id))
            .where(
                EPISODE.c.learner_id == scope.learner_id,
                EPISODE.c.subject_id == scope.subject_id,
                EPISODE.c.kind.in_(_CHECKS),
                EPISODE.c.provenance != "recalled",
                EPISODE.c.salience.is_not(None),  # of a check, set where it decided
            )
        )
        with self._database.read(scope.learner_id) as connection:
            return int(connection.execute(chosen).scalar_one())

    def fading_scopes(self, before: str) -> list[Scope]:
        """See `BeliefStore.fading_scopes`."""
        chosen = (
            select(BELIEF.c.learner_id, BELIEF.c.subject_id)
            .where(BELIEF.c.superseded_by.is_(None), BELIEF.c.claim != "unsettled", BELIEF.c.valid_from <= before)
            .distinct()
            .order_by(BELIEF.c.learner_id, BELIEF.c.subject_id)
        )
        with self._database.read() as connection:
            return [Scope(learner_id=row[0], subject_id=row[1]) for row in connection.execute(chosen)]


def forget_beliefs(connection: Connection, learner_id: str, episode_ids: Collection[str]) -> None:
    """Delete a learner's beliefs that stand on erased episodes, in the transaction of the erasure.

    A row goes with every later one that builds on it, back to the next reset. What is left of a chain is linked
    again, so its last row is current until `Beliefs` replays the checks that remain.
    """
    gone = set(episode_ids)
    chosen = select(BELIEF).where(BELIEF.c.learner_id == learner_id).order_by(*_CHAIN, BELIEF.c.position)
    rows = [_belief(row) for row in connection.execute(chosen)]
    for _, chain in groupby(rows, key=lambda one: (one.subject_id, one.concept_id, one.predicate)):
        links = list(chain)
        left = _without(links, gone)
        if len(left) == len(links):
            continue
        kept = {one.belief_id for one in left}
        for one in links:
            if one.belief_id not in kept:
                connection.execute(delete(BELIEF).where(BELIEF.c.belief_id == one.belief_id))
        for older, newer in pairwise(left):
            _point(connection, older, newer)
        if left:
            last = update(BELIEF).where(BELIEF.c.belief_id == left[-1].belief_id)
            connection.execute(last.values(superseded_by=None, valid_to=None))


_CHAIN = (BELIEF.c.subject_id, BELIEF.c.concept_id, BELIEF.c.predicate)


def _without(links: Iterable[Belief], gone: set[str]) -> list[Belief]:
    left, falls = [], False
    for one in links:
        falls = (falls and one.reason not in RESETS) or any(part.episode_id in gone for part in one.added)
        if not falls:
            left.append(one)
    return left


def _add(connection: Connection, scope: Scope, rows: Sequence[Belief], expected_head: str | None) -> bool:
    first = rows[0]
    same = and_(*_own(scope), BELIEF.c.concept_id == first.concept_id, BELIEF.c.predicate == first.predicate)
    chosen = select(BELIEF).where(same, BELIEF.c.superseded_by.is_(None)).with_for_update()
    heads = [_belief(row) for row in connection.execute(chosen)]
    if [one.belief_id for one in heads] != ([] if expected_head is None else [expected_head]):
        return False
    if not _all_here(connection, scope, {part.episode_id for one in rows for part in one.added}):
        return False
    connection.execute(insert(BELIEF), [_row(one) for one in rows])
    for older, newer in pairwise([*heads, *rows]):
        _point(connection, older, newer)
    return True


def _point(connection: Connection, older: Belief, newer: Belief) -> None:
    """Point a row at the one that supersedes it: the only thing about a row that is ever written twice."""
    valid_to = max(older.valid_from, newer.valid_from)
    chosen = update(BELIEF).where(BELIEF.c.belief_id == older.belief_id)
    connection.execute(chosen.values(superseded_by=newer.belief_id, valid_to=instant_text(valid_to)))


def _all_here(connection: Connection, scope: Scope, episode_ids: set[str]) -> bool:
    """Whether the scope has all these episodes with their payload, locked against an erasure."""
    found = 0
    ids = sorted(episode_ids)
    for start in range(0, len(ids), _BATCH):
        chosen = (
            select(EPISODE.c.episode_id)
            .join(PAYLOAD, PAYLOAD.c.episode_id == EPISODE.c.episode_id)
            .where(
                EPISODE.c.learner_id.concat("") == scope.learner_id,  # look the ids up, do not read the scope
                EPISODE.c.subject_id.concat("") == scope.subject_id,
                EPISODE.c.episode_id.in_(ids[start : start + _BATCH]),
            )
            .with_for_update(read=True, of=PAYLOAD)
        )
        found += len(connection.execute(chosen).all())
    return found == len(ids)


def _own(scope: Scope) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return BELIEF.c.learner_id == scope.learner_id, BELIEF.c.subject_id == scope.subject_id


def _with_evidence(rows: Sequence[Belief]) -> list[Belief]:
    """Return rows with what they stand on: their own and what came before, back to the last reset of their chain."""
    held: dict[tuple[str, str], tuple[BeliefEvidence, ...]] = {}
    full = []
    for one in rows:
        key = (one.concept_id, one.predicate)
        before = () if one.reason in RESETS else held.get(key, ())
        held[key] = (*before, *one.added)
        full.append(replace(one, evidence=held[key]))
    return full


def _row(one: Belief) -> dict[str, object]:
    return {
        "belief_id": one.belief_id,
        "learner_id": one.learner_id,
        "subject_id": one.subject_id,
        "concept_id": one.concept_id,
        "predicate": one.predicate,
        "claim": one.claim,
        "confidence": one.confidence,
        "provenance": one.provenance,
        "evidence_ids": as_json([[part.episode_id, part.sequence, part.verdict] for part in one.added]),
        "valid_from": instant_text(one.valid_from),
        "valid_to": None,
        "recorded_at": instant_text(one.recorded_at),
        "superseded_by": None,
        "reason": one.reason,
    }


def _belief(row: Row[Any]) -> Belief:
    return Belief(
        belief_id=row.belief_id,
        learner_id=row.learner_id,
        subject_id=row.subject_id,
        concept_id=row.concept_id,
        predicate=row.predicate,
        claim=row.claim,
        confidence=row.confidence,
        provenance=row.provenance,
        reason=row.reason,
        added=tuple(
            BeliefEvidence(episode_id=episode_id, sequence=sequence, verdict=verdict)
            for episode_id, sequence, verdict in json.loads(row.evidence_ids)
        ),
        valid_from=instant_from(row.valid_from),
        valid_to=None if row.valid_to is None else instant_from(row.valid_to),
        recorded_at=instant_from(row.recorded_at),
        superseded_by=row.superseded_by,
    )
