"""Work behind a reply waits for a pause, goes on where there is none for long, and never holds up the end."""

from __future__ import annotations

import threading
import time

from preceptor.tutoring.running_turns import RunningTurns


def test_it_is_quiet_only_a_while_after_the_last_turn() -> None:
    turns = RunningTurns()
    with turns.turn():
        assert not turns.wait_for_quiet(quiet_s=0, at_most_s=0.02)
    started = time.monotonic()
    assert turns.wait_for_quiet(quiet_s=0.05, at_most_s=5)
    assert time.monotonic() - started >= 0.04


def test_of_two_turns_both_must_end() -> None:
    turns = RunningTurns()
    turns.begins()
    with turns.turn():
        pass
    assert not turns.wait_for_quiet(quiet_s=0, at_most_s=0.02)
    turns.ends()
    assert turns.wait_for_quiet(quiet_s=0, at_most_s=5)


def test_a_turn_ends_with_the_task_that_answered_it() -> None:
    turns = RunningTurns()
    turns.begins()
    turns.ended(object())
    assert turns.wait_for_quiet(quiet_s=0, at_most_s=5)


def test_a_turn_that_begins_meanwhile_is_waited_for() -> None:
    turns = RunningTurns()
    seen: list[str] = []

    def wait() -> None:
        assert turns.wait_for_quiet(quiet_s=0.05, at_most_s=20)
        seen.append("quiet")

    waiting = threading.Thread(target=wait)
    with turns.turn():
        waiting.start()
        time.sleep(0.1)
        seen.append("answered")
    waiting.join(20)
    assert seen == ["answered", "quiet"]


def test_the_end_lets_everyone_go_on() -> None:
    turns = RunningTurns()
    turns.begins()
    ending = threading.Timer(0.02, turns.over)
    ending.start()
    started = time.monotonic()
    assert not turns.wait_for_quiet(quiet_s=9, at_most_s=9)
    assert time.monotonic() - started < 8
