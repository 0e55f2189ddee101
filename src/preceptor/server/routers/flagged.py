"""Turns that wait for the instructor. Transcripts are closed until opened, and opening one is on record."""

from __future__ import annotations

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from preceptor.domain.principal import Principal
from preceptor.server.conversation import shown_turns
from preceptor.server.form_body import read_form
from preceptor.server.pages import page, recent_of
from preceptor.server.principal import instructor_of
from preceptor.tutoring.views import DialogueView

router = APIRouter(prefix="/flagged")
MOST_DIGITS = 9
"""Longest number of a turn that is read; the page sends its own. (chosen: no dialogue has a billion turns)"""
Instructing = Annotated[Principal, Depends(instructor_of)]


@router.get("")
def list_flagged(request: Request, principal: Instructing) -> HTMLResponse:
    """The instructor's queue: what and when, no learner's words."""
    context = {
        "flagged": list(request.app.state.session.instructor_desk.flagged(principal)),
        "recent": recent_of(request, principal),
    }
    return page(request, "flagged.html", context, principal=principal)


@router.post("")
async def open_transcript(request: Request, principal: Instructing) -> HTMLResponse:
    """One flagged transcript. A POST, because each opening is stored: no link, prefetch or back button opens one."""
    fields = await read_form(request)
    desk = request.app.state.session.instructor_desk
    dialogue: DialogueView = await to_thread.run_sync(
        lambda: desk.open_flagged(
            principal, learner_id=fields.get("learner_id", ""), dialogue_id=fields.get("dialogue_id", "")
        )
    )
    turn = fields.get("turn", "")
    context = {
        "dialogue": dialogue,
        "turns": shown_turns(dialogue),
        "flagged_turn": int(turn) if turn.isdecimal() and len(turn) <= MOST_DIGITS else None,
        "learner_name": "Learner",
        "here": "/flagged",
        "here_path": "/flagged",
    }
    return page(request, "transcript.html", context, principal=principal)
