"""How an answer or a message would be read, while it is being typed. Nothing here knows the reference."""

from __future__ import annotations

from html import escape
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from preceptor.domain.principal import Principal
from preceptor.maths.answers import read_answer
from preceptor.server.principal import principal_of
from preceptor.server.render import has_formula, render_plain

router = APIRouter(prefix="/api")
Asking = Annotated[Principal, Depends(principal_of)]


class PreviewAnswer(BaseModel):
    """What stands in the answer box."""

    model_config = ConfigDict(extra="forbid")

    answer: str = Field(max_length=400)


class PreviewText(BaseModel):
    """What has been typed so far."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=4000)


@router.post("/previews")
def preview_text(principal: Asking, body: PreviewText) -> dict[str, Any]:
    """The message with its formulas drawn; empty where there is none to draw."""
    return {"html": render_plain(body.text) if has_formula(body.text) else ""}


@router.post("/answers/preview")
def preview_answer(principal: Asking, body: PreviewAnswer) -> dict[str, str]:
    """How the answer would be read. It is not compared with anything."""
    read_as = read_answer(body.answer)
    if not read_as:
        return {"status": "unread", "read_as": "", "html": "I cannot read this yet. Write one number, with its unit."}
    return {"status": "read", "read_as": read_as, "html": f"I read: <strong>{escape(read_as)}</strong>"}
