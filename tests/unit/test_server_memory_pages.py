"""The learner's page about their memory: what a form may do, and that nothing is erased by mistake."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from preceptor.domain.principal import LOCAL_OWNER
from preceptor.domain.problem import Problem
from preceptor.server.app import create_app
from preceptor.server.routers.memory import DELETE_WORD, DONE_WORDS, MAX_NOTE_CHARS
from preceptor.settings import Settings
from preceptor.testing.fixed_clock import FixedClock
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.session_opening import open_session

EGGS = Problem(
    problem_id="eggs",
    text="A hen house has 7 nests with 6 eggs each. Nadia takes 15 eggs to market. How many eggs stay?",
    solution="There are 7*6=<<7*6=42>>42 eggs.\nAfter the market 42-15=<<42-15=27>>27 eggs stay.\n#### 27",
    answer="27",
)
SLIPS = ("7 * 6 = 42", "42 - 15 = 26", "42 - 15 = 25", "42 - 15 = 24", "42 - 15 = 23")


@contextmanager
def conversation(home: Path) -> Iterator[tuple[TestClient, TutoringSession]]:
    """A learner with one conversation, in which one step went wrong four times."""
    clock = FixedClock(datetime(2026, 5, 3, 12, 0, tzinfo=UTC))
    session = open_session(Settings(home=home), clock)
    session._record.problems.put_many([EGGS])

    async def talk() -> None:
        dialogue_id = session.start(LOCAL_OWNER, problem_id="eggs")
        for words in SLIPS:
            clock.advance(timedelta(minutes=1))
            assert (await (await session.submit(LOCAL_OWNER, dialogue_id, words)).wait()).kind == "done"

    asyncio.run(talk())
    desk = session.memory_desk
    desk._memory.beliefs.catch_up(desk._scope(LOCAL_OWNER, "maths"))
    app = create_app(session, Settings())
    with TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000)) as client:
        client.follow_redirects = False
        yield client, session
    session.close()


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[TestClient, TutoringSession]]:
    with conversation(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, TutoringSession]]:
    """The same, for tests that erase and add nothing."""
    with conversation(tmp_path_factory.mktemp("home")) as made:
        yield made


Held = tuple[TestClient, TutoringSession]


def n_episodes(session: TutoringSession) -> int:
    """How many episodes still hold something of the learner; an erased one leaves its place in the chain only."""
    kept = session._record.log.list(LOCAL_OWNER.learner_id)
    return sum(one.body is not None and one.kind != "erasure" for one in kept)


def moments(client: TestClient) -> list[str]:
    """The ids of the moments that the month's page shows, in their order."""
    found = re.findall(r"/memory/episodes/([0-9a-f-]+)", client.get("/memory/months/2026-05").text)
    return list(dict.fromkeys(found))


def a_belief(session: TutoringSession) -> str:
    return next(one.belief_id for one in session.memory_desk.page(LOCAL_OWNER, "maths").beliefs)


@pytest.mark.parametrize("word", ["", "delet", "delete everything", "yes"])
def test_without_the_word_nothing_is_deleted_and_that_is_said(untouched: Held, word: str) -> None:
    client, session = untouched
    before = n_episodes(session)
    answer = client.post("/memory/delete", data={"word": word})
    assert (answer.status_code, n_episodes(session)) == (422, before)
    assert "Nothing was deleted" in answer.text


def test_the_word_deletes_everything_and_a_second_time_finds_nothing(held: Held) -> None:
    client, session = held
    for _ in range(2):
        answer = client.post("/memory/delete", data={"word": f" {DELETE_WORD.upper()} "})
        assert (answer.status_code, n_episodes(session)) == (303, 0)
    assert DONE_WORDS["everything"] in client.get(answer.headers["location"]).text


@pytest.mark.parametrize("note", ["x" * (MAX_NOTE_CHARS + 1), "a\x00b"])
def test_what_a_learner_says_about_a_belief_is_refused_where_it_cannot_be_kept(untouched: Held, note: str) -> None:
    client, session = untouched
    before = n_episodes(session)
    answer = client.post(f"/memory/beliefs/{a_belief(session)}/deny", data={"note": note, "subject": "maths"})
    assert (answer.status_code, n_episodes(session)) == (422, before)


def test_what_a_learner_says_about_a_belief_is_kept_whole(held: Held) -> None:
    client, session = held
    before = n_episodes(session)
    note = {"note": f" {'x' * MAX_NOTE_CHARS} ", "subject": "maths"}
    answer = client.post(f"/memory/beliefs/{a_belief(session)}/deny", data=note)
    assert (answer.status_code, n_episodes(session)) == (303, before + 1)
    assert DONE_WORDS["denied"] in client.get(answer.headers["location"]).text


def test_one_moment_is_forgotten_or_the_whole_conversation_where_that_is_asked(held: Held) -> None:
    client, session = held
    _, of_first_turn, _, of_second_turn, *_ = moments(client)
    before = n_episodes(session)
    assert client.post(f"/memory/episodes/{of_first_turn}/forget", data={}).status_code == 303
    assert n_episodes(session) == before - 3, "the message, its check and the reply"
    assert client.get(f"/memory/episodes/{of_first_turn}").status_code == 404
    assert client.get(f"/memory/episodes/{of_second_turn}").status_code == 200
    assert client.post(f"/memory/episodes/{of_second_turn}/forget", data={"whole": "yes"}).status_code == 303
    assert (moments(client), n_episodes(session)) == ([], 0)


def test_a_belief_takes_the_moments_it_stands_on_along(held: Held) -> None:
    client, session = held
    belief_id, before = a_belief(session), n_episodes(session)
    assert client.post(f"/memory/beliefs/{belief_id}/forget", data={"subject": "maths"}).status_code == 303
    assert n_episodes(session) < before
    assert client.post(f"/memory/beliefs/{belief_id}/forget", data={"subject": "maths"}).status_code == 404


def test_a_moment_stands_on_a_page_of_its_own_or_beside_the_conversation(untouched: Held) -> None:
    client, _ = untouched
    (moment, *_) = moments(client)
    alone, beside = (client.get(f"/memory/episodes/{moment}{asked}").text for asked in ("", "?part=beside"))
    assert "<html" in alone
    assert "<html" not in beside
    assert len(beside) < len(alone)


@pytest.mark.parametrize("month", ["2026-13", "May", "2026", "2026-05-01"])
def test_a_month_is_a_year_and_a_month(untouched: Held, month: str) -> None:
    client, _ = untouched
    answer = client.get(f"/memory/months/{month}")
    assert answer.status_code == 422
    assert "such as 2026-07" in answer.text


def test_the_export_is_a_file_of_lines_that_are_the_learners(untouched: Held) -> None:
    client, _ = untouched
    answer = client.get("/memory/export")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert "attachment" in answer.headers["content-disposition"]
    assert len(lines) > len(SLIPS)
    assert {one["learner_id"] for one in lines if "learner_id" in one} == {LOCAL_OWNER.learner_id}


@pytest.mark.parametrize(("zone", "status"), [("Europe/Berlin", 303), ("Mars/Base", 422)])
def test_a_zone_that_is_not_known_is_said_and_what_was_typed_stays(untouched: Held, zone: str, status: int) -> None:
    client, _ = untouched
    answer = client.post("/memory/preferences", data={"language": "en", "time_zone": zone, "subject": "maths"})
    assert answer.status_code == status
    assert ("set-cookie" in answer.headers) is (status == 303)
    assert zone in (answer.text if status == 422 else client.get(answer.headers["location"]).text)
