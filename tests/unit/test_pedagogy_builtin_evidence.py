"""The observer's offline mode: what a reply did, objectively, and whether the turn is meaningful."""

from __future__ import annotations

import asyncio

import pytest

from preceptor.domain.dialogue import Turn
from preceptor.domain.problem import Problem
from preceptor.domain.tutor_evidence import Behaviour, TutorEvidence
from preceptor.experience.abstract_text import find_faults, surroundings_of
from preceptor.maths.step_graph import build_step_graph
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.turn_context import TurnContext

TEXT = "Nora fills 6 crates with 14 jars each and gives 20 jars away. How many jars are left?"
SOLUTION = "6 crates hold 6 * 14 = 84 jars.\nAfter giving 20 away, 84 - 20 = 64 jars are left."
PROBLEM = Problem(problem_id="jars", text=TEXT, solution=SOLUTION, answer="64")


def evidence(utterance: str, reply: str, *history: Turn) -> TutorEvidence:
    context = TurnContext(
        problem=PROBLEM, graph=build_step_graph(TEXT, SOLUTION, "64", "en"), history=history, utterance=utterance
    )
    observer = BuiltinObserver()
    return asyncio.run(observer.observe_reply(context, observer.observe_now(context), reply))


@pytest.mark.parametrize(
    ("utterance", "reply", "reason"),
    [
        ("", "Hello! Tell me what you did.", "opening"),
        ("6 + 14 = 20", "   ", "no_reply"),
        ("Thank you!", "Well done!", "social"),
    ],
)
def test_turns_without_teaching_are_not_meaningful(utterance: str, reply: str, reason: str) -> None:
    found = evidence(utterance, reply)
    assert not found.meaningful
    assert found.skipped_because == reason


def test_a_mistake_that_is_answered_is_meaningful() -> None:
    found = evidence("6 + 14 = 20 jars", "How many jars are in one crate, and how many crates are there?")
    assert found.meaningful
    assert Behaviour.ASKS_QUANTITY in found.behaviours


@pytest.mark.parametrize(
    ("reply", "behaviour"),
    [
        ("So the answer is 64.", Behaviour.STATES_ANSWER),
        ("6 times 14 is 84.", Behaviour.STATES_STEP),
        ("What does each mean here?", Behaviour.ASKS_MEANING),
        ("Imagine there were two small boxes. How many would that be?", Behaviour.SHRINKS_CASE),
        ("Don't worry, that is easy to mix up.", Behaviour.ACKNOWLEDGES_FEELING),
    ],
)
def test_what_a_reply_does_is_recorded(reply: str, behaviour: Behaviour) -> None:
    assert behaviour in evidence("6 + 14 = 20", reply).behaviours


def test_a_reply_that_says_the_same_again_is_recorded_as_such() -> None:
    asked = "How many jars does one crate hold?"
    found = evidence("I still think 20", asked, Turn(learner="6 + 14 = 20", tutor=asked))
    assert Behaviour.REPEATS_ITSELF in found.behaviours


@pytest.mark.parametrize("utterance", ["6 + 14 = 20 jars", "84", "I do not know what Nora does", "64 jars", "why?"])
@pytest.mark.parametrize("reply", ["How many jars are in a crate, Sam?", "No. 6 * 14 = 84", "Well done!", "Hmm"])
def test_a_summary_names_nothing_of_problem_or_learner(utterance: str, reply: str) -> None:
    around = surroundings_of(PROBLEM, [utterance], [reply])
    assert find_faults(evidence(utterance, reply).summary, around) == ()
