"""A tutor's reply: one pedagogical move, said in a few sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Literal

from preceptor.domain.frame import Frame
from preceptor.domain.grounding import Grounding
from preceptor.domain.usage import Usage


class Rung(IntEnum):
    """Level of help on the hint ladder; the learner's own last step is on none of them."""

    NONE = 0
    NUDGE = 1
    LOCATE = 2
    NEXT_SUBSTEP = 3
    WORKED_PARALLEL = 4


class Move(StrEnum):
    """One pedagogical act."""

    GREET = "greet"
    ASK_NEXT_QUANTITY = "ask_next_quantity"
    CONFIRM_AND_ADVANCE = "confirm_and_advance"
    ISOLATE_COMPUTATION = "isolate_computation"
    QUESTION_OPERAND = "question_operand"
    QUESTION_DIRECTION = "question_direction"
    CLASHING_FACT = "clashing_fact"
    SMALLER_CASE = "smaller_case"
    WORKED_PARALLEL = "worked_parallel"
    RETURN_TO_AGREED = "return_to_agreed"
    ASK_UNIT = "ask_unit"
    TELL_APART = "tell_apart"
    ASK_FOR_WORK = "ask_for_work"
    REQUEST_FORM = "request_form"
    OFFER_CHOICES = "offer_choices"
    MEANING_OF_PHRASE = "meaning_of_phrase"
    CANNOT_FOLLOW = "cannot_follow"
    ANSWER_QUESTION = "answer_question"
    DECLINE_ANSWER = "decline_answer"
    COMPARE_FIRST_TRY = "compare_first_try"
    CLOSE = "close"
    BACK_TO_TASK = "back_to_task"
    CARE = "care"
    REVEAL = "reveal"
    """The step is given away, as the instructor allows."""
    PLANNING_QUESTION = "planning_question"
    LANGUAGE_LIMIT = "language_limit"
    RECORD_ANSWER = "record_answer"
    """What is on record was told to the learner who asked for it."""
    TAUGHT = "taught"
    """What the learner taught was confirmed."""
    FREE = "free"
    """A model's own reply; the move is not known."""


MEMORY_MOVES = frozenset({Move.RECORD_ANSWER, Move.TAUGHT})
"""Moves beside the task: what was pending before is pending still."""

ExperiencePart = Literal["chosen", "in_prompt", "same_move", "not_followed"]
"""`chosen`: the builtin tutor would have replied otherwise; `in_prompt`: a model was shown it; `same_move`: the reply
is the one without it; `not_followed`: it did not fit, or would have been too much help."""


@dataclass(frozen=True, kw_only=True)
class ExperienceRole:
    """What one retrieved experience had to do with the reply."""

    experience_id: str
    part: ExperiencePart
    reason: str = ""
    """The move that was chosen for it, or why it was not followed."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the tutor says, and what it means by it."""

    text: str
    move: Move
    rung: Rung = Rung.NONE
    node: int | None = None
    """Step-graph node the reply is about."""
    frame: Frame | None = None
    """What the reply asks for; the next utterance is read against it."""
    engine: str = "builtin"
    language: str = "en"
    used_experience_ids: tuple[str, ...] = ()
    """Those whose part is `chosen` or `in_prompt`."""
    experience_roles: tuple[ExperienceRole, ...] = ()
    """One for each retrieved experience that the tutor was given."""
    notes: tuple[str, ...] = field(default=())
    """What happened while it was made ("rewritten: leak", "temperature refused"), for the turn record."""
    usage: Usage | None = None
    """The model call behind it; `None`: no model was asked."""
    memory_ids: tuple[str, ...] = ()
    """Episodes of the learner's own record that it tells, or that a model was shown."""
    grounding: Grounding | None = None
    """What it takes from the course's files; `None`: it was not made from them."""
