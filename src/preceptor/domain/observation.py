"""What the observer records about one learner turn. It judges arithmetic, never the person."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Literal

from preceptor.domain.claim import Claim, ClauseKind
from preceptor.domain.frame import Frame
from preceptor.domain.learner_state import LearnerState
from preceptor.domain.usage import Usage

Mark = Literal["right", "wrong", "unsure"]
"""Shown as a tick, a cross or a question mark."""


class ReadingStatus(StrEnum):
    """How much of the utterance was understood."""

    READ = "read"
    PARTLY = "partly"
    UNREAD = "unread"


class MisconceptionKind(StrEnum):
    """A wrong rule that, run on the reference's step graph, gives what the learner wrote."""

    WRONG_OPERATION = "wrong_operation"
    SWAPPED_OPERANDS = "swapped_operands"
    FOREIGN_QUANTITY = "foreign_quantity"
    MISSING_QUANTITY = "missing_quantity"
    DOUBLED_QUANTITY = "doubled_quantity"
    UNIT_NOT_CONVERTED = "unit_not_converted"
    PERCENT_BASE = "percent_base"
    ONE_ITEM_MISSED = "one_item_missed"
    COMPARISON_INVERTED = "comparison_inverted"
    ROUNDING_DIRECTION = "rounding_direction"
    STOPPED_EARLY = "stopped_early"
    ONE_STEP_TOO_MANY = "one_step_too_many"
    CARRIED_VALUE = "carried_value"
    ARITHMETIC_SLIP = "arithmetic_slip"


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """One misconception at one step that explains a wrong value."""

    kind: MisconceptionKind
    node: int
    """Step-graph node at which the wrong rule was run."""
    foreign: Fraction | None = None
    """The quantity that does not belong there, or that is missing, where the rule has one."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How the utterance was understood, in words that can be shown back to the learner."""

    status: ReadingStatus
    read_as: str
    """"24 × 2 = 48 sandwiches"; empty when unread."""
    reason: str | None = None
    """Why something was not read: a code such as `no_number`, `expression_incomplete`, `language`."""
    clauses: tuple[ClauseKind, ...] = ()


@dataclass(frozen=True, kw_only=True)
class JudgedClaim:
    """A claim, the step it belongs to and the mark it gets."""

    claim: Claim
    mark: Mark
    node: int | None = None
    """Matched step; `None`: off the reference."""
    judged_by: Literal["arithmetic", "reference", "tutor"] = "reference"
    """`arithmetic`: from the claim alone; `reference`: by the worked solution; `tutor`: a model's view."""
    read_as: str = ""


@dataclass(frozen=True, kw_only=True)
class Observation:
    """The record of one learner turn."""

    state: LearnerState
    error_detail: str
    """The mistake in words, without numbers or names from the problem; empty if none was seen."""
    struggle_reason: str
    """Why the learner is stuck, in words, without numbers or names; empty if nothing shows it."""
    reading: Reading
    claims: tuple[JudgedClaim, ...] = ()
    frame: Frame | None = None
    """The pending question the utterance was read against."""
    newly_reached: tuple[int, ...] = ()
    reached: frozenset[int] = field(default_factory=frozenset)
    """Step-graph nodes the learner has shown, this turn included."""
    first_wrong_node: int | None = None
    """The step the tutor should look at; `None`: nothing wrong, or not known."""
    explanations: tuple[Explanation, ...] = ()
    solved: bool = False
    """The learner has stated the final answer and it is right."""
    first_answer: Fraction | None = None
    """The learner's first final answer in this dialogue, right or not; `None`: none was given."""
    wrong_line: str | None = None
    """The learner's own line that goes off first, as written; `None`: nothing wrong, or not known."""
    repeats: int = 0
    """How many earlier turns made the same wrong claim."""
    bare_guesses: int = 0
    """Bare final answers in a row without any work shown, this turn included."""
    unread_streak: int = 0
    """Unread turns in a row, this turn included."""
    engine: str = "builtin"
    usage: Usage | None = None
    """The model call behind it; `None`: no model was asked."""
