"""Whole pages: the templates, and what every one of them shows around its content."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from preceptor import __version__
from preceptor.domain.principal import Principal
from preceptor.server.access_token import COOKIE_NAME
from preceptor.server.labels import INSTRUCTOR_PLACES, LEARNER_PLACES, RailItem
from preceptor.server.principal import may_switch_view
from preceptor.server.render import render_plain

THEME_COOKIE = "preceptor_theme"
FOLDER = Path(__file__).parent
RECENT_SHOWN = 8
"""Dialogues named in the rail; the start page lists no more. (chosen: the rail stays one screen high)"""


def template_environment() -> Environment:
    """Return the Jinja environment: everything escaped, an unknown name is an error."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain_html"] = lambda text: Markup(render_plain(text))
    return environment


def page(
    request: Request, name: str, context: Mapping[str, Any], *, principal: Principal | None, status: int = 200
) -> HTMLResponse:
    """Return one page with rail, header and footer.

    `principal` is who is asking; `None`: nobody yet (sign-in), and then there is no rail.
    """
    state = request.app.state
    frame: dict[str, Any] = {
        "version": __version__,
        "destination": state.destination,
        "contact": state.settings.safety.contact_text,
        "theme": _theme(request),
        "here": request.url.path,
        "here_path": request.url.path,
        "places": _places(principal),
        "recent": [],
        "dialogue_id": "",
        "view": "instructor" if principal and principal.may_instruct else "learner",
        "instructing": bool(principal and principal.may_instruct),
        "may_switch": principal is not None and may_switch_view(request),
        "signed_in": principal is not None and COOKIE_NAME in request.cookies,
    }
    template = state.templates.get_template(name)
    return HTMLResponse(template.render(frame | dict(context)), status_code=status)


def recent_of(request: Request, principal: Principal) -> list[Any]:
    """Return the learner's latest dialogues for the rail."""
    return list(request.app.state.session.dialogues(principal, limit=RECENT_SHOWN))


def _theme(request: Request) -> str:
    chosen = request.cookies.get(THEME_COOKIE, "")
    return chosen if chosen in {"light", "dark"} else ""


def _places(principal: Principal | None) -> tuple[RailItem, ...]:
    if principal is None:
        return ()
    return INSTRUCTOR_PLACES if principal.may_instruct else LEARNER_PLACES
