"""The page and its API, over a scripted session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient

from preceptor.domain.problem import Problem
from preceptor.record.safety_queue import FlaggedTurn
from preceptor.server.app import create_app
from preceptor.settings import ServerSettings, Settings
from preceptor.testing.scripted_session import ScriptedSession, ScriptedTurn
from preceptor.tutoring.events import RailStep

BASE = "http://127.0.0.1:8000"
PROBLEM = Problem(
    problem_id="rolls",
    text="A baker makes 6 trays of 12 rolls and sells 45. How many are left?",
    solution="6*12=72\n72-45=27",
    answer="27",
)
STEP = RailStep(text="6*12=72", mark="right", judged_by="arithmetic", read_as="6 × 12 = 72")
FLAG = FlaggedTurn(
    subject_id="maths",
    side="learner",
    accesses=(),
    episode_id="e9",
    learner_id="local",
    dialogue_id="dialogue-1",
    turn=3,
    category="self_harm",
    severity="urgent",
    flagged_at=datetime(2026, 3, 2, tzinfo=UTC),
)


def client_of(session: ScriptedSession, *, peer: str = "127.0.0.1", base: str = BASE, **server: Any) -> TestClient:
    settings = Settings(server=ServerSettings(**server))
    app = create_app(session, settings)  # type: ignore[arg-type]
    return TestClient(app, base_url=base, client=(peer, 50_000), follow_redirects=False)


@pytest.fixture
def session() -> ScriptedSession:
    return ScriptedSession(problems=[PROBLEM], script=[ScriptedTurn(read_as="6 × 12 = 72", steps=(STEP,), rung=1)])


@pytest.fixture
def client(session: ScriptedSession) -> Iterator[TestClient]:
    with client_of(session) as client:
        yield client


def started(client: TestClient) -> str:
    return str(client.post("/api/dialogues", json={"problem_id": "rolls"}).json()["dialogue_id"])


def events_of(body: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Return (event, id, data) of each server-sent event."""
    found = []
    for block in body.replace("\r\n", "\n").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith(":"))
        if "data" in fields:
            found.append((fields["event"], fields.get("id", ""), json.loads(fields["data"])))
    return found


def test_the_start_page_offers_the_problems_and_says_where_text_goes(client: TestClient) -> None:
    page = client.get("/learn")
    assert page.status_code == 200
    assert PROBLEM.text in page.text
    assert "nothing leaves this machine" in page.text
    assert "can make mistakes" in page.text


def test_no_page_and_no_answer_of_the_api_holds_solution_or_answer(client: TestClient) -> None:
    dialogue_id = started(client)
    for address in ("/learn", f"/learn/{dialogue_id}", "/api/problems", f"/api/dialogues/{dialogue_id}"):
        assert "27" not in client.get(address).text
        assert "72-45" not in client.get(address).text


def test_a_problem_is_started_from_the_form_without_javascript(client: TestClient) -> None:
    response = client.post("/learn", data={"problem_id": "rolls", "text": "", "language": "de"})
    assert response.status_code == 303
    page = client.get(response.headers["location"])
    assert PROBLEM.text in page.text
    assert "ich spreche nur Englisch und Chinesisch" in page.text


def test_a_language_with_phrases_needs_no_excuse(client: TestClient) -> None:
    for language in ("en", "zh"):
        response = client.post("/learn", data={"problem_id": "rolls", "language": language})
        assert "only speak" not in client.get(response.headers["location"]).text


def test_a_problem_of_the_learners_own_is_shown_as_plain_text(client: TestClient) -> None:
    response = client.post("/learn", data={"text": "What is <b>3</b> + $x$?", "language": "en"})
    page = client.get(response.headers["location"]).text
    assert "&lt;b&gt;3&lt;/b&gt; + <math><mi>x</mi></math>" in page
    assert "cannot say whether the final answer is right" in page


def test_an_empty_form_says_what_is_wrong_and_keeps_what_was_typed(client: TestClient) -> None:
    response = client.post("/learn", data={"text": "Some problem", "language": "tlh"})
    assert response.status_code == 422
    assert "tlh" in response.text
    assert "Some problem</textarea>" in response.text


