"""The observer's four tags on a learner's turn.

They are teaching signals, not psychological labels, and are never shown to the learner (A9).

Source: REAT, Table 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Emotion(StrEnum):
    """How the learner sounds in this turn."""

    CONFUSED = "Confused"
    FRUSTRATED = "Frustrated"
    NEUTRAL = "Neutral"
    CONFIDENT = "Confident"
    CURIOUS = "Curious"
    RELIEVED = "Relieved"


class Intent(StrEnum):
    """What the learner is doing in this turn."""

    DEBUGGING = "Debugging"
    GUESSING = "Guessing"
    ASK_ANSWER = "Ask_Answer"
    CONFIRM_UNDERSTANDING = "Confirm_Understanding"
    ASK_CONCEPT = "Ask_Concept"
    ASK_EXPLANATION = "Ask_Explanation"
    REQUEST_HINT = "Request_Hint"
    OFF_TOPIC = "Off_Topic"


class ErrorType(StrEnum):
    """The kind of mistake in this turn."""

    CONCEPT_ERROR = "Concept_Error"
    LOGIC_ERROR = "Logic_Error"
    CALCULATION_ERROR = "Calculation_Error"
    CARELESS = "Careless"
    NO_ERROR = "No_Error"
    NOT_APPLICABLE = "N/A"


class StruggleStatus(StrEnum):
    """How this turn stands to the turns before it."""

    FIRST_ATTEMPT = "First_Attempt"
    REPEATED_ERROR = "Repeated_Error"
    PERSISTENT_CONFUSION = "Persistent_Confusion"
    PROGRESSING = "Progressing"
    REGRESSION = "Regression"
    NOT_APPLICABLE = "N/A"


@dataclass(frozen=True, kw_only=True)
class LearnerState:
    """The four tags of one turn."""

    emotion: Emotion = Emotion.NEUTRAL
    intent: Intent = Intent.DEBUGGING
    error_type: ErrorType = ErrorType.NOT_APPLICABLE
    struggle_status: StruggleStatus = StruggleStatus.NOT_APPLICABLE
