"""A page over a scripted session on loopback, and Chromium to look at it."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import pytest
import uvicorn
from pydantic import SecretStr
from tests.e2e.browser import Browser, chromium, fetch_axe, missing_browser

from preceptor.domain.problem import Problem
from preceptor.record.safety_queue import FlaggedTurn
from preceptor.server.app import create_app
from preceptor.settings import ServerSettings, Settings
from preceptor.testing.scripted_session import ScriptedSession, ScriptedTurn
from preceptor.tutoring.events import RailStep

REQUIRED = os.environ.get("PRECEPTOR_REQUIRE_DATA") == "1"


def skip_or_fail(reason: str) -> None:
    """Skip where something is missing; fail where CI says it must be there."""
    if REQUIRED:
        pytest.fail(f"PRECEPTOR_REQUIRE_DATA=1, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared_browser() -> Iterator[Browser]:
    missing = missing_browser()
    if missing:
        skip_or_fail(missing)
    with chromium() as browser:
        yield browser


@pytest.fixture
def browser(shared_browser: Browser) -> Browser:
    """A browser at desktop size, light, without cookies, whose records begin now."""
    shared_browser.open("about:blank")
    shared_browser.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    shared_browser.dark(False)
    shared_browser.size(1400, 900)
    shared_browser.outside_requests()
    shared_browser.console_errors()
    return shared_browser


@pytest.fixture(scope="session")
def axe() -> str:
    source = fetch_axe()
    if source is None:
        skip_or_fail("axe-core could not be fetched by npm")
    assert source is not None
    return source


@pytest.fixture
def screenshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "screenshots"


class Serve(Protocol):
    """Serves a session on a free loopback port and returns its address."""

    def __call__(self, session: ScriptedSession, *, access_token: str = "") -> str: ...


@pytest.fixture
def serve() -> Iterator[Serve]:
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(session: ScriptedSession, *, access_token: str = "") -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        app = create_app(session, Settings(server=ServerSettings(access_token=SecretStr(access_token))))  # type: ignore[arg-type]
        config = uvicorn.Config(app, log_level="error", proxy_headers=False, timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + 20
        while not server.started:
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.02)
        running.append((server, thread))
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join(timeout=15)


PROBLEMS = (
    Problem(
        problem_id="rolls",
        text="A baker makes 6 trays of 12 rolls. She sells 45 of them in the morning. How many rolls are left?",
    ),
    Problem(problem_id="tickets", text="Tickets cost $5 for children and $8 for adults. What do 3 children pay?"),
)


@pytest.fixture
def session() -> ScriptedSession:
    """A dialogue of four turns: a right step, a wrong one with a hint, an unread one, the solution."""
    return ScriptedSession(
        problems=PROBLEMS,
        opening="Hello! What does the problem ask you to find?",
        script=[
            ScriptedTurn(
                sentences=("You know how many rolls she baked. ", "What happens in the morning?"),
                pause_s=0.3,
                read_as="6 × 12 = 72 rolls",
                steps=(RailStep(text="6*12 = 72", mark="right", judged_by="arithmetic", read_as="6 × 12 = 72 rolls"),),
            ),
            ScriptedTurn(
                sentences=("Look at $72 - 45$ once more.",),
                read_as="72 − 45 = 37",
                rung=2,
                steps=(RailStep(text="72-45=37", mark="wrong", judged_by="arithmetic", read_as="72 − 45 = 37"),),
            ),
            ScriptedTurn(
                sentences=("I found no number in that. Tell me one calculation, for example $8 - 3 = 5$.",),
                status="unread",
                reason="no_number",
                rung=2,
            ),
            ScriptedTurn(
                sentences=("That is it: you took the sold rolls from the baked ones.",),
                read_as="27 rolls",
                solved=True,
                steps=(RailStep(text="27 rolls", mark="right", judged_by="reference", read_as="27 rolls"),),
            ),
        ],
        flagged=[
            FlaggedTurn(
                subject_id="maths",
                side="learner",
                accesses=(),
                episode_id="e1",
                learner_id="local",
                dialogue_id="dialogue-1",
                turn=2,
                category="severe_distress",
                severity="urgent",
                flagged_at=datetime(2026, 3, 2, 9, 30, tzinfo=UTC),
            )
        ],
    )
