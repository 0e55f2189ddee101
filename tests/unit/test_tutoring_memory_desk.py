"""What a learner sees of what is remembered of them, and that it is theirs alone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from preceptor.domain.principal import Principal
from preceptor.domain.problem import Problem
from preceptor.errors import BusyError, InputError, NotFoundError
from preceptor.settings import Settings
from preceptor.testing.fixed_clock import FixedClock
from preceptor.tutoring.memory_desk import MemoryDesk
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.session_opening import open_session
from preceptor.tutoring.turn_run import TurnRun

ANA = Principal(learner_id="ana", roles=frozenset({"learner"}))
BEN = Principal(learner_id="ben", roles=frozenset({"learner", "instructor"}))
EGGS = Problem(
    problem_id="eggs",
    text="A hen house has 7 nests with 6 eggs each. Nadia takes 15 eggs to market. How many eggs stay?",
    solution="There are 7*6=<<7*6=42>>42 eggs.\nAfter the market 42-15=<<42-15=27>>27 eggs stay.\n#### 27",
    answer="27",
)

SLIPS = ("7 * 6 = 42", "42 - 15 = 26", "42 - 15 = 25", "42 - 15 = 24", "42 - 15 = 23")
SOLVED = ("7 * 6 = 42", "42 - 15 = 27", "Remember that in our class we call the remaining amount the rest.")


class School:
    """Two learners at one tutor, the clock injected."""

    def __init__(self, home: Path) -> None:
        self.clock = FixedClock(datetime(2026, 5, 3, 23, 30, tzinfo=UTC))
        settings = Settings(home=home, time_zone="Europe/Madrid")
        self.session: TutoringSession = open_session(settings, self.clock)
        self.session._record.problems.put_many([EGGS])
        self.desk: MemoryDesk = self.session.memory_desk
        self.said: dict[str, str] = {}
        self._talk(ANA, SLIPS)
        self._talk(BEN, SOLVED)

    def new_learner(self, learner_id: str) -> Principal:
        """Return a learner of a test's own, with the same slips as Ana."""
        who = Principal(learner_id=learner_id, roles=frozenset({"learner"}))
        self._talk(who, SLIPS)
        return who

    def _talk(self, who: Principal, words: tuple[str, ...]) -> None:
        async def turns() -> str:
            dialogue_id = self.session.start(who, problem_id="eggs")
            for one in words:
                self.clock.advance(timedelta(minutes=1))
                done = await (await self.session.submit(who, dialogue_id, one)).wait()
                assert done.kind == "done", done.text
            return dialogue_id

        self.said[who.learner_id] = asyncio.run(turns())
        self.desk._memory.beliefs.catch_up(self.desk._scope(who, "maths"))


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:
    opened = School(tmp_path_factory.mktemp("home"))
    yield opened
    opened.session.close()


def test_each_learner_sees_their_own_record_and_nobody_elses(school: School) -> None:
    ana, ben = (school.desk.page(who, "maths") for who in (ANA, BEN))
    lines = {
        who.learner_id: [line for day in school.desk.month(who, "maths", date(2026, 5, 1)) for line in day.lines]
        for who in (ANA, BEN)
    }
    assert {line.dialogue_id for line in lines["ana"]} == {school.said["ana"]}
    assert {line.dialogue_id for line in lines["ben"]} == {school.said["ben"]}
    assert ana.taught == ()
    assert [line.concept for line in ben.taught] == ["remaining amount"]
    assert {one.belief_id for one in ana.beliefs}.isdisjoint(one.belief_id for one in ben.beliefs)
    for line in lines["ben"]:
        with pytest.raises(NotFoundError):
            school.desk.episode(ANA, line.episode_id)
        with pytest.raises(NotFoundError):
            school.desk.forget_moment(ANA, line.episode_id)
    for belief in ben.beliefs:
        with pytest.raises(NotFoundError):
            school.desk.deny(ANA, "maths", belief.belief_id)
        with pytest.raises(NotFoundError):
            school.desk.forget_belief(ANA, "maths", belief.belief_id)
    assert all(one["learner_id"] == "ana" for one in school.desk.export(ANA) if "learner_id" in one)
    assert school.desk.page(BEN, "maths") == ben


def test_a_belief_has_rank_evidence_and_the_way_it_came_about(school: School) -> None:
    held = school.desk.page(ANA, "maths").beliefs
    assert [one.rank for one in held] == sorted(one.rank for one in held)
    again = next(one for one in held if one.claim == "struggles")
    assert again.n_wrong == 4
    assert len(again.last) == 3, "the last three, however many there are"
    assert [one.line.words for one in again.last] == ["42 − 15 = 23", "42 − 15 = 24", "42 − 15 = 25"]
    assert all(one.line.turn for one in again.last)
    assert sum(step.count for step in again.steps) == 4
    assert again.steps[-1].claim == "struggles"


def test_a_day_is_the_learners_own(school: School) -> None:
    (day,) = school.desk.month(ANA, "maths", date(2026, 5, 1))
    assert day.day == date(2026, 5, 4), "23:30 UTC is the next day in Madrid"
    assert school.desk.month(ANA, "maths", date(2026, 6, 1)) == ()


