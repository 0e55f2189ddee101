"""What a browser remembers: the tutor's language and the learner's time zone, only where they are known."""

from __future__ import annotations

from http.cookies import SimpleCookie
from types import SimpleNamespace

import pytest
from fastapi import Request, Response

from preceptor.errors import InputError
from preceptor.server.preferences import LANGUAGE_COOKIE, ZONE_COOKIE, all_zones, choose, chosen_language, chosen_zone
from preceptor.settings import Settings


def asking(**cookies: str) -> Request:
    sent = "; ".join(f"{name}={value}" for name, value in cookies.items()).encode()
    app = SimpleNamespace(state=SimpleNamespace(settings=Settings(language="fr")))
    return Request({"type": "http", "headers": [(b"cookie", sent)], "app": app})


def stored(response: Response) -> dict[str, str]:
    found: SimpleCookie = SimpleCookie()
    for name, value in response.raw_headers:
        if name == b"set-cookie":
            found.load(value.decode())
    return {name: one.value for name, one in found.items()}


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Argentina/Buenos_Aires"])
def test_what_was_chosen_is_what_is_read_again(zone: str) -> None:
    response = Response()
    choose(response, language="de", zone=zone)
    again = asking(**stored(response))
    assert (chosen_language(again), chosen_zone(again)) == ("de", zone)
    assert all(b"HttpOnly" in value for name, value in response.raw_headers if name == b"set-cookie")


def test_an_empty_zone_is_forgotten() -> None:
    response = Response()
    choose(response, language="de", zone="")
    assert stored(response) == {LANGUAGE_COOKIE: "de", ZONE_COOKIE: ""}
    assert b"Max-Age=0" in response.raw_headers[-1][1]


@pytest.mark.parametrize(("language", "zone"), [("xx", ""), ("", ""), ("de", "Mars/Base"), ("de", "../etc/passwd")])
def test_what_is_not_known_is_refused_and_nothing_is_stored(language: str, zone: str) -> None:
    response = Response()
    with pytest.raises(InputError):
        choose(response, language=language, zone=zone)
    assert stored(response) == {}


def test_a_cookie_that_nobody_set_here_counts_for_nothing() -> None:
    again = asking(**{LANGUAGE_COOKIE: "xx", ZONE_COOKIE: "Mars~Base"})
    assert (chosen_language(again), chosen_zone(again)) == ("fr", None)
    assert (chosen_language(asking()), chosen_zone(asking())) == ("fr", None)


def test_zones_that_a_person_means_are_offered() -> None:
    assert "Europe/Berlin" in all_zones()
    assert not any(one.startswith("Etc/") or "/" not in one for one in all_zones())
    assert list(all_zones()) == sorted(all_zones())
