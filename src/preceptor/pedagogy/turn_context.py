"""What observer and tutor see of one live turn."""

from __future__ import annotations

from dataclasses import dataclass

from preceptor.domain.dialogue import Turn
from preceptor.domain.problem import Problem
from preceptor.maths.step_graph import StepGraph


@dataclass(frozen=True, kw_only=True)
class TurnContext:
    """The problem, the conversation so far and the utterance to be answered."""

    problem: Problem
    graph: StepGraph | None
    """The worked solution's graph; `None`: no solution is known, or none could be read."""
    history: tuple[Turn, ...]
    """Earlier turns, oldest first, each with its reply. Where the tutor opened, the first `learner` is empty."""
    utterance: str
    language: str = "en"
    """Reply language of the session."""
    said: tuple[str, ...] = ()
    """What this tutor would have said at earlier turns, where the history holds another tutor's replies."""
