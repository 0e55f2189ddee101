"""Concept maps on either database."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, cast

from pydantic import TypeAdapter
from sqlalchemy import Connection, delete, insert, select, update

from preceptor.domain.concept import BuildsOn, Concept, ConceptMap, ConceptMerge, ConceptReading
from preceptor.stores.concept_maps import InstructorNote
from preceptor.stores.instants import instant_from, instant_text
from preceptor.stores.sql.concept_map_tables import (
    CONCEPT,
    CONCEPT_EDGE,
    CONCEPT_MAP,
    CONCEPT_MERGE,
    CONCEPT_NOTE,
    CONCEPT_READING,
    CONCEPT_THRESHOLD,
)
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import as_json

_CONCEPT = TypeAdapter(Concept)
_READING = TypeAdapter(ConceptReading)


class SqlConceptMapStore:
    """`ConceptMapStore` on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        """Keep the database; nothing is read yet."""
        self._database = database

    def put_reading(self, reading: ConceptReading) -> None:
        """See `ConceptMapStore.put_reading`."""
        row = {
            "fingerprint": reading.fingerprint,
            "engine": reading.engine,
            "content": as_json(_READING.dump_python(reading, mode="json")),
        }
        held = (CONCEPT_READING.c.subject_id == reading.subject_id) & (
            CONCEPT_READING.c.document_id == reading.document_id
        )
        with self._database.write() as connection:
            if not connection.execute(update(CONCEPT_READING).where(held).values(**row)).rowcount:
                connection.execute(
                    insert(CONCEPT_READING).values(
                        subject_id=reading.subject_id, document_id=reading.document_id, **row
                    )
                )

    def readings(self, subject_id: str) -> list[ConceptReading]:
        """See `ConceptMapStore.readings`."""
        chosen = select(CONCEPT_READING.c.content).where(CONCEPT_READING.c.subject_id == subject_id)
        with self._database.read() as connection:
            rows = connection.execute(chosen.order_by(CONCEPT_READING.c.position))
            return [_READING.validate_json(row.content) for row in rows]

    def remove_reading(self, subject_id: str, document_id: str) -> bool:
        """See `ConceptMapStore.remove_reading`."""
        held = (CONCEPT_READING.c.subject_id == subject_id) & (CONCEPT_READING.c.document_id == document_id)
        with self._database.write() as connection:
            return bool(connection.execute(delete(CONCEPT_READING).where(held)).rowcount)

    def add_note(self, note: InstructorNote) -> None:
        """See `ConceptMapStore.add_note`."""
        row = {**asdict(note), "taught_at": instant_text(note.taught_at)}
        with self._database.write() as connection:
            connection.execute(insert(CONCEPT_NOTE).values(**row))

    def notes(self, subject_id: str) -> list[InstructorNote]:
        """See `ConceptMapStore.notes`."""
        chosen = select(CONCEPT_NOTE).where(CONCEPT_NOTE.c.subject_id == subject_id)
        with self._database.read() as connection:
            return [
                InstructorNote(
                    note_id=row.note_id,
                    subject_id=row.subject_id,
                    concept_name=row.concept_name,
                    text=row.text,
                    language=row.language,
                    taught_at=instant_from(row.taught_at),
                )
                for row in connection.execute(chosen.order_by(CONCEPT_NOTE.c.position))
            ]

    def remove_note(self, subject_id: str, note_id: str) -> bool:
        """See `ConceptMapStore.remove_note`."""
        held = (CONCEPT_NOTE.c.subject_id == subject_id) & (CONCEPT_NOTE.c.note_id == note_id)
        with self._database.write() as connection:
            return bool(connection.execute(delete(CONCEPT_NOTE).where(held)).rowcount)

    def replace_map(self, concepts: ConceptMap, merges: Sequence[ConceptMerge], built_at: datetime) -> int:
        """See `ConceptMapStore.replace_map`."""
        subject_id = concepts.subject_id
        with self._database.write() as connection:
            revision = _next_revision(connection, subject_id, instant_text(built_at))
            for table in (CONCEPT_EDGE, CONCEPT, CONCEPT_MERGE):
                connection.execute(delete(table).where(table.c.subject_id == subject_id))
            if concepts.concepts:
                connection.execute(insert(CONCEPT), [_concept_row(one) for one in concepts.concepts])
            if concepts.edges:
                connection.execute(insert(CONCEPT_EDGE), [_edge_row(subject_id, edge) for edge in concepts.edges])
            if merges:
                connection.execute(insert(CONCEPT_MERGE), [{"subject_id": subject_id, **asdict(one)} for one in merges])
        return revision

    def load_map(self, subject_id: str) -> ConceptMap | None:
        """See `ConceptMapStore.load_map`."""
        nodes = select(CONCEPT.c.content).where(CONCEPT.c.subject_id == subject_id).order_by(CONCEPT.c.position)
        edges = select(CONCEPT_EDGE).where(CONCEPT_EDGE.c.subject_id == subject_id).order_by(CONCEPT_EDGE.c.position)
        with self._database.read() as connection:
            if not _revision(connection, subject_id):
                return None
            return ConceptMap(
                subject_id=subject_id,
                concepts=tuple(_CONCEPT.validate_json(row.content) for row in connection.execute(nodes)),
                edges=tuple(
                    BuildsOn(
                        concept_id=row.concept_id,
                        prerequisite_id=row.prerequisite_id,
                        weight=row.weight,
                        provenance=tuple(json.loads(row.provenance)),
                    )
                    for row in connection.execute(edges)
                ),
            )

    def revision(self, subject_id: str) -> int:
        """See `ConceptMapStore.revision`."""
        with self._database.read() as connection:
            return _revision(connection, subject_id)

    def merges(self, subject_id: str) -> list[ConceptMerge]:
        """See `ConceptMapStore.merges`."""
        chosen = select(CONCEPT_MERGE).where(CONCEPT_MERGE.c.subject_id == subject_id)
        with self._database.read() as connection:
            return [
                ConceptMerge(
                    kept=row.kept,
                    merged=row.merged,
                    reason=cast(Any, row.reason),
                    similarity=row.similarity,
                    threshold=row.threshold,
                    embedder=row.embedder,
                )
                for row in connection.execute(chosen.order_by(CONCEPT_MERGE.c.position))
            ]

    def subjects(self) -> list[str]:
        """See `ConceptMapStore.subjects`."""
        with self._database.read() as connection:
            # Sorted here: the databases order letters differently.
            return sorted(connection.execute(select(CONCEPT_MAP.c.subject_id)).scalars())

    def put_threshold(self, embedder: str, content: Mapping[str, object]) -> None:
        """See `ConceptMapStore.put_threshold`."""
        with self._database.write() as connection:
            connection.execute(delete(CONCEPT_THRESHOLD).where(CONCEPT_THRESHOLD.c.embedder == embedder))
            connection.execute(insert(CONCEPT_THRESHOLD).values(embedder=embedder, content=as_json(dict(content))))

    def threshold(self, embedder: str) -> Mapping[str, object] | None:
        """See `ConceptMapStore.threshold`."""
        chosen = select(CONCEPT_THRESHOLD.c.content).where(CONCEPT_THRESHOLD.c.embedder == embedder)
        with self._database.read() as connection:
            content = connection.execute(chosen).scalar_one_or_none()
        return None if content is None else cast(Mapping[str, object], json.loads(content))


