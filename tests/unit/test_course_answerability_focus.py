"""What a question is about and whether passages hold it: hand-made cases and the laws they must keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.course_retrieval_doubles import HashEmbedder, passages

from preceptor.course.answerability import FEATURES, HEAD_FEATURES, Answerability, answer_features
from preceptor.course.answerability_focus import FOCUS_FEATURES, focus_features
from preceptor.course.passage_index import PassageIndex, PassageIndexer
from preceptor.course.pipeline import Ranked, find_candidates, rank
from preceptor.course.reranking_builtin import BuiltinReranker
from preceptor.course.retrieval_profile import PROFILES
from preceptor.course.word_meanings import WordMeanings

MEANINGS = WordMeanings(HashEmbedder())
WORDS = ("denominator", "whole", "cut", "queue", "memory", "pores", "leaf", "hurricane", "latex", "casino")


def course() -> PassageIndex:
    held = passages()
    vectors = np.stack([vector for vector in HashEmbedder().embed([one.text for one in held]) if vector is not None])
    indexer = PassageIndexer(MEANINGS)
    indexer.build(held, vectors)
    indexer.learn_meanings()
    return indexer.build(held, vectors)


COURSE = course()


def searched(query: str, index: PassageIndex = COURSE) -> Ranked:
    vector = HashEmbedder().embed([query])[0]
    found = find_candidates(index, query, vector, PROFILES["default"], meanings=MEANINGS)
    return rank(index, found, BuiltinReranker(), PROFILES["default"])


def held(query: str, rows: Sequence[int]) -> dict[str, float]:
    return focus_features(COURSE, searched(query).found.candidates, rows)


def test_a_passage_with_every_word_lacks_nothing() -> None:
    values = held("denominator whole cut", [2])
    assert set(values) == set(FOCUS_FEATURES)
    assert values == pytest.approx(dict.fromkeys(FOCUS_FEATURES, 1.0), abs=1e-2)


def test_one_word_that_is_near_nothing_counts_more_than_what_is_there() -> None:
    whole, part = held("denominator whole cut", [2]), held("denominator whole hurricane", [2])
    assert all(part[name] < whole[name] - 0.05 for name in FOCUS_FEATURES)


def test_words_of_two_passages_are_held_together_and_not_in_one_window() -> None:
    both = held("denominator pores", [2, 4])
    assert both["held_together"] == pytest.approx(1, abs=1e-2)
    assert both["held_window"] < 0.9


def test_a_heading_stands_within_every_window_of_its_passage() -> None:
    assert held("leaf pores", [4])["held_window"] == pytest.approx(1, abs=1e-2)


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6, unique=True), st.permutations(range(6)))
def test_more_passages_never_hold_less(words: list[str], order: list[int]) -> None:
    query = " ".join(words)
    few, more = held(query, order[:3]), held(query, order)
    for name in ("held_together", "held_window"):
        assert few[name] <= more[name] + 1e-6 <= 1 + 2e-6


def test_nothing_to_compare_gives_nothing_and_speaks_for_no_answer() -> None:
    assert held("denominator", []) == {}
    vector = HashEmbedder().embed(["denominator"])[0]
    plain = find_candidates(COURSE, "denominator", vector, PROFILES["default"]).candidates
    assert focus_features(COURSE, plain, [2]) == {}


def test_the_head_with_word_vectors_reads_these_too_and_falls_with_a_strange_word() -> None:
    assert set(FOCUS_FEATURES) < set(HEAD_FEATURES["meaning"])
    judge = Answerability()
    chances = [judge.probability(COURSE, searched(query)) for query in ("denominator whole cut", "denominator casino")]
    assert chances[0] is not None
    assert chances[1] is not None
    assert chances[0] > chances[1]


@pytest.mark.parametrize("rows", [[2, 4], [4, 2], [0, 4, 2]])
def test_a_query_is_covered_as_far_as_its_best_passage_covers_it(rows: list[int]) -> None:
    """Each of the three words stands in one passage, so each is a third of the query: two in row 2, one in row 4."""
    ranked = replace(searched("denominator cut pores"), rows=np.array(rows))
    values = dict(zip(FEATURES, answer_features(COURSE, ranked), strict=True))
    assert values["covered"] == pytest.approx(2 / 3)
    assert values["covered_together"] == pytest.approx(1)


def test_what_lifts_a_passage_is_counted_over_what_the_whole_course_is_near_to() -> None:
    values = dict(zip(FEATURES, answer_features(COURSE, searched("denominator")), strict=True))
    vector = HashEmbedder().embed(["denominator"])[0]
    assert COURSE.vectors is not None
    assert vector is not None
    assert values["dense_lift"] == pytest.approx(
        values["dense_best"] - float((COURSE.vectors @ vector).mean()), abs=1e-5
    )
    assert values["dense_wide"] <= values["dense_best"]


def test_features_are_finite_for_any_query() -> None:
    for query in ("what is this", "zzz qqq", "?", "denominator"):
        values = answer_features(COURSE, searched(query))
        assert values.shape == (len(FEATURES),)
        assert np.isfinite(values).all()
