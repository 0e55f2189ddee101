"""Questions with the span that answers them, or with none: what retrieval is fitted and measured on.

One JSON object a line: question_id, topic, part (`tune` or `held_out`), question, document and quote, both null where
the course does not answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from preceptor.course.terms import text_terms
from preceptor.domain.passage import Passage
from preceptor.errors import InputError

TOUCHES_FROM = 0.5
"""Share of the words of the shorter of quotation and span from which a quotation is about the span. (chosen)"""

_MARKUP = re.compile(r"[`*]")
_SPACE = re.compile(r"\s+")


class CourseQuestion(BaseModel):
    """One line of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question_id: str
    topic: str
    part: Literal["tune", "held_out"]
    question: str
    document: str | None
    """Name of the file that holds the answer."""
    quote: str | None
    """The span in its words."""

    @model_validator(mode="after")
    def _is_whole(self) -> CourseQuestion:
        if (self.document is None) != (self.quote is None):
            raise ValueError("document and quote must both be there or both be null")
        return self

    @property
    def answerable(self) -> bool:
        """Whether the course holds the answer."""
        return self.quote is not None


def read_questions(path: Path) -> list[CourseQuestion]:
    """Return the questions of a file.

    Raises:
        InputError: The file cannot be read, or a line is not a question; the message names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from error
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(CourseQuestion.model_validate_json(line))
        except ValidationError as error:
            raise InputError(f"{path}, line {number}: {error.errors()[0]['msg']}") from error
    return found


def evidence_rows(question: CourseQuestion, passages: Sequence[Passage]) -> list[int]:
    """Return the places of the passages that hold a question's whole span; markup and spacing do not count."""
    if question.quote is None:
        return []
    quote = plain_text(question.quote)
    return [
        place
        for place, passage in enumerate(passages)
        if passage.document_name == question.document and quote in plain_text(passage.text)
    ]


def is_about_span(quoted: str, document_name: str, *, document: str | None, quote: str | None) -> bool:
    """Return whether a quotation is about a span: same file, and one holds the other or half the shorter's words."""
    if quote is None or document is None or not (document_name == document or document_name.endswith(f"/{document}")):
        return False
    ours, span = plain_text(quoted), plain_text(quote)
    if ours in span or span in ours:
        return bool(ours)
    said, theirs = set(text_terms(ours)), set(text_terms(span))
    return bool(said and theirs) and len(said & theirs) >= TOUCHES_FROM * min(len(said), len(theirs))


def plain_text(text: str) -> str:
    """Return a text without marks of emphasis and with single spaces."""
    return _SPACE.sub(" ", _MARKUP.sub("", text)).strip()
