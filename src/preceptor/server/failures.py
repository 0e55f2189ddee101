"""What a reader is told when something fails: the cause, what was saved, and how to go on."""

from __future__ import annotations

import logging
import traceback

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from preceptor.domain.principal import Principal
from preceptor.errors import BusyError, InputError, NotFoundError, PreceptorError
from preceptor.server.pages import page
from preceptor.server.principal import InstructorOnlyError, SignInNeededError, may_switch_view, principal_of

FRAMES_LOGGED = 6
"""The innermost calls; those above them are the web framework's. (chosen)"""

logger = logging.getLogger("preceptor.server")

_STATUS: tuple[tuple[type[PreceptorError], int, str], ...] = (
    (InputError, 422, "input"),
    (BusyError, 409, "busy"),
    (NotFoundError, 404, "not_found"),
    (PreceptorError, 500, "failed"),
)
_HEADINGS = {
    404: "That is not here",
    403: "This page is the instructor's",
    409: "One moment",
    422: "That was not accepted",
}


_NOT_HERE = "Nothing of yours is kept at this address. It may have been erased, or the address is not quite right."


def add_failure_handlers(app: FastAPI) -> None:
    """Register one handler per kind of failure."""
    app.add_exception_handler(SignInNeededError, _sign_in)
    app.add_exception_handler(InstructorOnlyError, _instructor_only)
    app.add_exception_handler(PreceptorError, _known)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    app.add_middleware(UnforeseenFailures)


def failure(
    request: Request, status: int, kind: str, message: str, *, saved: str = "", offer: bool = False
) -> Response:
    """Return one failure as JSON under /api and as a page elsewhere."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": {"kind": kind, "message": message}}, status_code=status)
    context = {
        "heading": _HEADINGS.get(status, "Something went wrong here"),
        "cause": message,
        "saved": saved,
        "retry": status >= 409,
        "offer_view": offer,
    }
    return page(request, "error.html", context, principal=_whoever(request), status=status)


def _whoever(request: Request) -> Principal | None:
    try:
        return principal_of(request)
    except SignInNeededError:
        return None


async def _sign_in(request: Request, error: Exception) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": {"kind": "sign_in", "message": "Sign in first."}}, status_code=401)
    return RedirectResponse("/login", status_code=303)


async def _instructor_only(request: Request, error: Exception) -> Response:
    message = "Instructor pages open only on the machine that runs the tutor, in the instructor's view."
    return failure(request, 403, "instructor_only", message, offer=may_switch_view(request))


async def _known(request: Request, error: Exception) -> Response:
    status, kind = next((status, kind) for cls, status, kind in _STATUS if isinstance(error, cls))
    if status == 500:
        _log(request, error)
    message = _NOT_HERE if status == 404 and not request.url.path.startswith("/api/") else str(error)
    saved = "What you had sent before is saved." if status == 500 else ""
    return failure(request, status, kind, message, saved=saved)


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    parts = [f"{'.'.join(str(part) for part in item['loc'][1:])}: {item['msg']}" for item in error.errors()]
    return failure(request, 422, "input", "; ".join(parts))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = _NOT_HERE if error.status_code == 404 else str(error.detail)
    response = failure(request, error.status_code, "refused", message)
    for name, value in (error.headers or {}).items():
        response.headers[name] = value
    return response


class UnforeseenFailures:
    """Answers and logs what no handler knew.

    A middleware and not a handler for `Exception`: after such a handler the exception goes on to the web server, which
    logs its message, and that may hold a learner's words.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; answer it with a page or JSON if it fails before its answer has begun."""
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except HTTPException:
            raise
        except Exception as error:
            if scope["type"] != "http":
                raise
            request = Request(scope)
            _log(request, error)
            if not started:
                await _unknown(request, error)(scope, receive, send)


def _unknown(request: Request, error: Exception) -> Response:
    return failure(
        request,
        500,
        "failed",
        f"The server made a mistake ({type(error).__name__}); its log says where.",
        saved="What you had sent before is saved.",
    )


def _log(request: Request, error: Exception) -> None:
    """Log where it happened but not the message of the exception, which may hold a learner's words."""
    frames = "".join(traceback.format_tb(error.__traceback__)[-FRAMES_LOGGED:])
    logger.error("%s failed: %s\n%s", request.method, type(error).__name__, frames)
