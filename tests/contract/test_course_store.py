"""The tables of course files on both databases."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from preceptor.domain.course import Course, CoursePage, Heading, PageProblem
from preceptor.domain.passage import Document, Passage
from preceptor.errors import DuplicateError, NotFoundError
from preceptor.record.search_words import word_runs
from preceptor.stores.courses import CourseStore, DocumentChange, DocumentContent, UnansweredQuestion
from preceptor.stores.sql.courses import SqlCourseStore
from preceptor.stores.sql.database import Database

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def store(database: Database) -> CourseStore:
    made = SqlCourseStore(database)
    made.create(Course(subject_id="search", title="Search", created_at=NOON))
    made.create(Course(subject_id="sets", title="Sets – ∅", created_at=NOON))
    return made


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _content(pages: Sequence[str], *, subject: str = "search", name: str = "notes.md") -> DocumentContent:
    """One passage a paragraph, its id from its text."""
    key = f"{subject}/{name}"
    made, passages = [], []
    for number, text in enumerate(pages, start=1):
        heading = Heading(start=0, end=len(text.split()[0]), level=1, text=text.split()[0])
        made.append(CoursePage(page=number, text=text, fingerprint=_sha(text), headings=(heading,)))
        start = 0
        for part in text.split("\n\n"):
            passages.append(
                Passage(
                    passage_id=_sha(key + part)[:16],
                    subject_id=subject,
                    document_id=key,
                    document_name=name,
                    page=number,
                    start=start,
                    end=start + len(part),
                    text=part,
                    heading_path=("Chapter «1»", "Part"),
                    page_fingerprint=_sha(text),
                )
            )
            start += len(part) + 2
    return DocumentContent(
        document=Document(
            document_id=key,
            subject_id=subject,
            name=name,
            media_type="text/markdown",
            fingerprint=_sha("\f".join(pages)),
            n_pages=len(pages),
            added_at=NOON,
            read_by="1",
        ),
        pages=made,
        passages=passages,
        words={one.passage_id: tuple(word_runs(one.text)) for one in passages},
        problems=(PageProblem(page=1, kind="comment", detail="a remark", excerpt="todo"),),
    )


def test_a_file_comes_back_as_it_was_stored(store: CourseStore) -> None:
    content = _content(["queue holds the frontier\n\nstack holds it too", "heap orders it"])
    assert store.put_document(content) == DocumentChange(kept=0, added=3, replaced=0)
    assert store.passages("search") == list(content.passages)
    assert store.documents("search") == [content.document]
    assert store.document("search", "search/notes.md") == content.document
    assert store.page("search", "search/notes.md", 2) == content.pages[1]
    assert store.problems("search", "search/notes.md") == list(content.problems)
    assert store.passage(content.passages[1].passage_id) == content.passages[1]
    assert (store.passages("sets"), store.revision("sets"), store.revision("none")) == ([], 0, 0)


def test_what_is_not_there_is_not_found(store: CourseStore) -> None:
    store.put_document(_content(["one page"]))
    for call in (
        lambda: store.course("music"),
        lambda: store.document("sets", "search/notes.md"),
        lambda: store.page("search", "search/notes.md", 2),
        lambda: store.problems("sets", "search/notes.md"),
        lambda: store.passage("p9"),
        lambda: store.set_official("sets", "search/notes.md", True),
        lambda: store.remove_document("sets", "search/notes.md"),
        lambda: store.put_document(_content(["text"], subject="music")),
    ):
        with pytest.raises(NotFoundError):
            call()
    with pytest.raises(DuplicateError):
        store.create(Course(subject_id="sets", title="again", created_at=NOON))
    assert [course.subject_id for course in store.courses()] == ["search", "sets"]


def test_a_changed_file_replaces_only_its_changed_passages_and_says_what_became_of_them(store: CourseStore) -> None:
    before = _content(["queue first\n\nstack last", "heap least"])
    store.put_document(before)
    vectors = {one.passage_id: bytes([place] * 4) for place, one in enumerate(before.passages)}
    assert store.put_vectors("e1", vectors) == 3
    after = _content(["new queue\n\nstack last", "heap least"])
    after = replace(after, document=replace(after.document, added_at=NOON + timedelta(days=1)))
    assert store.put_document(after) == DocumentChange(kept=2, added=1, replaced=1)
    assert store.passages("search") == list(after.passages)
    assert store.vectors("search", "e1").vectors == bytes([1] * 4 + [2] * 4)
    assert [one.text for one in store.without_vectors("e1", 9)] == ["new queue"]
    assert [store.passage_status(one.passage_id) for one in before.passages] == ["superseded", "holds", "holds"]
    assert store.evidence_status("search/notes.md", 1, before.pages[0].fingerprint) == "changed"
    assert store.evidence_status("search/notes.md", 2, before.pages[1].fingerprint) == "holds"
    assert store.evidence_status("search/notes.md", 9, "f") == "removed"
    assert store.search_words("search", ["first"], 5) == []


def test_a_page_that_moved_still_holds(store: CourseStore) -> None:
    before = _content(["queue first", "heap least"])
    store.put_document(before)
    change = store.put_document(_content(["a new first page", "queue first", "heap least"]))
    assert change == DocumentChange(kept=2, added=1, replaced=0)
    assert store.evidence_status("search/notes.md", 1, before.pages[0].fingerprint) == "holds"
    assert store.passage(before.passages[0].passage_id).page == 2


def test_the_same_file_again_changes_nothing_and_another_reading_of_it_does(store: CourseStore) -> None:
    content = _content(["queue first"])
    store.put_document(content)
    assert store.put_document(content) == DocumentChange(kept=1, added=0, replaced=0)
    again = replace(content, document=replace(content.document, read_by="2"), problems=())
    store.put_document(again)
    assert store.documents("search")[0].read_by == "2"
    assert store.problems("search", "search/notes.md") == []


def test_a_removed_file_leaves_nothing_but_the_news_of_it(store: CourseStore) -> None:
    content = _content(["queue first\n\nstack last"])
    store.put_document(content)
    store.put_vectors("e1", {content.passages[0].passage_id: b"1234"})
    assert store.remove_document("search", "search/notes.md") == 2
    assert (store.passages("search"), store.search_words("search", ["stack"], 5)) == ([], [])
    assert store.vectors("search", "e1").passage_ids == ()
    assert store.passage_status(content.passages[0].passage_id) == "removed"
    assert store.evidence_status("search/notes.md", 1, content.pages[0].fingerprint) == "removed"
    assert store.put_document(content).added == 2
    assert store.passage_status(content.passages[0].passage_id) == "holds"


def test_words_are_sought_within_one_subject(store: CourseStore) -> None:
    store.put_document(_content(["queue queue frontier\n\nstack frontier\n\nnothing here"]))
    store.put_document(_content(["queue frontier elsewhere"], subject="sets"))
    found = [store.passage(key).text for key in store.search_words("search", ["queue", "frontier"], 5)]
    assert found == ["queue queue frontier", "stack frontier"]
    assert len(store.search_words("search", ["frontier"], 1)) == 1
    assert store.search_words("search", [], 5) == store.search_words("none", ["queue"], 5) == []
    assert store.search_words("search", ['" OR scope:x', "nothing"], 5) != []


def test_official_is_the_instructors_mark_and_outlives_a_new_version(store: CourseStore) -> None:
    content = _content(["queue first"])
    store.put_document(replace(content, document=replace(content.document, official=True)))
    assert not store.documents("search")[0].official
    store.set_official("search", "search/notes.md", True)
    store.put_document(_content(["queue other"]))
    assert [one.official for one in store.passages("search")] == [True]


def test_vectors_are_owed_newest_first_and_a_passage_that_must_not_be_judged_is_not_asked_again(
    store: CourseStore,
) -> None:
    one, two = _content(["queue first\n\nstack last"]), _content(["heap least"], subject="sets")
    store.put_document(one)
    store.put_document(two)
    assert [passage.text for passage in store.without_vectors("e1", 2)] == ["heap least", "stack last"]
    assert [passage.text for passage in store.without_vectors("e1", 9, subject_id="sets")] == ["heap least"]
    before = store.revision("search")
    put = {one.passages[0].passage_id: b"abcd", one.passages[1].passage_id: None, "gone": b"abcd"}
    assert store.put_vectors("e1", put) == 2
    assert store.without_vectors("e1", 9, subject_id="search") == []
    reading = store.vectors("search", "e1")
    assert (reading.passage_ids, reading.vectors) == ((one.passages[0].passage_id,), b"abcd")
    assert reading.revision == store.revision("search") > before
    assert store.vectors("search", "e2").passage_ids == ()


def test_unanswered_questions_are_kept_newest_first_and_forgotten_with_their_dialogue(store: CourseStore) -> None:
    first = UnansweredQuestion(
        subject_id="search",
        learner_id="ana",
        dialogue_id="d1",
        question="What is a treap?",
        asked_at=NOON,
        details={"best": 0.25},
    )
    second = replace(first, dialogue_id="d2", question="And a rope?", details={})
    store.add_unanswered(first)
    store.add_unanswered(second)
    assert store.unanswered("search", limit=5) == [second, first]
    assert store.unanswered("search", limit=1) == [second]
    assert store.forget_unanswered(["d2", "d9"]) == 1
    assert store.unanswered("search", limit=5) == [first]


def test_codes_of_tokens_are_read_by_passage_and_change_no_revision(store: CourseStore) -> None:
    content = _content(["queue first\n\nstack last", "heap least"])
    store.put_document(content)
    first, second, third = (one.passage_id for one in content.passages)
    before = store.revision("search")
    assert store.put_token_vectors("e1:tokens", {first: b"\x00\xff" * 32, second: None, "gone": b"1"}) == 2
    assert store.token_vectors("e1:tokens", [first, second, third, "gone"]) == {first: b"\x00\xff" * 32, second: None}
    assert store.token_vectors("e2:tokens", [first]) == {}
    assert [one.passage_id for one in store.without_vectors("e1:tokens", 9)] == [third]
    assert store.put_token_vectors("e1:tokens", {first: b"new"}) == 1
    assert store.token_vectors("e1:tokens", [first]) == {first: b"new"}
    assert store.revision("search") == before
    store.remove_document("search", content.document.document_id)
    assert store.token_vectors("e1:tokens", [first, second]) == {}
