"""The installed program in Chromium: `preceptor serve`, the builtin engine, a dialogue, a restart."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys
from tests.e2e.browser import Browser

pytestmark = pytest.mark.browser


@contextmanager
def served(home: Path) -> Iterator[str]:
    """Run `preceptor serve` on a free port and stop it as a service manager would."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PRECEPTOR_")}
    command = [str(Path(sys.executable).parent / "preceptor"), "serve", "--port", "0"]
    environment["PRECEPTOR_HOME"] = str(home)
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            assert found, "serve did not print its address"
            yield found.group()
        finally:
            process.send_signal(signal.SIGTERM)
            exit_code = process.wait(timeout=20)
    assert exit_code == 0


def say(browser: Browser, words: str, turn: int) -> None:
    browser.find("#utterance").send_keys(words + Keys.ENTER)
    browser.until_replied(turn)


def test_a_learner_solves_a_problem_with_nothing_configured(
    browser: Browser, tmp_path: Path, screenshots: Path
) -> None:
    with served(tmp_path) as address:
        browser.open(f"{address}/learn?search=trays+of+sandwiches")
        assert browser.count(".problems .card") == 1
        browser.click(".problems button")
        browser.until("document.querySelector('[data-turn=\"0\"] .reply')")
        say(browser, "3*24 = 72 sandwiches", 1)
        assert browser.count(".step.right") == 1
        say(browser, "72-5 = 66", 2)
        browser.until("document.querySelector('.step.wrong')")
        assert "checked by arithmetic" in browser.text(".step.wrong")
        browser.click("#stuck")
        browser.until_replied(3)
        browser.screenshot(screenshots / "installed.png")
        replies = [browser.text(f"[data-turn='{turn}'] .reply") for turn in range(4)]
        assert not any(re.search(r"\b67\b", reply) for reply in replies)
        assert len(set(replies)) == 4
        browser.find("#final").send_keys("67" + Keys.ENTER)
        browser.until_replied(4)
        browser.until("document.querySelector('.solved')")
        shown = browser.text("#turns")
        here = browser.driver.current_url.removeprefix(address)
    with served(tmp_path) as address:
        browser.open(address + here)
        assert browser.text("#turns") == shown
        assert "Solved" in browser.text(".steps")
    assert browser.outside_requests() == []


def test_a_problem_of_ones_own_says_that_it_cannot_be_guarded(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path) as address:
        browser.open(f"{address}/learn")
        browser.find("#own-text").send_keys("Ana has 3 bags of 8 marbles and gives 5 away. How many are left?")
        browser.click("[name=own]")
        browser.until("document.querySelector('.notice')")
        assert "cannot guard" in browser.text(".notice")
        say(browser, "3*8=25", 1)
        assert "checked by arithmetic" in browser.text(".step.wrong")
