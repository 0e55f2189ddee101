"""What the tutor thinks of one learner on one concept: rows that are superseded, never changed into another claim."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Claim = Literal["understands", "struggles", "unsettled"]
"""`unsettled`: nothing is believed now. Such a row only closes what was believed before."""
Predicate = Literal["mastery"]
"""What a claim is about. It has one value at a time, so a row of one predicate never retires another's."""
EvidenceVerdict = Literal["right", "wrong", "denied_understands", "denied_struggles"]
"""Of a check or quiz item; or the learner said that this claim is not true."""
BeliefProvenance = Literal["tutor", "learner", "system"]
"""`tutor`: from checks; `learner`: they said it is not true; `system`: decay and re-derivation."""
BeliefReason = Literal["check", "not_true", "decay", "rederived"]
"""What made the row: a check, the learner's word, time, or today's rules replayed."""
RESETS: frozenset[BeliefReason] = frozenset({"not_true", "rederived"})
"""Rows from which the count of evidence begins anew."""


@dataclass(frozen=True, kw_only=True)
class BeliefEvidence:
    """An episode behind a belief."""

    episode_id: str
    sequence: int
    """Its link in the learner's and subject's chain."""
    verdict: EvidenceVerdict


@dataclass(frozen=True, kw_only=True)
class Belief:
    """One row.

    Two times: `valid_from`/`valid_to` say when it held of the learner, `recorded_at` when the tutor came to think so.
    """

    belief_id: str
    """Follows from the row before it and from what it says: made again from the same log it is the same."""
    learner_id: str
    subject_id: str
    concept_id: str
    predicate: Predicate = "mastery"
    claim: Claim
    confidence: float | None
    """That the claim is true, [0, 1]; `None`: unsettled."""
    provenance: BeliefProvenance
    reason: BeliefReason
    added: tuple[BeliefEvidence, ...] = ()
    """What came with this row."""
    evidence: tuple[BeliefEvidence, ...] = ()
    """Everything it stands on, by sequence: its own and that of the rows before it back to the last reset. Empty where
    it was not read (`Beliefs.current`)."""
    valid_from: datetime
    """Timezone-aware, as all times here."""
    valid_to: datetime | None = None
    """Exclusive; `None`: it still holds. Equal to `valid_from`: we no longer hold that it ever did."""
    recorded_at: datetime
    superseded_by: str | None = None
    """The row that came after; `None`: current."""

    def __post_init__(self) -> None:
        """Refuse a row without scope, with naive times, or with a confidence that does not fit its claim."""
        if not self.learner_id or not self.subject_id or not self.concept_id:
            raise ValueError("a belief needs learner_id, subject_id and concept_id")
        if self.valid_from.utcoffset() is None or self.recorded_at.utcoffset() is None:
            raise ValueError("a belief's times must be timezone-aware")
        if (self.confidence is None) != (self.claim == "unsettled"):
            raise ValueError(f"{self.claim} needs {'no' if self.claim == 'unsettled' else 'a'} confidence")
        if self.confidence is not None and not 0 <= self.confidence <= 1:
            raise ValueError(f"confidence must be in [0, 1], got {self.confidence}")

    @property
    def mastery(self) -> float | None:
        """Predicted share of right checks, [0, 1]: "struggles" with confidence c is 1 - c; `None`: no prediction."""
        if self.confidence is None:
            return None
        return self.confidence if self.claim == "understands" else 1 - self.confidence

    @property
    def to_confirm(self) -> bool:
        """Whether it faded and waits for the next check to confirm it."""
        return self.reason == "decay" and self.claim != "unsettled"

    @property
    def evidence_ids(self) -> tuple[str, ...]:
        """Ids of the episodes it stands on, by sequence."""
        return tuple(one.episode_id for one in self.evidence)
