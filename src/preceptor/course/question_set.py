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

from preceptor.domain.passage import Passage
from preceptor.errors import InputError

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


def plain_text(text: str) -> str:
    """Return a text without marks of emphasis and with single spaces."""
    return _SPACE.sub(" ", _MARKUP.sub("", text)).strip()
