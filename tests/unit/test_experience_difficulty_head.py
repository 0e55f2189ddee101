"""The head that tells kinds of mistake: what it learns, what its file holds, and how it orders what was found."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.unit.experience_doubles import STATE, AngleEmbedder, candidate, open_store

from preceptor.errors import InputError
from preceptor.experience.difficulty_head import (
    DifficultyHead,
    KindOrder,
    dump_difficulty_head,
    parse_difficulty_head,
    words_of,
)
from preceptor.experience.difficulty_training import LabelledDifficulty, fit_difficulty_head, read_difficulties
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.retrieval import ExperienceRetrieval, RetrievalRule

UNITS = ["The learner mixed units.", "The learner left a unit out.", "The learner did not convert the unit."]
SLIPS = ["The learner slipped in a calculation.", "The learner made a slip.", "The calculation is a slip."]
ASKED = "The learner forgot to convert one unit."
EMBEDDER = AngleEmbedder({text: 5.0 * place for place, text in enumerate([ASKED, *SLIPS, *UNITS])})


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


def test_head_of_another_embedder_is_refused(tmp_path: Path) -> None:
    repository = ExperienceRepository(open_store(tmp_path), None)
    with pytest.raises(ValueError, match="head is for angles"):
        ExperienceRetrieval(repository, by_kind=KindOrder(head=head(), embedder=EMBEDDER))
