"""Distilling when it is asked for: one run at a time, in the background, and how it went."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from preceptor.domain.dialogue import Dialogue
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.errors import BusyError, InputError, PreceptorError
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings
from preceptor.tutoring.distillation_schedule import DistillationSchedule
from preceptor.tutoring.experience_desk import ExperienceDesk
from preceptor.tutoring.live_repository import LOADING, LiveRepository
from preceptor.tutoring.teaching_consent import decide

LEARNER = LOCAL_OWNER.learner_id


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with open_record(Settings(home=tmp_path)) as opened:
        yield opened


def desk_of(
    record: Record, home: Path, distil: Callable[[Iterable[Dialogue]], None]
) -> tuple[ExperienceDesk, DistillationSchedule]:
    settings = Settings(home=home)
    repository = LiveRepository(settings, record.experiences)
    schedule = DistillationSchedule(settings, record, repository, distil=distil)
    desk = ExperienceDesk(
        record=record, repository=repository, distillation=schedule, distil_every_turns=200, prune_below=75.0
    )
    return desk, schedule


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_one_run_at_a_time_and_it_is_asked_for_at_once(record: Record, tmp_path: Path) -> None:
    may_end = threading.Event()

    def wait(dialogues: Iterable[Dialogue]) -> None:
        may_end.wait(60)

    desk, schedule = desk_of(record, tmp_path, wait)
    decide(record, LEARNER, use_for_teaching=True)
    assert desk.distil(LOCAL_OWNER)
    assert desk.distillation(LOCAL_OWNER).status == "waiting"
    schedule.start()
    until(lambda: desk.distillation(LOCAL_OWNER).status == "running")
    assert not desk.distil(LOCAL_OWNER)
    may_end.set()
    until(lambda: desk.distillation(LOCAL_OWNER).status == "done")
    run = desk.distillation(LOCAL_OWNER)
    assert run.began_at is not None
    assert run.ended_at is not None
    assert run.began_at <= run.ended_at
    schedule.close(within_s=30)


def test_a_run_that_fails_says_so_and_the_next_can_be_asked_for(record: Record, tmp_path: Path) -> None:
    ran: list[int] = []

    def fail_once(dialogues: Iterable[Dialogue]) -> None:
        ran.append(1)
        if len(ran) == 1:
            raise PreceptorError("no repository")

    desk, schedule = desk_of(record, tmp_path, fail_once)
    decide(record, LEARNER, use_for_teaching=True)
    schedule.start()
    assert desk.distil(LOCAL_OWNER)
    until(lambda: desk.distillation(LOCAL_OWNER).status == "failed")
    assert desk.distillation(LOCAL_OWNER).failed_as == "PreceptorError"
    assert desk.distil(LOCAL_OWNER)
    until(lambda: desk.distillation(LOCAL_OWNER).status == "done")
    schedule.close(within_s=30)


def test_a_schedule_that_has_ended_says_so(record: Record, tmp_path: Path) -> None:
    desk, schedule = desk_of(record, tmp_path, lambda _: None)
    decide(record, LEARNER, use_for_teaching=True)
    schedule.start()
    schedule.close(within_s=30)
    with pytest.raises(BusyError, match="start the program again"):
        desk.distil(LOCAL_OWNER)


def test_without_consent_nothing_is_begun(record: Record, tmp_path: Path) -> None:
    desk, _ = desk_of(record, tmp_path, lambda _: None)
    with pytest.raises(InputError, match="no learner allows"):
        desk.distil(LOCAL_OWNER)
    assert desk.distillation(LOCAL_OWNER).status == "none"


def test_a_look_does_not_wait_for_the_repository_to_be_loaded(record: Record, tmp_path: Path) -> None:
    may_load = threading.Event()

    def slow() -> None:
        may_load.wait(60)

    repository = LiveRepository(Settings(home=tmp_path), record.experiences, embedder=slow)
    loading = threading.Thread(target=repository.open)
    loading.start()
    until(lambda: repository.look()[1] == LOADING)
    may_load.set()
    loading.join(60)
    assert repository.look()[1] == ""
