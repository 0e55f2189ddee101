"""Who is asking: the one place where a request becomes a `Principal`.

* No token set: the page listens on loopback only, and its one visitor is the local owner, who sees the page as a
  learner until the view is switched in the rail.
* A token is set: a request with a valid session cookie is the learner and nothing else, wherever it comes from. A
  request from this machine itself without one is the owner, as above. Everyone else is nobody yet.
"""

from __future__ import annotations

from typing import Literal

from fastapi import Request

from preceptor.domain.principal import LOCAL_OWNER, Principal
from preceptor.server.access_token import COOKIE_NAME, SessionCookies
from preceptor.server.loopback import is_loopback

VIEW_COOKIE = "preceptor_view"
View = Literal["learner", "instructor"]

TOKEN_LEARNER = Principal(learner_id=LOCAL_OWNER.learner_id, roles=frozenset({"learner"}))
"""An installation has one learner: the token opens the same log that the owner's learner view shows."""

_PROXY_HEADERS = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


class SignInNeededError(Exception):
    """The request carries no valid session; pages answer with the sign-in form, the API with 401."""


class InstructorOnlyError(Exception):
    """The principal of this request is not an instructor."""


def principal_of(request: Request) -> Principal:
    """Return who is asking.

    Raises:
        SignInNeededError: A token is set and the request neither carries its session nor comes from this machine.
    """
    cookies: SessionCookies | None = request.app.state.session_cookies
    if cookies is not None:
        if cookies.accepts(request.cookies.get(COOKIE_NAME, "")):
            return TOKEN_LEARNER
        if not from_this_machine(request):
            raise SignInNeededError
    if request.cookies.get(VIEW_COOKIE) == "instructor" and from_this_machine(request):
        return LOCAL_OWNER
    return Principal(learner_id=LOCAL_OWNER.learner_id, roles=frozenset({"learner"}))


def instructor_of(request: Request) -> Principal:
    """Return who is asking, if it is an instructor.

    Raises:
        InstructorOnlyError: It is not.
    """
    principal = principal_of(request)
    if not principal.may_instruct:
        raise InstructorOnlyError
    return principal


def may_switch_view(request: Request) -> bool:
    """Whether the rail offers the instructor's view: only to the owner at this machine's own loopback address."""
    cookies: SessionCookies | None = request.app.state.session_cookies
    signed_in = cookies is not None and cookies.accepts(request.cookies.get(COOKIE_NAME, ""))
    return from_this_machine(request) and not signed_in


def from_this_machine(request: Request) -> bool:
    """Whether peer and Host are loopback and no proxy has passed the request on."""
    peer = request.client.host if request.client else ""
    forwarded = any(name in request.headers for name in _PROXY_HEADERS)
    return is_loopback(peer) and is_loopback(request.url.hostname or "") and not forwarded
