"""The token of a page that is reached from outside this machine: the session cookie, and a brake on guessing."""

from __future__ import annotations

import hmac
import secrets
import time
from collections import deque
from collections.abc import Callable
from hashlib import sha256

from preceptor.errors import SettingsError
from preceptor.settings import ServerSettings

COOKIE_NAME = "preceptor_session"
SESSION_AGE_S = 30 * 24 * 3600
"""A learner signs in again after this long, seconds. (chosen: about a month, so a tablet is not locked daily)"""
MIN_TOKEN_CHARS = 16
ATTEMPTS_PER_PEER = 5
ATTEMPTS_IN_ALL = 30
WINDOW_S = 60.0
"""So many wrong tokens in a window and further ones are refused unread. (chosen: typing faults pass, guessing a
16-character token does not)"""


def token_of(settings: ServerSettings, *, loopback: bool) -> str:
    """Return the access token, or "" for a loopback page without one.

    Raises:
        SettingsError: The page would be open to other machines without a token, or the token is too short.
    """
    token = settings.access_token.get_secret_value()
    if not token and not loopback:
        raise SettingsError(
            f"server.host is {settings.host}, which other machines can reach: set server.access_token "
            f"(at least {MIN_TOKEN_CHARS} characters, PRECEPTOR_SERVER__ACCESS_TOKEN), or keep host 127.0.0.1"
        )
    if token and len(token) < MIN_TOKEN_CHARS:
        raise SettingsError(f"server.access_token has {len(token)} characters, expected {MIN_TOKEN_CHARS} or more")
    return token


class SessionCookies:
    """Makes and checks the cookie's value. It holds no secret: only a time, a nonce and their HMAC."""

    def __init__(self, token: str, *, now: Callable[[], float] = time.time) -> None:
        self._key = sha256(b"preceptor session cookie\x00" + token.encode()).digest()
        self._token = token.encode()
        self._now = now

    def token_matches(self, offered: str) -> bool:
        """Compare an offered token with the real one in constant time."""
        return hmac.compare_digest(
            hmac.digest(self._key, offered.encode(), "sha256"), hmac.digest(self._key, self._token, "sha256")
        )

    def issue(self) -> str:
        """Return a new cookie value, valid for `SESSION_AGE_S`."""
        stem = f"{int(self._now())}.{secrets.token_hex(16)}"
        return f"{stem}.{self._mac(stem)}"

    def accepts(self, value: str) -> bool:
        """Whether a cookie value was issued for this token and is not too old."""
        stem, _, mac = value.rpartition(".")
        if not hmac.compare_digest(self._mac(stem).encode(), mac.encode()):
            return False
        issued = stem.split(".", 1)[0]
        return issued.isdigit() and 0 <= self._now() - int(issued) <= SESSION_AGE_S

    def _mac(self, stem: str) -> str:
        return hmac.new(self._key, stem.encode(), sha256).hexdigest()


class LoginBrake:
    """Counts wrong tokens per peer and in all."""

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._failures: deque[tuple[float, str]] = deque()

    def wait_s(self, peer: str) -> float:
        """Return the seconds until this peer may try again; 0: now."""
        self._forget_old()
        mine = [at for at, who in self._failures if who == peer]
        waits = [0.0]
        if len(mine) >= ATTEMPTS_PER_PEER:
            waits.append(mine[-ATTEMPTS_PER_PEER] + WINDOW_S - self._now())
        if len(self._failures) >= ATTEMPTS_IN_ALL:
            waits.append(self._failures[-ATTEMPTS_IN_ALL][0] + WINDOW_S - self._now())
        return max(waits)

    def failed(self, peer: str) -> None:
        """Note one wrong token."""
        self._forget_old()
        self._failures.append((self._now(), peer))

    def _forget_old(self) -> None:
        while self._failures and self._now() - self._failures[0][0] >= WINDOW_S:
            self._failures.popleft()
