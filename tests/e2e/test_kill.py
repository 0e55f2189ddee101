"""kill -9 at random moments: nothing acknowledged is lost, the chain verifies, the reply resumes."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from preceptor.domain.principal import LOCAL_OWNER
from preceptor.record.record import open_record
from preceptor.settings import Settings
from preceptor.tutoring.engines import open_turn_maker
from preceptor.tutoring.session import TutoringSession

DRIVER = Path(__file__).parent / "kill_driver.py"
KILLS_PER_HOME = 10
"""After so many kills a new home begins, so that some kills fall into the first start and its migrations."""


def run_and_kill(home: Path, chosen: random.Random) -> list[str]:
    """Start the driver, kill it at a random moment, return the lines it had printed."""
    child = subprocess.Popen(
        [sys.executable, str(DRIVER), str(home), str(chosen.randrange(10**6))],
        stdout=subprocess.PIPE,
        text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(home)},
    )
    assert child.stdout is not None
    lines: list[str] = []
    if chosen.random() < 0.25:
        time.sleep(chosen.uniform(0.3, 1.6))
    else:
        while (line := child.stdout.readline()) and line.strip() != "ready":
            lines.append(line)
        for _ in range(chosen.randrange(14)):
            lines.append(child.stdout.readline())
        time.sleep(chosen.uniform(0, 0.02))
    child.send_signal(signal.SIGKILL)
    rest, _ = child.communicate()
    return [*lines, *rest.splitlines()]


def check_home(home: Path, noted: list[str]) -> int:
    """Every noted id is stored, the chain verifies, and a message without a reply gets one."""
    settings = Settings(home=home)
    with open_record(settings) as record:
        assert record.verify().breaks == ()
        for line in noted:
            word, *rest = line.split()
            if word in ("saved", "done"):
                record.log.get(LOCAL_OWNER.learner_id, rest[-1])
    return asyncio.run(_resume_all(settings))


async def _resume_all(settings: Settings) -> int:
    resumed = 0
    record = open_record(settings)
    session = TutoringSession(record=record, maker=open_turn_maker(settings), settings=settings)
    try:
        for summary in session.dialogues(LOCAL_OWNER, limit=3):
            run = await session.resume(LOCAL_OWNER, summary.dialogue_id)
            if run is not None:
                assert (await run.wait()).kind == "done"
                resumed += 1
            assert not session.dialogue(LOCAL_OWNER, summary.dialogue_id).pending
    finally:
        session.close()
    return resumed


def kill_many(count: int, folder: Path, seed: int) -> tuple[int, int]:
    """Kill `count` times over several homes; return how many ids were noted and how many replies resumed."""
    chosen = random.Random(seed)
    noted_total = resumed = 0
    for start in range(0, count, KILLS_PER_HOME):
        home = folder / f"home{start}"
        home.mkdir()
        noted: list[str] = []
        for _ in range(min(KILLS_PER_HOME, count - start)):
            noted += run_and_kill(home, chosen)
            noted = [line for line in noted if line.strip()]
        resumed += check_home(home, noted)
        noted_total += sum(1 for line in noted if line.split()[0] in ("saved", "done"))
    return noted_total, resumed


def test_thirty_kills_lose_nothing(tmp_path: Path) -> None:
    noted, _ = kill_many(30, tmp_path, seed=20261130)
    assert noted > 30


@pytest.mark.prove
def test_three_hundred_kills_lose_nothing(tmp_path: Path) -> None:
    noted, resumed = kill_many(300, tmp_path, seed=7)
    print(f"\n300 kills: {noted} acknowledged ids, 0 lost, {resumed} replies resumed")  # noqa: T201
    assert resumed > 0
