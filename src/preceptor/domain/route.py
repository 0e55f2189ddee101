"""KITE's classes of help: what kind of answer a learner's question gets, and how much of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Route(StrEnum):
    """One class of help: five and the evaluation of an answer. (seed: KITE)."""

    TRACING = "tracing"
    """A run of a search algorithm: its state is kept, one step is asked about."""
    DEBUGGING = "debugging"
    """Something does not work: hints for checking it oneself."""
    VALIDATION = "validation"
    """Is what I think right: what the course supports is named, then a question."""
    ANSWER_EVALUATION = "answer_evaluation"
    """A whole answer is handed in."""
    CONCEPTUAL = "conceptual"
    """Why, how, what for: an explanation, then a question to think on."""
    DIRECT = "direct"
    """A fact: an explanation from the files."""


PRECEDENCE = tuple(Route)
"""Which route holds where several cues fire, first wins. (chosen: requirements, K17)"""

PROCEDURAL = frozenset({Route.TRACING, Route.DEBUGGING, Route.VALIDATION})
"""Routes on which no whole solution, trace or program is ever given. (seed: KITE)"""


@dataclass(frozen=True, kw_only=True)
class Routed:
    """The route of one turn, and why."""

    route: Route
    cues: tuple[str, ...] = ()
    """Names of the rule table's signals that fired; empty: nothing did, and the last of the precedence was taken."""
    procedural: bool = False
    """No solution may be given: the route is procedural, or the learner asks for their task to be done."""
    tier: int = 0
    """Help of the reply, 0 to 4; 0 on routes that explain."""
    attempt: int = 1
    """How often the learner has come with this, this turn included."""
