"""The page in Chromium: a dialogue, a refresh, the keyboard, themes, widths, and nothing that leaves the machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys
from tests.e2e.browser import Browser
from tests.e2e.conftest import PROBLEMS, Serve

from preceptor.testing.scripted_session import ScriptedSession, ScriptedTurn

pytestmark = pytest.mark.browser


def begin(browser: Browser, address: str) -> None:
    browser.open(f"{address}/learn")
    browser.click(".problems button")
    browser.until("document.getElementById('utterance')")


def say(browser: Browser, words: str, turn: int) -> None:
    browser.find("#utterance").send_keys(words + Keys.ENTER)
    browser.until_replied(turn)


def test_a_whole_dialogue(browser: Browser, serve: Serve, session: ScriptedSession, screenshots: Path) -> None:
    address = serve(session)
    browser.open(f"{address}/learn")
    browser.screenshot(screenshots / "start.png")
    begin(browser, address)
    assert "A baker makes 6 trays" in browser.text(".problem")
    assert "Hello!" in browser.text("[data-turn='0'] .reply")
    say(browser, "6*12 = 72", 1)
    assert browser.text("[data-turn='1'] .reply") == "You know how many rolls she baked. What happens in the morning?"
    assert "builtin engine" in browser.text("[data-turn='1'] .tutor")
    assert "read as" in browser.text("[data-turn='1'] .reading")
    say(browser, "72-45=37", 2)
    browser.until("document.querySelectorAll('.rungs .given').length === 2")
    assert browser.text(".rungs [aria-current]").startswith("where to look")
    assert browser.count("[data-turn='2'] .reply math") == 1
    rail = browser.text(".step-list")
    assert "✓" in rail
    assert "✗" in rail
    assert "checked by arithmetic" in rail
    browser.screenshot(screenshots / "mid-dialogue.png")
    say(browser, "hmm, bread?", 3)
    assert "not read yet" in browser.text("[data-turn='3'] .reading")
    browser.screenshot(screenshots / "unread.png")
    browser.find("#final").send_keys("27 rolls" + Keys.ENTER)
    browser.until_replied(4)
    browser.until("document.querySelector('.solved')")
    assert session.asked[-1] == ("answer", "27 rolls")
    assert browser.console_errors() == []
    assert browser.outside_requests() == []


def test_the_page_after_a_reload_shows_what_the_running_page_showed(
    browser: Browser, serve: Serve, session: ScriptedSession
) -> None:
    begin(browser, serve(session))
    say(browser, "6*12 = 72", 1)
    say(browser, "72-45=37", 2)
    browser.until("document.querySelectorAll('.rungs .given').length === 2")
    live = browser.text("main") + browser.text(".steps")
    browser.driver.refresh()
    assert browser.text("main").replace("\n", "") in live.replace("\n", "")


def test_a_refresh_in_mid_reply_resumes(browser: Browser, serve: Serve) -> None:
    sentences = ("First part. ", "Second part. ", "Third part. ", "Last part.")
    session = ScriptedSession(problems=PROBLEMS, script=[ScriptedTurn(sentences=sentences, pause_s=0.8)])
    begin(browser, serve(session))
    browser.find("#utterance").send_keys("72" + Keys.ENTER)
    browser.until("document.querySelector('.coming-reply')?.innerText.includes('First part.')")
    browser.driver.refresh()
    assert "72" in browser.text("[data-turn='1'] .said")
    browser.until("document.querySelector('.coming-reply')?.innerText.includes('Second part.')")
    browser.until_replied(1)
    assert browser.text("[data-turn='1'] .reply") == "First part. Second part. Third part. Last part."
    assert session.asked == [("message", "72")]


def test_a_broken_reply_names_the_cause_what_was_saved_and_tries_again(browser: Browser, serve: Serve) -> None:
    script = [ScriptedTurn(sentences=("Half a",), fails_as="ModelCutError"), ScriptedTurn(sentences=("Whole.",))]
    begin(browser, serve(ScriptedSession(problems=PROBLEMS, script=script)))
    browser.find("#utterance").send_keys("72" + Keys.ENTER)
    browser.until("!document.getElementById('trouble').hidden")
    trouble = browser.text("#trouble")
    assert "stopped in the middle" in trouble
    assert "message is saved" in trouble
    browser.click("#again")
    browser.until_replied(1)
    assert browser.text("[data-turn='1'] .reply") == "Whole."


def test_a_message_that_never_got_its_reply_gets_it_when_the_page_is_opened(browser: Browser, serve: Serve) -> None:
    script = [ScriptedTurn(sentences=(), fails_as="StoreError"), ScriptedTurn(sentences=("Here it is.",))]
    begin(browser, serve(ScriptedSession(problems=PROBLEMS, script=script)))
    browser.find("#utterance").send_keys("72" + Keys.ENTER)
    browser.until("!document.getElementById('trouble').hidden")
    browser.driver.refresh()
    browser.until_replied(1)
    assert browser.text("[data-turn='1'] .reply") == "Here it is."


@pytest.mark.parametrize("width", [320, 720, 1000, 1180, 1181])
def test_no_width_makes_the_page_scroll_sideways(
    browser: Browser, serve: Serve, session: ScriptedSession, width: int
) -> None:
    browser.size(width, 640)
    begin(browser, serve(session))
    say(browser, "6*12 = 72", 1)
    assert browser.driver.execute_script("return document.documentElement.scrollWidth") <= width


def test_the_newest_turn_is_not_hidden_by_problem_or_composer(
    browser: Browser, serve: Serve, session: ScriptedSession
) -> None:
    begin(browser, serve(session))
    for turn, words in enumerate(("6*12 = 72", "72-45=37", "hm"), start=1):
        say(browser, words, turn)
    browser.until(
        "(r => r.top > document.querySelector('.problem').getBoundingClientRect().bottom"
        " && r.bottom < document.querySelector('.composer').getBoundingClientRect().top)"
        "(document.querySelector('[data-turn=\"3\"] .reply').getBoundingClientRect())"
    )


def test_a_reply_is_written_quietly_and_read_out_whole(browser: Browser, serve: Serve) -> None:
    script = [ScriptedTurn(sentences=("One.\n\n", "Two."), pause_s=0.7)]
    begin(browser, serve(ScriptedSession(problems=PROBLEMS, script=script)))
    browser.find("#utterance").send_keys("72" + Keys.ENTER)
    turn = "document.querySelector('[data-turn=\"1\"]')"
    browser.until(f"{turn}?.querySelector('.reply[aria-live=polite]')?.innerText === 'One.'")
    assert browser.find("[data-turn='1'] .coming-reply").get_attribute("aria-hidden") == "true"
    browser.until_replied(1)
    assert browser.count("[data-turn='1'] .reply[aria-live=polite] p") == 2


def test_the_keyboard_alone_is_enough(browser: Browser, serve: Serve, session: ScriptedSession) -> None:
    browser.open(f"{serve(session)}/learn")

    def press(*keys: str) -> None:
        browser.driver.switch_to.active_element.send_keys(*keys)

    def tab_to(css: str) -> None:
        for _ in range(40):
            press(Keys.TAB)
            if browser.driver.execute_script("return document.activeElement.matches(arguments[0])", css):
                return
        raise AssertionError(f"{css} was not reached by Tab")

    browser.find("body").send_keys(Keys.TAB)
    assert browser.driver.switch_to.active_element.get_attribute("class") == "skip"
    tab_to(".problems button")
    press(Keys.ENTER)
    browser.until("document.getElementById('utterance')")
    browser.find("body").send_keys(Keys.TAB)
    tab_to("#utterance")
    outline = browser.driver.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    press("6*12", Keys.SHIFT + Keys.ENTER)
    press("= 72")
    press(Keys.ENTER)
    browser.until_replied(1)
    assert session.asked == [("message", "6*12\n= 72")]
    tab_to("#stuck")
    press(Keys.SPACE)
    browser.until_replied(2)
    assert session.asked[-1] == ("stuck", "I'm stuck.")


def test_check_my_step_sends_what_stands_in_the_box_and_asks_for_it_when_empty(
    browser: Browser, serve: Serve, session: ScriptedSession
) -> None:
    begin(browser, serve(session))
    browser.click("#check-step")
    browser.until("!document.getElementById('trouble').hidden")
    assert "Write the step" in browser.text("#trouble")
    assert session.asked == []
    browser.find("#utterance").send_keys("72-45=37")
    browser.click("#check-step")
    browser.until_replied(1)
    assert session.asked == [("check_step", "72-45=37")]
    assert "check my step" in browser.text("[data-turn='1'] .who")


def test_what_was_typed_survives_a_refresh_and_a_refusal(browser: Browser, serve: Serve) -> None:
    session = ScriptedSession(problems=PROBLEMS, script=[ScriptedTurn(pause_s=3)])
    begin(browser, serve(session))
    browser.find("#utterance").send_keys("first" + Keys.ENTER)
    browser.until("document.querySelector('[data-turn=\"1\"]')")
    browser.find("#utterance").send_keys("second" + Keys.ENTER)
    browser.until("!document.getElementById('trouble').hidden")
    assert browser.find("#utterance").get_property("value") == "second"
    browser.driver.refresh()
    assert browser.find("#utterance").get_property("value") == "second"
    assert session.asked == [("message", "first")]


def test_the_answer_box_says_how_it_is_read_and_never_whether_it_is_right(
    browser: Browser, serve: Serve, session: ScriptedSession
) -> None:
    begin(browser, serve(session))
    browser.find("#final").send_keys("½")
    browser.until("document.getElementById('answer-read').innerText.includes('I read: 1/2')")
    browser.find("#final").send_keys("(((")
    browser.until("document.getElementById('answer-read').innerText.includes('cannot read')")


def test_a_formula_is_previewed_while_it_is_typed(browser: Browser, serve: Serve, session: ScriptedSession) -> None:
    begin(browser, serve(session))
    browser.find("#utterance").send_keys(r"I think $\frac{1}{2}$ of it")
    browser.until("document.querySelector('#talk-preview mfrac')")
    browser.find("#utterance").clear()
    browser.find("#utterance").send_keys("it costs $5")
    browser.until("document.getElementById('talk-preview').hidden")


def test_a_passage_is_read_aloud_with_its_formulas_in_words(browser: Browser, serve: Serve) -> None:
    reply = r"Take $\frac{3}{4}$ of $x^2$. It costs $5. Is $72 - 45 = 27$?"
    session = ScriptedSession(problems=PROBLEMS, script=[ScriptedTurn(sentences=(reply,))])
    begin(browser, serve(session))
    say(browser, "72", 1)
    browser.driver.execute_script(
        "window.said = []; speechSynthesis.speak = u => window.said.push([u.lang, u.text]);"
        "document.querySelector('[data-turn=\"1\"] .listen').click()"
    )
    ((language, words),) = browser.driver.execute_script("return window.said")
    assert language == "en"
    assert words == "Take 3 over 4 of x squared. It costs $5. Is 72 minus 45 equals 27?"


HOSTILE = (
    "<img src=http://evil.example/a.png onerror=document.title='owned'> ![x](http://evil.example/b.png) "
    "<script>document.title='owned'</script>"
)


def test_hostile_text_of_learner_and_tutor_loads_and_runs_nothing(browser: Browser, serve: Serve) -> None:
    script = [ScriptedTurn(sentences=(HOSTILE,), read_as=HOSTILE)]
    address = serve(ScriptedSession(problems=PROBLEMS, script=script))
    browser.open(f"{address}/learn")
    browser.find("#own-text").send_keys(HOSTILE)
    browser.click("[name=own]")
    browser.until("document.getElementById('utterance')")
    say(browser, HOSTILE, 1)
    browser.driver.refresh()
    browser.until("document.getElementById('utterance')")
    assert browser.count("main img") == 0
    assert browser.count("main script") == 0
    assert "owned" not in browser.driver.title
    assert "<img src=http://evil.example" in browser.text("[data-turn='1'] .said")
    assert browser.outside_requests() == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1400, 360], ids=["wide", "phone"])
def test_no_page_breaks_an_accessibility_rule(
    browser: Browser, serve: Serve, session: ScriptedSession, axe: str, screenshots: Path, dark: bool, width: int
) -> None:
    browser.dark(dark)
    browser.size(width, 800)
    address = serve(session)
    name = f"{'dark' if dark else 'light'}-{width}"
    found: list[str] = []

    def look(page: str) -> None:
        browser.screenshot(screenshots / f"{page}-{name}.png")
        found.extend(f"{page}: {violation}" for violation in browser.axe_violations(axe))
        overflow = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert browser.driver.execute_script(overflow) <= 0, f"{page} is wider than the window"

    browser.open(f"{address}/learn")
    look("start")
    browser.open(f"{address}/learn?search=nothing+like+this")
    look("nothing-found")
    begin(browser, address)
    look("opened")
    for turn, words in enumerate(("6*12 = 72", "72-45=37", "hm"), start=1):
        say(browser, words, turn)
    browser.until("document.querySelectorAll('.rungs .given').length === 2")
    look("dialogue")
    browser.open(f"{address}/learn/unknown")
    look("error")
    browser.click("[name=view]")
    browser.until("document.querySelector('[name=view]').value === 'learner'")
    browser.open(f"{address}/flagged")
    look("flagged")
    browser.click(".flags button")
    browser.until("document.querySelector('.transcript')")
    look("transcript")
    browser.open(f"{serve(session, access_token='sixteen characters')}/login")
    look("sign-in")
    assert found == []


def test_axe_is_at_work(browser: Browser, serve: Serve, session: ScriptedSession, axe: str) -> None:
    browser.open(f"{serve(session)}/learn")
    browser.driver.execute_script("document.querySelector('label[for=own-text]').remove()")
    browser.driver.execute_script("document.getElementById('own-text').removeAttribute('placeholder')")
    assert any(violation.startswith("label") for violation in browser.axe_violations(axe))


def test_on_a_phone_the_places_are_a_bar_at_the_bottom(
    browser: Browser, serve: Serve, session: ScriptedSession
) -> None:
    browser.size(360, 740)
    begin(browser, serve(session))
    rail = browser.find(".rail").rect
    assert rail["width"] == 360
    assert browser.driver.execute_script("return document.querySelector('.rail').getBoundingClientRect().bottom") == 740
    small = browser.driver.execute_script(
        "return [...document.querySelectorAll('button, a, input, textarea, summary, select')]"
        ".filter(e => e.offsetParent && !e.matches('.skip') && e.getBoundingClientRect().height < 24)"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert small == []


def test_the_chosen_theme_stays(browser: Browser, serve: Serve, session: ScriptedSession) -> None:
    address = serve(session)
    browser.open(f"{address}/learn")
    light = browser.driver.execute_script("return getComputedStyle(document.body).color")
    browser.click("button.for-light")
    browser.until("document.documentElement.dataset.theme === 'dark'")
    assert browser.driver.execute_script("return getComputedStyle(document.body).color") != light
    browser.open(f"{address}/learn")
    assert browser.find("html").get_attribute("data-theme") == "dark"


def test_without_javascript_everything_can_be_read(browser: Browser, serve: Serve, session: ScriptedSession) -> None:
    address = serve(session)
    begin(browser, address)
    say(browser, "6*12 = 72", 1)
    here = browser.driver.current_url
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(here)
        html = browser.driver.page_source
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert "What happens in the morning?" in html
    assert "6*12 = 72" in html
    assert "Talking to the tutor needs JavaScript" in html
