"""The web application: one factory that puts session, settings, routers and rules together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from anyio import to_thread
from fastapi import FastAPI
from fastapi.responses import RedirectResponse
from fastapi.staticfiles import StaticFiles
from fastapi.telemetry import TelemetryConfig

from preceptor import __version__
from preceptor.course.upload_queue import UploadQueue
from preceptor.server.access_token import LoginBrake, SessionCookies, token_of
from preceptor.server.conversation import TurnFragments
from preceptor.server.destination import destination
from preceptor.server.failures import add_failure_handlers
from preceptor.server.loopback import is_loopback
from preceptor.server.pages import FOLDER, template_environment
from preceptor.server.routers import (
    answers,
    course_files,
    courses,
    dialogues,
    experience,
    flagged,
    hint_reasons,
    learn,
    memory,
    memory_report,
    privacy,
    problems,
    sign_in,
    view,
)
from preceptor.server.security import SecurityMiddleware
from preceptor.settings import Settings

if TYPE_CHECKING:
    from preceptor.tutoring.session import TutoringSession

NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
"""FastAPI would otherwise hand requests and exception messages, which can hold a learner's words, to any OpenTelemetry
exporter that the environment names."""


@asynccontextmanager
async def _running(app: FastAPI) -> AsyncIterator[None]:
    """Begin the background work of the courses with the server, and end it with the server."""
    if app.state.courses is not None:
        app.state.courses.start()
    yield
    if app.state.uploads is not None:
        await to_thread.run_sync(app.state.uploads.close)


def create_app(session: TutoringSession, settings: Settings) -> FastAPI:
    """Return the application.

    Raises:
        SettingsError: The host is not loopback and no access token of sufficient length is set.
    """
    loopback = is_loopback(settings.server.host)
    token = token_of(settings.server, loopback=loopback)
    app = FastAPI(
        title="Preceptor",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        telemetry=NO_TELEMETRY,
        lifespan=_running,
    )
    app.state.session = session
    app.state.settings = settings
    app.state.courses = session.course_files
    app.state.uploads = (
        UploadQueue(session.course_files, max_file_bytes=settings.course.max_file_bytes)
        if session.course_files is not None
        else None
    )
    app.state.session_cookies = SessionCookies(token) if token else None
    app.state.login_brake = LoginBrake()
    app.state.destination = destination(settings)
    app.state.templates = template_environment()
    app.state.fragments = TurnFragments(app.state.templates)
    add_failure_handlers(app)
    app.add_middleware(
        SecurityMiddleware,
        open_to_network=not loopback,
        max_body_bytes=settings.server.max_body_bytes,
        max_file_bytes=settings.course.max_file_bytes,
    )
    app.mount("/static", StaticFiles(directory=FOLDER / "static"), name="static")
    app.add_api_route("/", lambda: RedirectResponse("/learn", status_code=303), methods=["GET"])
    for module in (
        learn,
        hint_reasons,
        dialogues,
        problems,
        answers,
        courses,
        course_files,
        experience,
        memory_report,
        memory,
        privacy,
        flagged,
        sign_in,
        view,
    ):
        app.include_router(module.router)
    return app
