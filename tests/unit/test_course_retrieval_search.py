"""Searching stored courses: scope, change, missing vectors, foreign queries, and reasons for what was off."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.unit.course_retrieval_doubles import HashEmbedder, passages

from preceptor.course.retrieval import CourseRetrieval
from preceptor.course.terms import text_terms
from preceptor.domain.course import Course
from preceptor.domain.passage import Document, Passage
from preceptor.errors import InputError, NotFoundError
from preceptor.settings import CourseRetrievalSettings
from preceptor.stores.courses import DocumentContent
from preceptor.stores.sql.courses import SqlCourseStore
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import open_sqlite

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class NamedPassages:
    """A second index that always names the same passages."""

    def __init__(self, *passage_ids: str) -> None:
        self._ids = passage_ids

    def passage_ids(self, subject_id: str, query: str, *, limit: int) -> Sequence[str]:
        return self._ids


@pytest.fixture
def store(tmp_path: Path) -> SqlCourseStore:
    made = SqlCourseStore(Database(open_sqlite(tmp_path / "preceptor.sqlite3")))
    for subject_id in ("notes", "other"):
        made.create(Course(subject_id=subject_id, title=subject_id, created_at=NOON))
        for name in sorted({one.document_name for one in passages()}):
            add(made, [one for one in passages(subject_id) if one.document_name == name])
    return made


def add(store: SqlCourseStore, held: list[Passage]) -> None:
    first = held[0]
    document = Document(
        document_id=first.document_id, subject_id=first.subject_id, name=first.document_name, media_type="text/plain",
        fingerprint="f" * 64, n_pages=1, added_at=NOON,
    )  # fmt: skip
    words = {one.passage_id: tuple(text_terms(one.text)) for one in held}
    store.put_document(DocumentContent(document=document, pages=(), passages=held, words=words))


def write_vectors(store: SqlCourseStore, subject_id: str = "notes") -> None:
    held = store.passages(subject_id)
    made = HashEmbedder().embed([one.text for one in held])
    store.put_vectors(
        "hash",
        {
            one.passage_id: None if vector is None else vector.astype("<f2").tobytes()
            for one, vector in zip(held, made, strict=True)
        },
    )


def test_a_search_sees_its_own_course_only(store: SqlCourseStore) -> None:
    found = CourseRetrieval(store).search("other", "what does the denominator say")
    assert found.passages[0].passage.document_name == "fractions.md"
    assert {one.passage.subject_id for one in found.passages} == {"other"}


def test_a_course_that_is_not_there_and_an_empty_query_are_refused(store: SqlCourseStore) -> None:
    with pytest.raises(NotFoundError):
        CourseRetrieval(store).search("nowhere", "denominator")
    with pytest.raises(InputError, match="at least one word"):
        CourseRetrieval(store).search("notes", "  \n")


def test_without_an_embedder_words_search_and_the_result_says_so(store: SqlCourseStore) -> None:
    found = CourseRetrieval(store).search("notes", "denominator")
    assert found.stages_off["dense"] == "no embedder"
    assert found.passages[0].stages.dense is None
    assert found.passages[0].stages.words


def test_with_vectors_every_stage_gives_its_score(store: SqlCourseStore) -> None:
    write_vectors(store)
    retrieval = CourseRetrieval(store, embedder=HashEmbedder())
    retrieval.prepare("notes")
    found = retrieval.search("notes", "stomata are tiny pores")
    best = found.passages[0]
    assert best.passage.text.startswith("Stomata")
    assert None not in (best.stages.dense, best.stages.fused, best.stages.mmr, best.stages.rerank)
    assert set(found.stages_off) == {"concepts", "late"}
    assert found.answerable is not None
    assert {"words", "dense", "fusion", "mmr", "rerank", "answerability", "total"} <= set(found.timings_ms)


@pytest.mark.parametrize(("query", "language"), [("was ist ein Denominator", "de"), ("气孔 denominator", None)])
def test_a_language_the_embedder_does_not_speak_is_searched_by_words(
    store: SqlCourseStore, query: str, language: str | None
) -> None:
    write_vectors(store)
    found = CourseRetrieval(store, embedder=HashEmbedder()).search("notes", query, language=language)
    assert "does not speak" in found.stages_off["dense"]
    assert found.passages[0].passage.document_name == "fractions.md"
    assert found.passages[0].stages.dense is None


def test_vectors_that_are_not_there_yet_are_named_and_then_used(store: SqlCourseStore) -> None:
    retrieval = CourseRetrieval(store, embedder=HashEmbedder())
    assert "no vectors yet" in retrieval.search("notes", "denominator").stages_off["dense"]
    write_vectors(store)
    assert "dense" not in retrieval.search("notes", "denominator").stages_off


def test_a_new_file_is_found_at_once(store: SqlCourseStore) -> None:
    retrieval = CourseRetrieval(store)
    assert retrieval.search("notes", "hurricanes").passages == ()
    text = "Hurricanes draw their strength from warm seas."
    new = Passage(
        passage_id="new", subject_id="notes", document_id="d9", document_name="storms.md", page=1, start=0,
        end=len(text), text=text,
    )  # fmt: skip
    add(store, [new])
    assert retrieval.search("notes", "hurricanes").passages[0].passage.passage_id == "new"
    store.remove_document("notes", "d9")
    assert retrieval.search("notes", "hurricanes").passages == ()


def test_the_instructors_mark_reaches_the_passages(store: SqlCourseStore) -> None:
    store.set_official("notes", "notes-leaf.md", True)
    found = CourseRetrieval(store).search("notes", "stomata")
    assert found.passages[0].passage.official


def test_a_stage_that_is_switched_off_says_so(store: SqlCourseStore) -> None:
    settings = CourseRetrievalSettings(stages_off=("rerank",), top=1)
    found = CourseRetrieval(store, settings=settings).search("notes", "stomata chlorophyll")
    assert found.stages_off["rerank"] == "switched off"
    assert found.stages_off["boost"] == "nothing reranks"
    assert len(found.passages) == 1
    assert found.passages[0].stages.rerank is None


def test_both_finders_off_is_a_settings_fault(store: SqlCourseStore) -> None:
    with pytest.raises(InputError, match="cannot both be off"):
        CourseRetrieval(store, settings=CourseRetrievalSettings(stages_off=("dense", "words")))


def test_the_second_index_adds_its_passages_and_unknown_ids_are_passed_over(store: SqlCourseStore) -> None:
    settings = CourseRetrievalSettings(profile="two_indexes")
    concepts = NamedPassages("notes-bfs.md-1", "gone")
    found = CourseRetrieval(store, concepts=concepts, settings=settings).search("notes", "stomata")
    scores = {one.passage.passage_id: one.stages.concepts for one in found.passages}
    assert scores["notes-bfs.md-1"] == pytest.approx(1 / 61)


def test_unknown_words_are_named(store: SqlCourseStore) -> None:
    assert CourseRetrieval(store).search("notes", "denominator of hurricanes").unknown_words == ("hurricanes",)
