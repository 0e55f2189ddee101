"""Fusion, MMR, boost and the pipeline's switches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.course_retrieval_doubles import HashEmbedder, passages

from preceptor.course.fusion import RANK_CONSTANT, best_rows, fuse, min_max, reciprocal_rank
from preceptor.course.mmr import maximal_marginal_relevance
from preceptor.course.passage_index import PassageIndex, PassageIndexer
from preceptor.course.pipeline import find_candidates, rank
from preceptor.course.reranker import Candidates, Scores, official_boost, sigmoid
from preceptor.course.reranking_builtin import BuiltinReranker
from preceptor.course.retrieval_profile import PROFILES, RetrievalProfile

KITE = PROFILES["kite"]
EMBEDDER = HashEmbedder()


class FixedReranker:
    """Gives every candidate the same probability, or the one of its row."""

    name = "fixed"

    def __init__(self, by_row: dict[int, float], otherwise: float = 0.1) -> None:
        self._by_row, self._otherwise = by_row, otherwise

    def rerank(self, index: PassageIndex, candidates: Candidates) -> Scores:
        return np.array([self._by_row.get(int(row), self._otherwise) for row in candidates.rows], dtype=np.float32)


def array(*values: float) -> Scores:
    return np.array(values, dtype=np.float32)


def course(*, vectors: bool = True, official: str = "") -> PassageIndex:
    held = passages(official=official)
    made = [vector for vector in EMBEDDER.embed([one.text for one in held]) if vector is not None]
    return PassageIndexer().build(held, np.stack(made) if vectors else None)


def search(
    index: PassageIndex, query: str, profile: RetrievalProfile = KITE, concepts: tuple[int, ...] = ()
) -> list[int]:
    vector = EMBEDDER.embed([query])[0] if index.vectors is not None else None
    found = find_candidates(index, query, vector, profile, concept_rows=concepts)
    return [int(row) for row in rank(index, found, BuiltinReranker(), profile).rows]


def test_the_kite_profile_holds_the_seeds_numbers() -> None:
    assert (KITE.dense_top, KITE.dense_weight, KITE.mmr_lambda, KITE.keep) == (50, 0.7, 0.7, 20)
    assert (KITE.boost_above, KITE.boost, KITE.top, KITE.off) == (0.6, 0.3, 8, frozenset({"concepts", "late"}))


def test_fusion_is_the_weighted_sum_of_stretched_scores_by_hand() -> None:
    fused = fuse(array(0.2, 0.6, 1.0), array(30.0, 10.0, 20.0), dense_weight=0.7)
    assert fused.tolist() == pytest.approx([0.3, 0.35, 0.7 + 0.15])


def test_scores_that_do_not_differ_decide_nothing() -> None:
    assert min_max(array(4.0, 4.0)).tolist() == [0.0, 0.0]


@given(st.lists(st.floats(-5, 5, width=32), min_size=1, max_size=30), st.integers(1, 40))
def test_best_rows_are_those_of_a_full_sort(values: list[float], limit: int) -> None:
    expected = sorted(range(len(values)), key=lambda row: (-values[row], row))[:limit]
    assert best_rows(np.array(values, np.float32), limit).tolist() == expected


def test_reciprocal_rank_by_hand() -> None:
    total = reciprocal_rank([[7, 3], [3]])
    assert total == {7: 1 / (RANK_CONSTANT + 1), 3: 1 / (RANK_CONSTANT + 2) + 1 / (RANK_CONSTANT + 1)}


def test_mmr_takes_the_other_passage_before_the_copy() -> None:
    vectors = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    places, scores = maximal_marginal_relevance(array(1.0, 0.9, 0.5), vectors, lambda_=0.7, keep=3)
    assert places == [0, 2, 1]
    assert scores == pytest.approx([0.7, 0.35, 0.33])


@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=12))
def test_mmr_with_lambda_one_is_the_order_of_relevance(values: list[float]) -> None:
    same = np.ones((len(values), 1), dtype=np.float32)
    places, _ = maximal_marginal_relevance(np.array(values, np.float32), same, lambda_=1.0, keep=99)
    assert places == sorted(range(len(values)), key=lambda place: (-values[place], place))


def test_boost_needs_both_an_official_document_and_a_probability_above_the_line() -> None:
    scores = sigmoid(np.array([2.0, 2.0, 0.3, 0.4]))
    added = official_boost(scores, np.array([True, False, True, True]), above=0.6, boost=0.3)
    assert added.tolist() == pytest.approx([0.3, 0, 0, 0])


def test_an_official_passage_without_relevance_does_not_win() -> None:
    index = course(official="leaf.md")
    found = find_candidates(index, "adding bottom to bottom", EMBEDDER.embed(["adding bottom to bottom"])[0], KITE)
    reranker = FixedReranker({3: 0.8, 4: 0.55, 5: 0.59})
    ranked = rank(index, found, reranker, KITE)
    assert ranked.rows[0] == 3
    assert not any(one.boost for one in ranked.stages)


def test_an_official_passage_that_is_relevant_is_lifted_unless_the_stage_is_off() -> None:
    index = course(official="leaf.md")
    found = find_candidates(index, "adding bottom to bottom", EMBEDDER.embed(["adding bottom to bottom"])[0], KITE)
    reranker = FixedReranker({3: 0.8, 4: 0.7})
    assert rank(index, found, reranker, KITE).rows[0] == 4
    assert rank(index, found, reranker, replace(KITE, off=frozenset({"boost"}))).rows[0] == 3


def test_a_passage_that_only_words_find_survives_fusion() -> None:
    index = course()
    profile = replace(KITE, dense_top=1, words_top=1, off=frozenset({"rerank", "mmr"}))
    vector = EMBEDDER.embed(["chlorophyll swallows red and blue light and lets green pass."])[0]
    found = find_candidates(index, "stomata", vector, profile)
    assert set(found.candidates.rows.tolist()) == {4, 5}


def test_every_switch_leaves_a_ranking_and_both_finders_off_is_refused() -> None:
    index = course()
    for stage in ("dense", "words", "mmr", "concepts", "rerank", "boost"):
        assert search(index, "the denominator of a fraction", replace(KITE, off=frozenset({stage})))[0] == 2
    with pytest.raises(ValueError, match="cannot both be off"):
        replace(KITE, off=frozenset({"dense", "words"}))


def test_without_vectors_words_find_the_passage() -> None:
    assert search(course(vectors=False), "how many equal parts does the denominator say")[0] == 2


def test_the_second_index_brings_in_a_passage_that_neither_finder_has() -> None:
    index = course()
    profile = replace(PROFILES["two_indexes"], dense_top=1, words_top=1, off=frozenset({"rerank"}))
    assert 1 not in search(index, "denominator", profile)
    assert 1 in search(index, "denominator", profile, concepts=(1,))
    assert 1 not in search(index, "denominator", replace(profile, off=profile.off | {"concepts"}), concepts=(1,))


def test_at_most_eight_and_no_passage_twice() -> None:
    rows = search(course(), "states leaf fraction light search parts")
    assert len(rows) == len(set(rows)) <= 8


def test_a_query_of_unknown_words_without_vectors_finds_nothing() -> None:
    assert search(course(vectors=False), "zzz qqq") == []
