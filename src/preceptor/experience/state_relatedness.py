"""Which learner states are the same or closely related, and the levels at which they are searched.

Source: REAT, equation 10 and Algorithm 1 ask for "same or closely related" states; the groups and levels are ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus

Level = Literal[0, 1, 2]
"""0: all four tags equal; 1: error type and struggle group; 2: error type only."""

LEVELS: tuple[Level, ...] = (0, 1, 2)
ENOUGH_CANDIDATES = 3
"""The search stops at the first level that has so many. (chosen: one near miss and one duplicate leave a choice)"""

STRUGGLE_GROUPS: tuple[frozenset[StruggleStatus], ...] = (
    frozenset({StruggleStatus.FIRST_ATTEMPT, StruggleStatus.PROGRESSING}),
    frozenset({StruggleStatus.REPEATED_ERROR, StruggleStatus.PERSISTENT_CONFUSION, StruggleStatus.REGRESSION}),
    frozenset({StruggleStatus.NOT_APPLICABLE}),
)
EMOTION_GROUPS: tuple[frozenset[Emotion], ...] = (
    frozenset({Emotion.CONFUSED, Emotion.FRUSTRATED}),
    frozenset({Emotion.NEUTRAL, Emotion.CONFIDENT, Emotion.CURIOUS, Emotion.RELIEVED}),
)
INTENT_GROUPS: tuple[frozenset[Intent], ...] = (
    frozenset({Intent.ASK_ANSWER, Intent.GUESSING}),
    frozenset({Intent.ASK_CONCEPT, Intent.ASK_EXPLANATION}),
    frozenset({Intent.REQUEST_HINT, Intent.DEBUGGING}),
    frozenset({Intent.CONFIRM_UNDERSTANDING}),
    frozenset({Intent.OFF_TOPIC}),
)
STRUGGLE_GROUP: dict[StruggleStatus, int] = {
    status: place for place, group in enumerate(STRUGGLE_GROUPS) for status in group
}
EMOTION_GROUP: dict[Emotion, int] = {emotion: place for place, group in enumerate(EMOTION_GROUPS) for emotion in group}
INTENT_GROUP: dict[Intent, int] = {intent: place for place, group in enumerate(INTENT_GROUPS) for intent in group}


def error_types_match(one: ErrorType, other: ErrorType) -> bool:
    """Whether two error types are equal, or one of them says nothing."""
    return one is other or ErrorType.NOT_APPLICABLE in (one, other)


def matches_at(level: Level, one: LearnerState, other: LearnerState) -> bool:
    """Whether two states match at a level; symmetric, and what matches at one level matches at each later one."""
    if not error_types_match(one.error_type, other.error_type):
        return False
    if level == 0:
        return (one.emotion, one.intent, one.struggle_status) == (other.emotion, other.intent, other.struggle_status)
    if level == 1:
        return STRUGGLE_GROUP[one.struggle_status] == STRUGGLE_GROUP[other.struggle_status]
    return True


def closely_related(one: LearnerState, other: LearnerState) -> bool:
    """Whether two experiences may be compared as duplicates: every tag equal or in the same group (A32)."""
    return (
        error_types_match(one.error_type, other.error_type)
        and STRUGGLE_GROUP[one.struggle_status] == STRUGGLE_GROUP[other.struggle_status]
        and EMOTION_GROUP[one.emotion] == EMOTION_GROUP[other.emotion]
        and INTENT_GROUP[one.intent] == INTENT_GROUP[other.intent]
    )


def first_sufficient_level(counts: Iterable[int], enough: int = ENOUGH_CANDIDATES) -> Level:
    """Return the first level with enough candidates, else the last; `counts` are per level, in order."""
    for level, count in zip(LEVELS, counts, strict=False):
        if count >= enough:
            return level
    return LEVELS[-1]