def test_months_without_anything_are_told_as_empty(school: School) -> None:
    who = school.new_learner("cy")
    school.clock.advance(timedelta(days=75))
    months = school.desk.page(who, "maths").months
    assert len(months) in {3, 4}
    assert [one.is_empty for one in months] == [True] * (len(months) - 1) + [False]
    assert (months[-1].problems, months[-1].messages, months[-1].right, months[-1].wrong) == (1, 5, 1, 4)


def test_what_is_denied_is_held_no_more_and_stands_under_denied(school: School) -> None:
    who = school.new_learner("dee")
    page = school.desk.page(who, "maths")
    again = next(one for one in page.beliefs if one.claim == "struggles")
    school.desk.deny(who, "maths", again.belief_id, note="I was tired")
    after = school.desk.page(who, "maths")
    assert again.concept not in [one.concept for one in after.beliefs]
    assert [(one.concept, one.line.words) for one in after.denied] == [(again.concept, "I was tired")]
    with pytest.raises(InputError):
        school.desk.deny(who, "maths", again.belief_id)


def test_forgetting_a_belief_erases_the_checks_it_stands_on_and_no_other(school: School) -> None:
    who = school.new_learner("ida")
    again = next(one for one in school.desk.page(who, "maths").beliefs if one.claim == "struggles")
    school.desk.forget_belief(who, "maths", again.belief_id)
    page = school.desk.page(who, "maths")
    assert again.concept_id not in page.map.beliefs
    (day,) = school.desk.month(who, "maths", page.months[-1].first_day)
    assert [line.words for line in day.lines if line.kind == "check"] == ["7 × 6 = 42"]
    assert [line.words for line in day.lines if line.kind == "said"] == ["7 * 6 = 42"]


def test_a_moment_goes_with_its_reply_and_the_conversation_goes_on(school: School) -> None:
    who = school.new_learner("eli")
    dialogue_id = school.said["eli"]
    last = max(school.session.dialogue(who, dialogue_id).turns, key=lambda view: view.turn)
    found = school.session._record.log.list("eli", dialogue_id=dialogue_id, turn=last.turn)
    school.desk.forget_moment(who, found[0].episode_id)
    view = school.session.dialogue(who, dialogue_id)
    assert not view.pending
    assert last.learner not in [turn.learner for turn in view.turns]
    assert asyncio.run(school.session.resume(who, dialogue_id)) is None

    async def again() -> str:
        return (await (await school.session.submit(who, dialogue_id, "42 - 15 = 27")).wait()).kind

    assert asyncio.run(again()) == "done"
    assert school.session.dialogue(who, dialogue_id).solved


def test_the_first_moment_is_the_whole_conversation(school: School) -> None:
    who = school.new_learner("fay")
    question = school.session._record.log.list("fay", dialogue_id=school.said["fay"], turn=0)[0]
    school.desk.forget_moment(who, question.episode_id)
    assert school.session.dialogues(who) == []
    assert len(school.session.dialogues(BEN)) == 1


def test_nothing_is_forgotten_under_a_reply_that_is_being_made(school: School) -> None:
    who = school.new_learner("gus")
    school.session._runs["gus", "other"] = TurnRun(dialogue_id="other", turn=1)
    with pytest.raises(BusyError):
        school.desk.forget_everything(who)
    assert school.desk.page(who, "maths").beliefs
    del school.session._runs["gus", "other"]
    school.desk.forget_everything(who)
    assert school.desk.page(who, "maths").months == ()


def test_everything_forgotten_is_everything(school: School) -> None:
    who = school.new_learner("hal")
    school.desk.forget_everything(who)
    page = school.desk.page(who, "maths")
    assert (page.beliefs, page.months, page.taught, page.denied) == ((), (), (), ())
    assert page.tally.on_record == 0
    assert "42 - 15" not in str(list(school.desk.export(who)))
    assert school.desk.page(BEN, "maths").beliefs
    assert school.session.running(who, school.said["hal"]) is None


def test_the_report_is_the_instructors_and_holds_no_words(school: School) -> None:
    with pytest.raises(InputError):
        school.desk.report(ANA, "maths")
    report = school.desk.report(BEN, "maths")
    assert report.night is None
    assert report.tally.on_record == 2
    assert not report.calibration.calibrated
    school.clock.advance(timedelta(days=2))
    school.session.start_nights()
    deadline = time.monotonic() + 60
    while (after := school.desk.report(BEN, "maths")).night is None:
        assert time.monotonic() < deadline, "no night ran in the background"
        time.sleep(0.05)
    assert after.night is not None
    assert [note.day for note in after.notes][-1] == date(2026, 5, 4)
    assert "Nadia" not in str(after)
    assert "the rest" not in str(after)


def test_my_part_of_the_map_holds_what_i_worked_on(school: School) -> None:
    page = school.desk.page(ANA, "maths")
    names = {one.name for one in page.map.concepts.concepts}
    assert {one.concept_id for one in page.beliefs} <= set(page.map.concepts.by_id)
    assert "probability" not in names
    assert page.map.n_whole > len(names)
    assert len(school.desk.page(ANA, "maths", whole_map=True).map.concepts.concepts) == page.map.n_whole
    assert "remaining amount" in {one.name for one in school.desk.page(BEN, "maths").map.concepts.concepts}
