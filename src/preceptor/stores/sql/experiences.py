"""The experience repository's tables on either database."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, delete, func, insert, or_, select, update

from preceptor.domain.experience import Experience
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus
from preceptor.errors import NotFoundError
from preceptor.stores.experiences import (
    ExperienceChange,
    ExperienceDecision,
    ExperienceQuery,
    ExperienceUse,
    VectorReading,
)
from preceptor.stores.instants import instant_from, instant_text
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import as_json
from preceptor.stores.sql.tables import (
    EXPERIENCE,
    EXPERIENCE_COUNT,
    EXPERIENCE_DECISION,
    EXPERIENCE_REVISION,
    EXPERIENCE_SOURCE,
    EXPERIENCE_THRESHOLD,
    EXPERIENCE_USE,
    EXPERIENCE_VECTOR,
)

_EXPERIENCE = TypeAdapter(Experience)
_PAGE = 5000
"""Rows fetched at a time while vectors are read."""
_MANY = 500
"""Values in one IN list: SQLite takes at most 32,766 variables a statement."""


class SqlExperienceStore:
    """`ExperienceStore` on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        """Keep the database; nothing is read yet."""
        self._database = database

    def revision(self) -> int:
        """See `ExperienceStore.revision`."""
        with self._database.read() as connection:
            return _revision(connection)

    def commit(self, change: ExperienceChange, *, expected_revision: int | None = None) -> int | None:
        """See `ExperienceStore.commit`."""
        with self._database.write() as connection:
            stored = int(connection.execute(select(EXPERIENCE_REVISION.c.revision).with_for_update()).scalar_one())
            if expected_revision is not None and stored != expected_revision:
                return None
            revision = stored + 1
            connection.execute(update(EXPERIENCE_REVISION).values(revision=revision))
            for experience in change.put:
                _put(connection, experience, revision, change.vectors.get(experience.experience_id))
            if change.decisions:
                connection.execute(insert(EXPERIENCE_DECISION), [_decision_row(one) for one in change.decisions])
            if change.uses:
                connection.execute(insert(EXPERIENCE_USE), [_use_row(one) for one in change.uses])
        return revision

    def get(self, experience_id: str) -> Experience:
        """See `ExperienceStore.get`."""
        with self._database.read() as connection:
            row = connection.execute(select(EXPERIENCE).where(EXPERIENCE.c.experience_id == experience_id)).first()
        if row is None:
            raise NotFoundError(f"no experience {experience_id!r}")
        return _experience(row)

    def find(self, query: ExperienceQuery) -> list[Experience]:
        """See `ExperienceStore.find`."""
        chosen = select(EXPERIENCE).where(EXPERIENCE.c.status.in_(query.statuses))
        tags = {
            EXPERIENCE.c.error_type: query.error_type,
            EXPERIENCE.c.struggle_status: query.struggle_status,
            EXPERIENCE.c.emotion: query.emotion,
            EXPERIENCE.c.intent: query.intent,
        }
        for column, tag in tags.items():
            if tag is not None:
                chosen = chosen.where(column == tag.value)
        # A quotation mark inside a text is stored escaped, so that no text can look like these.
        if query.made_by is not None:
            chosen = chosen.where(EXPERIENCE.c.content.contains(as_json({"made_by": query.made_by})[1:-1]))
        if query.simulated is not None:
            chosen = chosen.where(EXPERIENCE.c.content.contains(as_json({"simulated": query.simulated})[1:-1]))
        if query.text:
            chosen = chosen.where(func.lower(EXPERIENCE.c.sentence).contains(query.text.lower(), autoescape=True))
        if query.changed_after is not None:
            chosen = chosen.where(EXPERIENCE.c.revision > query.changed_after)
        chosen = chosen.order_by(EXPERIENCE.c.position)
        if query.limit is not None:
            chosen = chosen.limit(query.limit).offset(query.offset)
        with self._database.read() as connection:
            return [_experience(row) for row in connection.execute(chosen)]

    def find_by_dialogue(self, dialogue_ids: Sequence[str]) -> list[Experience]:
        """See `ExperienceStore.find_by_dialogue`."""
        found: dict[str, tuple[int, Experience]] = {}
        with self._database.read() as connection:
            for some in _portions(dialogue_ids):
                chosen = (
                    select(EXPERIENCE)
                    .join(EXPERIENCE_SOURCE, EXPERIENCE_SOURCE.c.experience_id == EXPERIENCE.c.experience_id)
                    .where(EXPERIENCE_SOURCE.c.dialogue_id.in_(some))
                )
                for row in connection.execute(chosen):
                    found[row.experience_id] = (row.position, _experience(row))
        return [experience for _, experience in sorted(found.values(), key=lambda pair: pair[0])]

    def children(self, experience_id: str) -> list[Experience]:
        """See `ExperienceStore.children`."""
        named = (
            select(EXPERIENCE_DECISION.c.result_id)
            .where(EXPERIENCE_DECISION.c.outcome == "merged")
            .where(_names(experience_id))
        )
        chosen = select(EXPERIENCE).where(EXPERIENCE.c.experience_id.in_(named)).order_by(EXPERIENCE.c.position)
        with self._database.read() as connection:
            found = [_experience(row) for row in connection.execute(chosen)]
        return [child for child in found if experience_id in child.provenance.parents]

    @contextmanager
    def open_vectors(self, embedder: str) -> Iterator[VectorReading]:
        """See `ExperienceStore.open_vectors`."""
        table = EXPERIENCE_VECTOR.c
        here = (table.embedder == embedder) & (table.is_active == 1)
        with self._database.read() as connection:
            n = int(connection.execute(select(func.count()).select_from(EXPERIENCE_VECTOR).where(here)).scalar_one())
            keys = select(table.experience_id, table.state).where(here).order_by(table.position)
            vectors = select(table.vector).where(here).order_by(table.position)
            yield VectorReading(
                revision=_revision(connection),
                n=n,
                keys=((key, _state(text)) for key, text in connection.execution_options(yield_per=_PAGE).execute(keys)),
                vectors=(bytes(row[0]) for row in connection.execution_options(yield_per=_PAGE).execute(vectors)),
            )

    def vector(self, experience_id: str) -> bytes | None:
        """See `ExperienceStore.vector`."""
        chosen = select(EXPERIENCE_VECTOR.c.vector).where(EXPERIENCE_VECTOR.c.experience_id == experience_id)
        with self._database.read() as connection:
            found = connection.execute(chosen).scalar_one_or_none()
        return None if found is None else bytes(found)

    def decisions(self, experience_id: str | None = None, *, limit: int | None = None) -> list[ExperienceDecision]:
        """See `ExperienceStore.decisions`."""
        chosen = select(EXPERIENCE_DECISION).order_by(EXPERIENCE_DECISION.c.position)
        if experience_id is not None:
            chosen = chosen.where(_names(experience_id))
        if limit is not None:
            chosen = chosen.limit(limit)
        with self._database.read() as connection:
            return [_decision(row) for row in connection.execute(chosen)]

    def first_decision(self, candidate_id: str) -> ExperienceDecision | None:
        """See `ExperienceStore.first_decision`."""
        chosen = select(EXPERIENCE_DECISION).where(EXPERIENCE_DECISION.c.candidate_id == candidate_id)
        with self._database.read() as connection:
            row = connection.execute(chosen.order_by(EXPERIENCE_DECISION.c.position).limit(1)).first()
        return None if row is None else _decision(row)

    def outcome_counts(self) -> Mapping[str, int]:
        """See `ExperienceStore.outcome_counts`."""
        chosen = select(EXPERIENCE_DECISION.c.outcome, func.count()).group_by(EXPERIENCE_DECISION.c.outcome)
        with self._database.read() as connection:
            return {outcome: int(n) for outcome, n in connection.execute(chosen)}

    def uses(self, experience_id: str) -> list[ExperienceUse]:
        """See `ExperienceStore.uses`."""
        chosen = select(EXPERIENCE_USE).where(EXPERIENCE_USE.c.experience_id == experience_id)
        with self._database.read() as connection:
            return [_use(row) for row in connection.execute(chosen.order_by(EXPERIENCE_USE.c.position))]

    def forget_uses(self, dialogue_ids: Sequence[str]) -> int:
        """See `ExperienceStore.forget_uses`."""
        with self._database.write() as connection:
            return sum(
                connection.execute(delete(EXPERIENCE_USE).where(EXPERIENCE_USE.c.dialogue_id.in_(some))).rowcount
                for some in _portions(dialogue_ids)
            )

    def embedders(self) -> Mapping[str, int]:
        """See `ExperienceStore.embedders`."""
        chosen = select(EXPERIENCE.c.embedder, func.count()).where(EXPERIENCE.c.status == "active")
        with self._database.read() as connection:
            return {name: int(n) for name, n in connection.execute(chosen.group_by(EXPERIENCE.c.embedder))}

    def thresholds(self, embedder: str) -> Mapping[str, object] | None:
        """See `ExperienceStore.thresholds`."""
        chosen = select(EXPERIENCE_THRESHOLD.c.content).where(EXPERIENCE_THRESHOLD.c.embedder == embedder)
        with self._database.read() as connection:
            found = connection.execute(chosen).scalar_one_or_none()
        return None if found is None else json.loads(found)

    def put_thresholds(self, embedder: str, content: Mapping[str, object]) -> None:
        """See `ExperienceStore.put_thresholds`."""
        with self._database.write() as connection:
            connection.execute(delete(EXPERIENCE_THRESHOLD).where(EXPERIENCE_THRESHOLD.c.embedder == embedder))
            connection.execute(insert(EXPERIENCE_THRESHOLD).values(embedder=embedder, content=as_json(dict(content))))

    def counts(self, batch: str | None = None) -> Mapping[str, int]:
        """See `ExperienceStore.counts`."""
        chosen = select(EXPERIENCE_COUNT.c.name, func.sum(EXPERIENCE_COUNT.c.n)).group_by(EXPERIENCE_COUNT.c.name)
        if batch is not None:
            chosen = chosen.where(EXPERIENCE_COUNT.c.batch == batch)
        with self._database.read() as connection:
            return {name: int(n) for name, n in connection.execute(chosen.order_by(EXPERIENCE_COUNT.c.name))}

    def put_counts(self, batch: str, counts: Mapping[str, int]) -> None:
        """See `ExperienceStore.put_counts`."""
        with self._database.write() as connection:
            connection.execute(delete(EXPERIENCE_COUNT).where(EXPERIENCE_COUNT.c.batch == batch))
            rows = [{"batch": batch, "name": name, "n": n} for name, n in sorted(counts.items())]
            if rows:
                connection.execute(insert(EXPERIENCE_COUNT), rows)


