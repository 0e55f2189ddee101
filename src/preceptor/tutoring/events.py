"""What happens during one live turn, in order, numbered: a page can resume after any of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from preceptor.domain.observation import Mark
from preceptor.tutoring.sources import SourceView

EventKind = Literal["saved", "reading", "delta", "retracted", "done", "failed"]


@dataclass(frozen=True, kw_only=True)
class RailStep:
    """One of the learner's own lines, for the step rail."""

    text: str
    mark: Mark
    judged_by: Literal["arithmetic", "reference", "tutor"]
    read_as: str


@dataclass(frozen=True, kw_only=True)
class TurnEvent:
    """One event of a running turn.

    * saved: the learner's message is on record (`episode_id`).
    * reading: what was read (`status`, `read_as`, `reason`, `steps`).
    * delta: a guarded sentence of the reply (`text`).
    * retracted: what was streamed so far is void and replaced by the deltas that follow.
    * done: the whole reply (`text`, `rung`, `move`, `engine`, `record_id`); the turn record is stored.
    * failed: the reply broke off (`text`: what to tell the learner); the message stays saved.
    """

    event_id: int
    """From 1, without gaps, per turn."""
    kind: EventKind
    turn: int
    text: str = ""
    status: str = ""
    read_as: str = ""
    reason: str | None = None
    steps: tuple[RailStep, ...] = field(default=())
    rung: int = 0
    move: str = ""
    engine: str = ""
    episode_id: str | None = None
    record_id: str | None = None
    language: str = "en"
    sources: tuple[SourceView, ...] = ()
    """Of `done`: as in `views.TurnView`, and so are the four below."""
    grounding: str = ""
    route: str = ""
    trace_state: dict[str, Any] | None = None
    memory_read: str = ""