def _revision(connection: Connection, subject_id: str) -> int:
    chosen = select(CONCEPT_MAP.c.revision).where(CONCEPT_MAP.c.subject_id == subject_id)
    return int(connection.execute(chosen).scalar_one_or_none() or 0)


def _next_revision(connection: Connection, subject_id: str, built_at: str) -> int:
    held = CONCEPT_MAP.c.subject_id == subject_id
    change = update(CONCEPT_MAP).where(held).values(revision=CONCEPT_MAP.c.revision + 1, built_at=built_at)
    if not connection.execute(change).rowcount:
        connection.execute(insert(CONCEPT_MAP).values(subject_id=subject_id, revision=1, built_at=built_at))
    return _revision(connection, subject_id)


def _concept_row(concept: Concept) -> dict[str, object]:
    return {
        "subject_id": concept.subject_id,
        "concept_id": concept.concept_id,
        "concept_key": concept.key,
        "name": concept.name,
        "layer": concept.layer,
        "readiness": concept.readiness,
        "content": as_json(_CONCEPT.dump_python(concept, mode="json")),
    }


def _edge_row(subject_id: str, edge: BuildsOn) -> dict[str, object]:
    return {
        "subject_id": subject_id,
        "concept_id": edge.concept_id,
        "prerequisite_id": edge.prerequisite_id,
        "weight": edge.weight,
        "provenance": as_json(list(edge.provenance)),
    }
