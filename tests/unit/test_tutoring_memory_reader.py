"""A turn's read of memory by itself: what is about the record, and the way back to what was being asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest

from preceptor.domain.dialogue import Turn
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Move, Reply
from preceptor.domain.scope import Scope
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings
from preceptor.tutoring.live_memory import open_memory
from preceptor.tutoring.memory_reader import TurnMemory, TurnOwner

OWNER = TurnOwner(
    scope=Scope(learner_id="ana", subject_id="maths"),
    dialogue_id="d",
    now=datetime(2026, 9, 20, 9, tzinfo=UTC),
    time_zone="UTC",
)
JARS = Problem(problem_id="jars", text="Nora fills 6 crates with 14 jars each. How many jars are that?")
ASKED = "So 6 crates are there. What does one crate hold? And how many jars are in all of them?"
VALUE = Frame(kind=FrameKind.VALUE, value=Fraction(84))
NOTHING = "I have nothing on record that you got wrong."


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with open_record(Settings(home=tmp_path)) as opened:
        yield opened


def reply_to(record: Record, utterance: str, *history: Turn) -> Reply | None:
    memory = TurnMemory(open_memory(Settings(home=Path()), record, lambda: None), OWNER)
    turn = TurnContext(problem=JARS, graph=None, history=history, utterance=utterance)
    found = asyncio.run(memory.read(turn)).memory
    return found.reply if found is not None else None


def test_after_an_answer_about_the_record_the_last_question_stands_again_and_stays_pending(record: Record) -> None:
    reply = reply_to(record, "what did I get wrong?", Turn(learner="14", tutor=ASKED, frame=VALUE))
    assert reply is not None
    assert reply.text == f"{NOTHING}\n\nBack to our problem. And how many jars are in all of them?"
    assert (reply.move, reply.frame) == (Move.RECORD_ANSWER, VALUE)


@pytest.mark.parametrize(
    "last",
    [
        Turn(learner="hello", tutor="Hello! How are you today?", frame=Frame(kind=FrameKind.OPEN)),
        Turn(learner="hello", tutor="Hello! How are you today?"),
        Turn(learner="14", tutor="Write down what you know.", frame=VALUE),
        Turn(learner="14", frame=VALUE),
    ],
)
def test_where_no_question_asks_for_anything_there_is_no_way_back(record: Record, last: Turn) -> None:
    reply = reply_to(record, "what did I get wrong?", last)
    assert reply is not None
    assert reply.text == NOTHING
    assert reply.frame == (last.frame or Frame(kind=FrameKind.OPEN))


def test_what_is_taught_is_confirmed_with_the_same_way_back(record: Record) -> None:
    words = "Remember that in our class we call the whole amount the pile."
    reply = reply_to(record, words, Turn(learner="14", tutor=ASKED, frame=VALUE))
    assert reply is not None
    assert reply.text.endswith("\n\nBack to our problem. And how many jars are in all of them?")
    assert (reply.move, reply.frame) == (Move.TAUGHT, VALUE)


@pytest.mark.parametrize("utterance", ["what did I get wrong?", "what did I get wrong here?", "where did I go wrong?"])
def test_before_anything_was_said_a_question_is_about_the_record(record: Record, utterance: str) -> None:
    reply = reply_to(record, utterance)
    assert reply is not None
    assert (reply.text, reply.frame) == (NOTHING, Frame(kind=FrameKind.OPEN))


@pytest.mark.parametrize("utterance", ["what did I get wrong here?", "where did I go wrong?", "explain it again"])
def test_in_the_middle_of_a_problem_it_is_about_the_step_unless_a_time_is_named(record: Record, utterance: str) -> None:
    asked = Turn(learner="14", tutor=ASKED, frame=VALUE)
    assert reply_to(record, utterance, asked) is None
    with_time = reply_to(record, f"{utterance.removesuffix('?')} last week?", asked)
    assert with_time is not None
    assert with_time.move is Move.RECORD_ANSWER
