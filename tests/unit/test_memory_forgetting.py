"""What a learner has forgotten at the desk, and what of memory is made again after it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from preceptor.domain.episode import Episode
from preceptor.domain.principal import Principal
from preceptor.domain.scope import Scope
from preceptor.memory.learner_memory import LearnerMemory
from preceptor.record.kinds import AnswerBody, Body, new_episode
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings
from preceptor.testing.fixed_clock import FixedClock
from preceptor.tutoring.memory_desk import MemoryDesk

ANA = Principal(learner_id="ana", roles=frozenset({"learner"}))
MATHS = Scope(learner_id="ana", subject_id="maths")
MONDAY = datetime(2026, 3, 2, 10, tzinfo=UTC)


class Desk:
    """A record with Ana's desk over it, and the clock."""

    def __init__(self, home: Path) -> None:
        self.clock = FixedClock(MONDAY)
        settings = Settings(home=home)
        self.record: Record = open_record(settings, self.clock)
        self.desk = MemoryDesk(self.record, settings, lambda learner_id: None)
        self.nightly = LearnerMemory(self.record, settings.memory).nightly

    def add(self, body: Body, *, dialogue_id: str | None = None, turn: int | None = None) -> Episode:
        new = new_episode(
            body,
            learner_id=MATHS.learner_id,
            subject_id=MATHS.subject_id,
            occurred_at=self.clock(),
            dialogue_id=dialogue_id,
            turn=turn,
        )
        return self.record.log.append(new)

    def night(self) -> None:
        self.clock.advance(timedelta(days=1))
        assert self.nightly.run_scope(MATHS) is not None

    def kept(self, *kinds: str) -> list[Episode]:
        found = self.record.log.list("ana", subject_id="maths", kinds=kinds)
        return [one for one in found if one.body is not None]


@pytest.fixture
def ana(tmp_path: Path) -> Iterator[Desk]:
    opened = Desk(tmp_path)
    yield opened
    opened.record.close()


def test_a_days_note_that_is_forgotten_is_written_anew_from_its_day_and_other_days_keep_theirs(ana: Desk) -> None:
    ana.add(AnswerBody(text="a quarter of 20 is 5"))
    ana.night()
    ana.add(AnswerBody(text="a third of 21 is 7"))
    ana.night()
    monday, tuesday = ana.kept("consolidation")
    assert ana.desk.forget_moment(ANA, monday.episode_id).erasure.episodes == 1
    left = ana.kept("consolidation")
    assert monday.episode_id not in [one.episode_id for one in left]
    assert [one.episode_id for one in left][:1] == [tuesday.episode_id]
    assert [one.body for one in left] == [tuesday.body, monday.body]
    assert [one.body["text"] for one in ana.kept("answer") if one.body] == [
        "a quarter of 20 is 5",
        "a third of 21 is 7",
    ]


def test_the_first_moment_of_a_conversation_takes_all_of_it_and_a_moment_outside_one_only_itself(ana: Desk) -> None:
    opening = ana.add(AnswerBody(text="how do I halve 14?"), dialogue_id="d", turn=0)
    ana.add(AnswerBody(text="14 / 2 = 7"), dialogue_id="d", turn=1)
    alone = ana.add(AnswerBody(text="I like fractions"), turn=0)
    other = ana.add(AnswerBody(text="I like primes"), turn=0)
    assert ana.desk.forget_moment(ANA, opening.episode_id).erasure.episodes == 2
    assert ana.kept("answer") == [alone, other]
    assert ana.desk.forget_moment(ANA, alone.episode_id).erasure.episodes == 1
    assert ana.kept("answer") == [other]
