"""A problem a learner works on, and what its instructor accepts as an answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

AnswerForm = Literal["any", "reduced", "mixed", "decimal"]
UnitRule = Literal["required", "optional", "forbidden"]
PercentReading = Literal["fraction", "number"]
NumberLocale = Literal["en", "de"]


@dataclass(frozen=True, kw_only=True)
class AnswerPolicy:
    """What counts as the same answer on one item; the course decides, not the reader."""

    form: AnswerForm = "any"
    """`reduced` wants lowest terms, `mixed` a mixed or whole number, `decimal` no fraction bar."""
    units: UnitRule = "optional"
    """`optional`: a bare number is read in the reference's unit; a wrong unit is wrong under each rule."""
    tolerance: Fraction = Fraction(0)
    """Largest accepted absolute difference, in the reference's unit."""
    locale: NumberLocale = "en"
    """`en`: 1,000.5; `de`: 1.000,5."""
    percent_as: PercentReading = "fraction"
    """`fraction`: 50 % is 0.5; `number`: 50 % and 50 are the same answer."""

    def __post_init__(self) -> None:
        """Refuse a tolerance that no answer could satisfy."""
        if self.tolerance < 0:
            raise ValueError(f"tolerance must be 0 or more, got {self.tolerance}")


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One problem: the text the learner sees and, where known, its worked solution and answer."""

    problem_id: str
    text: str
    solution: str | None = None
    """Worked solution, one step a line; never shown to the learner."""
    answer: str | None = None
    """Final answer as written by its author; never shown to the learner."""
    language: str = "en"
    """BCP 47 tag of the text."""
    source: str | None = None
    licence: str | None = None
    subject_id: str = "maths"
    policy: AnswerPolicy = field(default_factory=AnswerPolicy)

    def __post_init__(self) -> None:
        """Refuse what the two databases would treat differently, and an empty text."""
        if not self.text.strip():
            raise ValueError(f"problem {self.problem_id!r}: text must not be empty")
        for name in ("problem_id", "text", "solution", "answer"):
            value = getattr(self, name)
            if value is not None and "\x00" in value:
                raise ValueError(f"problem {self.problem_id!r}: {name} must not contain NUL")
