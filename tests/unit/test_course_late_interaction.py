"""Late interaction: tokens kept beside vectors, compared for candidates only, off unless asked for, and saying why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.unit.course_retrieval_doubles import HashEmbedder, TokenHashEmbedder, passages
from tests.unit.test_course_retrieval_search import NOON, add

from preceptor.course.late_heads import late_scores, order_rows, parse_late_heads, shipped_late_heads
from preceptor.course.late_interaction import LateNearness, PassageTokens, question_tokens
from preceptor.course.linear_head import LinearHead
from preceptor.course.passage_vectors import BATCH, PassageVectorWriter
from preceptor.course.retrieval import CourseRetrieval
from preceptor.course.retrieved import RetrievedPassages
from preceptor.course.token_codes import TokenCoder
from preceptor.domain.course import Course
from preceptor.errors import ModelError
from preceptor.models.embedder import Vector
from preceptor.models.token_embedder import TokenVectors
from preceptor.settings import CourseRetrievalSettings
from preceptor.stores.sql.courses import SqlCourseStore
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import open_sqlite

ON = CourseRetrievalSettings(late_interaction=True)


@pytest.fixture
def store(tmp_path: Path) -> SqlCourseStore:
    made = SqlCourseStore(Database(open_sqlite(tmp_path / "preceptor.sqlite3")))
    made.create(Course(subject_id="notes", title="notes", created_at=NOON))
    for name in sorted({one.document_name for one in passages()}):
        add(made, [one for one in passages() if one.document_name == name])
    return made


def search(
    store: SqlCourseStore,
    query: str = "why is breadth-first search out of memory",
    *,
    embedder: HashEmbedder | None = None,
    settings: CourseRetrievalSettings = ON,
    language: str | None = None,
) -> RetrievedPassages:
    retrieval = CourseRetrieval(store, embedder=embedder or TokenHashEmbedder(), settings=settings)
    retrieval.prepare("notes")
    return retrieval.search("notes", query, language=language)


def test_tokens_are_compared_when_it_is_on_and_every_candidate_has_them(store: SqlCourseStore) -> None:
    PassageVectorWriter(store, TokenHashEmbedder(), tokens=True).write_all("notes")
    found = search(store)
    assert "late" not in found.stages_off
    assert all(one.stages.late is not None and 0 <= one.stages.late <= 1 for one in found.passages)
    assert [one.score for one in found.passages] == sorted((one.score for one in found.passages), reverse=True)
    assert {"tokens", "late"} <= set(found.timings_ms)
    assert found.answerable is not None


def test_it_is_off_unless_asked_for(store: SqlCourseStore) -> None:
    PassageVectorWriter(store, TokenHashEmbedder(), tokens=True).write_all("notes")
    found = search(store, settings=CourseRetrievalSettings())
    assert found.stages_off["late"] == "switched off"
    assert all(one.stages.late is None for one in found.passages)


def test_it_says_that_tokens_are_not_there_yet(store: SqlCourseStore) -> None:
    PassageVectorWriter(store, TokenHashEmbedder()).write_all("notes")
    assert search(store).stages_off["late"] == "not every candidate has token vectors yet"


def test_it_says_that_the_embedder_gives_none(store: SqlCourseStore) -> None:
    assert search(store, embedder=HashEmbedder()).stages_off["late"] == "the embedder gives no token vectors"


@pytest.mark.parametrize(("stage", "why"), [("late", "switched off"), ("rerank", "nothing reranks")])
def test_a_stage_that_is_switched_off_switches_it_off(store: SqlCourseStore, stage: str, why: str) -> None:
    settings = CourseRetrievalSettings.model_validate({"late_interaction": True, "stages_off": (stage,)})
    assert search(store, settings=settings).stages_off["late"] == why


def test_a_language_that_the_embedder_does_not_speak_is_named(store: SqlCourseStore) -> None:
    PassageVectorWriter(store, TokenHashEmbedder(), tokens=True).write_all("notes")
    assert "does not speak" in search(store, "denominator", language="de").stages_off["late"]


def test_an_embedder_without_tokens_is_refused_with_its_name(store: SqlCourseStore) -> None:
    with pytest.raises(ModelError, match="embedder 'hash' gives no vector a token"):
        PassageVectorWriter(store, HashEmbedder(), tokens=True)


def test_tokens_come_with_the_vectors_or_later_and_change_no_revision(store: SqlCourseStore) -> None:
    embedder = TokenHashEmbedder()
    assert PassageVectorWriter(store, embedder).write_all("notes") == 6
    before = store.revision("notes")
    late = PassageVectorWriter(store, embedder, tokens=True)
    assert late.write_some("notes") == BATCH, "the newest first, a batch at a time"
    assert late.write_all("notes") == 6 - BATCH
    assert store.revision("notes") == before
    ids = [one.passage_id for one in store.passages("notes")]
    kept = store.token_vectors(PassageTokens(store, embedder).fingerprint, ids)
    assert sorted(kept) == sorted(ids)
    assert store.vectors("notes", embedder.fingerprint).passage_ids == tuple(ids)
    store.remove_document("notes", "notes-leaf.md")
    assert len(store.token_vectors(PassageTokens(store, embedder).fingerprint, ids)) == 4


class OnePass(TokenHashEmbedder):
    """Refuses a second pass over the same text."""

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        raise AssertionError("the text's own vector comes with its tokens")

    def embed_tokens(self, texts: Sequence[str], *, language: str | None = None) -> list[TokenVectors | None]:
        return TokenHashEmbedder().embed_tokens(texts, language=language)


def test_vector_and_tokens_come_from_one_pass(store: SqlCourseStore) -> None:
    PassageVectorWriter(store, OnePass(), tokens=True).write_all("notes")
    expected = TokenHashEmbedder().embed([one.text for one in store.passages("notes")])
    stored = np.frombuffer(store.vectors("notes", "hash-tokens").vectors, dtype="<f2").reshape(-1, 64)
    assert stored == pytest.approx(np.array(expected), abs=1e-3)


def test_a_passage_that_must_not_be_judged_is_near_nothing_and_does_not_stop_the_others(store: SqlCourseStore) -> None:
    tokens = PassageTokens(store, TokenHashEmbedder())
    first, *others = store.passages("notes")
    tokens.write(others)
    asked = tokens.question("stomata are tiny pores")
    assert asked is not None
    ids = [one.passage_id for one in (first, *others)]
    assert tokens.compare(asked, ids) is None
    store.put_token_vectors(tokens.fingerprint, {first.passage_id: None})
    compared = tokens.compare(asked, ids)
    assert compared is not None
    assert compared.nearness[:, 0].tolist() == [0.0] * 4
    best = int(compared.relevance().argmax())
    assert (first, *others)[best].text.startswith("Stomata")


def test_function_words_have_no_focus_unless_there_are_no_others() -> None:
    coder, embedder = TokenCoder(64), TokenHashEmbedder()
    (found, bare) = embedder.embed_tokens(["what is the denominator", "what is it"])
    assert found is not None
    assert bare is not None
    focus = question_tokens(coder, "what is the denominator", found).focus
    assert (focus > 0).tolist() == [False, False, False, True]
    assert (question_tokens(coder, "what is it", bare).focus > 0).any()


def test_what_lacks_is_the_worst_token_by_focus() -> None:
    nearness = np.array([[1.0, 0.9], [0.2, 0.8], [-1.0, 0.5]], dtype=np.float32)
    late = LateNearness(nearness=nearness, focus=np.array([1.0, 0.5, 0.0], dtype=np.float32))
    lacks = late.answer_lacks([0, 1])
    assert lacks["late_best"] == pytest.approx(-0.1)  # max(1 * .1, .5 * .2, 0)
    assert lacks["late_top"] == pytest.approx(-(0.1 + 0.4) / 2)  # and max(0, .5 * .8, 0)
    assert late.relevance().tolist() == pytest.approx([0.2 / 3, 2.2 / 3])


def test_the_order_head_adds_up_the_rerankers_logit_and_the_tokens() -> None:
    late = LateNearness(nearness=np.array([[0.5, 0.9]], dtype=np.float32), focus=np.ones(1, dtype=np.float32))
    rerank = np.array([0.5, 0.5], dtype=np.float32)
    assert order_rows(rerank, late) == pytest.approx(np.array([[0.0, 0.5], [0.0, 0.9]]))
    head = LinearHead(
        features=("rerank", "tokens"), centre=(0.0, 0.5), scale=(1.0, 0.1), weights=(1.0, 0.5), intercept=0.0
    )
    assert late_scores(head, rerank, late).tolist() == pytest.approx([0.5, 1 / (1 + np.exp(-2.0))])


def test_the_shipped_heads_read_back_and_let_nearer_tokens_count_for_a_passage() -> None:
    heads = shipped_late_heads()
    assert parse_late_heads(heads.dump()) == heads
    weights = dict(zip(heads.order.features, heads.order.weights, strict=True))
    assert weights["rerank"] > 0
    assert weights["tokens"] > 0


def test_where_no_tokens_were_compared_the_decision_is_the_one_without(store: SqlCourseStore) -> None:
    PassageVectorWriter(store, TokenHashEmbedder(), tokens=True).write_all("notes")
    settings = CourseRetrievalSettings(late_interaction=True, stages_off=("late",))
    assert search(store, settings=settings).answerable == search(store, settings=CourseRetrievalSettings()).answerable
