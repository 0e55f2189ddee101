"""What a learner has chosen for this browser: the tutor's language and the time zone that "yesterday" is meant in."""

from __future__ import annotations

from functools import cache
from zoneinfo import available_timezones

from fastapi import Request, Response

from preceptor.errors import InputError
from preceptor.memory.time_phrases import zone_of
from preceptor.server.labels import LANGUAGES

LANGUAGE_COOKIE = "preceptor_language"
ZONE_COOKIE = "preceptor_zone"
_YEAR_S = 365 * 24 * 3600


@cache
def all_zones() -> tuple[str, ...]:
    """Return the zones that this machine knows and a person may mean: "Europe/Berlin", sorted."""
    return tuple(sorted(one for one in available_timezones() if "/" in one and not one.startswith("Etc/")))


def chosen_language(request: Request) -> str:
    """Return the language in which new conversations begin: the browser's choice, else the settings'."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    return chosen if chosen in LANGUAGES else str(request.app.state.settings.language)


def chosen_zone(request: Request) -> str | None:
    """Return the IANA zone chosen in this browser; `None`: none was, or this machine does not know it."""
    # a cookie's value may not hold "/", so it is stored with "~"
    return known_zone(request.cookies.get(ZONE_COOKIE, "").replace("~", "/"))


def known_zone(name: str | None) -> str | None:
    """Return a zone's own name, or `None` where this machine does not know it: a message is not refused for it."""
    try:
        return zone_of(name).key if name else None
    except InputError:
        return None


def choose(response: Response, *, language: str, zone: str) -> None:
    """Store both choices; an empty zone means the one that the browser tells.

    Raises:
        InputError: The language is not offered, or the zone is not known.
    """
    if language not in LANGUAGES:
        raise InputError(f"language: expected one of {', '.join(LANGUAGES)}, got {language!r}")
    kept = zone_of(zone).key if zone else ""
    for name, value in ((LANGUAGE_COOKIE, language), (ZONE_COOKIE, kept.replace("/", "~"))):
        if value:
            response.set_cookie(name, value, max_age=_YEAR_S, httponly=True, samesite="strict", path="/")
        else:
            response.delete_cookie(name, path="/")
