"""Distilling from the log: only with consent, under links that lead to nobody, and gone with the learner."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from preceptor.domain.dialogue import Dialogue
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.errors import PreceptorError
from preceptor.experience.distillation import funnel_of
from preceptor.experience.distillation_opening import OpenDistillation
from preceptor.record.erasure_scope import ErasureScope
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings
from preceptor.stores.experiences import ExperienceQuery
from preceptor.tutoring.distillation_schedule import AnsweredTurn, DistillationSchedule
from preceptor.tutoring.erasure import erase_of_learner
from preceptor.tutoring.live_repository import LiveRepository
from preceptor.tutoring.log_dialogues import dialogues_for_teaching
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.session_opening import open_session
from preceptor.tutoring.teaching_consent import allows_teaching, decide, needs_asking

LEARNER = LOCAL_OWNER.learner_id
SAID = ("I just add them", "I added all the numbers and got 999", "999 it is")


def settings_in(home: Path, *, every: int = 200) -> Settings:
    return Settings(home=home, experience={"distil_every_turns": every, "starter": False})


async def _talk(session: TutoringSession, said: Iterable[str]) -> str:
    problem = session.problems(LOCAL_OWNER, limit=1)[0]
    dialogue_id = session.start(LOCAL_OWNER, problem_id=problem.problem_id)
    for text in said:
        await (await session.submit(LOCAL_OWNER, dialogue_id, text)).wait()
    return dialogue_id


@pytest.fixture
def talked(tmp_path: Path) -> tuple[Path, str]:
    session = open_session(settings_in(tmp_path))
    dialogue_id = asyncio.run(_talk(session, SAID))
    session.close()
    return tmp_path, dialogue_id


def distil(record: Record, home: Path) -> dict[str, int]:
    run = OpenDistillation(settings_in(home), record.experiences, record.distilled, concurrency=1, batch="log")
    asyncio.run(run.run(dialogues_for_teaching(record)))
    return funnel_of(record.distilled.tally())


def test_nothing_is_distilled_until_the_learner_allows_it(talked: tuple[Path, str]) -> None:
    home, _ = talked
    with open_record(settings_in(home)) as record:
        assert needs_asking(record, LEARNER)
        assert not allows_teaching(record, LEARNER)
        assert distil(record, home)["turns_seen"] == 0
        decide(record, LEARNER, use_for_teaching=False)
        assert not needs_asking(record, LEARNER)
        assert distil(record, home)["turns_seen"] == 0
        decide(record, LEARNER, use_for_teaching=True)
        assert distil(record, home)["turns_seen"] == len(SAID)


def test_an_entry_leads_to_no_learner_and_no_dialogue(talked: tuple[Path, str]) -> None:
    home, dialogue_id = talked
    with open_record(settings_in(home)) as record:
        decide(record, LEARNER, use_for_teaching=True)
        distil(record, home)
        entries = record.experiences.find(ExperienceQuery(statuses=("active", "superseded")))
        assert entries
        said = json.dumps([repr(entry) for entry in entries])
        assert dialogue_id not in said
        assert LEARNER not in said
        link = record.source_link(dialogue_id)
        assert {source.dialogue_id for entry in entries for source in entry.provenance.sources} == {link}


def test_an_erased_learner_leaves_no_link_and_entries_without_source_are_disabled(talked: tuple[Path, str]) -> None:
    home, dialogue_id = talked
    with open_record(settings_in(home)) as record:
        decide(record, LEARNER, use_for_teaching=True)
        distil(record, home)
        active = {entry.experience_id for entry in record.experiences.find(ExperienceQuery())}
        link = record.source_link(dialogue_id)
        done = erase_of_learner(record, LEARNER, ErasureScope(whole_learner=True))
        assert set(done.disabled) == active
        assert record.experiences.find(ExperienceQuery()) == []
        assert record.experiences.find_by_dialogue([dialogue_id, link]) == []
        assert record.distilled.digests(link) == frozenset()
        assert needs_asking(record, LEARNER)
        named = [line.candidate_id for line in record.experiences.decisions() if line.outcome == "disabled"]
        assert set(named) == active


def test_the_schedule_distils_once_enough_turns_came_together(talked: tuple[Path, str]) -> None:
    home, dialogue_id = talked
    settings = settings_in(home, every=2)
    ran: list[int] = []

    def distil_now(dialogues: Iterable[Dialogue]) -> None:
        ran.append(len(list(dialogues)))

    with open_record(settings) as record:
        schedule = DistillationSchedule(
            settings, record, LiveRepository(settings, record.experiences), distil=distil_now
        )
        turns = [AnsweredTurn(learner_id=LEARNER, dialogue_id=dialogue_id, turn=place) for place in (1, 2, 3)]
        assert [schedule.count(turn) for turn in turns] == [False, False, False]
        decide(record, LEARNER, use_for_teaching=True)
        assert [schedule.count(turn) for turn in (turns[0], turns[0], turns[1])] == [False, False, True]
        assert ran == [1]


def test_the_schedule_counts_what_an_earlier_run_left(talked: tuple[Path, str]) -> None:
    home, _ = talked
    settings = settings_in(home, every=2)
    with open_record(settings) as record:
        decide(record, LEARNER, use_for_teaching=True)
        schedule = DistillationSchedule(settings, record, LiveRepository(settings, record.experiences))
        schedule.start()
        until = time.monotonic() + 60
        while not record.distilled.tally() and time.monotonic() < until:
            time.sleep(0.05)
        schedule.close(within_s=30)
        assert funnel_of(record.distilled.tally())["turns_seen"] == len(SAID)


def test_a_schedule_that_cannot_distil_says_so_and_lives_on(talked: tuple[Path, str]) -> None:
    home, dialogue_id = talked
    settings = settings_in(home, every=1)

    def fail(dialogues: Iterable[Dialogue]) -> None:
        raise PreceptorError("no repository")

    with open_record(settings) as record:
        decide(record, LEARNER, use_for_teaching=True)
        schedule = DistillationSchedule(settings, record, LiveRepository(settings, record.experiences), distil=fail)
        turn = AnsweredTurn(learner_id=LEARNER, dialogue_id=dialogue_id, turn=1)
        schedule.start()
        schedule.put(turn)
        schedule.put(turn)
        schedule.close(within_s=30)
        with pytest.raises(PreceptorError):
            schedule.count(turn)
