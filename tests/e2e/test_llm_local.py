"""A whole dialogue through a GGUF in this process. It shows that it runs, not that it teaches."""

from __future__ import annotations

import asyncio
import importlib.util
import re
from pathlib import Path

import pytest
from tests.conftest import skip_or_fail

from preceptor.domain.dialogue import Turn
from preceptor.domain.learner_state import LearnerState
from preceptor.domain.observation import Observation, Reading, ReadingStatus
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Reply
from preceptor.errors import ModelError
from preceptor.models.fetch import fetch_model
from preceptor.models.opening import open_model
from preceptor.pedagogy.llm_observer import LlmObserver
from preceptor.pedagogy.llm_tutor import LlmTutor
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor import TutorTurn
from preceptor.settings import Settings, load_settings

NAME = "smollm2-135m-instruct-q4_1"
PROBLEM = Problem(
    problem_id="jars",
    text="Nora packs 4 crates with 6 jars each and gives 5 jars to Omar. How many jars are left?",
    solution="4*6=<<4*6=24>>24\n24-5=<<24-5=19>>19",
    answer="19",
)
UTTERANCES = ("I added 4 and 6 and got 10", "Oh, each crate has 6?", "So 24 jars?", "Then some go to Omar", "19!")
COMPUTED = Observation(
    state=LearnerState(),
    error_detail="",
    struggle_reason="",
    reading=Reading(status=ReadingStatus.UNREAD, read_as=""),
)


class Computed:
    """An observer without a view."""

    async def observe(self, turn: TurnContext) -> Observation:
        return COMPUTED


@pytest.fixture(scope="module")
def local_settings() -> Settings:
    if importlib.util.find_spec("xllamacpp") is None:
        skip_or_fail("the extra `local` is not installed")
    home: Path = load_settings().home
    try:
        fetch_model(home, NAME, progress=lambda *_: None)
    except ModelError as error:
        skip_or_fail(f"the GGUF cannot be had: {error}")
    role = {"engine": "llm", "provider": "here", "model": NAME}
    return Settings.model_validate(
        {
            "home": home,
            "roles": {"tutor": role, "observer": {**role, "temperature": 0}},
            "providers": {"here": {"kind": "local"}},
            "models": {"deadline_s": 150},
        }
    )


async def dialogue(settings: Settings, utterances: tuple[str, ...]) -> list[Reply]:
    tutor = LlmTutor(open_model(settings, "tutor", None))
    history: tuple[Turn, ...] = ()
    replies: list[Reply] = []
    for utterance in utterances:
        context = TurnContext(problem=PROBLEM, graph=None, history=history, utterance=utterance)
        async for part in tutor.reply(TutorTurn(context=context, observation=COMPUTED)):
            if isinstance(part, Reply):
                replies.append(part)
        history += (Turn(learner=utterance, tutor=replies[-1].text),)
    return replies


@pytest.mark.parametrize("n_turns", [2, pytest.param(5, marks=pytest.mark.prove)])
def test_model_in_this_process_holds_a_dialogue_in_its_narrow_form(local_settings: Settings, n_turns: int) -> None:
    replies = asyncio.run(dialogue(local_settings, UTTERANCES[:n_turns]))
    assert len(replies) == n_turns
    for reply in replies:
        assert reply.text.endswith("?")
        assert not re.search(r"\d", reply.text), "the schema forbids digits"
        assert len(reply.text) <= 201
        assert reply.engine == f"here/{NAME}"
        assert reply.usage is not None
        assert reply.usage.output_tokens
        assert reply.usage.cost_usd == 0


def test_model_in_this_process_plays_the_observer(local_settings: Settings) -> None:
    observer = LlmObserver(open_model(local_settings, "observer", None), base=Computed())
    context = TurnContext(problem=PROBLEM, graph=None, history=(), utterance="I added 4 and 6 and got 10")
    found = asyncio.run(observer.observe(context))
    assert found.engine == f"here/{NAME}", "the model answered in the output type"
    assert found.reading == COMPUTED.reading
