"""What a page or terminal may show of a dialogue: never the solution, the answer, or the four tags."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from preceptor.domain.observation import JudgedClaim, Observation
from preceptor.tutoring.events import RailStep, TurnEvent
from preceptor.tutoring.sources import SourceView as SourceView


@dataclass(frozen=True, kw_only=True)
class TurnView:
    """One turn as its learner sees it."""

    turn: int
    learner: str
    mode: str
    """"message", "check_step" or "stuck"."""
    reply: str | None
    """`None` while the reply is being made, or where it broke off."""
    rung: int = 0
    engine: str = ""
    language: str = "en"
    status: str = ""
    """"read", "partly" or "unread"; empty where the turn was not read."""
    read_as: str = ""
    reason: str | None = None
    steps: tuple[RailStep, ...] = field(default=())
    sources: tuple[SourceView, ...] = ()
    """What the reply rests on: files first, then episodes. What was read and not used is not among them."""
    grounding: str = ""
    """A `GroundingStatus`; empty where the reply was not made from the course."""
    route: str = ""
    """KITE's class of help; empty on turns that no route was taken for."""
    attempt: int = 0
    """How often the learner had come with this; 0: not counted."""
    trace_state: dict[str, Any] | None = None
    """OPEN, CLOSED and current node after the last right step of a trace, see `tracing.state_view`."""
    memory_read: str = ""
    """How the read of memory went, a `SourceRead` status; empty: not known."""


@dataclass(frozen=True, kw_only=True)
class HelpAtStep:
    """Hints that the learner used before one solved step."""

    step: str
    """The learner's own line that reached the step."""
    hints: int


@dataclass(frozen=True, kw_only=True)
class DialogueView:
    """One dialogue as its learner sees it."""

    dialogue_id: str
    problem_id: str
    problem_text: str
    subject_id: str
    language: str
    """Reply language, pinned for the dialogue."""
    turns: tuple[TurnView, ...]
    rung: int
    """Help given at the step in question."""
    solved: bool
    guarded: bool
    """A reference is known, so that the answer can be kept back."""
    notice: str | None
    """What the learner should know about this problem; a key of the page's texts."""
    help_trend: tuple[HelpAtStep, ...] = ()
    pending: bool = False
    """The learner's last message has no reply yet."""


@dataclass(frozen=True, kw_only=True)
class DialogueSummary:
    """One line of the list of dialogues."""

    dialogue_id: str
    title: str
    last_at: datetime
    solved: bool


def rail_step(judged: JudgedClaim) -> RailStep:
    """Return one of the learner's own lines for the step rail."""
    return RailStep(text=judged.claim.text, mark=judged.mark, judged_by=judged.judged_by, read_as=judged.read_as)


def rail_steps(observation: Observation | None) -> tuple[RailStep, ...]:
    """Return the lines of one turn for the step rail."""
    return tuple(rail_step(judged) for judged in observation.claims) if observation else ()


def reading_event(turn: int, observation: Observation) -> TurnEvent:
    """Return what the learner is told of how a message was read."""
    reading = observation.reading
    return TurnEvent(
        event_id=0,
        kind="reading",
        turn=turn,
        status=reading.status.value,
        read_as=reading.read_as,
        reason=reading.reason,
        steps=rail_steps(observation),
        engine=observation.engine,
    )
