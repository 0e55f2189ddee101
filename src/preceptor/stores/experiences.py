"""The contract of the store of teaching experience: entries, their vectors, the audit log and the scored uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from preceptor.domain.experience import Experience, ExperienceStatus
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus

DecisionOutcome = Literal["inserted", "duplicate", "merged", "rejected", "disabled", "enabled"]


@dataclass(frozen=True, kw_only=True)
class ExperienceDecision:
    """One line of the repository's audit log: what was done with an experience, and why."""

    candidate_id: str
    """The experience it was about."""
    outcome: DecisionOutcome
    other_id: str | None = None
    """What it was compared with: the most similar entry of a related state; `None`: there was none."""
    result_id: str | None = None
    """The entry that stands for it now: itself, the duplicate, or the merged one; `None`: rejected."""
    similarity: float | None = None
    threshold: float | None = None
    """The threshold that decided."""
    reason: str = ""
    embedder: str = ""
    """Fingerprint of what measured the similarity."""
    decided_at: datetime


@dataclass(frozen=True, kw_only=True)
class ExperienceUse:
    """One scored use: the turn that was told of an experience, and the critic's score of it."""

    experience_id: str
    dialogue_id: str
    turn: int
    score: float
    """Percent."""
    baseline_score: float | None = None
    """The score without experience for the same problem and persona, percent; `None`: not known."""
    utility_after: float = 0.0
    used_at: datetime


@dataclass(frozen=True, kw_only=True)
class ExperienceChange:
    """What one commit writes; all or nothing."""

    put: tuple[Experience, ...] = ()
    """Stored, or replaced where the id is stored."""
    vectors: Mapping[str, bytes] = field(default_factory=dict)
    """Id → float16, little endian. An entry put without one keeps the one it has."""
    decisions: tuple[ExperienceDecision, ...] = ()
    uses: tuple[ExperienceUse, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ExperienceQuery:
    """Which experiences; every field narrows the choice."""

    statuses: tuple[ExperienceStatus, ...] = ("active",)
    error_type: ErrorType | None = None
    struggle_status: StruggleStatus | None = None
    emotion: Emotion | None = None
    intent: Intent | None = None
    made_by: Literal["builtin", "llm"] | None = None
    simulated: bool | None = None
    text: str = ""
    """Part of the sentence, whatever its case."""
    changed_after: int | None = None
    """Only entries that a commit after this revision wrote."""
    limit: int | None = None
    offset: int = 0


@dataclass(frozen=True, kw_only=True)
class VectorReading:
    """Every active vector of one embedder as it stood at one moment."""

    revision: int
    n: int
    keys: Iterator[tuple[str, LearnerState]]
    """Ids and states in the order they were stored; read them before `vectors`."""
    vectors: Iterator[bytes]
    """In the same order."""


class ExperienceStore(Protocol):
    """The experience repository's tables. It compares and decides nothing."""

    def revision(self) -> int:
        """Return the number of the last commit; 0: none yet."""
        ...

    def commit(self, change: ExperienceChange, *, expected_revision: int | None = None) -> int | None:
        """Write a change; return its revision, or `None`, with nothing written, where another commit came first.

        Raises:
            DuplicateError: A use of this experience in this turn is stored.
        """
        ...

    def get(self, experience_id: str) -> Experience:
        """Return one experience, whatever its status.

        Raises:
            NotFoundError: No experience has this id.
        """
        ...

    def find(self, query: ExperienceQuery) -> list[Experience]:
        """Return experiences in the order they were stored."""
        ...

    def find_by_dialogue(self, dialogue_ids: Sequence[str]) -> list[Experience]:
        """Return the experiences that name one of these dialogues as a source, in the order they were stored."""
        ...

    def children(self, experience_id: str) -> list[Experience]:
        """Return what an experience was merged into."""
        ...

    def open_vectors(self, embedder: str) -> AbstractContextManager[VectorReading]:
        """Open the active vectors of one embedder in a snapshot that no commit changes."""
        ...

    def vector(self, experience_id: str) -> bytes | None:
        """Return one stored vector."""
        ...

    def decisions(self, experience_id: str | None = None, *, limit: int | None = None) -> list[ExperienceDecision]:
        """Return the audit log, oldest first: all of it, or the lines that name one experience."""
        ...

    def first_decision(self, candidate_id: str) -> ExperienceDecision | None:
        """Return what was decided when this candidate came; `None`: it never came."""
        ...

    def outcome_counts(self) -> Mapping[str, int]:
        """Return how many lines of the audit log have each outcome."""
        ...

    def uses(self, experience_id: str) -> list[ExperienceUse]:
        """Return the scored uses of an experience, oldest first."""
        ...

    def forget_uses(self, dialogue_ids: Sequence[str]) -> int:
        """Delete the link between erased dialogues and experiences used in them; utilities stay."""
        ...

    def embedders(self) -> Mapping[str, int]:
        """Return how many active entries each embedder's fingerprint has."""
        ...

    def thresholds(self, embedder: str) -> Mapping[str, object] | None:
        """Return what was stored for an embedder."""
        ...

    def put_thresholds(self, embedder: str, content: Mapping[str, object]) -> None:
        """Store or replace an embedder's thresholds."""
        ...

    def counts(self, batch: str | None = None) -> Mapping[str, int]:
        """Return the funnel's counts of one batch, or their sums over all."""
        ...

    def put_counts(self, batch: str, counts: Mapping[str, int]) -> None:
        """Store or replace the funnel's counts of one batch."""
        ...
