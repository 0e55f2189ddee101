"""What may be done with a learner's dialogues: asked once, changed here at any time, off until allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from preceptor.domain.principal import Principal
from preceptor.errors import InputError
from preceptor.server.failures import failure
from preceptor.server.form_body import local_path, read_form
from preceptor.server.pages import page, recent_of
from preceptor.server.principal import may_switch_view, principal_of

if TYPE_CHECKING:
    from preceptor.tutoring.session import TutoringSession

router = APIRouter(prefix="/privacy")
Asking = Annotated[Principal, Depends(principal_of)]
OWNER_ONLY = "Only the owner, at the machine that runs the tutor, can allow this. Anyone here can switch it off."


@router.get("")
def show(request: Request, principal: Asking) -> HTMLResponse:
    """What is allowed now, what it does, and how to change it."""
    session: TutoringSession = request.app.state.session
    context = {
        "consent": session.teaching_consent(principal),
        "may_allow": may_switch_view(request),
        "recent": recent_of(request, principal),
        "here": "/privacy",
    }
    return page(request, "privacy.html", context, principal=principal)


@router.post("")
async def decide(request: Request, principal: Asking) -> Response:
    """Store a decision. Switching off is everyone's; allowing is the owner's."""
    fields = await read_form(request)
    wanted = fields.get("use_for_teaching", "")
    if wanted not in ("yes", "no"):
        raise InputError(f"use_for_teaching: expected yes or no, got {wanted!r}")
    if wanted == "yes" and not may_switch_view(request):
        return failure(request, 403, "owner_only", OWNER_ONLY)
    session: TutoringSession = request.app.state.session
    await to_thread.run_sync(lambda: session.decide_teaching(principal, use_for_teaching=wanted == "yes"))
    return RedirectResponse(local_path(fields.get("back", ""), default="/privacy"), status_code=303)


def asks_now(request: Request, principal: Principal) -> bool:
    """Whether the owner is to be asked on this page: never asked before, and sitting at this machine."""
    session: TutoringSession = request.app.state.session
    return may_switch_view(request) and session.teaching_consent(principal) is None
