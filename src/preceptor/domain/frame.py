"""What the tutor's last turn asked for: a short reply means nothing without it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class FrameKind(StrEnum):
    """The kind of reply that the tutor's question asks for."""

    VALUE = "value"
    CHOICE = "choice"
    OPERATION = "operation"
    YES_NO = "yes_no"
    EXPLAIN = "explain"
    RESTATE = "restate"
    OPEN = "open"
    """No question, or one that asks for nothing in particular."""


@dataclass(frozen=True, kw_only=True)
class Frame:
    """The tutor's pending question."""

    kind: FrameKind
    node: int | None = None
    """Index of the step-graph node the question is about; `None`: none known."""
    value: Fraction | None = None
    """The value that would answer it; `None`: none known."""
    options: tuple[str, ...] = ()
    """The choices offered, in order, for `CHOICE`."""
    own_instance: bool = True
    """False where the question is about a changed or smaller case, not the learner's problem."""
