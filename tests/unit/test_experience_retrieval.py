"""What a turn finds, what it records, and when it finds nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.unit.experience_doubles import STATE, AngleEmbedder, candidate, open_store

from preceptor.domain.learner_state import ErrorType, Intent, StruggleStatus
from preceptor.errors import ModelError
from preceptor.experience.abstract_sentence import BuiltinRewriter, abstract_sentence, join_difficulty
from preceptor.experience.calibration import Thresholds
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.retrieval import ExperienceRetrieval, RetrievalRule, Retrieved

SPREAD = ("compares", "reads", "counts", "divides", "adds")
DEGREES = {f"The learner {word} the parts.": 20.0 * place for place, word in enumerate(SPREAD)}
NEAR = "The learner shares the parts."
DEGREES[NEAR] = 5.0
Find = Callable[..., Retrieved]


@pytest.fixture
def repository(tmp_path: Path) -> ExperienceRepository:
    """Five entries of one state, 20 degrees apart."""
    limits = Thresholds(tau=0.5, tau_merge=0.99, tau_dup=0.999)
    made = ExperienceRepository(open_store(tmp_path), AngleEmbedder(DEGREES), thresholds=limits)
    for turn, text in enumerate(list(DEGREES)[:5]):
        asyncio.run(made.add(candidate(text, turn=turn)))
    return made


@pytest.fixture
def find(repository: ExperienceRepository) -> Find:
    def ask(detail: str = "shares the parts", *, state: object = STATE, **rule: object) -> Retrieved:
        retrieval = ExperienceRetrieval(repository, rule=RetrievalRule(**rule))  # type: ignore[arg-type]
        return asyncio.run(retrieval.find(state, error_detail=detail, struggle_reason=""))  # type: ignore[arg-type]

    return ask


def test_the_most_similar_entry_is_chosen_and_everything_is_recorded(find: Find) -> None:
    found = find()
    assert [entry.sentence for entry in found.chosen] == ["The learner compares the parts."]
    assert found.best_similarity == found.similarities[0] == pytest.approx(np.cos(np.deg2rad(5)), abs=1e-3)
    assert (found.query.text, found.query.made_by) == (NEAR, "rewriter")
    assert (found.level, found.n_candidates, found.threshold, found.nothing_because) == (0, 5, 0.5, "")
    assert found.experience_ids == (found.chosen[0].experience_id,)


def test_top_k_comes_best_first_and_only_above_the_threshold(find: Find) -> None:
    found = find(k=9, tau=0.9)
    assert [entry.sentence.split()[2] for entry in found.chosen] == ["compares", "reads"]
    assert list(found.similarities) == sorted(found.similarities, reverse=True)


def test_the_best_similarity_is_the_best_however_many_are_chosen(find: Find) -> None:
    found = find(k=9, tau=0.0)
    assert len(found.chosen) > 2
    assert found.best_similarity == found.similarities[0] == max(found.similarities)


def test_a_rule_that_chooses_none_is_refused() -> None:
    with pytest.raises(ValueError, match="k must be 1 or more, got 0"):
        RetrievalRule(k=0)


def test_the_threshold_holds_at_its_edge(find: Find) -> None:
    best = find().best_similarity or 0.0
    assert len(find(tau=best).chosen) == 1
    below = find(tau=float(np.nextafter(best, 2)))
    assert (below.chosen, below.nothing_because, below.best_similarity) == ((), "below_threshold", best)


@pytest.mark.parametrize(("detail", "reason"), [("", "no_difficulty"), ("reverses everything", "cannot_be_compared")])
def test_without_a_comparable_query_nothing_is_searched(find: Find, detail: str, reason: str) -> None:
    found = find(detail)
    assert (found.chosen, found.level, found.n_candidates, found.best_similarity) == ((), None, 0, None)
    assert found.nothing_because == reason


def test_an_unrelated_state_finds_nothing_unless_the_filter_is_off(find: Find) -> None:
    elsewhere = replace(STATE, error_type=ErrorType.CARELESS)
    found = find(state=elsewhere)
    assert (found.level, found.n_candidates, found.nothing_because) == (2, 0, "no_candidates")
    free = find(state=elsewhere, filters_state=False)
    assert (free.level, free.n_candidates, len(free.chosen)) == (None, 5, 1)


def test_a_near_state_is_found_at_a_wider_level(find: Find) -> None:
    other_intent = replace(STATE, intent=Intent.OFF_TOPIC)
    other_struggle = replace(STATE, struggle_status=StruggleStatus.PROGRESSING)
    assert [find(state=state).level for state in (other_intent, other_struggle)] == [1, 2]


def test_the_random_choice_stays_inside_the_filter_and_repeats(find: Find) -> None:
    chosen = [find(choice="random", seed=seed, tau=1.0).experience_ids for seed in range(12)]
    assert chosen == [find(choice="random", seed=seed, tau=1.0).experience_ids for seed in range(12)]
    assert len(set(chosen)) > 2
    assert find(choice="random", state=replace(STATE, error_type=ErrorType.CARELESS)).chosen == ()


def test_a_disabled_entry_is_not_found(find: Find, repository: ExperienceRepository) -> None:
    repository.disable(find().experience_ids[0], reason="weak")
    assert find().chosen[0].sentence == "The learner reads the parts."


class ScriptedRewriter:
    def __init__(self, answer: str | None) -> None:
        self._answer = answer

    async def rewrite(self, error_detail: str, struggle_reason: str) -> str:
        if self._answer is None:
            raise ModelError("no answer")
        return self._answer


@pytest.mark.parametrize(
    ("answer", "made_by", "reason"),
    [
        ("  The learner mistakes a part for the whole. ", "rewriter", ""),
        ("", "fallback", "the rewriter gave nothing"),
        (None, "fallback", "the rewriter failed: no answer"),
        ("The learner adds 7 to Bruno.", "fallback", "the rewriter's sentence holds: digit, name"),
    ],
)
def test_a_rewriting_that_fails_falls_back_to_the_diagnostic_text(
    answer: str | None, made_by: str, reason: str
) -> None:
    made = asyncio.run(abstract_sentence("takes a part", "is unsure", rewriter=ScriptedRewriter(answer)))
    assert (made.made_by, made.reason) == (made_by, reason)
    assert made.text == (answer or "").strip() if made_by == "rewriter" else "The learner takes a part and is unsure."


@pytest.mark.parametrize(
    ("detail", "struggle", "sentence"),
    [
        ("adds the parts", "is unsure", "The learner adds the parts and is unsure."),
        ("adds the parts.", "", "The learner adds the parts."),
        ("", "The learner is unsure.", "The learner is unsure."),
        ("The student  adds", "adds", "The learner adds."),
        ("", " ", ""),
    ],
)
def test_both_texts_become_one_sentence(detail: str, struggle: str, sentence: str) -> None:
    assert join_difficulty(detail, struggle) == sentence
    assert asyncio.run(BuiltinRewriter().rewrite(detail, struggle)) == sentence