def state_text(state: LearnerState) -> str:
    """Return the four tags as one text."""
    return "|".join((state.emotion.value, state.intent.value, state.error_type.value, state.struggle_status.value))


_STATES: dict[str, LearnerState] = {}


def _state(text: str) -> LearnerState:
    found = _STATES.get(text)
    if found is None:
        emotion, intent, error_type, struggle = text.split("|")
        found = LearnerState(
            emotion=Emotion(emotion),
            intent=Intent(intent),
            error_type=ErrorType(error_type),
            struggle_status=StruggleStatus(struggle),
        )
        _STATES[text] = found
    return found


def _revision(connection: Connection) -> int:
    return int(connection.execute(select(EXPERIENCE_REVISION.c.revision)).scalar_one())


def _put(connection: Connection, experience: Experience, revision: int, vector: bytes | None) -> None:
    key = experience.experience_id
    row = {
        "experience_id": key,
        "revision": revision,
        "status": experience.status,
        "emotion": experience.state.emotion.value,
        "intent": experience.state.intent.value,
        "error_type": experience.state.error_type.value,
        "struggle_status": experience.state.struggle_status.value,
        "embedder": experience.embedder,
        "sentence": experience.sentence,
        "utility": experience.utility,
        "scored_uses": experience.scored_uses,
        "content": as_json(_EXPERIENCE.dump_python(experience, mode="json")),
        "created_at": instant_text(experience.created_at),
    }
    changed = connection.execute(update(EXPERIENCE).where(EXPERIENCE.c.experience_id == key).values(**row))
    if not changed.rowcount:
        connection.execute(insert(EXPERIENCE).values(**row))
    connection.execute(delete(EXPERIENCE_SOURCE).where(EXPERIENCE_SOURCE.c.experience_id == key))
    sources = sorted({(source.dialogue_id, source.turn) for source in experience.provenance.sources})
    if sources:
        rows = [{"dialogue_id": dialogue, "turn": turn, "experience_id": key} for dialogue, turn in sources]
        connection.execute(insert(EXPERIENCE_SOURCE), rows)
    _put_vector(connection, experience, vector)


