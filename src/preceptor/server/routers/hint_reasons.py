"""Why this hint: the line under a reply that instructors see, and nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse

from preceptor.domain.principal import Principal
from preceptor.server import experience_labels
from preceptor.server.principal import instructor_of
from preceptor.tutoring.hint_reason import HintReason

if TYPE_CHECKING:
    from preceptor.tutoring.session import TutoringSession

router = APIRouter(prefix="/learn")


@router.get("/{dialogue_id}/turns/{turn}/reason")
def reason(
    request: Request, principal: Annotated[Principal, Depends(instructor_of)], dialogue_id: str, turn: int
) -> HTMLResponse:
    """The line of one turn alone, to add it when its reply is whole; empty where there is nothing to say."""
    found = reasons_by_turn(request, principal, dialogue_id).get(turn)
    if found is None:
        return HTMLResponse("")
    template = request.app.state.templates.get_template("parts/why.html")
    return HTMLResponse(template.render(reason=found, labels=experience_labels))


def reasons_by_turn(request: Request, principal: Principal, dialogue_id: str) -> dict[int, HintReason]:
    """Return turn → why, for instructors; empty for everyone else. The tutor's opening has no reason."""
    if not principal.may_instruct:
        return {}
    session: TutoringSession = request.app.state.session
    return {one.turn: one for one in session.instructor_desk.hint_reasons(principal, dialogue_id) if one.turn > 0}
