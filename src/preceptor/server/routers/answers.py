"""How an answer or a message would be read, while it is being typed. Nothing here knows the reference."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from preceptor.domain.principal import Principal
from preceptor.server.principal import principal_of
from preceptor.server.render import has_formula, render_plain

router = APIRouter(prefix="/api")
Asking = Annotated[Principal, Depends(principal_of)]


class PreviewText(BaseModel):
    """What has been typed so far."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=4000)


@router.post("/previews")
def preview_text(principal: Asking, body: PreviewText) -> dict[str, Any]:
    """The message with its formulas drawn; empty where there is none to draw."""
    return {"html": render_plain(body.text) if has_formula(body.text) else ""}
