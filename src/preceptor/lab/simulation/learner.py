"""The learner simulator's role: says the next thing a learner would say, and knows whether it is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from preceptor.domain.dialogue import Turn
from preceptor.domain.problem import Problem
from preceptor.maths.step_graph import StepGraph


@dataclass(frozen=True, kw_only=True)
class LearnerClaim:
    """One value the simulated learner states, with what the simulator knows about it."""

    start: int
    end: int
    """Span in the move's text, end exclusive."""
    value: Fraction
    on_route: bool | None
    """Whether it belongs to a true way to the answer, the reference's or another: then marking it wrong is an error,
    else marking it right. `None`: true as a step, not as what it is offered for (stopped early): either mark passes."""
    arithmetic_holds: bool | None
    """Whether the stated calculation is true; `None`: a value without one."""
    node: int | None = None
    """Step-graph node it is meant for; `None`: a step of another route, or no step of this problem."""
    final: bool = False
    """Stated as the final answer."""


@dataclass(frozen=True, kw_only=True)
class LearnerMove:
    """What the learner says in one turn."""

    text: str
    ended: bool
    """The learner leaves after this; the tutor answers it once more."""
    act: str
    """What the learner does, for the transcript: attempt, answer, final, agree, dont_know, beg, insult, …"""
    claims: tuple[LearnerClaim, ...] = ()


class SimulatedLearner(Protocol):
    """One simulated learner at work on one problem.

    An instance lives for one dialogue; the same seed and the same replies give the same moves.
    """

    @property
    def name(self) -> str:
        """Short name for tables."""
        ...

    def next_utterance(self, problem: Problem, graph: StepGraph, dialogue: Sequence[Turn]) -> LearnerMove:
        """Return the next move.

        Args:
            problem: What is worked on.
            graph: Its worked solution; the simulator may look at it, the tutor under test gets it another way.
            dialogue: Earlier turns, oldest first, each with its reply. Where the tutor opened, the first `learner`
                is empty.
        """
        ...
