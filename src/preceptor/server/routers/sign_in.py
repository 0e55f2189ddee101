"""Signing in with the access token, where one is set."""

from __future__ import annotations

import math

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from preceptor.server.access_token import COOKIE_NAME, SESSION_AGE_S, LoginBrake, SessionCookies
from preceptor.server.form_body import read_form
from preceptor.server.pages import page

router = APIRouter()


@router.get("/login")
def ask(request: Request) -> Response:
    """The sign-in page; without a token there is nothing to sign in to."""
    if request.app.state.session_cookies is None:
        return RedirectResponse("/learn", status_code=303)
    return page(request, "login.html", {"error": ""}, principal=None)


@router.post("/login")
async def sign_in(request: Request) -> Response:
    """Exchange the token, sent in the body, for a session cookie."""
    cookies: SessionCookies | None = request.app.state.session_cookies
    if cookies is None:
        return RedirectResponse("/learn", status_code=303)
    brake: LoginBrake = request.app.state.login_brake
    peer = request.client.host if request.client else "unknown"
    wait_s = brake.wait_s(peer)
    if wait_s > 0:
        seconds = math.ceil(wait_s)
        error = f"Too many wrong tokens. Try again in {seconds} seconds."
        response = page(request, "login.html", {"error": error}, principal=None, status=429)
        response.headers["Retry-After"] = str(seconds)
        return response
    if not cookies.token_matches((await read_form(request)).get("token", "")):
        brake.failed(peer)
        error = "That is not the token. Check it with whoever gave it to you."
        return page(request, "login.html", {"error": error}, principal=None, status=403)
    signed_in = RedirectResponse("/learn", status_code=303)
    signed_in.set_cookie(
        COOKIE_NAME,
        cookies.issue(),
        max_age=SESSION_AGE_S,
        httponly=True,
        samesite="strict",
        secure=_is_https(request),
        path="/",
    )
    return signed_in


@router.post("/logout")
def sign_out(request: Request) -> Response:
    """Forget the session cookie."""
    response = RedirectResponse("/login", status_code=303)
    response.delete_cookie(COOKIE_NAME, path="/", httponly=True, samesite="strict", secure=_is_https(request))
    return response


def _is_https(request: Request) -> bool:
    """Whether the browser speaks https, to this server or to a proxy before it; believing a liar only costs them."""
    return "https" in {request.url.scheme, request.headers.get("x-forwarded-proto", "")}
