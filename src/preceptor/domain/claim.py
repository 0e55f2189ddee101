"""A number or equation that a learner or tutor states in free text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class ClauseKind(StrEnum):
    """What one clause of an utterance is."""

    CLAIM = "claim"
    OPERATION = "operation"
    """An operation in words, without its result: "I would subtract the 3"."""
    QUOTATION = "quotation"
    """Quantities of the problem repeated, nothing done with them."""
    QUESTION = "question"
    ACKNOWLEDGEMENT = "acknowledgement"
    CORRECTION = "correction"
    """Takes back or negates a statement: "not 12", "I should have added"."""
    HEDGE = "hedge"
    AFFECT = "affect"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class Operand:
    """One quantity inside an expression."""

    value: Fraction
    text: str
    unit: str | None = None
    noun: str | None = None
    """The counted thing beside the number, lower case, singular: "sandwich"."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One stated value, with the expression it is said to come from."""

    start: int
    end: int
    """Character span in the utterance, end exclusive."""
    text: str
    operands: tuple[Operand, ...] = ()
    """Numbers of the expression in reading order; empty for a bare value."""
    operators: tuple[str, ...] = ()
    """Operators between them in reading order, each one of + - * / ^."""
    computed: Fraction | None = None
    """What the expression gives; `None`: no expression, or one that cannot be computed."""
    value: Fraction | None = None
    """The value stated; `None`: an expression left without a result."""
    unit: str | None = None
    noun: str | None = None
    unknown: str | None = None
    """The name of the unknown where the claim is an equation in one ("x"); `value` is then its solution."""
    rounded: bool = False
    """The stated value is the computed one, rounded as the text says or as its last digit allows."""
    withdrawn: bool = False
    """Corrected, negated or superseded inside the same utterance."""
    hedged: bool = False

    @property
    def true(self) -> bool | None:
        """Whether the arithmetic holds; `None` where there is nothing to compute."""
        if self.value is None or self.computed is None:
            return None
        return self.rounded or self.value == self.computed
