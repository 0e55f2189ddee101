"""Three months with one learner through the session, the clock injected: what is on record is told, and nothing else.

`pytest -s` prints the conversation.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.e2e.memory_installation import BAGS, PAINT, SCOPE

from preceptor.domain.principal import LOCAL_OWNER
from preceptor.domain.problem import Problem
from preceptor.memory.learner_memory import LearnerMemory
from preceptor.record.kinds import TurnRecordBody, body_of
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings
from preceptor.testing.fixed_clock import FixedClock
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.session_opening import open_session


class Conversation:
    """One learner's words and the replies, with the day of each."""

    def __init__(self, home: Path) -> None:
        self.clock = FixedClock(datetime(2026, 7, 12, 8, 0, tzinfo=UTC))
        self.settings = Settings(home=home, time_zone="Europe/Berlin")
        self.session: TutoringSession = open_session(self.settings, self.clock)
        self.record: Record = open_record(self.settings, self.clock)
        self.record.problems.put_many([BAGS, PAINT])
        self.dialogue_id = ""
        self.last_record_id = ""

    def on(self, month: int, day: int, hour: int = 9) -> None:
        """Go on to a day of 2026."""
        self.clock.advance(datetime(2026, month, day, hour, tzinfo=UTC) - self.clock())

    def begin(self, problem: Problem, language: str = "en") -> None:
        """Start a dialogue."""
        self.dialogue_id = self.session.start(LOCAL_OWNER, problem_id=problem.problem_id, language=language)
        view = self.session.dialogue(LOCAL_OWNER, self.dialogue_id)
        sys.stdout.write(f"\n[{self.clock():%d %b %Y}] problem: {problem.text}\n  tutor: {view.turns[0].reply}\n")

    def say(self, words: str) -> str:
        """Say something and return the reply, once memory has taken it up."""
        self.clock.advance(timedelta(minutes=1))

        async def turn() -> str:
            run = await self.session.submit(LOCAL_OWNER, self.dialogue_id, words)
            done = await run.wait()
            assert done.kind == "done", done.text
            self.last_record_id = done.record_id or ""
            return done.text

        reply = asyncio.run(turn())
        sys.stdout.write(
            f"[{self.clock():%d %b %Y}] learner: {words}\n  tutor: " + reply.replace("\n", "\n         ") + "\n"
        )
        return reply

    @property
    def last(self) -> TurnRecordBody:
        """The record of the last turn."""
        body = body_of(self.record.log.get(SCOPE.learner_id, self.last_record_id), TurnRecordBody)
        assert body is not None
        return body

    def told_on(self) -> set[str]:
        """Days of the memories that the last reply tells."""
        ids = self.last.reply.memory_ids
        return {f"{self.record.log.get(SCOPE.learner_id, one).occurred_at:%Y-%m-%d}" for one in ids}


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversation]:
    """July: a problem with a slip; August: nothing; September: another problem, and a note taught."""
    talk = Conversation(tmp_path_factory.mktemp("home"))
    talk.begin(BAGS)
    talk.say("12 * 4 = 46")
    talk.say("12 * 4 = 48")
    talk.say("48 - 9 = 39")
    talk.on(9, 14)
    talk.begin(PAINT)
    talk.say("6 * 3 = 18")
    talk.say("Remember that in our class we call the area the floor size.")
    talk.on(9, 22)
    yield talk
    talk.session.close()
    talk.record.close()


def test_july_is_told_from_july(talk: Conversation) -> None:
    reply = talk.say("what did we do in July?")
    assert "in July 2026" in reply
    assert "12 July 2026" in reply
    assert "Mira packs 12 bags" in reply
    assert talk.told_on() == {"2026-07-12"}
    assert "September" not in reply
    assert "Joel" not in reply.split("Back to our problem.")[0]


def test_the_question_that_was_open_is_open_still(talk: Conversation) -> None:
    reply = talk.say("what did we do in July?")
    assert reply.endswith("Back to our problem. How many tins does Joel need?")


def test_what_was_wrong_is_the_slip_and_nothing_else(talk: Conversation) -> None:
    reply = talk.say("what did I get wrong?")
    assert "46" in reply
    assert "not right" in reply
    assert talk.told_on() == {"2026-07-12"}


def test_a_german_question_in_an_english_dialogue_has_a_german_answer(talk: Conversation) -> None:
    reply = talk.say("Was habe ich letzte Woche gelernt?")
    assert "14. September 2026" in reply
    assert "Zurück zu unserer Aufgabe" in reply
    assert talk.told_on() == {"2026-09-14"}
    assert talk.last.reply.language == "de"


def test_an_arabic_question_has_an_arabic_answer(talk: Conversation) -> None:
    reply = talk.say("ماذا أخطأت؟")
    assert "12 يوليو 2026" in reply
    assert "46" in reply
    assert "غير صحيح" in reply


def test_a_problem_is_found_by_what_its_steps_need(talk: Conversation) -> None:
    reply = talk.say("when did we work on area?")
    assert "14 September 2026" in reply
    assert "12 July" not in reply


def test_a_month_without_activity_is_said_to_be_one(talk: Conversation) -> None:
    reply = talk.say("What did we do in August?")
    assert reply.startswith("I have no record of anything in August 2026.")
    assert not talk.last.reply.memory_ids
    assert not talk.last.reads["memory"].ids


def test_what_was_taught_is_confirmed_and_told(talk: Conversation) -> None:
    views = talk.session.dialogue(LOCAL_OWNER, talk.dialogue_id).turns
    taught = next(view.reply for view in views if "Remember that" in view.learner)
    assert taught is not None
    assert taught.startswith("I will remember that with “area”: in our class we call the area")
    reply = talk.say("what did I teach you?")
    assert "floor size" in reply
    assert talk.told_on() == {"2026-09-14"}


def test_the_tutors_own_telling_is_never_recalled(talk: Conversation) -> None:
    talk.say("what did we do in July?")
    told = talk.record.log.get(SCOPE.learner_id, talk.last_record_id)
    assert told.provenance == "recalled"
    talk.say("what did we do this month?")
    assert talk.last_record_id not in talk.last.reads["memory"].ids
    assert all(
        talk.record.log.get(SCOPE.learner_id, one).provenance != "recalled" for one in talk.last.reads["memory"].ids
    )


def test_memories_are_sources_with_their_day(talk: Conversation) -> None:
    talk.say("what did I get wrong?")
    view = talk.session.dialogue(LOCAL_OWNER, talk.dialogue_id).turns[-1]
    assert [(one.kind, one.on) for one in view.sources] == [("memory", "2026-07-12")]
    assert view.sources[0].episode_id in talk.last.reply.memory_ids


def test_the_maths_goes_on_after_a_question_about_the_record(talk: Conversation) -> None:
    talk.say("what did I get wrong?")
    talk.say("18 / 9 = 2")
    assert talk.last.observation is not None
    assert talk.last.observation.solved


def test_a_denied_belief_is_told_no_more(talk: Conversation) -> None:
    memory = LearnerMemory(talk.record, talk.settings.memory)
    memory.beliefs.catch_up(SCOPE)
    before = talk.say("how am I doing?")
    held = memory.beliefs.current(SCOPE)
    assert held
    assert "My impression so far" in before
    denied = held[0]
    name = memory.maps.map("maths").by_id[denied.concept_id].name
    assert f"{name} ({denied.confidence:.2f})" in before
    memory.beliefs.deny(SCOPE, denied.belief_id, note="that is not true")
    after = talk.say("how am I doing?")
    assert f"{name} ({denied.confidence:.2f})" not in after
    assert denied.belief_id not in talk.last.reads["memory"].belief_ids
