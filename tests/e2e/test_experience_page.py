"""The loop closes, seen from the page: one learner's dialogue, the distillation, and the next learner in that state."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from selenium.webdriver.common.keys import Keys
from tests.e2e.browser import Browser

from preceptor.domain.principal import LOCAL_OWNER, Principal
from preceptor.server.app import create_app
from preceptor.server.principal import principal_of
from preceptor.settings import ExperienceSettings, Settings
from preceptor.stores.experiences import ExperienceQuery
from preceptor.tutoring.hint_reason import HintReason
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.session_opening import open_session

pytestmark = pytest.mark.browser
PATIENCE_S = 90
"""A busy machine is no failure."""
FIRST = Principal(learner_id="local", roles=frozenset({"learner"}))
SECOND = Principal(learner_id="second", roles=frozenset({"learner"}))
SECOND_SEEN_BY_INSTRUCTOR = Principal(learner_id="second", roles=frozenset({"learner", "instructor"}))
TRAIN = ("slow+train", ("180*3 = 540", "180*3 = 540 again"))
SHELVES = ("Mira+sorts", ("156*12 = 1872", "156*12 = 1872, I multiply", "1872 shelves"))
CONCEPT_ERROR = "?error_type=Concept_Error&struggle_status=Repeated_Error"


@contextmanager
def served(session: TutoringSession, principal: Principal | None = None) -> Iterator[str]:
    """Serve a real session on loopback; `principal`: whoever asks is this one."""
    listener = socket.create_server(("127.0.0.1", 0))
    app = create_app(session, Settings())
    if principal is not None:
        app.dependency_overrides[principal_of] = lambda: principal
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


@pytest.fixture
def session(tmp_path: Path) -> Iterator[TutoringSession]:
    """An installation whose repository is empty: what is found here was distilled here."""
    opened = open_session(Settings(home=tmp_path / "home", experience=ExperienceSettings(starter=False)))
    yield opened
    opened.close()


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[TutoringSession]:
    """Another installation, which stays empty."""
    opened = open_session(Settings(home=tmp_path / "bare", experience=ExperienceSettings(starter=False)))
    yield opened
    opened.close()


def work(browser: Browser, address: str, problem: tuple[str, tuple[str, ...]]) -> str:
    """Work on a problem from the page; return its address."""
    search, said = problem
    browser.open(f"{address}/learn?search={search}")
    browser.click(".problems button")
    browser.until("document.getElementById('utterance')", PATIENCE_S)
    for turn, words in enumerate(said, start=1):
        browser.find("#utterance").send_keys(words + Keys.ENTER)
        item = f"document.querySelector('[data-turn=\"{turn}\"]')"
        browser.until(
            f"{item}?.querySelector('.engine')?.innerText.trim() && !{item}.querySelector('.waiting')", PATIENCE_S
        )
    return browser.driver.current_url


def instruct(browser: Browser, address: str) -> None:
    browser.open(f"{address}/learn")
    browser.click("[name=view][value=instructor]")
    browser.until("document.querySelector('[name=view][value=learner]')", PATIENCE_S)


def reply(browser: Browser, turn: int) -> str:
    return browser.text(f"[data-turn='{turn}'] .reply")


def used_in(reasons: tuple[HintReason, ...], turn: int) -> HintReason:
    return next(one for one in reasons if one.turn == turn)


def whole(browser: Browser, path: Path) -> None:
    """Take a picture of the whole page."""
    height = int(browser.driver.execute_script("return document.documentElement.scrollHeight"))
    width = int(browser.driver.execute_script("return window.innerWidth"))
    browser.size(width, min(height, 4000))
    browser.screenshot(path)
    browser.size(width, 900)


def beside(browser: Browser, screenshots: Path, left: Path, right: Path) -> None:
    """Put two pictures on one, what was with experience at the left."""
    page = screenshots / "beside.html"
    page.write_text(
        "<body style='margin:0;display:flex;gap:8px;font:24px sans-serif'>"
        f"<figure style='margin:0'><figcaption>with what the first learner taught</figcaption><img src='{left.name}'>"
        f"</figure><figure style='margin:0'><figcaption>empty repository</figcaption><img src='{right.name}'></figure>",
        encoding="utf-8",
    )
    browser.size(2820, 1700)
    browser.open(page.as_uri())
    browser.screenshot(screenshots / "loop-beside.png")
    browser.size(1400, 900)


def test_what_one_learner_taught_reaches_the_next_from_the_page(
    browser: Browser, session: TutoringSession, bare: TutoringSession, screenshots: Path
) -> None:
    with served(session) as address:
        work(browser, address, TRAIN)
        assert browser.count(".why") == 0
        browser.open(f"{address}/learn")
        browser.click(".asking [value=yes]")
        browser.until("!document.querySelector('.asking')", PATIENCE_S)
        instruct(browser, address)
        browser.open(f"{address}/experience")
        assert "There is no experience yet" in browser.text("main")
        browser.click(".distil button")
        browser.until("document.getElementById('distillation')?.innerText.includes('Done.')", PATIENCE_S)
        browser.until("document.querySelectorAll('.entry').length", PATIENCE_S)
        assert "2 new turns looked at" in browser.text("#distillation")
        whole(browser, screenshots / "loop-distilled.png")
        browser.open(f"{address}/experience{CONCEPT_ERROR}")
        entry = str(browser.find(".entry a").get_attribute("href")).rpartition("/")[2]
    with served(session, SECOND) as address:
        dialogue = work(browser, address, SHELVES)
        assert browser.count(".why") == 0
        assert "repeated error" not in browser.driver.page_source
        told = [reply(browser, turn) for turn in (1, 2, 3)]
    with served(session, SECOND_SEEN_BY_INSTRUCTOR) as address:
        browser.open(f"{address}/learn/{dialogue.rpartition('/')[2]}")
        browser.driver.execute_script("document.querySelectorAll('.why').forEach(one => one.open = true)")
        assert entry in browser.text("[data-turn='2'] .why")
        assert "followed: planning question" in browser.text("[data-turn='2'] .why")
        assert "not followed (tried at this step before)" in browser.text("[data-turn='3'] .why")
        whole(browser, screenshots / "loop-second.png")
    with served(bare, SECOND) as address:
        alone = work(browser, address, SHELVES)
        untold = [reply(browser, turn) for turn in (1, 2, 3)]
    with served(bare, SECOND_SEEN_BY_INSTRUCTOR) as address:
        browser.open(f"{address}/learn/{alone.rpartition('/')[2]}")
        assert "none: the repository is empty" in browser.text("[data-turn='2'] .why")
        browser.driver.execute_script("document.querySelectorAll('.why').forEach(one => one.open = true)")
        whole(browser, screenshots / "loop-bare.png")
    beside(browser, screenshots, screenshots / "loop-second.png", screenshots / "loop-bare.png")
    assert told[1] != untold[1], "turn 2 followed what was distilled"
    assert told[2] == untold[2], "turn 3 could not use it: the same words as without"
    assert browser.outside_requests() == []
    until_scored(session, entry)
    with served(session) as address:
        browser.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        instruct(browser, address)
        browser.open(f"{address}/experience/{entry}")
        assert browser.count("svg.utility") == 1
        whole(browser, screenshots / "loop-entry.png")
        browser.click(".uses button")
        browser.until("document.querySelector('.flag-here')", PATIENCE_S)
        assert told[1] in browser.text(".transcript")
    second = dialogue.rpartition("/")[2]
    accesses = session._record.accesses.list_for_dialogue("second", second)
    assert [access.reader_id for access in accesses] == ["local"]


def until_scored(session: TutoringSession, experience_id: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not session.experience.entry(LOCAL_OWNER, experience_id).uses:
        assert time.monotonic() < deadline, "the turn was not scored"
        time.sleep(0.1)


def test_the_reason_appears_under_a_reply_as_it_is_made(browser: Browser, session: TutoringSession) -> None:
    with served(session) as address:
        instruct(browser, address)
        work(browser, address, SHELVES)
        browser.until("document.querySelectorAll('.why').length === 3", PATIENCE_S)
        shown = [browser.text(f"[data-turn='{turn}'] .why") for turn in (1, 2, 3)]
        browser.driver.refresh()
        assert [browser.text(f"[data-turn='{turn}'] .why") for turn in (1, 2, 3)] == shown
        assert browser.console_errors() == []


def test_an_entry_is_disabled_from_its_page_and_no_turn_is_told_of_it(
    browser: Browser, tmp_path: Path, screenshots: Path
) -> None:
    session = open_session(Settings(home=tmp_path))
    with served(session) as address:
        instruct(browser, address)
        browser.open(f"{address}/experience")
        browser.until("document.querySelectorAll('.entry').length === 20", PATIENCE_S)
        browser.find("#meaning").send_keys("used another operation where the situation divides" + Keys.ENTER)
        browser.until("document.querySelector('.result')", PATIENCE_S)
        entry = str(browser.find(".entry a").get_attribute("href")).rpartition("/")[2]
        browser.click(".entry a")
        browser.until("document.getElementById('reason')", PATIENCE_S)
        browser.find("#reason").send_keys("says nothing new" + Keys.ENTER)
        browser.until("document.querySelector('.audit')?.innerText.includes('says nothing new')", PATIENCE_S)
        active = session._record.experiences.find(ExperienceQuery())
        assert entry not in {one.experience_id for one in active}
        browser.screenshot(screenshots / "disabled.png")
    session.close()


def test_without_javascript_everything_about_experience_can_be_read(browser: Browser, tmp_path: Path) -> None:
    session = open_session(Settings(home=tmp_path))
    session.experience.threshold(LOCAL_OWNER)
    with served(session) as address:
        instruct(browser, address)
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            browser.open(f"{address}/experience?text=another+operation")
            found = browser.driver.page_source
            browser.open(f"{address}/privacy")
            privacy = browser.driver.page_source
        finally:
            browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    session.close()
    assert found.count('class="card entry"') == 20
    assert "A live turn asks for a similarity of at least 0.33" in found
    assert "Allow it" in privacy


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TutoringSession, str]]:
    """An installation with the starter and one dialogue that used it."""
    import asyncio

    session = open_session(Settings(home=tmp_path_factory.mktemp("home")))
    session.experience.threshold(LOCAL_OWNER)

    async def talk() -> str:
        dialogue_id = session.start(FIRST, problem_id="sample-library-shelves")
        for words in SHELVES[1]:
            await (await session.submit(FIRST, dialogue_id, words)).wait()
        return dialogue_id

    dialogue_id = asyncio.run(talk())
    used = [
        found
        for one in session.instructor_desk.hint_reasons(LOCAL_OWNER, dialogue_id)
        for found in one.found
        if found.part == "chosen"
    ]
    until_scored(session, used[0].experience_id)
    session.decide_teaching(FIRST, use_for_teaching=True)
    session.experience.distil(LOCAL_OWNER)
    deadline = time.monotonic() + PATIENCE_S
    while session.experience.distillation(LOCAL_OWNER).under_way:
        assert time.monotonic() < deadline, "the distillation did not end"
        time.sleep(0.1)
    session._record.consents.forget("local")
    yield session, dialogue_id
    session.close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1400, 360], ids=["wide", "phone"])
def test_no_page_about_experience_breaks_an_accessibility_rule(
    browser: Browser,
    lived_in: tuple[TutoringSession, str],
    axe: str,
    screenshots: Path,
    dark: bool,
    width: int,
) -> None:
    session, dialogue_id = lived_in
    browser.dark(dark)
    browser.size(width, 800)
    name = f"{'dark' if dark else 'light'}-{width}"
    found: list[str] = []

    def look(page: str) -> None:
        browser.driver.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
        whole(browser, screenshots / f"experience-{page}-{name}.png")
        found.extend(f"{page}: {violation}" for violation in browser.axe_violations(axe))
        overflow = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert browser.driver.execute_script(overflow) <= 0, f"{page} is wider than the window"

    with served(session) as address:
        browser.open(f"{address}/learn")
        look("consent")
        browser.open(f"{address}/privacy")
        look("privacy")
        instruct(browser, address)
        browser.open(f"{address}/experience")
        look("list")
        browser.open(f"{address}/experience?text=another+operation&error_type=Concept_Error")
        look("search")
        browser.open(f"{address}/experience?origin=llm")
        look("nothing")
        browser.open(f"{address}/experience?text=another&related=yes")
        look("trouble")
        entries = session._record.experiences.find(ExperienceQuery())
        merged = next(one for one in entries if one.provenance.parents)
        every = session._record.experiences.find(ExperienceQuery(statuses=("active", "superseded")))
        used = next(one for one in every if session._record.experiences.uses(one.experience_id))
        browser.open(f"{address}/experience/{merged.experience_id}")
        look("merged")
        browser.open(f"{address}/experience/{used.experience_id}")
        look("entry")
        browser.click(".uses button")
        browser.until("document.querySelector('.flag-here')", PATIENCE_S)
        look("turn")
        browser.open(f"{address}/learn/{dialogue_id}")
        look("why")
    assert found == []
