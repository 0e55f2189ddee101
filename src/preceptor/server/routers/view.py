"""How the page looks to whoever sits before it: the learner's or the instructor's view, light or dark."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse

from preceptor.domain.principal import Principal
from preceptor.server.form_body import local_path, read_form
from preceptor.server.pages import THEME_COOKIE
from preceptor.server.principal import VIEW_COOKIE, InstructorOnlyError, may_switch_view, principal_of

router = APIRouter()
INSTRUCTORS_ONLY = ("/flagged", "/experience", "/memory/report")
"""Where a learner would only be told that the page is not theirs."""
_YEAR_S = 365 * 24 * 3600


@router.post("/view")
async def switch_view(request: Request) -> RedirectResponse:
    """Switch between the two views; only for the owner on this machine."""
    if not may_switch_view(request):
        raise InstructorOnlyError
    fields = await read_form(request)
    view = "instructor" if fields.get("view") == "instructor" else "learner"
    back = fields.get("back", "")
    if view == "learner" and back.startswith(INSTRUCTORS_ONLY):
        back = "/learn"
    response = RedirectResponse(local_path(back), status_code=303)
    response.set_cookie(VIEW_COOKIE, view, httponly=True, samesite="strict", path="/")
    return response


@router.post("/theme")
async def switch_theme(request: Request, principal: Annotated[Principal, Depends(principal_of)]) -> RedirectResponse:
    """Choose light or dark; without a choice the page follows the system."""
    fields = await read_form(request)
    response = RedirectResponse(local_path(fields.get("back", "")), status_code=303)
    theme = fields.get("theme", "")
    if theme in {"light", "dark"}:
        response.set_cookie(THEME_COOKIE, theme, max_age=_YEAR_S, httponly=True, samesite="strict", path="/")
    return response
