"""What the observer records about a reply once it is known: what the tutor did, never how good it was.

Source: REAT, equation 3 in its offline mode and Figure 8 ("only objectively record teachers' behaviors").
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from preceptor.domain.usage import Usage


class TutorMove(StrEnum):
    """The four kinds of reply that MathDial's teachers chose from while they wrote."""

    FOCUS = "focus"
    """Turns the learner to one aspect: asks for a strategy, recalls a fact, guides to the next step."""
    PROBING = "probing"
    """Asks for an explanation or a check of what the learner did, or changes the problem."""
    TELLING = "telling"
    """Reveals a strategy, a step or the answer."""
    GENERIC = "generic"
    """Greets, closes, praises, asks in general."""


class Behaviour(StrEnum):
    """One thing that a reply does."""

    ASKS_QUANTITY = "asks_quantity"
    ASKS_OPERATION = "asks_operation"
    ASKS_TO_EXPLAIN = "asks_to_explain"
    ASKS_MEANING = "asks_meaning"
    ASKS_TO_RECHECK = "asks_to_recheck"
    ASKS_COMPARISON = "asks_comparison"
    ASKS_AGREEMENT = "asks_agreement"
    POINTS_TO_TEXT = "points_to_text"
    POINTS_TO_STEP = "points_to_step"
    NAMES_MISTAKE = "names_mistake"
    NAMES_OPERATION = "names_operation"
    STATES_FACT = "states_fact"
    STATES_STEP = "states_step"
    STATES_ANSWER = "states_answer"
    WORKS_SIMILAR_CASE = "works_similar_case"
    SHRINKS_CASE = "shrinks_case"
    SPLITS_TASK = "splits_task"
    CONFIRMS = "confirms"
    CREDITS_PART = "credits_part"
    PRAISES = "praises"
    ACKNOWLEDGES_FEELING = "acknowledges_feeling"
    REPEATS_ITSELF = "repeats_itself"
    MOVES_ON = "moves_on"
    GREETS = "greets"


@dataclass(frozen=True, kw_only=True)
class TutorEvidence:
    """The record of one reply in its turn."""

    move: TutorMove
    meaningful: bool
    """Whether the turn is pedagogically meaningful: the learner said something about the matter, the reply answered
    it. Other turns are not scored and not distilled, and counted (A11)."""
    skipped_because: str = ""
    """Why it is not meaningful, as a code such as `greeting`; empty where it is."""
    behaviours: tuple[Behaviour, ...] = ()
    """What the reply does, in a fixed order."""
    summary: str = ""
    """What happened between learner and tutor, objective, without numbers or names of the problem."""
    engine: str = "builtin"
    usage: Usage | None = None
    """The model call behind it; `None`: no model was asked."""
