"""What my tutor remembers, in a browser: three months of talk, what is told of them, and the learner's rights.

`pytest -s` prints the conversation.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from tests.e2e.browser import Browser
from tests.e2e.memory_installation import BAGS, LEARNER, PAINT, PATIENCE_S, Installation, Learner, served

from preceptor.memory.learner_memory import LearnerMemory

pytestmark = pytest.mark.browser


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    opened = Installation(tmp_path / "home")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """July: a slip and two problems; August: nothing; September: more, and a note taught; a night has passed."""
    opened = Installation(tmp_path_factory.mktemp("home"))
    opened.talk(BAGS, "12 * 4 = 46", "12 * 4 = 48", "48 - 9 = 38", "48 - 9 = 37", "48 - 9 = 36", "48 - 9 = 35")
    opened.talk(PAINT, "6 * 3 = 18", "18 / 9 = 2")
    opened.on(9, 14)
    opened.talk(PAINT, "6 * 3 = 18", "Remember that in our class we call the area the floor size.", "18 / 9 = 2")
    opened.talk(BAGS, "12 * 4 = 48", "what did I get wrong?")
    opened.on(9, 22)
    LearnerMemory(opened.session._record, opened.settings.memory).nightly.run()
    yield opened
    opened.close()


def whole(browser: Browser, path: Path) -> None:
    """Take a picture of the whole page."""
    height = int(browser.driver.execute_script("return document.documentElement.scrollHeight"))
    width = int(browser.driver.execute_script("return window.innerWidth"))
    browser.size(width, min(height, 4500))
    browser.screenshot(path)
    browser.size(width, 900)


def submit(browser: Browser, css: str) -> None:
    """Press a button of a form and wait for the page that follows."""
    browser.driver.execute_script("window.before = true")
    browser.click(css)
    browser.until("window.before === undefined && document.readyState === 'complete'", PATIENCE_S)


def open_details(browser: Browser) -> None:
    browser.driver.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")


def fetched(address: str) -> list[dict[str, object]]:
    with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
        return [json.loads(line) for line in answer.read().decode().splitlines()]


def test_three_months_are_told_from_the_record_and_nothing_else(
    browser: Browser, installation: Installation, screenshots: Path
) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Europe/Berlin"})
    with served(installation) as address:
        learner = Learner(browser, address, installation)
        learner.begin("Mira+packs")
        learner.say("12 * 4 = 46")
        learner.say("12 * 4 = 48")
        learner.say("48 - 9 = 39")
        installation.on(9, 14)
        learner.begin("wall")
        learner.say("6 * 3 = 18")
        installation.on(9, 22)
        browser.driver.refresh()

        july = learner.say("what did we do in July?")
        assert "12 July 2026" in july
        assert "Mira packs 12 bags" in july
        assert "September" not in july
        assert "Joel" not in july.split("Back to our problem.")[0]
        assert set(learner.chips()) == {"12 July 2026"}
        whole(browser, screenshots / "memory-chat.png")

        wrong = learner.say("what did I get wrong?")
        assert "46" in wrong
        assert "not right" in wrong
        assert learner.chips() == ["12 July 2026"]
        browser.click(f"[data-turn='{learner.turn}'] .chip")
        browser.until("!document.getElementById('evidence').hidden", PATIENCE_S)
        assert "12 July 2026" in browser.text("#evidence")
        assert "12 * 4 = 46" in browser.text("#evidence")
        browser.screenshot(screenshots / "memory-chip.png")
        browser.find("#evidence [data-closes]").send_keys(Keys.ESCAPE)
        browser.until("document.getElementById('evidence').hidden")

        week = learner.say("Was habe ich letzte Woche gelernt?")
        assert "14. September 2026" in week
        assert "12. Juli" not in week
        assert set(learner.chips()) == {"14 September 2026"}

        arabic = learner.say("ماذا أخطأت؟")
        assert "12 يوليو 2026" in arabic
        assert "46" in arabic
        assert learner.chips() == ["12 July 2026"]

        quiet = learner.say("What did we do in August?")
        assert quiet.startswith("I have no record of anything in August 2026.")
        assert learner.chips() == []

        before = learner.say("how am I doing?")
        browser.open(f"{address}/memory")
        assert "August 2026 No record of anything." in browser.text(".months").replace("\n", " ")
        assert browser.text(".belief .sure") == "surest", "not calibrated: the order and no number"
        assert " in 100" not in browser.text(".beliefs")
        denied = browser.text(".belief .claim strong")
        assert denied in before
        browser.click(".belief .belief-ways details:nth-of-type(2) summary")
        browser.find(".belief [name=note]").send_keys("I only mistyped it")
        submit(browser, ".belief .belief-ways details:nth-of-type(2) button")
        assert "Noted: this is not true" in browser.text("main")
        assert "I only mistyped it" in browser.text(".denied")
        learner.transcript.append(f"[on the page] “{denied}” was said to be not true: I only mistyped it")

        browser.driver.back()
        browser.driver.back()
        browser.until("document.getElementById('utterance')", PATIENCE_S)
        browser.driver.refresh()
        after = learner.say("how am I doing?")
        assert f"{denied} (" not in after
        assert browser.console_errors() == []
        assert browser.outside_requests() == []
    sys.stdout.write("\n" + "\n".join(learner.transcript) + "\n")
    browser.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ""})


def test_a_belief_shows_its_evidence_and_how_it_came_about(browser: Browser, lived_in: Installation) -> None:
    with served(lived_in) as address:
        browser.open(f"{address}/memory")
        open_details(browser)
        shown = browser.text(".beliefs")
        assert "about 67 in 100" in shown, "calibrated: a number"
        assert "So far its guesses were off by" in browser.text("#beliefs-title + .hint")
        links = [one.get_attribute("href") or "" for one in browser.all(".evidence-lines a")]
        assert links
        assert all("#turn-" in link for link in links)
        assert all(len(one.find_elements(By.CSS_SELECTOR, ".evidence-lines li")) <= 3 for one in browser.all(".belief"))
        browser.open(links[0])
        browser.until("document.querySelector(location.hash)?.querySelector('.said')", PATIENCE_S)
        for label in ("Error", "Confusion", "Persistent", "struggles", "understands"):
            assert label not in shown


def test_forgetting_a_belief_erases_the_moments_it_stands_on(browser: Browser, installation: Installation) -> None:
    dialogue_id = installation.talk(BAGS, "12 * 4 = 48", "48 - 9 = 39")
    with served(installation) as address:
        browser.open(f"{address}/memory")
        words = browser.text(".evidence-lines .line-text")
        assert words
        submit_forget = ".belief .belief-ways details:nth-of-type(3)"
        browser.click(f"{submit_forget} summary")
        submit(browser, f"{submit_forget} button")
        assert "Forgotten for good" in browser.text("main")
        assert words not in browser.text("main")
        browser.open(f"{address}/learn/{dialogue_id}")
        assert browser.count(".said") == 1
        browser.find("#utterance").send_keys("12 * 4 = 48" + Keys.ENTER)
        browser.until("document.querySelectorAll('.said').length === 2", PATIENCE_S)
        browser.until("!document.querySelector('.waiting')", PATIENCE_S)
        assert browser.console_errors() == []


def test_a_moment_is_forgotten_from_its_page(browser: Browser, installation: Installation) -> None:
    installation.talk(BAGS, "12 * 4 = 46")
    with served(installation) as address:
        browser.open(f"{address}/memory/months/2026-07")
        said = "//li[contains(., 'you wrote')]//a[contains(@class, 'to-line')]"
        moment = str(browser.driver.find_element(By.XPATH, said).get_attribute("href"))
        browser.open(moment)
        assert "12 * 4 = 46" in browser.text(".card")
        submit(browser, ".forgetting button[value=no]")
        assert "Forgotten for good" in browser.text("main")
        browser.open(moment)
        assert "That is not here" in browser.text("main")
        browser.open(f"{address}/memory/months/2026-07")
        assert "= 46" not in browser.text("main")
        assert "Mira packs" in browser.text("main")


def test_everything_is_taken_along_and_then_forgotten(browser: Browser, installation: Installation) -> None:
    installation.talk(BAGS, "12 * 4 = 46")
    with served(installation) as address:
        lines = fetched(f"{address}/memory/export")
        assert lines[0]["about"] == "export"
        assert any("12 * 4 = 46" in json.dumps(one) for one in lines)
        browser.open(f"{address}/memory")
        browser.click(".rights summary")
        browser.find("#delete-word").send_keys("yes")
        submit(browser, ".rights form button")
        assert "Nothing was deleted" in browser.text(".rights")
        browser.find("#delete-word").send_keys("forget")
        submit(browser, ".rights form button")
        assert "Everything is forgotten" in browser.text("main")
        assert "Nothing is on record yet" in browser.text("main")
        assert not any("12 * 4" in json.dumps(one) for one in fetched(f"{address}/memory/export"))
        assert installation.session.dialogues(LEARNER) == []


def test_language_and_time_zone_are_kept(browser: Browser, installation: Installation) -> None:
    with served(installation) as address:
        browser.open(f"{address}/memory")
        browser.find("#pref-zone").send_keys("Mars/Olympus")
        submit(browser, ".choices-form button")
        assert "Mars/Olympus" in browser.text("#zone-error")
        browser.find("#pref-zone").clear()
        browser.find("#pref-zone").send_keys("Asia/Tokyo")
        browser.find("#pref-language option[value=de]").click()
        submit(browser, ".choices-form button")
        assert browser.find("#pref-zone").get_property("value") == "Asia/Tokyo"
        browser.open(f"{address}/learn?search=Mira+packs")
        assert browser.find("#language").get_property("value") == "de"
        installation.on(7, 12, 22)
        browser.click(".problems button")
        browser.until("document.getElementById('utterance')", PATIENCE_S)
        browser.open(f"{address}/memory/months/2026-07")
        assert "13 July 2026" in browser.text("main"), "22:00 UTC is the next day in Tokyo"


def test_the_instructor_sees_figures_and_no_words(browser: Browser, lived_in: Installation) -> None:
    with served(lived_in) as address:
        browser.open(f"{address}/memory/report")
        assert "This page is the instructor's" in browser.text("main")
        browser.open(f"{address}/memory")
        browser.click("[name=view][value=instructor]")
        browser.until("document.querySelector('[name=view][value=learner]')", PATIENCE_S)
        browser.open(f"{address}/memory/report")
        shown = browser.text("main")
        assert "on record" in browser.text("#checks-title + p")
        assert browser.count("svg.calibration .spot") >= 1
        assert "days up to 21 September 2026 are noted" in shown
        assert "14 September 2026" in shown
        assert "Mira" not in shown
        assert "floor size" not in shown


def test_a_dropped_read_of_memory_is_said_under_the_reply(browser: Browser, installation: Installation) -> None:
    dialogue_id = installation.talk(BAGS, "12 * 4 = 48")
    maker = installation.session._work._maker
    assert maker is not None
    with served(installation) as address:
        browser.open(f"{address}/learn/{dialogue_id}")
        assert browser.count(".turn-details") == 0
        slow_block = installation.session._memory
        assert slow_block is not None
        built = slow_block.block

        def never_in_time(*args: object, **given: object) -> object:
            import time

            time.sleep(4)
            return built(*args, **given)  # type: ignore[arg-type]

        slow_block.block = never_in_time  # type: ignore[method-assign, assignment]
        browser.find("#utterance").send_keys("what did I get wrong?" + Keys.ENTER)
        browser.until("document.querySelector('[data-turn=\"2\"] .turn-details')", PATIENCE_S)
        browser.click("[data-turn='2'] .turn-details summary")
        assert "took too long" in browser.text("[data-turn='2'] .turn-details")
        browser.driver.refresh()
        assert browser.count("[data-turn='2'] .turn-details") == 1


def test_the_page_is_used_by_keyboard_and_without_javascript(browser: Browser, lived_in: Installation) -> None:
    with served(lived_in) as address:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            browser.open(f"{address}/memory")
            found = browser.driver.page_source
        finally:
            browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        assert 'class="card belief' in found
        assert "<svg" in found
        browser.open(f"{address}/memory")
        reached = set()
        for _ in range(80):
            browser.driver.switch_to.active_element.send_keys(Keys.TAB)
            reached.add(
                str(
                    browser.driver.execute_script(
                        "const e = document.activeElement;"
                        "return e.tagName + ':' + (e.id || e.className || e.innerText.slice(0, 20))"
                    )
                )
            )
        summaries = {one for one in reached if one.startswith("SUMMARY")}
        assert {"SUMMARY:Why?", "SUMMARY:Not true", "SUMMARY:Forget"} <= summaries
        assert any("map-frame" in one for one in reached)
        assert "SELECT:pref-language" in reached
        browser.driver.execute_script("document.querySelector('.belief summary').focus()")
        browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
        assert browser.driver.execute_script("return document.querySelector('.belief details').open")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1400, 360], ids=["wide", "phone"])
def test_no_page_about_memory_breaks_an_accessibility_rule(
    browser: Browser, lived_in: Installation, axe: str, screenshots: Path, dark: bool, width: int
) -> None:
    browser.dark(dark)
    browser.size(width, 800)
    name = f"{'dark' if dark else 'light'}-{width}"
    found: list[str] = []

    def look(shown: str) -> None:
        assert "Something went wrong" not in browser.text("main")
        whole(browser, screenshots / f"memory-{shown}-{name}.png")
        open_details(browser)
        whole(browser, screenshots / f"memory-{shown}-open-{name}.png")
        # clear of the bars that stick to the edges
        browser.driver.execute_script("document.querySelector('.chip')?.scrollIntoView({block: 'center'})")
        found.extend(f"{shown}: {violation}" for violation in browser.axe_violations(axe))
        overflow = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert browser.driver.execute_script(overflow) <= 0, f"{shown} is wider than the window"

    with served(lived_in) as address:
        browser.open(f"{address}/memory")
        look("page")
        browser.open(f"{address}/memory?whole=yes")
        look("whole")
        browser.open(f"{address}/memory?subject=nothing-yet")
        look("empty")
        browser.open(f"{address}/memory")
        browser.click(".rights summary")
        browser.find("#delete-word").send_keys("no")
        submit(browser, ".rights form button")
        look("refused")
        browser.open(f"{address}/memory/months/2026-07")
        look("month")
        moment = str(browser.find(".to-line").get_attribute("href"))
        browser.open(moment)
        look("moment")
        browser.open(f"{address}/memory")
        browser.click("[name=view][value=instructor]")
        browser.until("document.querySelector('[name=view][value=learner]')", PATIENCE_S)
        browser.open(f"{address}/memory/report")
        look("report")
        last = lived_in.session.dialogues(LEARNER)[0].dialogue_id
        browser.open(f"{address}/learn/{last}")
        browser.click(".chip")
        browser.until("!document.getElementById('evidence').hidden", PATIENCE_S)
        look("chip")
    assert found == []
