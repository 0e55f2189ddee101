"""A conversation about one problem."""

from __future__ import annotations

from dataclasses import dataclass

from preceptor.domain.frame import Frame
from preceptor.domain.problem import Problem


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One learner utterance with the reply to it."""

    learner: str
    """What the learner wrote; empty where the tutor opens."""
    tutor: str | None = None
    """The reply; `None` while it is being made."""
    frame: Frame | None = None
    """What the reply asks for, if whoever made it recorded that; `None`: read it from the reply's text."""


@dataclass(frozen=True, kw_only=True)
class Dialogue:
    """A whole conversation about one problem."""

    dialogue_id: str
    problem: Problem | None
    turns: tuple[Turn, ...]
    persona: str | None = None
    source: str | None = None
    licence: str | None = None
    subject_id: str = "maths"
