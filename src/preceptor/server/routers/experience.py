"""Teaching experience for instructors: list, search by meaning, one entry, distilling, where an entry was used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from preceptor.domain.experience import Experience, ExperienceStatus
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, StruggleStatus
from preceptor.domain.principal import Principal
from preceptor.errors import InputError
from preceptor.experience.retrieval import Retrieved
from preceptor.server import experience_labels
from preceptor.server.conversation import shown_turns
from preceptor.server.form_body import read_form
from preceptor.server.pages import page, recent_of
from preceptor.server.principal import instructor_of
from preceptor.server.utility_chart import utility_svg
from preceptor.tutoring.experience_desk import EntryView, ExperienceDesk, ExperienceFilter, Origin
from preceptor.tutoring.views import DialogueView

if TYPE_CHECKING:
    from preceptor.tutoring.session import TutoringSession

router = APIRouter(prefix="/experience")
Instructing = Annotated[Principal, Depends(instructor_of)]
PAGE_SIZE = 20
"""Entries on one page. (chosen: two screens)"""
ANY = ""
"""What a form sends for a filter that is not used."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the address asks for, as it stands in the form."""

    error_type: str
    struggle_status: str
    emotion: str
    intent: str
    status: str
    origin: str
    text: str
    related: bool
    offset: int

    @property
    def chosen(self) -> ExperienceFilter:
        """The filter it means.

        Raises:
            InputError: A value is none of those that are offered.
        """
        try:
            return ExperienceFilter(
                error_type=ErrorType(self.error_type) if self.error_type else None,
                struggle_status=StruggleStatus(self.struggle_status) if self.struggle_status else None,
                emotion=Emotion(self.emotion) if self.emotion else None,
                intent=Intent(self.intent) if self.intent else None,
                status=_status(self.status),
                origin=_origin(self.origin),
            )
        except ValueError as error:
            raise InputError(f"the filter is not one that is offered here: {error}") from error

    def address(self, *, offset: int) -> str:
        """Return the address of another page of the same list."""
        fields = {
            "error_type": self.error_type,
            "struggle_status": self.struggle_status,
            "emotion": self.emotion,
            "intent": self.intent,
            "status": self.status,
            "origin": self.origin,
            "text": self.text,
            "related": "yes" if self.related else "",
        }
        given = {name: value for name, value in fields.items() if value}
        return "/experience?" + urlencode({**given, "offset": offset})


