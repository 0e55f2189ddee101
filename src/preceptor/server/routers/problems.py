"""Problems over HTTP: the texts that a learner can choose from, never a solution or an answer."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request

from preceptor.domain.principal import Principal
from preceptor.server.principal import principal_of

router = APIRouter(prefix="/api/problems")


@router.get("")
def list_problems(
    request: Request,
    principal: Annotated[Principal, Depends(principal_of)],
    search: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> list[dict[str, Any]]:
    """Problems whose text contains `search`, whatever its case."""
    found = request.app.state.session.problems(principal, search=search, limit=limit, offset=offset)
    return [
        {
            "problem_id": problem.problem_id,
            "text": problem.text,
            "language": problem.language,
            "source": problem.source,
            "licence": problem.licence,
        }
        for problem in found
    ]
