"""An installation whose clock the test sets, served on loopback, with a learner who talks to it through the page."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import uvicorn
from selenium.webdriver.common.keys import Keys
from tests.e2e.browser import Browser

from preceptor.domain.principal import LOCAL_OWNER, Principal
from preceptor.domain.problem import Problem
from preceptor.domain.scope import Scope
from preceptor.memory.learner_memory import LearnerMemory
from preceptor.server.app import create_app
from preceptor.settings import Settings
from preceptor.testing.fixed_clock import FixedClock
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.session_opening import open_session

PATIENCE_S = 120
"""A busy machine is no failure."""
LEARNER = Principal(learner_id=LOCAL_OWNER.learner_id, roles=frozenset({"learner"}))
SCOPE = Scope(learner_id=LOCAL_OWNER.learner_id, subject_id="maths")
BAGS = Problem(
    problem_id="bags",
    text="Mira packs 12 bags with 4 marbles each. She gives 9 marbles away. How many marbles does she have left?",
    solution="Mira packs 12*4=<<12*4=48>>48 marbles.\nShe has 48-9=<<48-9=39>>39 marbles left.\n#### 39",
    answer="39",
)
PAINT = Problem(
    problem_id="paint",
    text="A wall is 6 metres long and 3 metres high. One tin covers 9 square metres. How many tins does Joel need?",
    solution="The wall has 6*3=<<6*3=18>>18 square metres.\nJoel needs 18/9=<<18/9=2>>2 tins.\n#### 2",
    answer="2",
)


class Installation:
    """A home, a clock and a session over both; serve it with `served`."""

    def __init__(self, home: Path) -> None:
        self.clock = FixedClock(datetime(2026, 7, 12, 8, 0, tzinfo=UTC))
        self.settings = Settings(home=home, time_zone="Europe/Berlin")
        self.session: TutoringSession = open_session(self.settings, self.clock)
        self.session._record.problems.put_many([BAGS, PAINT])

    def on(self, month: int, day: int, hour: int = 9) -> None:
        """Go on to a day of 2026."""
        self.clock.advance(datetime(2026, month, day, hour, tzinfo=UTC) - self.clock())

    def talk(self, problem: Problem, *said: str) -> str:
        """Have a whole conversation without a browser; return its id."""

        async def turns() -> str:
            dialogue_id = self.session.start(LEARNER, problem_id=problem.problem_id)
            for words in said:
                self.clock.advance(timedelta(minutes=1))
                done = await (await self.session.submit(LEARNER, dialogue_id, words)).wait()
                assert done.kind == "done", done.text
                self.take_up()
            return dialogue_id

        return asyncio.run(turns())

    def take_up(self) -> None:
        """Derive beliefs from what was said, at the time of this moment and not when a busy machine gets to it."""
        LearnerMemory(self.session._record, self.settings.memory).beliefs.catch_up(SCOPE)

    def close(self) -> None:
        """Close the session."""
        self.session.close()


@contextmanager
def served(installation: Installation) -> Iterator[str]:
    """Serve an installation and give its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    app = create_app(installation.session, installation.settings)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", proxy_headers=False, timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + PATIENCE_S
    while not server.started:
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=15)


class Learner:
    """Talks to the tutor through the page, and writes down what was said."""

    def __init__(self, browser: Browser, address: str, installation: Installation) -> None:
        self.browser = browser
        self.address = address
        self.installation = installation
        self.turn = 0
        self.transcript: list[str] = []

    def begin(self, search: str) -> None:
        """Choose a problem."""
        self.browser.open(f"{self.address}/learn?search={search}")
        self.browser.click(".problems button")
        self.browser.until("document.getElementById('utterance')", PATIENCE_S)
        self.turn = 0
        self._note("problem", self.browser.text("#problem-text"))
        self._note("tutor", self.browser.text("[data-turn='0'] .reply"))

    def say(self, words: str) -> str:
        """Say something and return the reply as it stands on the page."""
        self.installation.clock.advance(timedelta(minutes=1))
        self.turn += 1
        self.browser.find("#utterance").send_keys(words + Keys.ENTER)
        item = f"document.querySelector('[data-turn=\"{self.turn}\"]')"
        self.browser.until(
            f"{item}?.querySelector('.engine')?.innerText.trim() && !{item}.querySelector('.waiting')", PATIENCE_S
        )
        reply = self.browser.text(f"[data-turn='{self.turn}'] .reply")
        self._note("learner", words)
        self._note("tutor", reply)
        chips = self.chips()
        if chips:
            self._note("chips", " · ".join(chips))
        return reply

    def chips(self) -> list[str]:
        """Return the words on the chips of the last reply."""
        return [one.text for one in self.browser.all(f"[data-turn='{self.turn}'] .chip")]

    def _note(self, who: str, words: str) -> None:
        day = self.installation.clock().strftime("%d %b %Y")
        self.transcript.append(f"[{day}] {who}: " + words.replace("\n", "\n    "))
