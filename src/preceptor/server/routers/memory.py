"""What my tutor remembers: beliefs with their evidence, months, the map, and the learner's rights over all of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from markupsafe import Markup

from preceptor.domain.principal import Principal
from preceptor.errors import InputError, NotFoundError
from preceptor.server import memory_labels
from preceptor.server.form_body import read_form
from preceptor.server.labels import LANGUAGES
from preceptor.server.learner_map import learner_map_svg, learner_map_table, learner_map_title
from preceptor.server.pages import page, recent_of
from preceptor.server.preferences import all_zones, choose, chosen_language, chosen_zone
from preceptor.server.principal import principal_of
from preceptor.tutoring.erasure import LearnerErasure
from preceptor.tutoring.memory_desk import HOME_SUBJECT, MemoryDesk

router = APIRouter(prefix="/memory")
Asking = Annotated[Principal, Depends(principal_of)]
Subject = Annotated[str, Query(min_length=1, max_length=64)]
HERE = {"here": "/memory"}
MAX_NOTE_CHARS = 400
"""What a learner may say about a belief. (chosen: three lines)"""
DELETE_WORD = "forget"
"""To be typed before everything is erased: a tick is made by accident, a word is not."""
DONE_WORDS = {
    "denied": "Noted: this is not true, and your tutor thinks it no more.",
    "forgotten": "Forgotten for good, with everything that was made of it.",
    "everything": "Everything is forgotten. There is no record of you here any more.",
    "unscrubbed": "It is gone from the record. Another program is reading the database, so its files may still hold "
    "traces until the tutor is started anew.",
    "kept": "Your choices are kept in this browser.",
}
"""What is said after a form was sent, by its key in the address."""


def desk_of(request: Request) -> MemoryDesk:
    """Return the session's memory."""
    desk: MemoryDesk = request.app.state.session.memory_desk
    return desk


@router.get("")
def show(
    request: Request,
    principal: Asking,
    subject: Subject = HOME_SUBJECT,
    whole: Annotated[str, Query(max_length=4)] = "",
    done: Annotated[str, Query(max_length=20)] = "",
) -> HTMLResponse:
    """Everything that is remembered of one subject."""
    return _memory_page(request, principal, subject, whole_map=whole == "yes", done=done)


@router.get("/months/{month}")
def show_month(request: Request, principal: Asking, month: str, subject: Subject = HOME_SUBJECT) -> HTMLResponse:
    """What is on record of one month, day by day."""
    try:
        first_day = date.fromisoformat(f"{month}-01")
    except ValueError as error:
        raise InputError(f"month: expected one such as 2026-07, got {month!r}") from error
    context = {
        "title": memory_labels.month_words(first_day),
        "days": desk_of(request).month(principal, subject, first_day),
        "subject": subject,
        "labels": memory_labels,
        "recent": recent_of(request, principal),
    }
    return page(request, "memory_month.html", HERE | context, principal=principal)


@router.get("/episodes/{episode_id}")
def show_episode(
    request: Request, principal: Asking, episode_id: str, part: Annotated[str, Query(max_length=10)] = ""
) -> HTMLResponse:
    """One dated moment: by itself, or what stands beside the conversation."""
    line, moment = desk_of(request).episode(principal, episode_id)
    context = {
        "title": memory_labels.day_words(line.on),
        "line": line,
        "moment": moment,
        "labels": memory_labels,
    }
    if part:
        template = request.app.state.templates.get_template("parts/memory_evidence.html")
        return HTMLResponse(template.render(context))
    context["recent"] = recent_of(request, principal)
    return page(request, "memory_episode.html", HERE | context, principal=principal)


@router.post("/episodes/{episode_id}/forget")
async def forget_episode(request: Request, principal: Asking, episode_id: str) -> Response:
    """Erase one moment, or with `whole` the conversation it stands in."""
    fields = await read_form(request)
    desk = desk_of(request)
    line, _ = await to_thread.run_sync(desk.episode, principal, episode_id)
    if fields.get("whole") == "yes" and line.dialogue_id is not None:
        erased = await to_thread.run_sync(desk.forget_dialogue, principal, line.dialogue_id)
    else:
        erased = await to_thread.run_sync(desk.forget_moment, principal, episode_id)
    return _back(line.subject_id, _forgotten(erased))


