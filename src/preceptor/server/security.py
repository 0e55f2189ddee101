"""What holds for every request: who may name this server, where a write may come from, how long a body may be.

Pure ASGI, outermost, so that no route can forget it.

* Host: against DNS rebinding. A page of another site can make its own name point here, never an address.
* Origin: against cross-site writes. A write whose Origin is not this server is refused.
* Body: counted as it arrives; a longer one is refused with 413. Only the addresses that take files may be sent long
  ones, and those ask who is there before they read one.
* Headers: nothing but this server may be loaded, framed or told where the reader came from.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from preceptor.server.loopback import is_loopback

CONTENT_SECURITY_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
RESPONSE_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""`same-origin` tells other sites as little as `no-referrer` does; under that one Chromium sends the forms of this
page with `Origin: null`, which the check below has to refuse."""

UPLOAD_PATH = re.compile(r"(?:/api)?/courses/[^/]+/files\Z")
"""Where files are taken; every route of this form asks for the instructor first."""
UPLOAD_EXTRA_BYTES = 100_000
"""What a form adds to its file. (chosen)"""
_WRITES = {"POST", "PUT", "PATCH", "DELETE"}


class RefusedError(HTTPException):
    """A request that breaks one of the rules above.

    An `HTTPException`, because FastAPI turns whatever else is raised while it reads a body into its own 400.
    """


class SecurityMiddleware:
    """Applies the rules of this module to every HTTP request."""

    def __init__(self, app: ASGIApp, *, open_to_network: bool, max_body_bytes: int, max_file_bytes: int = 0) -> None:
        self._app = app
        self._open_to_network = open_to_network
        self._max_body_bytes = max_body_bytes
        self._max_upload_bytes = max(max_body_bytes, max_file_bytes + UPLOAD_EXTRA_BYTES if max_file_bytes else 0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request, then pass it on with a counting `receive` and a header-setting `send`."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                _set_headers(message, static=scope["path"].startswith("/static/"))
            await send(message)

        try:
            headers = Headers(scope=scope)
            self._check_source(scope["method"], headers)
            limit = self._max_upload_bytes if UPLOAD_PATH.match(scope["path"]) else self._max_body_bytes
            _check_length(headers, limit)
            await self._app(scope, _counting(receive, limit), sending)
        except RefusedError as refused:
            if started:
                raise
            await _answer(refused, sending)

    def _check_source(self, method: str, headers: Headers) -> None:
        host = headers.get("host", "")
        name = urlsplit(f"//{host}").hostname or ""
        if not host_is_ours(name, open_to_network=self._open_to_network):
            raise RefusedError(
                421, f"This server does not answer to the name {name!r}. Open it by the address it printed."
            )
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            raise RefusedError(403, f"A request from {origin} is not accepted here.")
        if (
            method in _WRITES
            and origin is None
            and headers.get("sec-fetch-site", "none") in {"cross-site", "same-site"}
        ):
            raise RefusedError(403, "A request from another site is not accepted here.")


def _check_length(headers: Headers, limit: int) -> None:
    stated = headers.get("content-length", "0")
    is_number = stated.isascii() and stated.isdigit() and len(stated) <= len(str(limit))
    if not is_number or int(stated) > limit:
        raise _too_long(limit)


def _too_long(limit: int) -> RefusedError:
    return RefusedError(413, f"The request is too long: at most {limit} bytes.")


def _counting(receive: Receive, limit: int) -> Receive:
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise _too_long(limit)
        return message

    return counted


def host_is_ours(name: str, *, open_to_network: bool) -> bool:
    """Whether a request may call this server by this name.

    Loopback names and addresses always; other addresses and this machine's own name only where the server is open
    to the network. An address cannot be rebound.
    """
    if is_loopback(name):
        return True
    if not open_to_network:
        return False
    try:
        ip_address(name)
    except ValueError:
        own = socket.gethostname().lower()
        return name.lower() in {own, f"{own}.local"}
    return True


def _set_headers(message: Message, *, static: bool) -> None:
    headers = MutableHeaders(scope=message)
    for name, value in RESPONSE_HEADERS.items():
        headers[name] = value
    headers.setdefault("Cache-Control", "no-cache" if static else "no-store")


async def _answer(refused: RefusedError, send: Send) -> None:
    body = json.dumps({"error": {"kind": "refused", "message": refused.detail}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refused.status_code == 413:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refused.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": body})
