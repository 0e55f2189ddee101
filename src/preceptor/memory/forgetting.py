"""What an erasure takes with it in memory: the notes of the days it touches go too, and what is left is derived again.

Index entries, vectors, later facts, beliefs and self-models go in the erasure's own transaction (`stores.sql.derived`).
A note is an episode, so it is erased like one, before the rest: a crash in between leaves no headline behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

from preceptor.domain.episode import Episode
from preceptor.domain.scope import Scope
from preceptor.memory.consolidation import NEVER_COUNTED, local_day
from preceptor.memory.learner_memory import LearnerMemory
from preceptor.record.episode_log import opened
from preceptor.record.erasure_scope import Erasure, ErasureScope
from preceptor.stores.protocols import EpisodeQuery


@dataclass(frozen=True, kw_only=True)
class _Note:
    scope: Scope
    day: date
    episode_id: str


def erase_with_memory(memory: LearnerMemory, learner_id: str, scope: ErasureScope, *, actor: str = "system") -> Erasure:
    """Erase a scope of a learner's log with everything memory made of it.

    Args:
        memory: Over the record that is erased from.
        learner_id: Whose.
        scope: What is to go.
        actor: Who asked for it.

    Returns:
        What was erased, the days' notes included.

    Raises:
        NotFoundError: The learner has nothing in this scope.
    """
    record = memory.record
    notes = [] if scope.whole_learner or scope.subject_id is not None else _notes(memory, learner_id, scope)
    first = Erasure(episodes=0, scrubbed=True)
    if notes:
        ids = tuple(note.episode_id for note in notes if note.episode_id not in scope.episode_ids)
        if ids:
            first = record.log.erase(learner_id, ErasureScope(episode_ids=ids), actor=actor)
    then = record.log.erase(learner_id, scope, actor=actor)
    if scope.whole_learner:
        record.learner_rows.forget(learner_id)
    else:
        _derive_again(memory, learner_id, notes)
    return Erasure(episodes=first.episodes + then.episodes, scrubbed=then.scrubbed)


def _notes(memory: LearnerMemory, learner_id: str, scope: ErasureScope) -> list[_Note]:
    """Return the notes of the days from which something is to be erased."""
    query = EpisodeQuery(learner_id=learner_id, dialogue_id=scope.dialogue_id, episode_ids=scope.episode_ids or None)
    touched: dict[str, set[date]] = {}
    for episode in _find(memory, query):
        if episode.kind == "consolidation":
            touched.setdefault(episode.subject_id, set()).add(_day_of(episode))
        elif episode.kind not in NEVER_COUNTED:
            touched.setdefault(episode.subject_id, set()).add(local_day(episode))
    notes = []
    for subject_id, days in sorted(touched.items()):
        kinds = EpisodeQuery(learner_id=learner_id, subject_id=subject_id, kinds=("consolidation",))
        for one in _find(memory, kinds):
            if _day_of(one) in days:
                own = Scope(learner_id=learner_id, subject_id=subject_id)
                notes.append(_Note(scope=own, day=_day_of(one), episode_id=one.episode_id))
    return notes


def _derive_again(memory: LearnerMemory, learner_id: str, notes: Sequence[_Note]) -> None:
    for head in memory.record.episodes.heads(learner_id):
        own = Scope(learner_id=learner_id, subject_id=head.subject_id)
        memory.beliefs.catch_up(own)
        days = sorted({note.day for note in notes if note.scope == own})
        if days:
            left = _find(memory, EpisodeQuery(learner_id=learner_id, subject_id=own.subject_id))
            memory.nightly.consolidate(own, days, left)


def _find(memory: LearnerMemory, query: EpisodeQuery) -> list[Episode]:
    found = [opened(sealed) for sealed in memory.record.episodes.find(query)]
    return [one for one in found if one.body is not None]


def _day_of(note: Episode) -> date:
    return date.fromisoformat(str(cast(dict[str, Any], note.body)["day"]))