@router.post("/beliefs/{belief_id}/deny")
async def deny(request: Request, principal: Asking, belief_id: str) -> Response:
    """Put on record that a belief is not true."""
    fields = await read_form(request)
    note = fields.get("note", "").strip()
    if len(note) > MAX_NOTE_CHARS or "\x00" in note:
        raise InputError(f"what you say about it may have {MAX_NOTE_CHARS} characters, this has {len(note)}")
    subject = fields.get("subject") or HOME_SUBJECT
    saying = partial(desk_of(request).deny, note=note, language=chosen_language(request))
    await to_thread.run_sync(saying, principal, subject, belief_id)
    return _back(subject, "denied")


@router.post("/beliefs/{belief_id}/forget")
async def forget_belief(request: Request, principal: Asking, belief_id: str) -> Response:
    """Erase the moments that a belief stands on."""
    fields = await read_form(request)
    subject = fields.get("subject") or HOME_SUBJECT
    erased = await to_thread.run_sync(desk_of(request).forget_belief, principal, subject, belief_id)
    return _back(subject, _forgotten(erased))


@router.get("/export")
def export(request: Request, principal: Asking) -> StreamingResponse:
    """Everything that is kept about the learner, one JSON object a line."""
    headers = {"Content-Disposition": 'attachment; filename="what-my-tutor-remembers.jsonl"'}
    lines = _lines(desk_of(request).export(principal))
    return StreamingResponse(lines, media_type="application/x-ndjson", headers=headers)


@router.post("/delete")
async def delete_everything(request: Request, principal: Asking) -> Response:
    """Erase everything of the learner; only with the word typed."""
    fields = await read_form(request)
    if fields.get("word", "").strip().casefold() != DELETE_WORD:
        wrong = f"Nothing was deleted. Type the word “{DELETE_WORD}” to delete everything."
        again = partial(_memory_page, request, principal, HOME_SUBJECT, delete_error=wrong, status=422)
        return await to_thread.run_sync(again)
    try:
        erased = await to_thread.run_sync(desk_of(request).forget_everything, principal)
    except NotFoundError:
        return _back(HOME_SUBJECT, "everything")
    return _back(HOME_SUBJECT, "everything" if erased.erasure.scrubbed else "unscrubbed")


@router.post("/preferences")
async def keep_preferences(request: Request, principal: Asking) -> Response:
    """Keep language and time zone in this browser."""
    fields = await read_form(request)
    zone = fields.get("time_zone", "").strip()
    response = _back(fields.get("subject") or HOME_SUBJECT, "kept", at="yours")
    try:
        choose(response, language=fields.get("language", ""), zone=zone)
    except InputError as error:
        again = partial(
            _memory_page, request, principal, HOME_SUBJECT, zone_error=f"{error}.", typed_zone=zone, status=422
        )
        return await to_thread.run_sync(again)
    return response


def _memory_page(
    request: Request,
    principal: Principal,
    subject: str,
    *,
    whole_map: bool = False,
    done: str = "",
    delete_error: str = "",
    zone_error: str = "",
    typed_zone: str | None = None,
    status: int = 200,
) -> HTMLResponse:
    held = desk_of(request).page(principal, subject, whole_map=whole_map)
    calibrated = held.calibration.calibrated
    context: dict[str, Any] = {
        "held": held,
        "subject": subject,
        "calibrated": calibrated,
        "labels": memory_labels,
        "map_title": learner_map_title(held.map),
        "map_svg": Markup(learner_map_svg(held.map)),
        "map_table": Markup(learner_map_table(held.map, calibrated=calibrated)),
        "whole_map": whole_map,
        "done_words": DONE_WORDS.get(done, ""),
        "delete_word": DELETE_WORD,
        "delete_error": delete_error,
        "zone_error": zone_error,
        "languages": LANGUAGES,
        "language": chosen_language(request),
        "zone": typed_zone if typed_zone is not None else chosen_zone(request) or "",
        "zones": all_zones(),
        "max_note_chars": MAX_NOTE_CHARS,
        "recent": recent_of(request, principal),
    }
    return page(request, "memory.html", HERE | context, principal=principal, status=status)


def _back(subject: str, done: str, *, at: str = "") -> RedirectResponse:
    asked = urlencode({"subject": subject, "done": done})
    return RedirectResponse(f"/memory?{asked}" + (f"#{at}" if at else ""), status_code=303)


def _forgotten(erased: LearnerErasure) -> str:
    return "forgotten" if erased.erasure.scrubbed else "unscrubbed"


def _lines(objects: Iterator[dict[str, object]]) -> Iterator[bytes]:
    for one in objects:
        yield json.dumps(one, ensure_ascii=False).encode() + b"\n"
