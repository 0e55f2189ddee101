"""The distilling roles against a provider that answers well and badly: no fault becomes a score or a stored word."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.contract.test_experience_roles import critic_answer, value_answer
from tests.e2e.fake_provider import Act, FakeProvider, fake_provider
from tests.e2e.test_llm_provider import Waits
from tests.unit.experience_doubles import candidate
from tests.unit.planted_replies import GOOD, reviewed
from tests.unit.test_experience_llm_roles import REPLY_ANSWER, Computed, admitted, reflection_answer, revision_answer

from preceptor.domain.rubric import Critique
from preceptor.errors import ModelError, ModelOutputError, ModelTimeoutError
from preceptor.experience.abstract_sentence import AbstractSentence, abstract_sentence
from preceptor.experience.builtin_critic import BuiltinCritic
from preceptor.experience.llm_critic import LlmCritic
from preceptor.experience.llm_distiller import LlmDistiller
from preceptor.experience.llm_mentor import LlmMentor
from preceptor.experience.llm_merger import LlmMerger
from preceptor.experience.llm_reflection import LlmReflection
from preceptor.experience.llm_rewriter import LlmRewriter
from preceptor.models.call import Pauses
from preceptor.models.llm import ProviderModel
from preceptor.models.redactor import Unredacted
from preceptor.models.roles import Role
from preceptor.pedagogy.llm_observer import LlmObserver
from preceptor.settings import ModelSettings, ProviderSettings, RolesSettings

TURN = reviewed(*GOOD[0])
FAULTS: dict[str, Act] = {
    "bad JSON": Act(text="Sure! The scores are 4, 4, 4, 4."),
    "schema fault": Act(text=json.dumps({"score": 9, "surprise": True})),
    "rate limit": Act(status=429),
    "hang": Act(delay_s=2.5),
}


def model_at(server: FakeProvider, role: Role) -> ProviderModel:
    own = getattr(RolesSettings(), role)
    return ProviderModel(
        role=role,
        name="school",
        provider=ProviderSettings(base_url=server.url),
        model="fake-1",
        role_settings=own.model_copy(update={"engine": "llm", "provider": "school", "model": "fake-1"}),
        limits=ModelSettings(deadline_s=1.5, max_retries=1),
        redactor=Unredacted(),
        pauses=Pauses(sleep=Waits().sleep, chance=lambda: 0.5),
    )


async def criticise(server: FakeProvider) -> Critique:
    return await LlmCritic(model_at(server, "critic")).critique(TURN)


async def rewrite(server: FakeProvider) -> AbstractSentence:
    return await abstract_sentence("adds equal groups", "", rewriter=LlmRewriter(model_at(server, "rewriter")))


async def revise(server: FakeProvider) -> Any:
    return await LlmMentor(model_at(server, "mentor")).revise(TURN, BuiltinCritic().critique_now(TURN))


async def distil(server: FakeProvider) -> Any:
    return await LlmDistiller(model_at(server, "distiller")).distil(admitted())


async def merge(server: FakeProvider) -> Any:
    known, other = candidate("The learner leaves a part out."), candidate("The learner forgets a part.")
    return await LlmMerger(model_at(server, "merger")).merge(known, other)


async def reflect(server: FakeProvider) -> Any:
    return await LlmReflection(model_at(server, "reflection")).reflect(TURN)


async def observe(server: FakeProvider) -> Any:
    observer = LlmObserver(model_at(server, "observer"), base=Computed())
    return await observer.observe_reply(TURN.context, TURN.observation, TURN.reply)


CALLS: dict[str, tuple[Callable[[FakeProvider], Any], dict[str, Any]]] = {
    "critic": (criticise, critic_answer(3)),
    "rewriter": (rewrite, {"sentence": "The learner adds where equal groups are counted."}),
    "mentor": (revise, revision_answer()),
    "distiller": (distil, value_answer()),
    "merger": (merge, {**value_answer(), "sentence": "The learner leaves one part out of the total."}),
    "reflection": (reflect, reflection_answer()),
    "observer": (observe, REPLY_ANSWER),
}


@pytest.mark.parametrize("role", CALLS)
def test_role_asks_at_temperature_0_with_its_schema_and_records_the_call(role: str) -> None:
    call, answer = CALLS[role]
    with fake_provider(Act(text=json.dumps(answer))) as server:
        found = asyncio.run(call(server))
    sent = server.requests[0]
    assert sent["temperature"] == 0
    assert "response_format" in sent
    if role not in {"rewriter", "merger"}:
        usage = found.critique.usage if role == "reflection" else found.usage
        assert (usage.role, usage.model) == (role, "fake-1")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_critic_in_trouble_scores_nothing(fault: str) -> None:
    with fake_provider(FAULTS[fault]) as server:
        if fault in {"rate limit", "hang"}:
            with pytest.raises(ModelError):
                asyncio.run(criticise(server))
            return
        found = asyncio.run(criticise(server))
    assert found.percent is None
    assert len(found.scores.unscored) == 5
    assert len(server.requests) == 2, "an answer out of form is asked for once more"


@pytest.mark.parametrize("fault", FAULTS)
def test_a_rewriter_in_trouble_leaves_the_diagnostic_text(fault: str) -> None:
    with fake_provider(FAULTS[fault]) as server:
        found = asyncio.run(rewrite(server))
    assert (found.text, found.made_by) == ("The learner adds equal groups.", "fallback")


@pytest.mark.parametrize("role", ["mentor", "distiller", "merger", "reflection", "observer"])
@pytest.mark.parametrize("fault", FAULTS)
def test_other_roles_in_trouble_say_which_and_make_nothing(role: str, fault: str) -> None:
    kinds = {"bad JSON": ModelOutputError, "schema fault": ModelOutputError, "hang": ModelTimeoutError}
    with fake_provider(FAULTS[fault]) as server, pytest.raises(kinds.get(fault, ModelError)) as raised:
        asyncio.run(CALLS[role][0](server))
    assert TURN.context.utterance not in str(raised.value), "no learner text in an error"


@pytest.mark.parametrize("role", CALLS)
def test_an_answer_out_of_form_once_is_asked_for_again(role: str) -> None:
    call, answer = CALLS[role]
    with fake_provider(Act(text="no"), Act(text=json.dumps(answer))) as server:
        found = asyncio.run(call(server))
    assert len(server.requests) == 2
    if role == "critic":
        assert found.percent is not None
        assert found.usage.repairs == 1
