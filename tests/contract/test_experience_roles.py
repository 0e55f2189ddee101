"""What every engine of a role owes: one suite a role, run on the builtin engine and on a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.experience_doubles import candidate
from tests.unit.planted_replies import BAD, GOOD, MOMENTS, reviewed

from preceptor.domain.observation import ReadingStatus
from preceptor.domain.rubric import CAPS, TOP, Critique, Dimension, Flag
from preceptor.experience.abstract_sentence import BuiltinRewriter, Rewriter, abstract_sentence
from preceptor.experience.abstract_text import find_faults
from preceptor.experience.builtin_critic import BuiltinCritic
from preceptor.experience.critic import Critic
from preceptor.experience.llm_critic import LlmCritic
from preceptor.experience.llm_merger import LlmMerger
from preceptor.experience.llm_rewriter import LlmRewriter
from preceptor.experience.repository_merger import BuiltinMerger, Merger, merged_experience
from preceptor.testing.scripted_model import ScriptedModel


def judgement(criterion: str, score: int | None) -> dict[str, Any]:
    return {"criterion": criterion, "reason": f"why {criterion}", "score": score}


def critic_answer(score: int = TOP, **flags: bool) -> dict[str, Any]:
    faults = {flag.value: flags.get(flag.value, False) for flag in Flag}
    return {
        "what_it_does": "asks for one quantity",
        "faults": {"seen": "", **faults},
        "judgements": [judgement(dimension.value, score) for dimension in Dimension],
        "revision_wanted": False,
    }


def value_answer(**more: Any) -> dict[str, Any]:
    return {
        "triggering_difficulty": "leaves a part out of the total",
        "applied_strategy": "asks for the missing part alone",
        "scaffolding_steps": ["name what is there", "ask what is missing"],
        "response_template": "You have [part]. What else belongs to the total?",
        "premium_practice": "the learner finds the part",
        "undesirable_behaviours": ["naming the part"],
        "struggle_handling": "make the case smaller",
        "strategy": "question_quantity",
        **more,
    }


@pytest.fixture(params=["builtin", "llm"])
def critic(request: pytest.FixtureRequest) -> Callable[[int], Critic]:
    """Return a critic that can be asked so many times."""

    def make(times: int) -> Critic:
        if request.param == "builtin":
            return BuiltinCritic()
        return LlmCritic(ScriptedModel([critic_answer() for _ in range(times)], role="critic"))

    return make


def test_critic_scores_every_dimension_on_the_scale_and_caps_hold(critic: Callable[[int], Critic]) -> None:
    replies = [(moment, reply) for _, moment, reply in BAD] + list(GOOD)
    engine = critic(len(replies))
    for moment, reply in replies:
        found = asyncio.run(engine.critique(reviewed(moment, reply)))
        assert not found.scores.unscored
        assert found.percent is not None
        assert 0 <= found.percent <= 100
        for flag in found.flags:
            dimension, cap = CAPS[flag]
            value = found.scores.of(dimension).value
            assert value is not None
            assert value <= cap


def test_critic_never_lets_a_computed_answer_pass(critic: Callable[[int], Critic]) -> None:
    dumps = [(moment, reply) for kind, moment, reply in BAD if kind == "dump"]
    engine = critic(len(dumps))
    for moment, reply in dumps:
        found = asyncio.run(engine.critique(reviewed(moment, reply)))
        assert Flag.ANSWER_GIVEN in found.flags, reply
        assert found.scores.scaffolding.value == 0


def test_critic_gives_no_adaptation_score_to_a_first_reply(critic: Callable[[int], Critic]) -> None:
    moment = next(name for name, at in MOMENTS.items() if not at.history)
    found = asyncio.run(critic(1).critique(reviewed(moment, "What does one part cost?")))
    assert not found.scores.strategy_adaptation.applicable


def test_critic_judges_the_same_reply_the_same_way_twice(critic: Callable[[int], Critic]) -> None:
    engine = critic(2)
    moment, reply = GOOD[0]
    first, second = (asyncio.run(engine.critique(reviewed(moment, reply))) for _ in range(2))
    assert isinstance(first, Critique)
    assert (first.scores, first.flags) == (second.scores, second.flags)


@pytest.fixture(params=["builtin", "llm"])
def rewriter(request: pytest.FixtureRequest) -> Rewriter:
    if request.param == "builtin":
        return BuiltinRewriter()
    said = {"sentence": "The learner adds  where equal groups\nare counted and holds on to it."}
    return LlmRewriter(ScriptedModel([said], role="rewriter"))


def test_rewriter_gives_one_abstract_sentence(rewriter: Rewriter) -> None:
    found = asyncio.run(abstract_sentence("adds where equal groups are counted", "holds on to it", rewriter=rewriter))
    assert found.made_by == "rewriter"
    assert found.text.startswith("The learner ")
    assert "\n" not in found.text
    assert not find_faults(found.text)


def test_rewriter_is_not_asked_about_nothing(rewriter: Rewriter) -> None:
    assert asyncio.run(abstract_sentence("", "", rewriter=rewriter)).text == ""


@pytest.fixture(params=["builtin", "llm"])
def merger(request: pytest.FixtureRequest) -> Merger:
    if request.param == "builtin":
        return BuiltinMerger()
    said = {**value_answer(), "sentence": "The learner leaves one part out of the total."}
    return LlmMerger(ScriptedModel([said], role="merger"))


def test_merger_makes_one_abstract_experience_of_two(merger: Merger) -> None:
    known = candidate("The learner leaves a part out of the total.")
    other = candidate("The learner forgets one of several parts.")
    merge = asyncio.run(merger.merge(known, other))
    assert merge.sentence
    made = merged_experience(known, other, merge, known.created_at)
    assert made.provenance.parents == (known.experience_id, other.experience_id)
    assert made.provenance.made_by == ("builtin" if merge.engine == "builtin" else "llm")
    assert not [fault for text in (made.sentence, *made.value.texts()) for fault in find_faults(text)]


def test_planted_moments_are_read() -> None:
    """The suites above say something only about turns that were read."""
    read = [reviewed(name, "x").observation.reading.status is not ReadingStatus.UNREAD for name in MOMENTS]
    assert sum(read) >= len(read) - 1
