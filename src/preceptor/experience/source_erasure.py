"""Removing every link from experience to erased dialogues, whatever compares the sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from preceptor.domain.experience import Experience
from preceptor.record.episode_log import Clock, utc_now
from preceptor.stores.experiences import ExperienceChange, ExperienceDecision, ExperienceStore

SOURCELESS = "every source was erased"
"""Why an entry is disabled that has no source left."""


def erase_sources(store: ExperienceStore, dialogue_ids: Sequence[str], *, clock: Clock = utc_now) -> tuple[str, ...]:
    """Remove every link to erased dialogues; entries with no other source are disabled and named in the audit log.

    Returns:
        The ids of what was disabled.
    """
    gone = set(dialogue_ids)
    while True:
        revision = store.revision()
        before = store.find_by_dialogue(dialogue_ids)
        put = tuple(_without(one, gone) for one in before)
        lines = tuple(
            ExperienceDecision(
                candidate_id=after.experience_id,
                outcome="disabled",
                result_id=after.experience_id,
                reason=SOURCELESS,
                embedder=after.embedder,
                decided_at=clock(),
            )
            for one, after in zip(before, put, strict=True)
            if one.status != after.status
        )
        if not put or store.commit(ExperienceChange(put=put, decisions=lines), expected_revision=revision) is not None:
            break
    store.forget_uses(dialogue_ids)
    return tuple(line.candidate_id for line in lines)


def _without(before: Experience, gone: set[str]) -> Experience:
    left = tuple(source for source in before.provenance.sources if source.dialogue_id not in gone)
    after = replace(before, provenance=replace(before.provenance, sources=left))
    if left or before.status != "active":
        return after
    return replace(after, status="disabled", status_reason=SOURCELESS)
