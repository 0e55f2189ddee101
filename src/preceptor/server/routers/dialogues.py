"""Dialogues over HTTP: start one, read it, send a message, follow the reply."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import JSONResponse, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel, ConfigDict

from preceptor.domain.principal import Principal
from preceptor.errors import InputError
from preceptor.server.conversation import TurnFragments, shown_turn, shown_turns
from preceptor.server.preferences import chosen_zone, known_zone
from preceptor.server.principal import principal_of
from preceptor.server.reply_stream import finished_event, stream_events
from preceptor.tutoring.turn import TurnMode
from preceptor.tutoring.turn_run import TurnRun
from preceptor.tutoring.views import DialogueView, TurnView

router = APIRouter(prefix="/api/dialogues")
Asking = Annotated[Principal, Depends(principal_of)]
STUCK_WORDS = "I'm stuck."
"""What stands on record where the learner presses the button without writing anything."""


class NewDialogue(BaseModel):
    """What a dialogue is started with: one of `problem_id` and `text`, or a course."""

    model_config = ConfigDict(extra="forbid")

    problem_id: str | None = None
    text: str | None = None
    answer: str | None = None
    language: str | None = None
    subject_id: str | None = None
    """A course to talk about, with an exercise in `text` or without."""


class NewTurn(BaseModel):
    """One message of the learner."""

    model_config = ConfigDict(extra="forbid")

    utterance: str = ""
    mode: TurnMode = "message"
    time_zone: str | None = None
    """The learner's IANA zone, as the browser knows it: "yesterday" is meant in it."""


@router.post("", status_code=201)
def start(request: Request, principal: Asking, body: NewDialogue) -> dict[str, str]:
    """Start a dialogue."""
    dialogue_id = request.app.state.session.start(principal, **body.model_dump())
    return {"dialogue_id": dialogue_id}


@router.get("")
def list_dialogues(request: Request, principal: Asking) -> list[dict[str, Any]]:
    """The learner's dialogues, newest first."""
    return [
        {
            "dialogue_id": item.dialogue_id,
            "title": item.title,
            "last_at": item.last_at.isoformat(),
            "solved": item.solved,
        }
        for item in request.app.state.session.dialogues(principal)
    ]


@router.get("/{dialogue_id}")
def read(request: Request, principal: Asking, dialogue_id: str) -> dict[str, Any]:
    """One dialogue: the problem's text (never its solution), the turns, and where the learner stands."""
    return _as_json(request.app.state.session.dialogue(principal, dialogue_id))


@router.post("/{dialogue_id}/turns", status_code=202)
async def send(request: Request, principal: Asking, dialogue_id: str, body: NewTurn) -> dict[str, Any]:
    """Store one message and begin the reply. The message is on record when this answers."""
    utterance = _checked(body, limit=request.app.state.settings.server.max_utterance_chars)
    zone = chosen_zone(request) or known_zone(body.time_zone)
    run: TurnRun = await request.app.state.session.submit(
        principal, dialogue_id, utterance, mode=body.mode, time_zone=zone
    )
    turn = TurnView(turn=run.turn, learner=utterance, mode=body.mode, reply=None, language="")
    fragments: TurnFragments = request.app.state.fragments
    return _begun(run) | {"html": fragments.turn(shown_turn(turn, dialogue_id))}


@router.post("/{dialogue_id}/resume", status_code=202)
async def resume(request: Request, principal: Asking, dialogue_id: str) -> Response:
    """Make the reply to a message that is on record without one; 204 where there is nothing to make."""
    run: TurnRun | None = await request.app.state.session.resume(principal, dialogue_id)
    return Response(status_code=204) if run is None else JSONResponse(_begun(run), status_code=202)


@router.get("/{dialogue_id}/turns/{turn}/events", response_class=EventSourceResponse)
async def follow(
    request: Request,
    principal: Asking,
    dialogue_id: str,
    turn: int,
    after: Annotated[int, Query(ge=0)] = 0,
    last_event_id: Annotated[int | None, Header()] = None,
) -> AsyncIterator[ServerSentEvent]:
    """Follow a turn from any of its events on; a finished one answers with its whole reply."""
    session = request.app.state.session
    fragments: TurnFragments = request.app.state.fragments
    run: TurnRun | None = session.running(principal, dialogue_id)
    if run is not None and run.turn == turn:
        start_after = last_event_id if last_event_id is not None else after
        async for event in stream_events(run, fragments, after=start_after):
            yield event
        return
    dialogue: DialogueView = await to_thread.run_sync(session.dialogue, principal, dialogue_id)
    view = next((view for view in dialogue.turns if view.turn == turn), None)
    if view is not None and view.reply is not None:
        yield finished_event(view, fragments, dialogue_id=dialogue_id)
    else:
        yield ServerSentEvent(event="failed", data={"text": "The reply is not being made right now."})


def _checked(body: NewTurn, *, limit: int) -> str:
    utterance = body.utterance.replace("\x00", "").strip()
    if not utterance and body.mode == "stuck":
        return STUCK_WORDS
    if not utterance:
        raise InputError("Write something first.")
    if len(utterance) > limit:
        raise InputError(f"The message has {len(utterance)} characters, at most {limit} are read.")
    return utterance


def _begun(run: TurnRun) -> dict[str, Any]:
    return {"turn": run.turn}


def _as_json(dialogue: DialogueView) -> dict[str, Any]:
    return {
        "dialogue_id": dialogue.dialogue_id,
        "problem": {"problem_id": dialogue.problem_id, "text": dialogue.problem_text},
        "language": dialogue.language,
        "turns": [
            {
                "turn": view.turn,
                "learner": view.learner,
                "mode": view.mode,
                "reply": view.reply,
                "reply_html": shown.reply_html,
                "rung": view.rung,
                "engine": view.engine,
                "reading": view.status,
                "read_as": view.read_as,
                "route": view.route,
                "grounding": view.grounding,
                "sources": [asdict(source) for source in view.sources],
                "trace_state": view.trace_state,
                "steps": [
                    {"text": step.text, "mark": step.mark, "judged_by": step.judged_by, "read_as": step.read_as}
                    for step in view.steps
                ],
            }
            for view, shown in zip(dialogue.turns, shown_turns(dialogue), strict=True)
        ],
        "rung": dialogue.rung,
        "guarded": dialogue.guarded,
        "notice": dialogue.notice,
        "solved": dialogue.solved,
        "help_trend": [{"step": step.step, "hints": step.hints} for step in dialogue.help_trend],
    }
