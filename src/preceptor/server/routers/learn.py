"""Pages to learn on: choose a problem or type one's own, and work on it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from preceptor.domain.principal import Principal
from preceptor.errors import InputError
from preceptor.server import experience_labels
from preceptor.server.cited_page import cited_page_context, is_about_course
from preceptor.server.conversation import all_steps, shown_turns, title_of
from preceptor.server.course_desk import courses_of
from preceptor.server.form_body import read_form
from preceptor.server.help_trend import help_trend_svg
from preceptor.server.labels import LANGUAGES, NOTICE_WORDS, RUNG_WORDS, language_limit
from preceptor.server.pages import page, recent_of
from preceptor.server.preferences import chosen_language, chosen_zone
from preceptor.server.principal import principal_of
from preceptor.server.routers.hint_reasons import reasons_by_turn
from preceptor.server.routers.privacy import asks_now
from preceptor.server.trace_table import shown_trace
from preceptor.tracing.dialogue_trace import find_trace_problem
from preceptor.tutoring.turn_run import TurnRun
from preceptor.tutoring.views import DialogueView

if TYPE_CHECKING:
    from preceptor.tutoring.session import TutoringSession

router = APIRouter()
Asking = Annotated[Principal, Depends(principal_of)]
PAGE_SIZE = 12
"""Problems on one page. (chosen: two screens)"""


@router.get("/learn")
def choose(
    request: Request,
    principal: Asking,
    search: Annotated[str, Query(max_length=200)] = "",
    offset: Annotated[int, Query(ge=0)] = 0,
) -> HTMLResponse:
    """The start page."""
    return _choose_page(request, principal, search=search.strip(), offset=offset)


@router.post("/learn")
async def start(request: Request, principal: Asking) -> Response:
    """Start a dialogue from the form, then show it. Works without JavaScript."""
    fields = await read_form(request)
    try:
        dialogue_id = await to_thread.run_sync(_start, request, principal, fields)
    except InputError as error:
        typed = {name: fields.get(name, "") for name in ("text", "answer", "language")}
        again = partial(_choose_page, request, principal, typed=typed, error=str(error), status=422)
        return await to_thread.run_sync(again)
    return RedirectResponse(f"/learn/{dialogue_id}", status_code=303)


@router.get("/learn/{dialogue_id}")
def work(request: Request, principal: Asking, dialogue_id: str) -> HTMLResponse:
    """The page of one dialogue."""
    dialogue: DialogueView = request.app.state.session.dialogue(principal, dialogue_id)
    builtin = request.app.state.settings.roles.tutor.engine == "builtin"
    context = {
        "title": title_of(dialogue.problem_text),
        "turns": shown_turns(dialogue),
        "notice": NOTICE_WORDS.get(dialogue.notice or ""),
        "language_limit": language_limit(dialogue.language) if builtin else "",
        "pending": _pending(request, principal, dialogue),
        "why": reasons_by_turn(request, principal, dialogue_id),
        "labels": experience_labels,
        "max_chars": request.app.state.settings.server.max_utterance_chars,
        "recent": recent_of(request, principal),
        "dialogue_id": dialogue_id,
        "here": "/learn",
    }
    return page(request, "dialogue.html", context | _aside_context(dialogue), principal=principal)


@router.get("/learn/{dialogue_id}/turns/{turn}/sources/{place}")
def source(
    request: Request,
    principal: Asking,
    dialogue_id: str,
    turn: int,
    place: int,
    part: Annotated[str, Query(max_length=10)] = "",
) -> HTMLResponse:
    """The page of a course that a reply cites, its span marked: by itself, or what stands beside the conversation."""
    dialogue: DialogueView = request.app.state.session.dialogue(principal, dialogue_id)
    context = cited_page_context(courses_of(request), dialogue, turn=turn, place=place)
    if part:
        template = request.app.state.templates.get_template("parts/evidence.html")
        return HTMLResponse(template.render(context | {"text_id": "evidence-text"}))
    frame = {"back": f"/learn/{dialogue_id}", "here": "/learn", "recent": recent_of(request, principal)}
    return page(request, "course_page.html", context | frame, principal=principal)


@router.get("/learn/{dialogue_id}/aside")
def aside(request: Request, principal: Asking, dialogue_id: str) -> HTMLResponse:
    """The step rail, hints and help trend alone, to refresh them after a turn."""
    dialogue = request.app.state.session.dialogue(principal, dialogue_id)
    template = request.app.state.templates.get_template("parts/aside.html")
    return HTMLResponse(template.render(_aside_context(dialogue)))


def _start(request: Request, principal: Principal, fields: dict[str, str]) -> str:
    language = fields.get("language") or None
    if language is not None and language not in LANGUAGES:
        raise InputError(f"language: expected one of {', '.join(LANGUAGES)}, got {language!r}")
    session: TutoringSession = request.app.state.session
    zone = chosen_zone(request)
    if fields.get("problem_id"):
        return session.start(principal, problem_id=fields["problem_id"], language=language, time_zone=zone)
    text = fields.get("text", "").replace("\r\n", "\n").strip()
    if fields.get("subject_id"):
        subject = fields["subject_id"]
        return session.start(principal, text=text or None, language=language, subject_id=subject, time_zone=zone)
    answer = fields.get("answer", "").strip() or None
    return session.start(principal, text=text, answer=answer, language=language, time_zone=zone)


def _choose_page(
    request: Request,
    principal: Principal,
    *,
    search: str = "",
    offset: int = 0,
    typed: dict[str, str] | None = None,
    error: str = "",
    status: int = 200,
) -> HTMLResponse:
    session = request.app.state.session
    found = session.problems(principal, search=search, limit=PAGE_SIZE + 1, offset=offset)
    settings = request.app.state.settings
    blank = {"text": "", "answer": "", "language": chosen_language(request)}
    context = {
        "problems": found[:PAGE_SIZE],
        "more": len(found) > PAGE_SIZE,
        "offset": offset,
        "page_size": PAGE_SIZE,
        "search": search,
        "languages": LANGUAGES,
        "typed": typed or blank,
        "error": error,
        "asks_consent": asks_now(request, principal),
        "max_chars": settings.server.max_utterance_chars,
        "recent": recent_of(request, principal),
    }
    return page(request, "learn.html", context, principal=principal, status=status)


def _aside_context(dialogue: DialogueView) -> dict[str, Any]:
    return {
        "dialogue": dialogue,
        "steps": all_steps(dialogue),
        "rung_words": RUNG_WORDS[1:],
        "trace": shown_trace(dialogue),
        "about_course": is_about_course(dialogue),
        "is_trace": find_trace_problem(dialogue.problem_text) is not None,
        "trend_svg": Markup(help_trend_svg(dialogue.help_trend)),
    }


def _pending(request: Request, principal: Principal, dialogue: DialogueView) -> dict[str, Any] | None:
    """Return the last turn if its reply is still to come, and whether it is being made right now."""
    if not dialogue.pending:
        return None
    running: TurnRun | None = request.app.state.session.running(principal, dialogue.dialogue_id)
    return {"turn": dialogue.turns[-1].turn, "running": running is not None and not running.finished}
