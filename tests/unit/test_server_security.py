"""Who may name the server, write to it, and read from it."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from preceptor.domain.problem import Problem
from preceptor.errors import SettingsError
from preceptor.server.access_token import (
    ATTEMPTS_PER_PEER,
    SESSION_AGE_S,
    WINDOW_S,
    LoginBrake,
    SessionCookies,
)
from preceptor.server.app import create_app
from preceptor.server.destination import destination
from preceptor.server.loopback import is_loopback
from preceptor.settings import ServerSettings, Settings
from preceptor.testing.scripted_session import ScriptedSession

TOKEN = "correct horse battery"
PROBLEM = Problem(problem_id="p", text="What is 3 + 4?")


def client_of(*, peer: str = "127.0.0.1", base: str = "http://127.0.0.1:8000", **server: Any) -> TestClient:
    settings = Settings(server=ServerSettings(**server))
    app = create_app(ScriptedSession(problems=[PROBLEM]), settings)  # type: ignore[arg-type]
    return TestClient(app, base_url=base, client=(peer, 50_000), follow_redirects=False)


def open_client(peer: str = "192.168.1.20") -> TestClient:
    return client_of(peer=peer, base="http://192.168.1.5:8000", host="0.0.0.0", access_token=TOKEN)


def signed_in(client: TestClient) -> TestClient:
    assert client.post("/login", data={"token": TOKEN}).status_code == 303
    return client


def test_every_answer_forbids_loading_from_elsewhere() -> None:
    client = client_of()
    for address in ("/learn", "/static/page.css", "/api/problems", "/nowhere"):
        headers = client.get(address).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'self'")
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


def test_pages_hold_no_inline_script_or_style_and_no_outside_address() -> None:
    page = client_of().get("/learn").text
    assert " style=" not in page
    assert "<style" not in page
    assert "<script>" not in page
    assert "http" not in page.replace("http-equiv", "")


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "192.168.1.5:8000", "127.0.0.1.evil.example", ""]
)
def test_a_foreign_name_is_refused_on_loopback(host: str) -> None:
    response = client_of().get("/learn", headers={"Host": host})
    assert response.status_code == 421
    assert "What is 3" not in response.text


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "localhost:9", "[::1]:8000", "LOCALHOST:8000"])
def test_loopback_names_are_accepted(host: str) -> None:
    assert client_of().get("/learn", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://localhost:8000"])
@pytest.mark.parametrize("address", ["/api/dialogues", "/learn", "/view"])
def test_a_write_from_another_origin_is_refused(origin: str, address: str) -> None:
    assert client_of().post(address, headers={"Origin": origin}).status_code == 403


def test_a_write_from_another_site_without_an_origin_is_refused() -> None:
    response = client_of().post("/learn", headers={"Sec-Fetch-Site": "cross-site"}, data={"problem_id": "p"})
    assert response.status_code == 403


def test_a_write_from_the_page_itself_is_accepted() -> None:
    response = client_of().post("/learn", headers={"Origin": "http://127.0.0.1:8000"}, data={"problem_id": "p"})
    assert response.status_code == 303


def test_a_body_over_the_limit_is_refused_whether_it_says_its_length_or_not() -> None:
    client = client_of(max_body_bytes=1024)
    assert client.post("/api/previews", json={"text": "x" * 2000}).status_code == 413
    pieces = (b" " * 300 for _ in range(10))
    headers = {"Content-Type": "application/json"}
    assert client.post("/api/previews", content=pieces, headers=headers).status_code == 413


@pytest.mark.parametrize("stated", ["²", "9" * 5000, "-1", "1e3", "", "1025"])
def test_a_length_that_is_no_number_within_the_limit_is_refused(stated: str) -> None:
    client = client_of(max_body_bytes=1024)
    wrong = {b"Content-Length": stated.encode("latin-1")}
    assert client.post("/api/previews", content=b"{}", headers=wrong).status_code == 413
    fits = {"Content-Length": "1024", "Content-Type": "application/json"}
    assert client.post("/api/previews", content=b'{"text": "x"}', headers=fits).status_code == 200


def test_another_host_without_a_token_does_not_start() -> None:
    with pytest.raises(SettingsError, match=r"0\.0\.0\.0.*server\.access_token"):
        client_of(host="0.0.0.0")


def test_a_short_token_does_not_start() -> None:
    with pytest.raises(SettingsError, match="has 15 characters, expected 16"):
        client_of(host="0.0.0.0", access_token="x" * 15)


def test_a_visitor_without_a_session_sees_the_sign_in_page_and_nothing_else() -> None:
    client = open_client()
    assert client.get("/learn").headers["location"] == "/login"
    assert client.get("/api/problems").status_code == 401
    assert client.post("/learn", data={"problem_id": "p"}).headers["location"] == "/login"
    assert client.get("/flagged").headers["location"] == "/login"
    assert "What is 3" not in client.get("/login").text


def test_the_token_opens_a_session_of_the_learner_only() -> None:
    client = open_client()
    response = client.post("/login", data={"token": TOKEN})
    cookie = response.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    assert "What is 3" in client.get("/learn").text
    assert client.get("/flagged").status_code == 403
    client.cookies.set("preceptor_view", "instructor")
    assert client.get("/flagged").status_code == 403
    assert client.post("/view", data={"view": "instructor"}).status_code == 403


def test_the_cookie_is_secure_behind_https() -> None:
    response = open_client().post("/login", data={"token": TOKEN}, headers={"X-Forwarded-Proto": "https"})
    assert "Secure" in response.headers["set-cookie"]


def test_a_token_session_on_this_machine_is_still_only_the_learner() -> None:
    client = signed_in(client_of(access_token=TOKEN))
    client.cookies.set("preceptor_view", "instructor")
    assert client.get("/flagged").status_code == 403


def test_the_token_is_not_accepted_in_an_address() -> None:
    assert open_client().get(f"/learn?token={TOKEN}").status_code == 303
    assert open_client().get(f"/login?token={TOKEN}").headers.get("set-cookie") is None


def test_instructor_pages_are_for_loopback_peers_without_a_proxy() -> None:
    owner = {"Cookie": "preceptor_view=instructor"}
    assert client_of(host="0.0.0.0", access_token=TOKEN).get("/flagged", headers=owner).status_code == 200
    proxied = owner | {"X-Forwarded-For": "203.0.113.9"}
    assert client_of(host="0.0.0.0", access_token=TOKEN).get("/flagged", headers=proxied).status_code == 303
    outside = client_of(peer="192.168.1.20", host="0.0.0.0", access_token=TOKEN)
    assert outside.get("/flagged", headers=owner).status_code == 303


def test_wrong_tokens_are_braked_and_the_right_one_waits_too() -> None:
    client = open_client()
    for _ in range(ATTEMPTS_PER_PEER):
        assert client.post("/login", data={"token": "wrong wrong wrong"}).status_code == 403
    refused = client.post("/login", data={"token": TOKEN})
    assert refused.status_code == 429
    assert 0 < int(refused.headers["retry-after"]) <= WINDOW_S


def test_signing_out_forgets_the_session() -> None:
    client = signed_in(open_client())
    client.post("/logout")
    assert client.get("/learn").status_code == 303


def test_the_brake_lets_go_after_its_window_and_counts_each_peer_alone() -> None:
    now = [0.0]
    brake = LoginBrake(now=lambda: now[0])
    for _ in range(ATTEMPTS_PER_PEER):
        brake.failed("a")
    assert brake.wait_s("a") == WINDOW_S
    assert brake.wait_s("b") == 0
    now[0] = WINDOW_S
    assert brake.wait_s("a") == 0


def test_many_peers_together_are_braked_too() -> None:
    brake = LoginBrake(now=lambda: 0.0)
    for peer in range(30):
        brake.failed(str(peer))
    assert brake.wait_s("fresh") == WINDOW_S


def test_a_cookie_is_refused_when_old_forged_or_of_another_token() -> None:
    now = [1_000_000.0]
    cookies = SessionCookies(TOKEN, now=lambda: now[0])
    value = cookies.issue()
    assert cookies.accepts(value)
    assert not SessionCookies(TOKEN + "x", now=lambda: now[0]).accepts(value)
    stem, _, mac = value.rpartition(".")
    assert not cookies.accepts(f"{int(stem.split('.')[0]) + 1}.{stem.split('.')[1]}.{mac}")
    for forged in ("", ".", "é", TOKEN, stem, f"{stem}.", f"{stem}.é"):
        assert not cookies.accepts(forged)
    now[0] += SESSION_AGE_S + 1
    assert not cookies.accepts(value)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True), ("127.8.9.1", True), ("localhost", True), ("::1", True), ("[::1]", True),
        ("0.0.0.0", False), ("localhost.evil.example", False), ("", False), ("10.0.0.1", False),
    ],
)  # fmt: skip
def test_what_this_machine_is_called(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


@pytest.mark.parametrize(
    ("provider", "leaves", "said"),
    [
        ({"base_url": "http://127.0.0.1:8080/v1"}, False, "on this machine"),
        ({"kind": "ollama"}, False, "on this machine"),
        ({"kind": "local"}, False, "on this machine"),
        ({"kind": "openai"}, True, "api.openai.com"),
        ({"base_url": "https://llm.school.example/v1"}, True, "llm.school.example"),
    ],
)
def test_the_header_says_where_text_goes(provider: dict[str, str], leaves: bool, said: str) -> None:
    role = {"engine": "llm", "provider": "mine", "model": "m-7b"}
    settings = Settings.model_validate({"roles": {"tutor": role}, "providers": {"mine": provider}})
    found = destination(settings)
    assert found.leaves is leaves
    assert said in found.words
    assert "m-7b" in found.words


def test_with_no_model_nothing_leaves() -> None:
    assert destination(Settings()).words == "model: none — nothing leaves this machine"
