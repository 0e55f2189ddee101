"""What a learner may see of what is remembered of them: beliefs with their evidence, months, days, what they taught."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from preceptor.domain.belief import BeliefReason, Claim, EvidenceVerdict
from preceptor.domain.concept import ConceptMap
from preceptor.memory.beliefs import CheckTally
from preceptor.memory.calibration import Calibration
from preceptor.stores.nights import Night

LineKind = Literal["problem", "question", "said", "check", "quiz", "taught", "denial", "file", "tutor", "note", "other"]
"""What a line of the record is, for a reader."""


@dataclass(frozen=True, kw_only=True)
class RecordLine:
    """One episode, as its learner may read it."""

    episode_id: str
    subject_id: str
    kind: LineKind
    on: date
    """In the learner's zone then."""
    at: datetime
    """The same moment in that zone."""
    words: str
    """What was said, asked or checked; never a solution."""
    verdict: Literal["right", "wrong"] | None = None
    """Of a check or quiz item that was decided."""
    concept: str = ""
    """What it was put under; empty: nothing."""
    language: str = "en"
    dialogue_id: str | None = None
    turn: int | None = None


@dataclass(frozen=True, kw_only=True)
class EvidenceView:
    """An episode behind a belief."""

    verdict: EvidenceVerdict
    line: RecordLine


@dataclass(frozen=True, kw_only=True)
class BeliefStep:
    """One row of a chain: what was thought from then on, and why."""

    on: date
    claim: Claim
    reason: BeliefReason
    verdict: EvidenceVerdict | None
    """Of what came with the row; `None`: nothing did."""
    count: int = 1
    """Rows of the same kind that follow one another and say the same."""


@dataclass(frozen=True, kw_only=True)
class BeliefView:
    """What the tutor thinks of one concept now."""

    belief_id: str
    concept_id: str
    concept: str
    claim: Claim
    confidence: float
    """[0, 1]; only for a calibrated tutor a probability."""
    rank: int
    """From 1, the surest; equal confidences share one."""
    to_confirm: bool
    """It faded: the next check is to confirm it."""
    since: date
    last: tuple[EvidenceView, ...]
    """The latest three, newest first."""
    n_right: int
    n_wrong: int
    steps: tuple[BeliefStep, ...]
    """How it came about, oldest first."""


@dataclass(frozen=True, kw_only=True)
class DeniedView:
    """A concept of which the learner said that what was thought is not true, and nothing is thought since."""

    concept: str
    claim: Claim
    """What was denied."""
    line: RecordLine


@dataclass(frozen=True, kw_only=True)
class MonthView:
    """One month of the learner's."""

    first_day: date
    problems: int = 0
    questions: int = 0
    messages: int = 0
    right: int = 0
    wrong: int = 0
    taught: int = 0
    other: int = 0
    days: int = 0
    """On which there is something."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is on record."""
        return self.days == 0


@dataclass(frozen=True, kw_only=True)
class DayView:
    """One day's lines, in order."""

    day: date
    lines: tuple[RecordLine, ...]


@dataclass(frozen=True, kw_only=True)
class LearnerMap:
    """A subject's concepts with what one learner taught, and what is thought of each."""

    concepts: ConceptMap
    n_whole: int
    """Concepts of the whole map."""
    beliefs: dict[str, BeliefView]
    """By concept id."""


@dataclass(frozen=True, kw_only=True)
class MemoryPage:
    """Everything that is remembered of one learner's subject."""

    subject_id: str
    subjects: tuple[str, ...]
    beliefs: tuple[BeliefView, ...]
    """The surest first."""
    denied: tuple[DeniedView, ...]
    months: tuple[MonthView, ...]
    """Newest first, empty ones included, from the first with anything to this one."""
    taught: tuple[RecordLine, ...]
    """Newest first."""
    map: LearnerMap
    tally: CheckTally
    calibration: Calibration


@dataclass(frozen=True, kw_only=True)
class NoteView:
    """A day's note of the nightly loop: counts alone, no learner's words."""

    day: date
    counts: dict[str, int]
    right: int
    wrong: int


@dataclass(frozen=True, kw_only=True)
class ChangeView:
    """A belief that came to claim something else."""

    on: date
    concept: str
    claim: Claim
    reason: BeliefReason


@dataclass(frozen=True, kw_only=True)
class MemoryReport:
    """What an instructor sees: how far to trust it. No learner's words."""

    subject_id: str
    subjects: tuple[str, ...]
    calibration: Calibration
    tally: CheckTally
    n_beliefs: int
    to_confirm: tuple[str, ...]
    """Names of concepts whose belief faded."""
    night: Night | None
    """The last that ended; `None`: none has."""
    citations: dict[str, int]
    notes: tuple[NoteView, ...]
    """The latest days' notes, newest first."""
    changes: tuple[ChangeView, ...]
    """The latest, newest first."""