def test_a_whole_turn_over_the_api(client: TestClient, session: ScriptedSession) -> None:
    dialogue_id = started(client)
    begun = client.post(f"/api/dialogues/{dialogue_id}/turns", json={"utterance": "6*12=72 <b>", "mode": "message"})
    assert begun.status_code == 202
    assert "6*12=72 &lt;b&gt;" in begun.json()["html"]
    events = events_of(client.get(f"/api/dialogues/{dialogue_id}/turns/1/events").text)
    assert [(kind, event_id) for kind, event_id, _ in events] == [
        ("saved", "1"), ("reading", "2"), ("delta", "3"), ("done", "4"),
    ]  # fmt: skip
    assert "checked by arithmetic" in events[1][2]["steps"]
    assert "6 × 12 = 72" in events[1][2]["reading"]
    assert events[3][2]["blocks"] == ["<p>What would you work out first?</p>\n"]
    assert "builtin engine" in events[3][2]["engine"]
    assert session.asked == [("message", "6*12=72 <b>")]
    turns = client.get(f"/api/dialogues/{dialogue_id}").json()["turns"]
    assert turns[-1]["reply"] == "What would you work out first?"
    page = client.get(f"/learn/{dialogue_id}").text
    assert "What would you work out first?" in page
    assert "a nudge" in page


@pytest.mark.parametrize("way", ["query", "header"])
def test_a_reply_is_followed_from_the_event_after_the_last_seen(client: TestClient, way: str) -> None:
    dialogue_id = started(client)
    client.post(f"/api/dialogues/{dialogue_id}/turns", json={"utterance": "72"})
    address = f"/api/dialogues/{dialogue_id}/turns/1/events"
    if way == "query":
        body = client.get(address, params={"after": 2}).text
    else:
        body = client.get(address, params={"after": 0}, headers={"Last-Event-ID": "2"}).text
    assert [event_id for _, event_id, _ in events_of(body)] == ["3", "4"]


def test_a_turn_that_is_over_and_forgotten_answers_with_its_whole_reply(
    client: TestClient, session: ScriptedSession
) -> None:
    dialogue_id = started(client)
    client.post(f"/api/dialogues/{dialogue_id}/turns", json={"utterance": "72"})
    client.get(f"/api/dialogues/{dialogue_id}/turns/1/events")
    session._runs.clear()
    ((kind, _, data),) = events_of(client.get(f"/api/dialogues/{dialogue_id}/turns/1/events").text)
    assert (kind, data["whole"]) == ("done", True)
    assert data["blocks"] == ["<p>What would you work out first?</p>\n"]


def test_paragraphs_are_handed_over_as_they_finish() -> None:
    script = [ScriptedTurn(sentences=("One.\n\n", "Two $x$.\n\n", "Three."))]
    with client_of(ScriptedSession(problems=[PROBLEM], script=script)) as client:
        dialogue_id = started(client)
        client.post(f"/api/dialogues/{dialogue_id}/turns", json={"utterance": "72"})
        events = events_of(client.get(f"/api/dialogues/{dialogue_id}/turns/1/events").text)
    blocks = [data["blocks"] for kind, _, data in events if kind in {"delta", "done"}]
    assert blocks == [["<p>One.</p>\n"], ["<p>Two <math><mi>x</mi></math>.</p>\n"], [], ["<p>Three.</p>\n"]]


def test_a_retracted_sentence_is_not_in_the_reply() -> None:
    script = [ScriptedTurn(sentences=("It is 27. ", "What is left?"), retracts=True)]
    with client_of(ScriptedSession(problems=[PROBLEM], script=script)) as client:
        dialogue_id = started(client)
        client.post(f"/api/dialogues/{dialogue_id}/turns", json={"utterance": "72"})
        events = events_of(client.get(f"/api/dialogues/{dialogue_id}/turns/1/events").text)
    kinds = [kind for kind, _, _ in events]
    assert kinds == ["saved", "reading", "delta", "retracted", "delta", "done"]
    assert "27" not in json.dumps(events[-2:])


