"""The head that tells kinds of mistake: what it learns, what its file holds, and how it orders what was found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.unit.experience_doubles import STATE, AngleEmbedder, candidate, open_store

from preceptor.errors import InputError
from preceptor.experience import difficulty_opening
from preceptor.experience.abstract_text import listed_stem
from preceptor.experience.difficulty_head import (
    DifficultyHead,
    KindOrder,
    dump_difficulty_head,
    feature_rows,
    parse_difficulty_head,
    shipped_difficulty_head,
    words_of,
)
from preceptor.experience.difficulty_opening import open_kind_order
from preceptor.experience.difficulty_training import LabelledDifficulty, fit_difficulty_head, read_difficulties
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.retrieval import ExperienceRetrieval, RetrievalRule
from preceptor.models.embedder import Vector

UNITS = ["The learner mixed units.", "The learner left a unit out.", "The learner did not convert the unit."]
SLIPS = ["The learner slipped in a calculation.", "The learner made a slip.", "The calculation is a slip."]
ASKED = "The learner forgot to convert one unit."
EMBEDDER = AngleEmbedder({text: 5.0 * place for place, text in enumerate([ASKED, *SLIPS, *UNITS])})


class CountingEmbedder:
    """The same vectors, remembering what was asked."""

    languages = ("en",)
    fingerprint = EMBEDDER.fingerprint
    dimensions = EMBEDDER.dimensions

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        self.texts.extend(texts)
        return EMBEDDER.embed(texts, language=language)


def head() -> DifficultyHead:
    rows = [
        LabelledDifficulty(row_id=f"{kind} {place}", sentence=text, kind=kind)
        for kind, texts in (("units", UNITS), ("slip", SLIPS))
        for place, text in enumerate(texts)
    ]
    return fit_difficulty_head(rows, EMBEDDER)


def test_words_are_those_of_our_lists_only() -> None:
    assert "unit" in words_of("The unit of the zucchini was left out by Ahmed")
    assert not {"zucchini", "ahm", "ahmed"} & words_of("The unit of the zucchini was left out by Ahmed")


def test_head_tells_kinds_apart_and_knows_what_it_saw() -> None:
    made = head()
    chances = made.probabilities([ASKED, "a slip"], EMBEDDER.embed([ASKED, "a slip"]))
    assert made.kinds[int(chances[0].argmax())] == "units"
    assert made.kinds[int(chances[1].argmax())] == "slip"
    assert chances.sum(axis=1) == pytest.approx([1, 1])
    assert made.fitted_on == {f"{kind} {place}" for kind in ("units", "slip") for place in range(3)}


def test_the_words_of_a_sentence_weigh_as_much_as_its_vector_however_many_they_are() -> None:
    made = head()
    texts = ["a slip", "The learner mixed one unit and left out the unit of a calculation, a slip.", "zucchini"]
    rows = feature_rows(texts, [None, np.array([0.6, 0.8], np.float32), None], made)
    words = rows[:, : len(made.words)]
    assert [len(np.flatnonzero(row)) > 1 for row in words] == [False, True, False]
    assert np.linalg.norm(words, axis=1) == pytest.approx([1, 1, 0])
    assert rows[1, len(made.words) :] == pytest.approx([0.6, 0.8])
    assert not rows[0, len(made.words) :].any()


def test_file_holds_the_head_and_refuses_what_does_not_fit() -> None:
    made = head()
    read = parse_difficulty_head(dump_difficulty_head(made))
    assert (read.words, read.weights, read.fitted_on) == (made.words, made.weights, frozenset())
    broken = json.loads(dump_difficulty_head(made))
    broken["words"] = broken["words"][1:]
    with pytest.raises(ValueError, match="frequencies"):
        parse_difficulty_head(json.dumps(broken))


def test_one_kind_teaches_nothing_and_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="two kinds"):
        fit_difficulty_head([LabelledDifficulty(row_id="a", sentence="a slip", kind="slip")], EMBEDDER)
    with pytest.raises(InputError, match="no such file"):
        read_difficulties(tmp_path / "stepverify.jsonl.gz")


def test_retrieval_prefers_the_same_kind_of_mistake_among_what_is_similar_enough(tmp_path: Path) -> None:
    repository = ExperienceRepository(open_store(tmp_path), EMBEDDER, merges=False)
    for text in (SLIPS[0], UNITS[2]):
        asyncio.run(repository.add(candidate(text, state=STATE, embedder="angles")))
    order = KindOrder(head=head(), embedder=EMBEDDER)

    def found(by_kind: KindOrder | None, tau: float) -> list[str]:
        retrieval = ExperienceRetrieval(repository, rule=RetrievalRule(tau=tau, rewrites=False), by_kind=by_kind)
        got = asyncio.run(retrieval.find(STATE, error_detail="forgot to convert one unit", struggle_reason=""))
        return [experience.sentence for experience in got.chosen]

    assert found(None, 0.1) == [SLIPS[0]]
    assert found(order, 0.1) == [UNITS[2]]
    assert found(order, 0.95) == [SLIPS[0]], "what is below the threshold stays out, whatever its kind"


def test_a_random_choice_is_not_ordered_by_kind(tmp_path: Path) -> None:
    repository = ExperienceRepository(open_store(tmp_path), EMBEDDER, merges=False)
    for text in (*SLIPS, *UNITS):
        asyncio.run(repository.add(candidate(text, state=STATE, embedder="angles")))
    order = KindOrder(head=head(), embedder=EMBEDDER)

    def drawn(by_kind: KindOrder | None, seed: int) -> list[str]:
        rule = RetrievalRule(k=4, choice="random", seed=seed, rewrites=False)
        retrieval = ExperienceRetrieval(repository, rule=rule, by_kind=by_kind)
        got = asyncio.run(retrieval.find(STATE, error_detail="forgot to convert one unit", struggle_reason=""))
        return [experience.sentence for experience in got.chosen]

    assert [drawn(order, seed) for seed in range(6)] == [drawn(None, seed) for seed in range(6)]


def test_equally_likely_entries_stay_in_the_order_in_which_they_were_found() -> None:
    order = KindOrder(head=head(), embedder=EMBEDDER)
    unknown = ["zebra one", "zebra two", "zebra three"]
    assert order.order(ASKED, unknown) == [0, 1, 2]
    assert order.order(ASKED, [*unknown, UNITS[0]])[1:] == [0, 1, 2]


def test_a_file_whose_rows_have_another_number_of_kinds_is_refused() -> None:
    broken = json.loads(dump_difficulty_head(head()))
    broken["weights"][0] = broken["weights"][0][:1]
    with pytest.raises(ValueError, match="each feature must have 2 weights"):
        parse_difficulty_head(json.dumps(broken))
    bare = json.loads(dump_difficulty_head(head()))
    bare["weights"] = bare["weights"][: len(bare["words"])]
    with pytest.raises(ValueError, match="more weights"):
        parse_difficulty_head(json.dumps(bare))


def test_the_very_same_sentence_comes_first_and_each_stored_one_is_looked_at_once() -> None:
    counted = CountingEmbedder()
    order = KindOrder(head=head(), embedder=counted)
    assert order.order(UNITS[1], [SLIPS[0], UNITS[2], UNITS[1]]) == [2, 1, 0]
    order.order(ASKED, [SLIPS[0], UNITS[2], UNITS[1]])
    assert sorted(counted.texts) == sorted([SLIPS[0], UNITS[2], UNITS[1], UNITS[1], ASKED])


def test_the_shipped_head_is_for_the_shipped_embedder_and_holds_listed_words_only() -> None:
    shipped = shipped_difficulty_head()
    assert shipped.embedder.startswith("all-minilm-l6-v2-int8:")
    assert all(listed_stem(word) for word in shipped.words)
    assert len(shipped.weights) == len(shipped.words) + 384 + 1
    assert shipped.fitted_on == frozenset()


def test_a_repository_without_vectors_or_of_another_embedder_is_not_ordered_by_kind(tmp_path: Path) -> None:
    assert open_kind_order(ExperienceRepository(open_store(tmp_path), None), None) is None
    assert open_kind_order(ExperienceRepository(open_store(tmp_path), EMBEDDER), EMBEDDER) is None


def test_entries_are_looked_at_when_the_repository_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difficulty_opening, "shipped_difficulty_head", head)
    repository = ExperienceRepository(open_store(tmp_path), EMBEDDER, merges=False)
    for text in (SLIPS[0], UNITS[2]):
        asyncio.run(repository.add(candidate(text, state=STATE, embedder="angles")))
    counted = CountingEmbedder()
    order = open_kind_order(repository, counted)
    assert order is not None
    assert sorted(counted.texts) == sorted([SLIPS[0], UNITS[2]])
    monkeypatch.setattr(difficulty_opening, "WARM_AT_MOST", 1)
    assert open_kind_order(repository, counted) is None


def test_head_of_another_embedder_is_refused(tmp_path: Path) -> None:
    repository = ExperienceRepository(open_store(tmp_path), None)
    with pytest.raises(ValueError, match="head is for angles"):
        ExperienceRetrieval(repository, by_kind=KindOrder(head=head(), embedder=EMBEDDER))
