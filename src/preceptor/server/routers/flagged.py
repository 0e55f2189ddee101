"""Turns that wait for the instructor. Transcripts are closed until opened, and opening one is on record."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from preceptor.domain.principal import Principal
from preceptor.server.pages import page, recent_of
from preceptor.server.principal import instructor_of

router = APIRouter()


@router.get("/flagged")
def list_flagged(request: Request, principal: Annotated[Principal, Depends(instructor_of)]) -> HTMLResponse:
    """The instructor's queue."""
    context = {
        "flagged": list(request.app.state.session.flagged(principal)),
        "recent": recent_of(request, principal),
    }
    return page(request, "flagged.html", context, principal=principal)