def _put_vector(connection: Connection, experience: Experience, vector: bytes | None) -> None:
    here = EXPERIENCE_VECTOR.c.experience_id == experience.experience_id
    row: dict[str, object] = {
        "embedder": experience.embedder,
        "state": state_text(experience.state),
        "is_active": int(experience.status == "active"),
    }
    if vector is not None:
        row["vector"] = vector
    changed = connection.execute(update(EXPERIENCE_VECTOR).where(here).values(**row))
    if not changed.rowcount and vector is not None:
        connection.execute(insert(EXPERIENCE_VECTOR).values(experience_id=experience.experience_id, **row))


def _experience(row: Row[Any]) -> Experience:
    return _EXPERIENCE.validate_json(row.content)


def _names(experience_id: str) -> Any:
    table = EXPERIENCE_DECISION.c
    return or_(table.candidate_id == experience_id, table.other_id == experience_id, table.result_id == experience_id)


def _portions(values: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(values), _MANY):
        yield values[start : start + _MANY]


def _decision_row(decision: ExperienceDecision) -> dict[str, object]:
    return {
        "candidate_id": decision.candidate_id,
        "outcome": decision.outcome,
        "other_id": decision.other_id,
        "result_id": decision.result_id,
        "similarity": decision.similarity,
        "threshold": decision.threshold,
        "reason": decision.reason,
        "embedder": decision.embedder,
        "decided_at": instant_text(decision.decided_at),
    }


def _decision(row: Row[Any]) -> ExperienceDecision:
    return ExperienceDecision(
        candidate_id=row.candidate_id,
        outcome=row.outcome,
        other_id=row.other_id,
        result_id=row.result_id,
        similarity=row.similarity,
        threshold=row.threshold,
        reason=row.reason,
        embedder=row.embedder,
        decided_at=instant_from(row.decided_at),
    )


def _use_row(use: ExperienceUse) -> dict[str, object]:
    return {
        "experience_id": use.experience_id,
        "dialogue_id": use.dialogue_id,
        "turn": use.turn,
        "score": use.score,
        "baseline_score": use.baseline_score,
        "utility_after": use.utility_after,
        "used_at": instant_text(use.used_at),
    }


def _use(row: Row[Any]) -> ExperienceUse:
    return ExperienceUse(
        experience_id=row.experience_id,
        dialogue_id=row.dialogue_id,
        turn=row.turn,
        score=row.score,
        baseline_score=row.baseline_score,
        utility_after=row.utility_after,
        used_at=instant_from(row.used_at),
    )