def asked(
    error_type: Annotated[str, Query(max_length=40)] = ANY,
    struggle_status: Annotated[str, Query(max_length=40)] = ANY,
    emotion: Annotated[str, Query(max_length=40)] = ANY,
    intent: Annotated[str, Query(max_length=40)] = ANY,
    status: Annotated[str, Query(max_length=40)] = "active",
    origin: Annotated[str, Query(max_length=40)] = ANY,
    text: Annotated[str, Query(max_length=400)] = "",
    related: Annotated[str, Query(max_length=10)] = "",
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> Asked:
    """Return what the address asks for."""
    return Asked(
        error_type=error_type,
        struggle_status=struggle_status,
        emotion=emotion,
        intent=intent,
        status=status,
        origin=origin,
        text=text.strip(),
        related=related == "yes",
        offset=offset,
    )


@router.get("")
async def browse(request: Request, principal: Instructing, wanted: Annotated[Asked, Depends(asked)]) -> HTMLResponse:
    """The repository: filtered, or searched by meaning."""
    desk = _desk(request)
    chosen = wanted.chosen
    found: Retrieved | None = None
    trouble = ""
    if wanted.text:
        try:
            found = await desk.search(principal, chosen, wanted.text, related=wanted.related)
        except InputError as error:
            trouble = str(error)
    return await to_thread.run_sync(_browse_page, request, principal, wanted, found, trouble)


@router.post("/distillation")
async def distil(request: Request, principal: Instructing) -> RedirectResponse:
    """Begin to distil, in the background; the page it leads to says how far it is."""
    await to_thread.run_sync(_desk(request).distil, principal)
    return RedirectResponse("/experience#distillation", status_code=303)


@router.get("/distillation")
def distillation(request: Request, principal: Instructing) -> HTMLResponse:
    """How far the distillation is, alone, to refresh it on the page."""
    template = request.app.state.templates.get_template("parts/distillation.html")
    return HTMLResponse(template.render(_distillation_context(request, principal)))


@router.get("/{experience_id}")
def show(request: Request, principal: Instructing, experience_id: str) -> HTMLResponse:
    """One entry."""
    return _entry_page(request, principal, experience_id)


@router.post("/{experience_id}")
async def switch(request: Request, principal: Instructing, experience_id: str) -> Response:
    """Disable or enable an entry, with a reason."""
    fields = await read_form(request)
    desk = _desk(request)
    change = desk.enable if fields.get("action") == "enable" else desk.disable
    reason = " ".join(fields.get("reason", "").split())[:400]
    try:
        await to_thread.run_sync(lambda: change(principal, experience_id, reason=reason))
    except InputError as error:
        message = "Say why: the reason stands in the audit log." if not reason else str(error)
        return await to_thread.run_sync(lambda: _entry_page(request, principal, experience_id, error=message))
    return RedirectResponse(f"/experience/{experience_id}", status_code=303)


@router.post("/{experience_id}/turns")
async def open_turn(request: Request, principal: Instructing, experience_id: str) -> HTMLResponse:
    """The dialogue of one turn that used the entry. A POST, because each opening is stored."""
    fields = await read_form(request)
    turn = fields.get("turn", "")
    if not turn.isdecimal():
        raise InputError(f"turn: expected a number, got {turn!r}")
    dialogue: DialogueView = await to_thread.run_sync(
        lambda: _desk(request).open_use(
            principal, experience_id, dialogue_id=fields.get("dialogue_id", ""), turn=int(turn)
        )
    )
    context = {
        "dialogue": dialogue,
        "turns": shown_turns(dialogue),
        "used_turn": int(turn),
        "experience_id": experience_id,
        "learner_name": "Learner",
        "here": "/experience",
        "here_path": f"/experience/{experience_id}",
    }
    return page(request, "experience_turn.html", context, principal=principal)


def _desk(request: Request) -> ExperienceDesk:
    session: TutoringSession = request.app.state.session
    return session.experience


def _browse_page(
    request: Request, principal: Principal, wanted: Asked, found: Retrieved | None, trouble: str
) -> HTMLResponse:
    desk = _desk(request)
    entries: list[tuple[Experience, float | None]]
    more = False
    if found is not None:
        entries = list(zip(found.chosen, found.similarities, strict=True))
    elif trouble:
        entries = []
    else:
        listed = desk.entries(principal, wanted.chosen, limit=PAGE_SIZE + 1, offset=wanted.offset)
        entries = [(entry, None) for entry in listed[:PAGE_SIZE]]
        more = len(listed) > PAGE_SIZE
    context = {
        "asked": wanted,
        "entries": entries,
        "more": more,
        "page_size": PAGE_SIZE,
        "found": found,
        "trouble": trouble,
        "threshold": None if found is None else desk.threshold(principal),
        "labels": experience_labels,
        "recent": recent_of(request, principal),
        "here": "/experience",
        **_distillation_context(request, principal),
    }
    return page(request, "experience.html", context, principal=principal)


def _distillation_context(request: Request, principal: Principal) -> dict[str, Any]:
    desk = _desk(request)
    return {
        "run": desk.distillation(principal),
        "glance": desk.glance(principal),
        "labels": experience_labels,
    }


def _entry_page(request: Request, principal: Principal, experience_id: str, *, error: str = "") -> HTMLResponse:
    view = _desk(request).entry(principal, experience_id)
    context = {
        "shown": view,
        "entry": view.entry,
        "chart": Markup(_chart(view)) if view.uses else None,
        "error": error,
        "labels": experience_labels,
        "recent": recent_of(request, principal),
        "here": "/experience",
    }
    return page(request, "experience_entry.html", context, principal=principal, status=422 if error else 200)


def _chart(view: EntryView) -> str:
    utilities = [view.entry.provenance.admission_percent, *(use.utility_after for use in view.uses)]
    return utility_svg(utilities, [use.score for use in view.uses], prune_below=view.prune_below)


def _status(value: str) -> ExperienceStatus | None:
    if value == "all":
        return None
    for status in experience_labels.STATUS_WORDS:
        if value == status:
            return status
    raise ValueError(f"{value!r} is no status")


def _origin(value: str) -> Origin | None:
    if not value:
        return None
    for origin in experience_labels.ORIGIN_WORDS:
        if value == origin:
            return origin
    raise ValueError(f"{value!r} is no origin")
