"""Taking a repository over to another embedder: every sentence is read anew, and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from preceptor.domain.experience import Experience
from preceptor.experience.repository_index import SentenceIndex
from preceptor.experience.repository_vectors import VectorIndex
from preceptor.experience.repository_words import WordIndex
from preceptor.models.embedder import Embedder
from preceptor.record.episode_log import Clock, utc_now
from preceptor.stores.experiences import ExperienceChange, ExperienceDecision, ExperienceQuery, ExperienceStore

_BATCH = 200


def reembed(
    store: ExperienceStore,
    embedder: Embedder | None,
    *,
    clock: Clock = utc_now,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, int]:
    """Bring every entry to the embedder in use; killed half-way, it goes on where it stopped.

    Args:
        store: The entries.
        embedder: `None`: to words.
        clock: Gives the time for the audit log.
        progress: Called with (done, total).

    Returns:
        Counts of `changed` and `disabled`: an active sentence that the embedder gives no vector cannot be found.
    """
    index: SentenceIndex = VectorIndex(embedder) if embedder else WordIndex()
    entries = store.find(ExperienceQuery(statuses=("active", "disabled", "superseded")))
    old = [entry for entry in entries if entry.embedder != index.fingerprint]
    counts = {"changed": 0, "disabled": 0}
    for start in range(0, len(old), _BATCH):
        changes = [_taken_over(entry, index, clock) for entry in old[start : start + _BATCH]]
        counts["changed"] += len(changes)
        counts["disabled"] += sum(bool(change.decisions) for change in changes)
        store.commit(_together(changes))
        progress(min(start + _BATCH, len(old)), len(old))
    return counts


def _taken_over(entry: Experience, index: SentenceIndex, clock: Clock) -> ExperienceChange:
    after = replace(entry, embedder=index.fingerprint)
    if index.can_read(entry.sentence):
        vector = index.stored_form(entry.sentence)
        return ExperienceChange(put=(after,), vectors={} if vector is None else {entry.experience_id: vector})
    if entry.status != "active":
        return ExperienceChange(put=(after,))
    reason = "the embedder cannot read its sentence"
    line = ExperienceDecision(
        candidate_id=entry.experience_id,
        outcome="disabled",
        result_id=entry.experience_id,
        reason=reason,
        embedder=index.fingerprint,
        decided_at=clock(),
    )
    return ExperienceChange(put=(replace(after, status="disabled", status_reason=reason),), decisions=(line,))


def _together(changes: list[ExperienceChange]) -> ExperienceChange:
    return ExperienceChange(
        put=tuple(entry for change in changes for entry in change.put),
        vectors={key: vector for change in changes for key, vector in change.vectors.items()},
        decisions=tuple(line for change in changes for line in change.decisions),
    )
