"""Words to passages: stems, terms, BM25, compounds and spelling."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.course.bm25 import K1, B, TermTable, WordIndex, build_word_index, is_one_slip
from preceptor.course.stemming import stem
from preceptor.course.terms import text_terms, text_words


def index_of(*texts: str) -> WordIndex:
    table = TermTable()
    return build_word_index(
        table, [np.array([table.number(*pair) for pair in text_words(text)], dtype=np.int32) for text in texts]
    )


def scores(index: WordIndex, query: str) -> list[float]:
    return [float(one) for one in index.scores(index.query_terms(text_words(query)))]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"), ("feed", "feed"), ("agreed", "agre"),
        ("plastered", "plaster"), ("motoring", "motor"), ("sing", "sing"), ("conflated", "conflat"), ("hopping", "hop"),
        ("falling", "fall"), ("filing", "file"), ("happy", "happi"), ("sky", "sky"), ("relational", "relat"),
        ("conditional", "condit"), ("digitizer", "digit"), ("vietnamization", "vietnam"), ("triplicate", "triplic"),
        ("hopefulness", "hope"), ("formality", "formal"), ("revival", "reviv"), ("adjustment", "adjust"),
        ("adoption", "adopt"), ("probate", "probat"), ("rate", "rate"), ("cease", "ceas"), ("controlling", "control"),
    ],
)  # fmt: skip
def test_stems_are_those_of_porters_paper(word: str, expected: str) -> None:
    assert stem(word) == expected


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=20))
def test_a_stem_is_never_empty_nor_longer_by_more_than_a_letter(word: str) -> None:
    assert 1 <= len(stem(word)) <= len(word) + 1


def test_terms_lose_case_accents_endings_and_function_words() -> None:
    assert text_terms("Don't the WAITING states of a Café wait?") == ["wait", "state", "cafe", "wait"]


def test_numbers_stay_whole_and_unspaced_scripts_are_cut_in_pairs() -> None:
    assert text_terms("3/4 of 0.25") == ["3/4", "0.25"]
    assert text_terms("光合作用") == ["光合", "合作", "作用"]


def test_score_is_bm25_by_hand() -> None:
    index = index_of("alpha beta beta", "alpha gamma", "gamma delta")
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    bent = 2 + K1 * (1 - B + B * 3 / (7 / 3))
    assert scores(index, "beta") == pytest.approx([idf * 2 * (K1 + 1) / bent, 0.0, 0.0], rel=1e-5)


def test_a_compound_is_found_in_its_parts_and_two_words_in_their_compound() -> None:
    index = index_of("the class met in a room", "a waterweed gives off bubbles", "nothing here")
    assert np.argmax(scores(index, "classroom")) == 0
    assert np.argmax(scores(index, "water weed")) == 1


def test_a_word_of_which_only_one_half_is_held_is_no_compound() -> None:
    index = index_of("the queue is long", "a class met")
    for word in ("hundredqueue", "queuehundred"):
        assert scores(index, word) == [0.0, 0.0]


def test_a_slip_of_the_pen_finds_the_word_and_counts_less() -> None:
    index = index_of("the denominator is below", "the numerator is above")
    right, wrong = scores(index, "denominator"), scores(index, "denomniator")
    assert 0 < wrong[0] < right[0]
    assert wrong[1] == 0


def test_a_word_the_course_lacks_is_kept_as_unknown() -> None:
    (term,) = index_of("the denominator is below").query_terms(text_words("hurricane"))
    assert (term.word, term.numbers) == ("hurricane", ())


def test_an_empty_course_has_no_scores() -> None:
    assert scores(index_of(), "anything") == []


@given(st.text(alphabet="abc", min_size=1, max_size=6), st.integers(0, 5), st.sampled_from("abcd"))
def test_a_word_with_one_letter_added_is_one_slip_away_both_ways(word: str, place: int, letter: str) -> None:
    longer = word[:place] + letter + word[place:]
    assert is_one_slip(word, longer)
    assert is_one_slip(longer, word)


@pytest.mark.parametrize(("first", "second"), [("abcd", "abcd"), ("abcd", "dcba"), ("abcd", "abxy"), ("ab", "abcd")])
def test_what_is_not_one_slip_is_refused(first: str, second: str) -> None:
    assert not is_one_slip(first, second)
