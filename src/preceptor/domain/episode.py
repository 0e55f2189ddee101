"""One event in a learner's log: the envelope every kind shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

EpisodeKind = Literal[
    "question", "answer", "check", "hint", "reveal", "turn_record", "correction", "safety_flag", "erasure",
    "quiz", "taught", "file", "consolidation", "denial",
]  # fmt: skip
"""Kinds written by this version. An unknown kind read from a log still verifies and exports."""

Provenance = Literal["learner", "tutor", "system", "recalled", "imported", "simulated"]

SALIENCE: Mapping[str, float] = {
    "question": 0.35,
    "answer": 0.45,
    "check_missed": 0.7,
    "check_passed": 0.6,
    "quiz_missed": 0.7,
    "quiz_passed": 0.6,
    "taught": 0.85,
    "file": 0.5,
    "consolidation": 0.4,
    "denial": 0.85,
}
"""Write-time salience, [0, 1]. question, checks, taught: "A Tutor That Remembers"; quizzes as checks, the rest chosen:
a file is context, notes about notes rank low, what a learner denies they asked to be kept, as what they taught."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Where in the course's files an episode's statement comes from."""

    document_id: str
    page: int | None
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class NewEpisode:
    """An event to be appended; the log adds ids of its own, times and the chain.

    `summary` and `body` are payload: erased together, attested by a commitment, never in the envelope.
    """

    learner_id: str
    subject_id: str
    kind: str
    actor: str
    """Who did it: "learner", "tutor", "instructor", "system" or an engine's name."""
    provenance: Provenance
    summary: str
    """One line, in the learner's language."""
    body: Mapping[str, object]
    """JSON-serialisable payload; its shape follows kind and kind_version."""
    kind_version: int = 1
    dialogue_id: str | None = None
    turn: int | None = None
    """0-based index of the turn in its dialogue."""
    parent_id: str | None = None
    language: str = "en"
    occurred_at: datetime | None = None
    """Timezone-aware; `None`: now."""
    time_zone: str = "UTC"
    """The learner's IANA zone."""
    salience: float | None = None
    """[0, 1]; `None`: not scored."""
    concept_ids: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    episode_id: str | None = None
    """Given only where the caller must know it before the append; `None`: the log makes one."""

    def __post_init__(self) -> None:
        """Refuse what the log could not keep."""
        if self.occurred_at is not None and self.occurred_at.utcoffset() is None:
            raise ValueError("occurred_at must be timezone-aware")
        if self.salience is not None and not 0 <= self.salience <= 1:
            raise ValueError(f"salience must be in [0, 1], got {self.salience}")


@dataclass(frozen=True, kw_only=True)
class Episode:
    """An event as the log holds it."""

    episode_id: str
    learner_id: str
    subject_id: str
    sequence: int
    """Position in the learner's and subject's chain, from 1."""
    kind: str
    kind_version: int
    actor: str
    provenance: str
    language: str
    time_zone: str
    occurred_at: datetime
    recorded_at: datetime
    commitment: str
    """HMAC-SHA256 over nonce and payload, hex: it stays when the payload is erased."""
    previous_hash: str
    chain_hash: str
    dialogue_id: str | None = None
    turn: int | None = None
    parent_id: str | None = None
    salience: float | None = None
    concept_ids: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    summary: str | None = None
    """`None` once erased."""
    body: Mapping[str, object] | None = field(default=None)
    """`None` once erased."""