def test_a_reply_that_breaks_off_says_why_and_can_be_made_again() -> None:
    script = [ScriptedTurn(sentences=("Half",), fails_as="ModelCutError"), ScriptedTurn()]
    with client_of(ScriptedSession(problems=[PROBLEM], script=script)) as client:
        dialogue_id = started(client)
        client.post(f"/api/dialogues/{dialogue_id}/turns", json={"utterance": "72"})
        events = events_of(client.get(f"/api/dialogues/{dialogue_id}/turns/1/events").text)
        assert events[-1][0] == "failed"
        assert "stopped in the middle" in events[-1][2]["text"]
        assert 'data-pending="1"' in client.get(f"/learn/{dialogue_id}").text
        again = client.post(f"/api/dialogues/{dialogue_id}/resume")
        assert (again.status_code, again.json()) == (202, {"turn": 1})
        client.get(f"/api/dialogues/{dialogue_id}/turns/1/events")
        assert client.get(f"/api/dialogues/{dialogue_id}").json()["turns"][-1]["reply"]


def test_nothing_is_resumed_where_every_message_has_its_reply(client: TestClient) -> None:
    assert client.post(f"/api/dialogues/{started(client)}/resume").status_code == 204


def test_a_second_message_while_a_reply_is_made_is_refused() -> None:
    with client_of(ScriptedSession(problems=[PROBLEM], script=[ScriptedTurn(pause_s=5)])) as client:
        dialogue_id = started(client)
        address = f"/api/dialogues/{dialogue_id}/turns"
        assert client.post(address, json={"utterance": "72"}).status_code == 202
        refused = client.post(address, json={"utterance": "73"})
    assert refused.status_code == 409
    assert refused.json()["error"]["kind"] == "busy"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"utterance": ""}, 422),
        ({"utterance": "  \n "}, 422),
        ({"utterance": "x" * 4001}, 422),
        ({"utterance": "72", "mode": "reveal"}, 422),
        ({"utterance": "72", "answer": "27"}, 422),
        ({"utterance": "x", "mode": "stuck"}, 202),
        ({"utterance": "", "mode": "stuck"}, 202),
    ],
)
def test_what_a_message_may_be(client: TestClient, body: dict[str, str], status: int) -> None:
    assert client.post(f"/api/dialogues/{started(client)}/turns", json=body).status_code == status


def test_an_unknown_dialogue_is_not_found_in_words(client: TestClient) -> None:
    assert client.get("/api/dialogues/nope").status_code == 404
    for address in ("/learn/nope", "/nothing-here"):
        page = client.get(address)
        assert page.status_code == 404
        assert "Back to my problems" in page.text
        assert "Nothing of yours is kept at this address" in page.text


def test_an_unread_turn_says_so_and_why() -> None:
    script = [ScriptedTurn(status="unread", reason="no_number")]
    with client_of(ScriptedSession(problems=[PROBLEM], script=script)) as client:
        dialogue_id = started(client)
        client.post(f"/api/dialogues/{dialogue_id}/turns", json={"utterance": "hm"})
        client.get(f"/api/dialogues/{dialogue_id}/turns/1/events")
        assert "not read yet: I found no number" in client.get(f"/learn/{dialogue_id}").text


def test_a_learner_sees_no_place_that_is_not_there_and_no_instructor_page(client: TestClient) -> None:
    page = client.get("/learn").text
    assert "Experience" not in page
    refused = client.get("/flagged")
    assert refused.status_code == 403
    assert "Switch to the instructor" in refused.text


def test_the_owner_switches_to_the_instructors_view_and_back() -> None:
    with client_of(ScriptedSession(problems=[PROBLEM], flagged=[FLAG])) as client:
        assert client.post("/view", data={"view": "instructor", "back": "/learn"}).headers["location"] == "/learn"
        assert "coming" in client.get("/learn").text
        assert "Self harm" in client.get("/flagged").text
        client.post("/view", data={"view": "learner", "back": "/flagged"})
        assert client.get("/flagged").status_code == 403


