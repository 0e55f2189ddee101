"""The four tags of a turn from what was read and judged (A8). Teaching signals, shown to no learner."""

from __future__ import annotations

from dataclasses import dataclass

from preceptor.domain.learner_state import Emotion, ErrorType, LearnerState, StruggleStatus
from preceptor.domain.observation import Explanation, MisconceptionKind
from preceptor.pedagogy.affect import read_emotion
from preceptor.pedagogy.intent import read_intent
from preceptor.pedagogy.progress import Progress

_ERROR_TYPES: dict[MisconceptionKind, ErrorType] = {
    MisconceptionKind.WRONG_OPERATION: ErrorType.CONCEPT_ERROR,
    MisconceptionKind.COMPARISON_INVERTED: ErrorType.CONCEPT_ERROR,
    MisconceptionKind.SWAPPED_OPERANDS: ErrorType.CONCEPT_ERROR,
    MisconceptionKind.PERCENT_BASE: ErrorType.CONCEPT_ERROR,
    MisconceptionKind.UNIT_NOT_CONVERTED: ErrorType.CONCEPT_ERROR,
    MisconceptionKind.ROUNDING_DIRECTION: ErrorType.CONCEPT_ERROR,
    MisconceptionKind.FOREIGN_QUANTITY: ErrorType.LOGIC_ERROR,
    MisconceptionKind.MISSING_QUANTITY: ErrorType.LOGIC_ERROR,
    MisconceptionKind.DOUBLED_QUANTITY: ErrorType.LOGIC_ERROR,
    MisconceptionKind.STOPPED_EARLY: ErrorType.LOGIC_ERROR,
    MisconceptionKind.ONE_STEP_TOO_MANY: ErrorType.LOGIC_ERROR,
    MisconceptionKind.CARRIED_VALUE: ErrorType.LOGIC_ERROR,
    MisconceptionKind.ONE_ITEM_MISSED: ErrorType.CARELESS,
    MisconceptionKind.ARITHMETIC_SLIP: ErrorType.CALCULATION_ERROR,
}
"""What kind of mistake a misconception is. (chosen: which operation or relation is a matter of concept, which
quantity where is a matter of logic; REAT gives the values, not the mapping)"""


@dataclass(frozen=True, kw_only=True)
class TurnSigns:
    """What the tags are made from."""

    utterance: str
    has_claim: bool
    bare_guess: bool
    slipped: bool
    """The arithmetic of a claim does not hold."""
    repeated_slip: bool
    wrong: bool
    """Something was marked wrong, or is explained by a misconception."""
    right: bool
    newly_reached: bool
    repeats: int
    regressed: bool
    read: bool
    explanations: tuple[Explanation, ...]


def tag_turn(signs: TurnSigns, before: Progress) -> LearnerState:
    """Return the four tags of a turn."""
    emotion = read_emotion(signs.utterance)
    return LearnerState(
        emotion=emotion,
        intent=read_intent(signs.utterance, has_claim=signs.has_claim, bare_guess=signs.bare_guess),
        error_type=_error_type(signs, before),
        struggle_status=_struggle(signs, before, emotion),
    )


def _error_type(signs: TurnSigns, before: Progress) -> ErrorType:
    if signs.slipped:
        careless = before.errors == 0 and bool(before.reached or signs.right)
        return ErrorType.CARELESS if careless and not signs.repeated_slip else ErrorType.CALCULATION_ERROR
    if signs.wrong:
        kinds = [_ERROR_TYPES[explanation.kind] for explanation in signs.explanations]
        if kinds:
            return max(kinds, key=lambda kind: (kinds.count(kind), -kinds.index(kind)))
        return ErrorType.LOGIC_ERROR
    if signs.right:
        return ErrorType.NO_ERROR
    return ErrorType.NOT_APPLICABLE


def _struggle(signs: TurnSigns, before: Progress, emotion: Emotion) -> StruggleStatus:
    if signs.wrong or signs.slipped:
        if signs.regressed:
            return StruggleStatus.REGRESSION
        if signs.repeats or signs.repeated_slip:
            return StruggleStatus.REPEATED_ERROR
        if signs.newly_reached:
            return StruggleStatus.PROGRESSING
        if before.errors >= 2 and before.stuck >= 2:
            return StruggleStatus.PERSISTENT_CONFUSION
        return StruggleStatus.FIRST_ATTEMPT if before.turns == 0 else _later(before)
    if signs.newly_reached or signs.right:
        return StruggleStatus.FIRST_ATTEMPT if before.turns == 0 else StruggleStatus.PROGRESSING
    if before.stuck >= 2 and (emotion in {Emotion.CONFUSED, Emotion.FRUSTRATED} or not signs.read):
        return StruggleStatus.PERSISTENT_CONFUSION
    if before.turns == 0 and signs.has_claim:
        return StruggleStatus.FIRST_ATTEMPT
    return StruggleStatus.NOT_APPLICABLE


def _later(before: Progress) -> StruggleStatus:
    """A new mistake after earlier ones is still confusion; after clean turns it is a first attempt at something."""
    return StruggleStatus.PERSISTENT_CONFUSION if before.errors >= 2 else StruggleStatus.FIRST_ATTEMPT
