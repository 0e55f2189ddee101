"""Writes that arrive together share a commit; a failure stays with whoever caused it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep

import pytest

from preceptor.errors import DuplicateError, StoreError
from preceptor.record.group_commit import GroupCommit


class SlowDisk:
    """Doubles numbers; its first write waits until it is let go, so that others must queue."""

    def __init__(self) -> None:
        self.commits: list[list[int]] = []
        self.started, self.let_go = Event(), Event()

    def write(self, items: Sequence[int]) -> Sequence[int]:
        first = not self.started.is_set()
        self.started.set()
        if first:
            assert self.let_go.wait(10)
        if 13 in items:
            raise DuplicateError("13")
        if 666 in items:
            raise KeyError("not ours")
        self.commits.append(list(items))
        return [2 * item for item in items]


def _queue(disk: SlowDisk, *batches: list[int]) -> list[Sequence[int] | BaseException]:
    """Submit the first batch, the others while it is being written, and return each outcome."""
    group: GroupCommit[int, int] = GroupCommit(disk.write)
    with ThreadPoolExecutor(len(batches)) as pool:
        first = pool.submit(group.submit, batches[0])
        assert disk.started.wait(10)
        others = [pool.submit(group.submit, batch) for batch in batches[1:]]
        while len(group._waiting) < len(others):
            sleep(0.001)
        disk.let_go.set()
        return [future.exception(10) or future.result(10) for future in (first, *others)]


def test_those_who_wait_share_one_commit_and_each_gets_its_own_results() -> None:
    disk = SlowDisk()
    assert _queue(disk, [1], [2, 3], [4], [5, 6, 7]) == [[2], [4, 6], [8], [10, 12, 14]]
    assert disk.commits[0] == [1]
    assert len(disk.commits) == 2
    assert sorted(disk.commits[1]) == [2, 3, 4, 5, 6, 7]


def test_a_failure_reaches_only_its_own_caller() -> None:
    outcomes = _queue(SlowDisk(), [1], [2], [13], [3])
    assert outcomes[0::3] == [[2], [6]]
    assert outcomes[1] == [4]
    assert isinstance(outcomes[2], DuplicateError)


def test_the_queue_goes_on_after_an_unexpected_error() -> None:
    disk = SlowDisk()
    disk.let_go.set()
    group: GroupCommit[int, int] = GroupCommit(disk.write)
    with pytest.raises(KeyError):
        group.submit([666])
    assert group.submit([1]) == [2]


def test_those_who_shared_a_commit_that_broke_are_told() -> None:
    outcomes = _queue(SlowDisk(), [1], [666], [2])
    assert sorted(type(outcome).__name__ for outcome in outcomes[1:]) == ["KeyError", "StoreError"]
    assert any(isinstance(outcome, StoreError) for outcome in outcomes)