def test_a_flagged_transcript_is_opened_by_its_instructor_only_and_that_is_stored() -> None:
    session = ScriptedSession(problems=[PROBLEM], flagged=[FLAG])
    with client_of(session) as client:
        dialogue_id = started(client)
        client.post(f"/api/dialogues/{dialogue_id}/turns", json={"utterance": "I feel awful"})
        client.get(f"/api/dialogues/{dialogue_id}/turns/1/events")
        form = {"learner_id": "local", "dialogue_id": dialogue_id, "turn": "1"}
        assert client.post("/flagged", data=form).status_code == 403
        assert session.instructor_desk.opened == []
        client.post("/view", data={"view": "instructor"})
        queue = client.get("/flagged").text
        assert "awful" not in queue
        assert session.instructor_desk.opened == []
        page = client.post("/flagged", data=form).text
        assert "I feel awful" in page
        assert page.index("flagged turn</span>") < page.index("I feel awful")
        assert ">You<" not in page
        assert session.instructor_desk.opened == [("local", dialogue_id)]
        assert client.post("/flagged", data=form | {"dialogue_id": "other"}).status_code == 404
        for odd in ("²", "9" * 5000, "-1", ""):
            unmarked = client.post("/flagged", data=form | {"turn": odd})
            assert (unmarked.status_code, "flagged turn</span>" in unmarked.text) == (200, False)


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/\\evil.example", "", "/\nx"])
def test_a_form_sends_its_reader_nowhere_else(client: TestClient, back: str) -> None:
    response = client.post("/view", data={"view": "learner", "back": back})
    assert response.headers["location"] == "/learn"


@pytest.mark.parametrize(
    ("theme", "kept"), [("dark", "dark"), ("light", "light"), ("system", None), ('"><script>', None)]
)
def test_only_a_theme_that_the_page_has_is_remembered(client: TestClient, theme: str, kept: str | None) -> None:
    client.post("/theme", data={"theme": theme, "back": "/learn"})
    assert client.cookies.get("preceptor_theme") == kept


def test_a_formula_preview_is_drawn_and_hostile_text_is_not(client: TestClient) -> None:
    assert "<mfrac>" in client.post("/api/previews", json={"text": r"$\frac12$"}).json()["html"]
    assert client.post("/api/previews", json={"text": "it costs $5"}).json()["html"] == ""
    assert "<img" not in client.post("/api/previews", json={"text": "$x$ <img src=x>"}).json()["html"]


def test_an_unforeseen_failure_is_told_without_the_learners_words(
    session: ScriptedSession, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    words = "my secret diary"

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(words)

    monkeypatch.setattr(session, "dialogue", broken)
    settings = Settings()
    app = create_app(session, settings)  # type: ignore[arg-type]
    with TestClient(app, base_url=BASE, client=("127.0.0.1", 1)) as client:
        page = client.get("/learn/dialogue-1")
    assert page.status_code == 500
    assert "RuntimeError" in page.text
    assert "diary" not in page.text
    assert "diary" not in caplog.text
    assert "test_server_app.py" in caplog.text


@pytest.mark.parametrize(
    ("typed", "status", "read_as"),
    [("27 rolls", "read", "27 rolls"), ("½", "read", "1/2"), ("$5", "read", "$5"), ("((((", "unread", "")],
)
def test_the_answer_box_is_told_how_it_is_read_and_nothing_else(
    client: TestClient, typed: str, status: str, read_as: str
) -> None:
    answer = client.post("/api/answers/preview", json={"answer": typed}).json()
    assert (answer["status"], answer["read_as"]) == (status, read_as)
    assert set(answer) == {"status", "read_as", "html"}


def test_a_hostile_answer_is_escaped_in_its_preview(client: TestClient) -> None:
    assert "<img" not in client.post("/api/answers/preview", json={"answer": "5 <img src=x>"}).json()["html"]
    assert client.post("/api/answers/preview", json={"answer": "9" * 401}).status_code == 422
