"""A process killed inside a night, at any step: run again, the night leaves the same tables as one left alone."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.contract.memory_world import ANA, BEN, START, World
from tests.contract.test_nightly import tables

from preceptor.stores.sql import nights as sql_nights
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import open_sqlite
from preceptor.testing.fixed_clock import FixedClock

STEPS = (
    "note",
    "fade",
    "end",
    pytest.param("begin", marks=pytest.mark.prove),
    pytest.param("belief", marks=pytest.mark.prove),
    pytest.param("scope", marks=pytest.mark.prove),
)


def open_world(home: Path) -> World:
    """Return the world of a folder, at the night."""
    clock = FixedClock(START + timedelta(days=50, hours=17))
    return World(Database(open_sqlite(home / "preceptor.sqlite3")), clock=clock)


def fill(home: Path) -> None:
    """Give two learners a past with beliefs that fade, days without a note, and checks that no turn took up."""
    world = World(Database(open_sqlite(home / "preceptor.sqlite3")))
    for scope in (ANA, BEN):
        world.check_percent(True, 3, scope)
    for day in (1, 2, 49):
        world.clock.advance(START + timedelta(days=day) - world.clock())
        for scope in (ANA, BEN):
            world.say(f"I worked on day {day}", scope)
            for topic in ("ratio", "average", "speed"):
                world.quiz(topic, day != 2, scope)
    world.database.close()


def run_and_hang(home: Path, step: str) -> None:
    """The child: run the night, say so at one step and stop there for good."""
    world = open_world(home)

    def hang_after(owner: Any, name: str, call: int) -> None:
        calls = 0
        original: Callable[..., Any] = getattr(owner, name)

        def hanging(*given: Any, **named: Any) -> Any:
            nonlocal calls
            result = original(*given, **named)
            calls += 1
            if calls == call:
                sys.stdout.write("inside\n")
                sys.stdout.flush()
                time.sleep(600)
            return result

        setattr(owner, name, hanging)

    if step == "begin":
        hang_after(world.record.nights, "begin", 1)
    elif step == "belief":
        hang_after(world.record.beliefs, "add", 2)
    elif step == "note":
        hang_after(world.record.log, "append", 2)
    elif step == "fade":
        hang_after(world.beliefs, "fade", 1)
    elif step == "scope":
        hang_after(world.nightly, "run_scope", 1)
    else:
        hang_after(sql_nights, "_put_verifications", 1)  # inside the transaction that ends the night
    world.nightly.run()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("filled")
    fill(home)
    return home


@pytest.fixture(scope="module")
def undisturbed(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("undisturbed") / "home"
    shutil.copytree(filled, home)
    world = open_world(home)
    first, second = world.nightly.run()
    assert (len(first.consolidated), first.beliefs_added, first.beliefs_faded) == (4, 9, 1)
    assert first.verified == {"unverifiable": 15}
    assert second.scope == BEN
    found = tables(world)
    world.database.close()
    return found


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_inside_a_night_and_a_rerun_give_the_same_tables(
    filled: Path, undisturbed: dict[str, Any], tmp_path: Path, step: str
) -> None:
    home = tmp_path / "home"
    shutil.copytree(filled, home)
    called = f"run_and_hang(Path({str(home)!r}), {step!r})"
    code = f"from pathlib import Path; from tests.contract.test_nightly_kill import run_and_hang; {called}"
    root = Path(__file__).parents[2]
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=root)
    assert child.stdout is not None
    assert child.stdout.readline() == "inside\n"
    child.kill()
    child.communicate()
    world = open_world(home)
    assert tables(world) != undisturbed
    assert world.nightly.run()
    assert tables(world) == undisturbed
    assert world.nightly.run() == []
    assert tables(world) == undisturbed
    world.database.close()
