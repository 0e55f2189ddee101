"""The instructor's pages about experience, the reason under a reply, and the question about consent."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from preceptor.domain.principal import LOCAL_OWNER, Principal
from preceptor.errors import InputError
from preceptor.server.app import create_app
from preceptor.server.utility_chart import utility_svg
from preceptor.settings import ServerSettings, Settings
from preceptor.stores.experiences import ExperienceQuery
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.session_opening import open_session

BASE = "http://127.0.0.1:8000"
SHELVES = "sample-library-shelves"
TWICE_WRONG = ("156*12 = 1872", "156*12 = 1872, I multiply")
LEARNER = Principal(learner_id="local", roles=frozenset({"learner"}))
TAGS = ("concept error", "Concept_Error", "repeated error", "Repeated_Error", "Why this hint")


def client_of(session: TutoringSession, *, peer: str = "127.0.0.1", **server: Any) -> TestClient:
    app = create_app(session, Settings(server=ServerSettings(**server)))
    return TestClient(app, base_url=BASE, client=(peer, 50_000), follow_redirects=False)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[TutoringSession]:
    """A fresh installation whose starter is loaded."""
    opened = open_session(Settings(home=tmp_path))
    opened.experience.threshold(LOCAL_OWNER)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TutoringSession]:
    """The same, for tests that only look."""
    opened = open_session(Settings(home=tmp_path_factory.mktemp("home")))
    opened.experience.threshold(LOCAL_OWNER)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def looking(untouched: TutoringSession) -> Iterator[TestClient]:
    with client_of(untouched) as client:
        client.post("/view", data={"view": "instructor"})
        yield client


@pytest.fixture
def client(session: TutoringSession) -> Iterator[TestClient]:
    with client_of(session) as client:
        yield client


@pytest.fixture
def instructor(client: TestClient) -> TestClient:
    assert client.post("/view", data={"view": "instructor"}).status_code == 303
    return client


async def _talk(session: TutoringSession, said: tuple[str, ...]) -> str:
    dialogue_id = session.start(LEARNER, problem_id=SHELVES)
    for text in said:
        await (await session.submit(LEARNER, dialogue_id, text)).wait()
    return dialogue_id


def entries_of(page: str) -> list[str]:
    return re.findall(r'class="sentence"><a href="/experience/(x[0-9a-f]{20})"', page)


def until_scored(session: TutoringSession, experience_id: str) -> None:
    until = time.monotonic() + 60
    while not session.experience.entry(LOCAL_OWNER, experience_id).uses:
        assert time.monotonic() < until, "the turn was not scored"
        time.sleep(0.05)


# -- who may see it -----------------------------------------------------------------------------------------


def test_a_learner_reaches_none_of_it_and_reads_no_label(client: TestClient, session: TutoringSession) -> None:
    dialogue_id = asyncio.run(_talk(session, TWICE_WRONG))
    for address in ("/experience", "/experience/distillation", f"/learn/{dialogue_id}/turns/1/reason"):
        assert client.get(address).status_code == 403
    assert client.post("/experience/distillation").status_code == 403
    for address in ("/learn", f"/learn/{dialogue_id}", f"/api/dialogues/{dialogue_id}", "/privacy"):
        text = client.get(address).text
        assert not [tag for tag in TAGS if tag in text], address
        assert "/experience" not in text


def test_every_method_of_the_desk_refuses_a_learner(untouched: TutoringSession) -> None:
    desk = untouched.experience
    for call in (
        lambda: desk.glance(LEARNER),
        lambda: desk.entry(LEARNER, "x"),
        lambda: desk.disable(LEARNER, "x", reason="r"),
        lambda: desk.enable(LEARNER, "x", reason="r"),
        lambda: desk.distil(LEARNER),
        lambda: desk.distillation(LEARNER),
        lambda: desk.threshold(LEARNER),
        lambda: desk.open_use(LEARNER, "x", dialogue_id="d", turn=1),
    ):
        with pytest.raises(InputError, match="instructor's"):
            call()


# -- the list and the search --------------------------------------------------------------------------------


def test_the_list_shows_the_starter_as_simulated_and_turns_its_pages(looking: TestClient) -> None:
    first = looking.get("/experience").text
    assert "simulated learners" in first
    assert "made by rules" in first
    second = looking.get("/experience?offset=20").text
    assert len(entries_of(first)) == 20
    assert not set(entries_of(first)) & set(entries_of(second))


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("error_type=Calculation_Error", lambda e: e.state.error_type == "Calculation_Error"),
        ("struggle_status=Repeated_Error&emotion=Neutral", lambda e: e.state.struggle_status == "Repeated_Error"),
        ("intent=Guessing", lambda e: e.state.intent == "Guessing"),
        ("origin=simulated", lambda e: e.provenance.simulated),
        ("origin=builtin", lambda e: e.provenance.made_by == "builtin"),
    ],
)
def test_a_filter_shows_what_it_says(looking: TestClient, untouched: TutoringSession, asked: str, kept: Any) -> None:
    found = entries_of(looking.get(f"/experience?{asked}").text)
    assert found
    assert all(kept(untouched.experience.entry(LOCAL_OWNER, one).entry) for one in found)


@pytest.mark.parametrize("asked", ["origin=llm", "origin=learners", "status=disabled", "error_type=Careless"])
def test_a_filter_that_nothing_passes_says_so(looking: TestClient, asked: str) -> None:
    page = looking.get(f"/experience?{asked}").text
    assert entries_of(page) == []
    assert "No entry fits this" in page


@pytest.mark.parametrize("asked", ["error_type=Bogus", "status=gone", "origin=x", "offset=-1"])
def test_a_filter_that_is_not_offered_is_refused(looking: TestClient, asked: str) -> None:
    assert looking.get(f"/experience?{asked}").status_code == 422


def test_a_search_by_meaning_shows_similarities_best_first(looking: TestClient) -> None:
    page = looking.get("/experience", params={"text": "used another operation where the situation divides"}).text
    similarities = [float(one) for one in re.findall(r"similarity (\d\.\d\d)<", page)]
    assert similarities == sorted(similarities, reverse=True)
    assert similarities[0] > 0.33
    assert "similar enough" in page
    far = looking.get("/experience", params={"text": "which operation do kings and queens like"}).text
    assert "below the threshold" in far
    assert max(float(one) for one in re.findall(r"similarity (\d\.\d\d)<", far)) < similarities[0]


def test_a_search_as_a_live_turn_needs_the_two_tags_that_decide(looking: TestClient) -> None:
    asked = {"text": "used another operation", "related": "yes", "error_type": "Concept_Error"}
    assert "choose both" in looking.get("/experience", params=asked).text
    page = looking.get("/experience", params={**asked, "struggle_status": "Repeated_Error"}).text
    assert "related states up to level" in page
    assert entries_of(page)


def test_an_empty_repository_says_where_experience_comes_from(tmp_path: Path) -> None:
    session = open_session(Settings(home=tmp_path, experience={"starter": False}))
    with client_of(session) as client:
        client.post("/view", data={"view": "instructor"})
        page = client.get("/experience").text
        assert "There is no experience yet" in page
        assert "Nothing was distilled" in page
        search = client.get("/experience?text=adds").text
        assert "The search did not run" in search
    session.close()


def test_a_repository_that_is_switched_off_says_so_and_is_still_listed(tmp_path: Path) -> None:
    first = open_session(Settings(home=tmp_path))
    first.experience.threshold(LOCAL_OWNER)
    first.close()
    session = open_session(Settings(home=tmp_path, experience={"enabled": False}))
    with client_of(session) as client:
        client.post("/view", data={"view": "instructor"})
        page = client.get("/experience").text
        assert "No turn reads this at the moment" in page
        assert entries_of(page)
    session.close()


# -- one entry ----------------------------------------------------------------------------------------------


def test_an_entry_is_disabled_and_enabled_with_a_reason_and_both_are_written_down(
    instructor: TestClient, session: TutoringSession
) -> None:
    one = entries_of(instructor.get("/experience").text)[0]
    refused = instructor.post(f"/experience/{one}", data={"action": "disable", "reason": "  "})
    assert refused.status_code == 422
    assert "Say why" in refused.text
    assert (
        instructor.post(f"/experience/{one}", data={"action": "disable", "reason": "too <b>vague</b>"}).status_code
        == 303
    )
    page = instructor.get(f"/experience/{one}").text
    assert "too &lt;b&gt;vague&lt;/b&gt;" in page
    assert one not in entries_of(instructor.get("/experience?offset=0").text)
    assert one in entries_of(instructor.get("/experience?status=disabled").text)
    assert instructor.post(f"/experience/{one}", data={"action": "enable", "reason": "reworded"}).status_code == 303
    page = instructor.get(f"/experience/{one}").text
    assert "enabled again" in page
    assert [line.outcome for line in session.experience.entry(LOCAL_OWNER, one).decisions][-2:] == [
        "disabled",
        "enabled",
    ]


def test_a_merged_entry_shows_its_parents_and_they_show_it(looking: TestClient, untouched: TutoringSession) -> None:
    entries = untouched._record.experiences.find(ExperienceQuery())
    merged = next(entry for entry in entries if entry.provenance.parents)
    page = looking.get(f"/experience/{merged.experience_id}").text
    for parent in merged.provenance.parents:
        assert f'href="/experience/{parent}"' in page
        assert f'merged into <a href="/experience/{merged.experience_id}"' in looking.get(f"/experience/{parent}").text
    assert not [source.dialogue_id for source in merged.provenance.sources if source.dialogue_id in page]


def test_an_unknown_entry_is_not_found(looking: TestClient) -> None:
    assert looking.get("/experience/x00000000000000000000").status_code == 404


def test_a_used_entry_shows_its_turn_and_opening_the_transcript_is_stored(
    instructor: TestClient, session: TutoringSession
) -> None:
    dialogue_id = asyncio.run(_talk(session, TWICE_WRONG))
    reasons = {one.turn: one for one in session.instructor_desk.hint_reasons(LOCAL_OWNER, dialogue_id)}
    used = next(found for one in reasons.values() for found in one.found if found.part == "chosen")
    turn = next(one.turn for one in reasons.values() if used in one.found)
    until_scored(session, used.experience_id)
    page = instructor.get(f"/experience/{used.experience_id}").text
    assert dialogue_id in page
    assert '<svg class="utility"' in page
    assert session._record.accesses.list_for_dialogue("local", dialogue_id) == []
    asked = {"dialogue_id": dialogue_id, "turn": str(turn)}
    opened = instructor.post(f"/experience/{used.experience_id}/turns", data=asked)
    assert opened.status_code == 200
    assert "this reply used the experience" in opened.text
    accesses = session._record.accesses.list_for_dialogue("local", dialogue_id)
    assert [access.reader_id for access in accesses] == ["local"]
    assert "opened 1 time" in instructor.get(f"/experience/{used.experience_id}").text


def test_a_dialogue_that_did_not_use_the_entry_stays_closed(instructor: TestClient, session: TutoringSession) -> None:
    dialogue_id = asyncio.run(_talk(session, ("156/12 = 13",)))
    one = entries_of(instructor.get("/experience").text)[0]
    refused = instructor.post(f"/experience/{one}/turns", data={"dialogue_id": dialogue_id, "turn": "1"})
    assert refused.status_code == 422
    assert (
        instructor.post(f"/experience/{one}/turns", data={"dialogue_id": dialogue_id, "turn": "-"}).status_code == 422
    )
    assert session._record.accesses.list_for_dialogue("local", dialogue_id) == []


# -- why this hint ------------------------------------------------------------------------------------------


def test_the_instructor_reads_why_under_each_reply(instructor: TestClient, session: TutoringSession) -> None:
    dialogue_id = asyncio.run(_talk(session, (*TWICE_WRONG, "156/12 = 13")))
    page = instructor.get(f"/learn/{dialogue_id}").text
    assert page.count('class="why"') == 3
    assert "concept error" in page
    assert "threshold 0.330" in page
    assert re.search(r'href="/experience/x[0-9a-f]{20}"', page)
    assert "none: no difficulty was named to search with" in page
    alone = instructor.get(f"/learn/{dialogue_id}/turns/1/reason").text
    assert alone.strip() in page
    assert instructor.get(f"/learn/{dialogue_id}/turns/0/reason").text == ""


def test_looking_into_another_learners_reasons_is_stored(session: TutoringSession) -> None:
    dialogue_id = asyncio.run(_talk(session, TWICE_WRONG))
    session.instructor_desk.hint_reasons(LOCAL_OWNER, dialogue_id)
    assert session._record.accesses.list_for_dialogue("local", dialogue_id) == []
    other = Principal(learner_id="teacher", roles=frozenset({"instructor"}))
    session.instructor_desk.hint_reasons(other, dialogue_id, learner_id="local")
    accesses = session._record.accesses.list_for_dialogue("local", dialogue_id)
    assert [access.reader_id for access in accesses] == ["teacher"]


# -- consent and distilling ---------------------------------------------------------------------------------


def test_the_owner_is_asked_once_and_no_is_an_answer(client: TestClient, session: TutoringSession) -> None:
    assert "May dialogues of this learner be used" in client.get("/learn").text
    assert client.post("/privacy", data={"use_for_teaching": "no", "back": "/learn"}).headers["location"] == "/learn"
    assert "May dialogues of this learner be used" not in client.get("/learn").text
    assert "Off" in client.get("/privacy").text
    consent = session.teaching_consent(LEARNER)
    assert consent is not None
    assert not consent.use_for_teaching


def test_consent_is_given_and_withdrawn_on_the_privacy_page(client: TestClient, session: TutoringSession) -> None:
    for wanted, allowed in (("yes", True), ("no", False)):
        assert client.post("/privacy", data={"use_for_teaching": wanted}).status_code == 303
        consent = session.teaching_consent(LEARNER)
        assert consent is not None
        assert consent.use_for_teaching is allowed
    assert client.post("/privacy", data={"use_for_teaching": "maybe"}).status_code == 422


def test_another_site_cannot_give_consent(client: TestClient, session: TutoringSession) -> None:
    refused = client.post("/privacy", data={"use_for_teaching": "yes"}, headers={"origin": "http://evil.example"})
    assert refused.status_code == 403
    assert session.teaching_consent(LEARNER) is None


def test_whoever_signed_in_is_not_asked_cannot_allow_and_can_withdraw(session: TutoringSession) -> None:
    with client_of(session, peer="192.168.1.7", host="0.0.0.0", access_token="sixteen characters") as remote:
        remote.base_url = "http://192.168.1.2:8000"
        assert remote.post("/login", data={"token": "sixteen characters"}).status_code == 303
        assert "May dialogues of this learner be used" not in remote.get("/learn").text
        assert remote.post("/privacy", data={"use_for_teaching": "yes"}).status_code == 403
        session.decide_teaching(LEARNER, use_for_teaching=True)
        assert "Switch it off" in remote.get("/privacy").text
        assert remote.post("/privacy", data={"use_for_teaching": "no"}).status_code == 303
    consent = session.teaching_consent(LEARNER)
    assert consent is not None
    assert not consent.use_for_teaching


def test_distil_now_runs_in_the_background_and_shows_where_turns_ended(
    instructor: TestClient, session: TutoringSession
) -> None:
    asyncio.run(_talk(session, TWICE_WRONG))
    refused = instructor.post("/experience/distillation")
    assert refused.status_code == 422
    assert "no learner allows" in refused.text
    session.decide_teaching(LEARNER, use_for_teaching=True)
    assert "Distil now" in instructor.get("/experience").text
    assert instructor.post("/experience/distillation").status_code == 303
    until = time.monotonic() + 90
    while session.experience.distillation(LOCAL_OWNER).under_way:
        assert "Distil now" not in instructor.get("/experience/distillation").text or not (
            session.experience.distillation(LOCAL_OWNER).under_way
        )
        assert time.monotonic() < until, "the distillation did not end"
        time.sleep(0.05)
    run = session.experience.distillation(LOCAL_OWNER)
    assert (run.status, run.n_dialogues, run.funnel["turns_seen"]) == ("done", 1, 2)
    page = instructor.get("/experience").text
    assert "Where every turn ended" in page
    assert "turns with a reply" in page


# -- the chart ----------------------------------------------------------------------------------------------


def test_a_chart_draws_every_use_and_names_its_values() -> None:
    drawn = utility_svg([95.0, 92.5, 60.0], [86.5, 0.0], prune_below=75)
    assert drawn.count('class="spot"') == 3
    assert drawn.count('class="ring"') == 2
    assert "95.0, 92.5, 60.0" in drawn
    heights = [float(y) for y in re.findall(r'class="spot" cx="[\d.]+" cy="([\d.]+)"', drawn)]
    assert heights == sorted(heights)


def test_a_chart_of_very_many_uses_stays_on_the_page() -> None:
    drawn = utility_svg([90.0] * 400, [90.0] * 399, prune_below=75)
    width = int(re.search(r'width="(\d+)"', drawn).group(1))  # type: ignore[union-attr]
    assert width <= 660
