"""The payload of one kind of episode: what every kind must say of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict

from preceptor.domain.episode import SALIENCE, Provenance

BodyT = TypeVar("BodyT", bound="Body")

SUMMARY_CHARS = 200
"""Longest one-line summary made from a text. (chosen: a headline; the whole text is in the body)"""


class Body(BaseModel, ABC):
    """The payload of one kind of episode."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    kind: ClassVar[str]
    actor: ClassVar[str]
    """Who does this, unless the caller says otherwise."""
    provenance: ClassVar[Provenance]

    @abstractmethod
    def headline(self) -> str:
        """Return the episode's summary, one line."""

    def salience(self) -> float | None:
        """Return the write-time salience, [0, 1]; `None`: this kind has none."""
        return SALIENCE.get(self.kind)


def one_line(text: str) -> str:
    """Return a text's start as one line of at most `SUMMARY_CHARS` characters."""
    line = " ".join(text.split())
    return line if len(line) <= SUMMARY_CHARS else line[: SUMMARY_CHARS - 1] + "…"
