"""Concept maps on both databases: replaced whole, apart by subject, and built from readings that stay."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from preceptor.domain.concept import (
    BuildsOn,
    Concept,
    ConceptEvidence,
    ConceptMap,
    ConceptMerge,
    ConceptNote,
    ConceptReading,
    ReadConcept,
    RefusedName,
)
from preceptor.errors import DuplicateError
from preceptor.stores.concept_maps import ConceptMapStore, InstructorNote
from preceptor.stores.sql.concept_maps import SqlConceptMapStore
from preceptor.stores.sql.database import Database

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def store(database: Database) -> ConceptMapStore:
    return SqlConceptMapStore(database)


def _map(subject_id: str, *names: str) -> ConceptMap:
    concepts = tuple(
        Concept(
            concept_id=f"c-{name}",
            subject_id=subject_id,
            name=name,
            key=name.casefold(),
            language="de",
            layer="taught",
            readiness=1.0,
            gist="Etwas über Größen.",
            evidence=(ConceptEvidence(document_id="d1", page=3, fingerprint="f"),),
            provenance=("builtin:d1",),
            aliases=("x",),
            notes=(ConceptNote(text="bei uns heißt das so", episode_id="e1"),),
            assumes=("Menge",),
        )
        for name in names
    )
    edges = tuple(
        BuildsOn(concept_id=f"c-{above}", prerequisite_id=f"c-{below}", weight=2.0, provenance=("builtin:d1",))
        for below, above in zip(names, names[1:], strict=False)
    )
    return ConceptMap(subject_id=subject_id, concepts=concepts, edges=edges)


def _reading(subject_id: str, document_id: str, *names: str) -> ConceptReading:
    return ConceptReading(
        subject_id=subject_id,
        document_id=document_id,
        fingerprint="f1",
        language="en",
        engine="builtin",
        concepts=tuple(ReadConcept(name=name, pages=(1, 2), builds_on=names[:1]) for name in names),
        page_fingerprints={1: "p1", 2: "p2"},
        refused=(RefusedName(name="Introduction", reason="is a section title"),),
    )


def test_a_map_comes_back_as_it_was_stored(store: ConceptMapStore) -> None:
    stored = _map("biology", "Zelle", "Osmose", "Diffusion")
    assert store.replace_map(stored, [], NOON) == 1
    assert store.load_map("biology") == stored


def test_building_again_replaces_the_map_and_counts(store: ConceptMapStore) -> None:
    merge = ConceptMerge(kept="a", merged="b", reason="embedding", similarity=0.9, threshold=0.87, embedder="m")
    store.replace_map(_map("biology", "Zelle", "Osmose"), [merge], NOON)
    assert store.merges("biology") == [merge]
    assert store.replace_map(_map("biology", "Gen"), [], NOON) == 2
    loaded = store.load_map("biology")
    assert loaded is not None
    assert [one.name for one in loaded.concepts] == ["Gen"]
    assert (loaded.edges, store.merges("biology"), store.revision("biology")) == ((), [], 2)


def test_subjects_do_not_see_each_other(store: ConceptMapStore) -> None:
    store.replace_map(_map("biology", "Zelle"), [], NOON)
    store.replace_map(_map("algebra", "Zelle", "Term"), [], NOON)
    store.replace_map(_map("biology"), [], NOON)
    algebra = store.load_map("algebra")
    assert algebra is not None
    assert len(algebra.concepts) == 2
    assert store.subjects() == ["algebra", "biology"]
    assert store.load_map("physics") is None
    assert store.revision("physics") == 0


def test_a_reading_replaces_that_of_the_same_document_and_keeps_its_place(store: ConceptMapStore) -> None:
    for reading in (_reading("s", "d1", "a"), _reading("s", "d2", "b"), _reading("t", "d1", "other")):
        store.put_reading(reading)
    store.put_reading(_reading("s", "d1", "a", "c"))
    assert store.readings("s") == [_reading("s", "d1", "a", "c"), _reading("s", "d2", "b")]
    assert store.remove_reading("s", "d1")
    assert not store.remove_reading("s", "d1")
    assert [one.document_id for one in store.readings("s")] == ["d2"]
    assert len(store.readings("t")) == 1


def test_instructors_notes_are_kept_by_subject(store: ConceptMapStore) -> None:
    note = InstructorNote(
        note_id="n1", subject_id="s", concept_name="osmosis", text="we say", language="en", taught_at=NOON
    )
    store.add_note(note)
    with pytest.raises(DuplicateError):
        store.add_note(note)
    assert store.notes("s") == [note]
    assert store.notes("t") == []
    assert not store.remove_note("t", "n1")
    assert store.remove_note("s", "n1")


def test_a_threshold_is_kept_with_its_embedder(store: ConceptMapStore) -> None:
    store.put_threshold("m:1", {"value": 0.9})
    store.put_threshold("m:1", {"value": 0.87, "origin": "calibrated"})
    assert store.threshold("m:1") == {"value": 0.87, "origin": "calibrated"}
    assert store.threshold("m:2") is None


def test_a_map_that_cannot_be_stored_leaves_the_old_one(store: ConceptMapStore) -> None:
    old = _map("s", "a", "b")
    store.replace_map(old, [], NOON)
    broken = _map("s", "c")
    object.__setattr__(broken, "concepts", broken.concepts * 2)  # the value itself refuses a doubled key
    with pytest.raises(DuplicateError):
        store.replace_map(broken, [], NOON)
    assert (store.load_map("s"), store.revision("s")) == (old, 1)
