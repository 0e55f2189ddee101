"""The instructor's report on memory: whether confidence can be trusted, what nights did, what no check could say."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from preceptor.domain.principal import Principal
from preceptor.server import memory_labels
from preceptor.server.calibration_chart import calibration_svg
from preceptor.server.pages import page, recent_of
from preceptor.server.principal import instructor_of
from preceptor.server.routers.memory import desk_of
from preceptor.tutoring.memory_desk import HOME_SUBJECT

router = APIRouter(prefix="/memory/report")
Instructing = Annotated[Principal, Depends(instructor_of)]


@router.get("")
def show(
    request: Request,
    principal: Instructing,
    subject: Annotated[str, Query(min_length=1, max_length=64)] = HOME_SUBJECT,
) -> HTMLResponse:
    """Counts and figures alone: no learner's words stand here."""
    report = desk_of(request).report(principal, subject)
    settings = request.app.state.settings.memory
    context = {
        "report": report,
        "subject": subject,
        "labels": memory_labels,
        "calibration_svg": Markup(calibration_svg(report.calibration)),
        "calibrated_from": settings.calibrated_from,
        "nightly_hour": settings.nightly_hour,
        "recent": recent_of(request, principal),
        "here": "/memory",
    }
    return page(request, "memory_report.html", context, principal=principal)
