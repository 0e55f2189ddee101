"""The tutor role."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Protocol

from preceptor.domain.observation import Observation
from preceptor.domain.passage import Passage
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.domain.route import Routed
from preceptor.pedagogy.turn_context import TurnContext


@dataclass(frozen=True, kw_only=True)
class ExperienceAdvice:
    """A retrieved piece of teaching experience: guidance, never a template (A5)."""

    experience_id: str
    strategy: str
    """A value of `domain.experience.Strategy`."""
    text: str
    """What to do, one thing a line, the most useful first: a prompt's share may cut the rest."""
    source: str = ""
    """Where it comes from and how it fared, one line (A4)."""


@dataclass(frozen=True, kw_only=True)
class TutorTurn:
    """Everything the tutor is given for one reply."""

    context: TurnContext
    observation: Observation
    rung: Rung = Rung.NONE
    """Help already given at the step in question; the reply may go one rung higher."""
    stuck: bool = False
    """The learner pressed "I'm stuck"."""
    check_requested: bool = False
    """The learner pressed "check my step"."""
    earlier_moves: tuple[tuple[Move, int | None], ...] = ()
    """The moves of the tutor's earlier replies, each with its step-graph node; empty where they are not recorded."""
    experience: tuple[ExperienceAdvice, ...] = ()
    """Best first; empty: nothing was retrieved."""
    memory: str = ""
    course: str = ""
    """Passages as the prompt shows them, numbered from 1, one a line."""
    passages: tuple[Passage, ...] = ()
    """The same, in their order: what a number in the reply points to."""
    in_course: bool = False
    """The course's files hold the answer, by the calibrated decision."""
    routed: Routed | None = None
    """KITE's class of help; `None`: the turn is about a problem."""
    avoid: tuple[str, ...] = field(default=())
    """Sentences of earlier drafts that the guard refused, each as "reason: sentence"; not to be said again."""


class Tutor(Protocol):
    """Answers the learner with one pedagogical move."""

    def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        """Yield pieces of the reply's text as they come, then once, last, the whole `Reply`.

        Raises:
            ModelError: The model failed or broke off; pieces already yielded are not a whole reply.
        """
        ...
