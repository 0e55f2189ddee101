"""What the repository holds and how it came to it: funnel counts (A26) and compactness (A39)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from preceptor.domain.learner_state import Emotion, ErrorType, Intent, StruggleStatus
from preceptor.experience.calibration import Thresholds
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.state_relatedness import ENOUGH_CANDIDATES
from preceptor.stores.experiences import ExperienceQuery

ALL_STATES = len(Emotion) * len(Intent) * len(ErrorType) * len(StruggleStatus)


@dataclass(frozen=True, kw_only=True)
class RepositoryReport:
    """The figures of one repository at one moment."""

    embedder: str
    thresholds: Thresholds
    funnel: Mapping[str, int]
    """Counts that the distillation stored: turns seen, meaningful, routed, revised per round, passed, dropped."""
    outcomes: Mapping[str, int]
    """Lines of the audit log by outcome."""
    n_active: int
    n_disabled: int
    n_superseded: int
    n_distinct_sentences: int
    mean_similarity: float | None
    """Over all pairs of active sentences; `None`: fewer than two."""
    n_states: int
    """States with an active entry, of 1,728."""
    n_states_with_enough: int
    """States with so many that the search stops at all four tags."""
    by_error_and_struggle: Mapping[str, int]
    """Active entries by "error type / struggle status"."""
    mean_utility: float | None
    n_scored_uses: int


def report_repository(repository: ExperienceRepository) -> RepositoryReport:
    """Return the figures of a repository."""
    entries = repository.store.find(ExperienceQuery(statuses=("active", "disabled", "superseded")))
    active = [entry for entry in entries if entry.status == "active"]
    statuses = Counter(entry.status for entry in entries)
    with repository.reading() as index:
        states = index.state_counts()
        mean_similarity = index.mean_similarity()
    by_tags = Counter(f"{entry.state.error_type} / {entry.state.struggle_status}" for entry in active)
    return RepositoryReport(
        embedder=repository.fingerprint,
        thresholds=repository.thresholds,
        funnel=repository.store.counts(),
        outcomes=repository.store.outcome_counts(),
        n_active=statuses["active"],
        n_disabled=statuses["disabled"],
        n_superseded=statuses["superseded"],
        n_distinct_sentences=len({entry.sentence for entry in active}),
        mean_similarity=mean_similarity,
        n_states=len(states),
        n_states_with_enough=sum(n >= ENOUGH_CANDIDATES for n in states.values()),
        by_error_and_struggle=dict(sorted(by_tags.items(), key=lambda pair: (-pair[1], pair[0]))),
        mean_utility=sum(entry.utility for entry in active) / len(active) if active else None,
        n_scored_uses=sum(entry.scored_uses for entry in entries),
    )
