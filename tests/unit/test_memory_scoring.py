"""Scoring on arrays alone: the gate, its exemptions, repeats, and weights as tie-breakers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.domain.episode import Episode
from preceptor.memory.entry import HEADER, microseconds, pack_entry, unpack_entries
from preceptor.memory.matching import PARTS, Question, match, parts_of
from preceptor.memory.scope_index import ScopeIndex, build_index
from preceptor.memory.scoring import Ranking, rank, recency_of, salience_of
from preceptor.memory.word_forms import content_words
from preceptor.settings import MemorySettings
from preceptor.stores.memory import StoredEntry

NOW = datetime(2026, 11, 11, tzinfo=UTC)
SETTINGS = MemorySettings()


def _episode(
    text: str,
    *,
    days_old: float = 1,
    kind: str = "answer",
    salience: float | None = 0.45,
    concept_ids: tuple[str, ...] = (),
    dialogue_id: str | None = None,
    language: str = "en",
    actor: str = "learner",
) -> Episode:
    at = NOW - timedelta(days=days_old)
    return Episode(
        episode_id="e",
        learner_id="ana",
        subject_id="maths",
        sequence=1,
        kind=kind,
        kind_version=1,
        actor=actor,
        provenance="learner",
        language=language,
        time_zone="UTC",
        occurred_at=at,
        recorded_at=at,
        commitment="",
        previous_hash="",
        chain_hash="",
        dialogue_id=dialogue_id,
        salience=salience,
        concept_ids=concept_ids,
        summary=text,
        body={"text": text},
    )


def _index(*episodes: Episode) -> ScopeIndex:
    return build_index(
        [
            StoredEntry(
                sequence=place,
                episode_id=f"e{place}",
                content=pack_entry(episode, str(episode.summary), narration=False),
            )
            for place, episode in enumerate(episodes, start=1)
        ]
    )


def _rank(
    index: ScopeIndex, text: str, *, concept_ids: tuple[str, ...] = (), limit: int = 12, in_window: bool = False
) -> Ranking:
    question = Question(words=content_words(text, "en"), language="en", concept_ids=concept_ids)
    return rank(
        index,
        question,
        match(index, question, SETTINGS),
        index.recallable,
        SETTINGS,
        now_us=microseconds(NOW),
        in_window=in_window,
        limit=limit,
    )


def _ids(index: ScopeIndex, ranking: Ranking) -> list[str]:
    return [index.episode_ids[row] for row in ranking.rows]


def test_a_fresh_non_match_never_beats_a_200_day_old_match_though_the_weights_alone_would_let_it() -> None:
    assert 0.15 * 1.0 > 0.55 * 0.156, "the article's own numbers: this is what weights alone would do"
    index = _index(_episode("osmosis moves water", days_old=200), _episode("we had lunch", days_old=0))
    ranking = _rank(index, "what about osmosis")
    assert ranking.matched
    assert _ids(index, ranking) == ["e1"]


def test_without_a_question_the_most_recent_come_first() -> None:
    index = _index(*(_episode(f"note {n}", days_old=10 - n, salience=1.0 - n / 10) for n in range(5)))
    ranking = _rank(index, "")
    assert not ranking.matched
    assert _ids(index, ranking) == ["e5", "e4", "e3", "e2", "e1"]


def test_where_nothing_matches_the_recent_past_is_offered_and_said_to_be_no_match() -> None:
    index = _index(_episode("triangles", days_old=9), _episode("circles", days_old=1))
    ranking = _rank(index, "photosynthesis")
    assert not ranking.matched
    assert _ids(index, ranking) == ["e2", "e1"]


def test_an_old_match_is_found_though_thousands_are_newer() -> None:
    index = _index(
        _episode("osmosis moves water", days_old=400), *(_episode(f"w{n} x{n}", days_old=1) for n in range(3000))
    )
    assert _ids(index, _rank(index, "osmosis", limit=3))[0] == "e1"


def test_identical_episodes_are_one_memory_with_a_count() -> None:
    index = _index(
        *(_episode("What is a cell?", days_old=n, kind="question") for n in range(9)),
        _episode("what is a CELL", days_old=3, kind="question"),
        _episode("a cell has a wall", days_old=3),
    )
    ranking = _rank(index, "cell")
    assert sorted(ranking.counts.tolist()) == [1, 10]
    assert len(ranking.rows) == 2


def test_a_concept_alone_is_a_match_and_words_outrank_it() -> None:
    index = _index(
        _episode("moves through the wall", concept_ids=("c-osmosis",)),
        _episode("osmosis again", days_old=50),
        _episode("nothing of the kind"),
    )
    assert _ids(index, _rank(index, "osmosis", concept_ids=("c-osmosis",))) == ["e2", "e1"]
    assert _ids(index, _rank(index, "", concept_ids=("c-osmosis",))) == ["e1"]


def test_between_equal_matches_salience_and_recency_decide() -> None:
    missed = _episode("slope of a line is two", salience=0.7, days_old=5)
    passed = _episode("slope of a line is four", salience=0.6, days_old=5)
    fresher = _episode("slope of a line is five", salience=0.6, days_old=1)
    index = _index(passed, missed, fresher)
    assert _ids(index, _rank(index, "slope"))[0] == "e2"
    same = _index(passed, _episode("slope of a line is nine", salience=0.6, days_old=0))
    assert _ids(same, _rank(same, "slope"))[0] == "e2"


def test_a_neighbour_of_a_hit_is_a_match_but_ranks_below_it() -> None:
    index = _index(
        _episode("do you like the new aquarium", dialogue_id="d1"),
        _episode("yes, a lot", dialogue_id="d1"),
        _episode("yes, a lot indeed", dialogue_id="d2"),
    )
    assert _ids(index, _rank(index, "aquarium")) == ["e1", "e2"]


def test_what_lies_in_the_future_counts_as_now_and_what_has_no_salience_as_little() -> None:
    index = _index(
        _episode("tomorrow", days_old=-30), _episode("now", days_old=0), _episode("old", days_old=75, salience=None)
    )
    assert recency_of(index, microseconds(NOW), SETTINGS).tolist() == [1, 1, 0.5]
    assert salience_of(index).tolist() == pytest.approx([0.45, 0.45, 0.35])


def test_in_a_window_without_words_what_is_salient_comes_first_however_far_back() -> None:
    index = _index(
        _episode("taught", days_old=40, salience=0.85), *(_episode(f"w{n}", salience=0.35) for n in range(9))
    )
    few = MemorySettings(recent_pool=3)
    question = Question(words=(), language="en")

    def first(in_window: bool) -> tuple[str, int]:
        found = rank(
            index, question, match(index, question, few), index.recallable, few,
            now_us=microseconds(NOW), in_window=in_window, limit=1,
        )  # fmt: skip
        return index.episode_ids[found.rows[0]], found.considered

    assert first(True) == ("e1", 10)
    assert first(False) == ("e10", 3)


def test_equal_scores_go_to_the_later_episode() -> None:
    index = _index(_episode("slope is one"), _episode("slope is two"), _episode("slope is six"))
    assert _ids(index, _rank(index, "slope")) == ["e3", "e2", "e1"]


def test_a_concept_counts_by_the_share_of_those_asked_about() -> None:
    index = _index(_episode("a", concept_ids=("c1",)), _episode("b", concept_ids=("c1", "c2")), _episode("c"))
    question = Question(words=(), language="en", concept_ids=("c1", "c2"))
    assert match(index, question, SETTINGS).concept_share.tolist() == [0.5, 1, 0]


def test_only_so_many_of_the_nearest_by_vector_are_candidates() -> None:
    words = _index(*(_episode(f"w{n}") for n in range(4)))
    vectors = np.array([[0.6, 0.8], [1, 0], [0.8, 0.6], [0.96, 0.28]], dtype=np.float32)
    index = replace(words, vectors=vectors, vector_rows=np.arange(4))
    question = Question(words=(), language="en", vector=np.array([1, 0], dtype=np.float32))
    assert match(index, question, MemorySettings(vector_pool=2)).near_vectors.tolist() == [1, 3]


def test_the_name_of_one_who_speaks_is_no_word_to_be_found_by() -> None:
    index = _index(
        _episode("the river is wide", actor="Ana"), _episode("I met ana yesterday", actor="Ben"), _episode("the moon")
    )
    found = match(index, Question(words=content_words("what did Ana say", "en"), language="en"), SETTINGS)
    assert not found.by_words.any()


def test_where_all_words_are_common_the_rarest_of_them_makes_a_match() -> None:
    rows = [*["cell wall"] * 8, *["cell"] * 4, " ".join(f"w{n}" for n in range(200))]
    index = _index(*(_episode(text) for text in rows))
    assert index.common_count < 8
    found = match(index, Question(words=("cell", "wall"), language="en"), SETTINGS)
    assert found.by_words.tolist() == [True] * 8 + [False] * 5


def test_a_word_is_found_by_its_form_in_the_languages_that_the_record_speaks() -> None:
    index = _index(_episode("zwei Lösungen", language="de"), _episode("two rivers"))
    for word, language in (("Lösungen", "en"), ("Lösung", "de")):
        found = match(index, Question(words=content_words(word, language), language=language), SETTINGS)
        assert found.by_words.tolist() == [True, False], word


def test_words_two_places_away_make_no_match_by_themselves() -> None:
    index = _index(*(_episode(text, dialogue_id="d") for text in ("aquarium", "yes", "a lot", "indeed", "truly")))
    found = match(index, Question(words=("aquarium",), language="en"), SETTINGS)
    assert found.by_words.tolist() == [True, True, False, False, False]
    assert (found.relevance > 0).tolist() == [True] * 5


@pytest.mark.parametrize(
    ("text", "said_by"),
    [
        ("what did Ana say about the river", [1, 0, 0]),
        ("what did Ben say about the river", [0, 1, 0]),
        ("what did Ana and Ben say about the river", [0, 0, 0]),
        ("what did they say about the river", [0, 0, 0]),
    ],
)
def test_who_is_named_alone_is_favoured_and_two_who_are_named_together_are_not(text: str, said_by: list[int]) -> None:
    index = _index(
        _episode("the river is wide", actor="Ana"),
        _episode("the river is deep", actor="Ben"),
        _episode("the moon is far", actor="Ana", dialogue_id="d2"),
    )
    question = Question(words=content_words(text, "en"), language="en")
    assert parts_of(index, question, SETTINGS).shares[PARTS.index("speaker_weight")].tolist() == said_by


def test_a_vector_as_near_as_a_match_must_be_is_one() -> None:
    words = _index(_episode("swelling raisins"), _episode("salted water"), _episode("a bicycle"))
    cosines = [0.75, 0.5, 0.4375]
    vectors = np.array([[one, (1 - one**2) ** 0.5] for one in cosines], dtype=np.float32)
    index = replace(words, vectors=vectors, vector_rows=np.arange(3))
    question = Question(words=(), language="en", vector=np.array([1, 0], dtype=np.float32))
    found = match(index, question, MemorySettings(vector_match=0.5))
    assert found.by_vector.tolist() == [True, True, False]
    assert found.near_vectors.tolist() == [0, 1]


@given(
    st.lists(st.lists(st.sampled_from("cell wall water plant leaf root".split()), max_size=8), max_size=30),
    st.integers(min_value=0, max_value=30),
)
def test_the_only_episode_with_the_rarest_word_is_never_lost(others: list[list[str]], place: int) -> None:
    others = [words for words in others for _ in range(2)]
    episodes = [_episode(" ".join(words), days_old=1, salience=0.9, dialogue_id="d") for words in others]
    episodes.insert(min(place, len(episodes)), _episode("zygote", days_old=900, salience=0.0, dialogue_id="d"))
    index = _index(*episodes)
    found = _ids(index, _rank(index, "cell wall water zygote", limit=2))
    assert f"e{min(place, len(others)) + 1}" in found


@given(
    st.lists(
        st.tuples(st.text(max_size=40), st.lists(st.text(min_size=1, max_size=5), max_size=4)), min_size=1, max_size=20
    )
)
def test_entries_come_back_as_they_were_packed(rows: list[tuple[str, list[str]]]) -> None:
    contents = [
        pack_entry(_episode(text, concept_ids=tuple(concepts), language="de"), text, narration=False)
        for text, concepts in rows
    ]
    headers, words, word_rows, concepts, concept_rows = unpack_entries(contents)
    assert headers["concepts"].tolist() == [len(concepts) for _, concepts in rows]
    sizes = np.bincount(word_rows, minlength=len(rows)) * 4 + np.bincount(concept_rows, minlength=len(rows)) * 4
    assert (sizes + HEADER.itemsize).tolist() == [len(content) for content in contents]
    assert np.all(np.diff(word_rows) >= 0)
    assert len(words) == len(word_rows)
    assert len(concepts) == len(concept_rows)
