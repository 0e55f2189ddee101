"""One live turn: what the guard lets through, what stops it, what happens when a part fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from preceptor.domain.dialogue import Dialogue, Turn
from preceptor.domain.learner_state import LearnerState
from preceptor.domain.observation import Observation, Reading, ReadingStatus
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Move, Reply
from preceptor.errors import InputError, ModelCutError
from preceptor.maths.step_graph import build_step_graph
from preceptor.pedagogy.builtin_tutor import BuiltinTutor
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor import ExperienceAdvice, Tutor, TutorTurn
from preceptor.settings import Settings, TutoringSettings
from preceptor.tutoring.offline import reply_offline
from preceptor.tutoring.reads import Read
from preceptor.tutoring.turn import Piece, TurnMaker, TurnTrace

PROBLEM = Problem(
    problem_id="rolls",
    text="A baker fills 6 trays with 14 rolls each. She gives 19 rolls to a school. How many rolls are left?",
    solution="The trays hold 6 * 14 = 84 rolls.\nShe has 84 - 19 = 65 rolls left.\n65",
    answer="65",
)


class FixedObserver:
    """Reads every utterance the same."""

    def __init__(self, status: ReadingStatus = ReadingStatus.READ) -> None:
        self._status = status

    async def observe(self, turn: TurnContext) -> Observation:
        reading = Reading(status=self._status, read_as="")
        return Observation(state=LearnerState(), error_detail="", struggle_reason="", reading=reading)


class Says:
    """A tutor that says what it is told, one text a call, and remembers what it was asked."""

    def __init__(self, *texts: str, breaks_after: int | None = None) -> None:
        self._texts = list(texts)
        self._breaks_after = breaks_after
        self.asked: list[TutorTurn] = []

    async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        text = self._texts[min(len(self.asked), len(self._texts) - 1)]
        self.asked.append(turn)
        for place, word in enumerate(text.split(" ")):
            if place == self._breaks_after:
                raise ModelCutError("the stream ended early")
            yield word + " "
        yield Reply(text=text, move=Move.FREE, engine="scripted")


def run(
    tutor: Tutor,
    utterance: str = "I have 14 rolls on a tray",
    status: ReadingStatus = ReadingStatus.READ,
    **more: object,
) -> tuple[TurnTrace, list[Piece]]:
    settings = more.pop("settings", Settings())
    assert isinstance(settings, Settings)
    maker = TurnMaker(
        observer=FixedObserver(status),
        tutor=tutor,
        fallback=BuiltinTutor(),
        settings=settings,
        **more,  # type: ignore[arg-type]
    )
    graph = build_step_graph(PROBLEM.text, PROBLEM.solution or "", PROBLEM.answer)
    context = TurnContext(problem=PROBLEM, graph=graph, history=(), utterance=utterance)
    trace = TurnTrace()

    async def collect() -> list[Piece]:
        return [part async for part in maker.run(context, trace) if isinstance(part, Piece)]

    return trace, asyncio.run(collect())


def test_a_harmless_reply_passes_as_it_is() -> None:
    trace, pieces = run(Says("Six trays are full. How many rolls is that in all?"))
    assert " ".join(piece.text for piece in pieces) == "Six trays are full. How many rolls is that in all?"
    assert trace.reply is not None
    assert trace.reply.engine == "scripted"
    assert trace.refusals == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("You get 65 rolls.", "final_answer"),
        ("The answer is sixty-five.", "final_answer"),
        ("First, 6 times 14 is 84. What next?", "unreached_step"),
        ("You know that 14 + 19 = 34. What does it count?", "false_arithmetic"),
    ],
)
def test_a_reply_that_gives_away_or_errs_is_rewritten_once(text: str, reason: str) -> None:
    tutor = Says(text, "How many rolls does a tray hold?")
    trace, pieces = run(tutor)
    assert [refusal.reason for refusal in trace.refusals] == [reason]
    assert len(tutor.asked) == 2
    assert reason in tutor.asked[1].avoid[0]
    assert " ".join(piece.text for piece in pieces) == "How many rolls does a tray hold?"


def test_after_two_refusals_the_builtin_tutor_answers() -> None:
    trace, pieces = run(Says("It is 65.", "Well, sixty-five it is."))
    assert trace.reply is not None
    assert trace.reply.engine == "builtin"
    assert "65" not in " ".join(piece.text for piece in pieces)


def test_what_was_streamed_before_a_refusal_is_retracted() -> None:
    _, pieces = run(Says("Look at the trays. They hold 84 rolls.", "What do the trays hold?"))
    assert [piece.retracts for piece in pieces] == [False, True]
    assert pieces[1].text == "What do the trays hold?"


def test_an_answer_spread_over_two_sentences_is_found() -> None:
    trace, pieces = run(Says("It has a six. Then 65 is complete.", "What is left?"))
    assert trace.refusals
    assert pieces[-1].text == "What is left?"


def test_no_verdict_is_given_on_what_was_not_read() -> None:
    trace, _ = run(
        Says("That's right! What next?", "Could you write it as a calculation?"), status=ReadingStatus.UNREAD
    )
    assert [refusal.reason for refusal in trace.refusals] == ["verdict_on_unread"]


def test_a_broken_stream_is_never_a_finished_reply() -> None:
    trace, pieces = run(Says("Look at the trays. Now count", breaks_after=5))
    assert trace.failed is not None
    assert trace.failed.startswith("ModelCutError")
    assert trace.reply is not None
    assert trace.reply.engine == "builtin"
    assert any(piece.retracts for piece in pieces)


def test_distress_stops_tutoring_before_any_engine() -> None:
    tutor = Says("What next?")
    trace, pieces = run(tutor, utterance="I want to die")
    assert tutor.asked == []
    assert trace.observation is None
    assert trace.reply is not None
    assert trace.reply.move is Move.CARE
    assert "adult" in pieces[0].text


class SlowMemory:
    """Takes longer than its cap."""

    async def read(self, turn: TurnContext) -> Read:
        await asyncio.sleep(5)
        return Read(status="read", text="too late")


class OneExperience:
    """Always finds the same advice."""

    async def read(self, turn: TurnContext, observation: Observation) -> Read:
        advice = ExperienceAdvice(experience_id="e1", strategy="smaller_numbers", text="Try smaller numbers.")
        return Read(status="read", ids=("e1",), similarities=(0.8,), advice=(advice,))


def test_a_read_past_its_cap_is_dropped_and_named() -> None:
    settings = Settings(tutoring=TutoringSettings(memory_cap_s=0.02))
    tutor = Says("What next?")
    trace, _ = run(tutor, settings=settings, memory=SlowMemory())
    assert trace.reads["memory"].status == "dropped"
    assert tutor.asked[0].memory == ""


@pytest.mark.parametrize("place", [-1, 2])
def test_a_recorded_dialogue_is_replied_to_only_at_its_turns(place: int) -> None:
    dialogue = Dialogue(dialogue_id="d", source="test", problem=PROBLEM, turns=(Turn(learner="a"), Turn(learner="b")))
    maker = TurnMaker(observer=FixedObserver(), tutor=Says("Well?"), fallback=BuiltinTutor(), settings=Settings())
    with pytest.raises(InputError, match=rf"turns 0\.\.1, got {place}"):
        asyncio.run(reply_offline(maker, dialogue, place))
    for known in (0, 1):
        assert asyncio.run(reply_offline(maker, dialogue, known)).record.reply.text == "Well?"


def test_experience_reaches_the_tutor_with_its_id_on_record() -> None:
    tutor = Says("What next?")
    trace, _ = run(tutor, experience=OneExperience())
    assert tutor.asked[0].experience[0].experience_id == "e1"
    assert trace.reads["experience"].ids == ("e1",)
