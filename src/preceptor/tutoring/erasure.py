"""Erasing what a learner and the tutor wrote, with every link from teaching experience to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from preceptor.experience.source_erasure import erase_sources
from preceptor.memory.forgetting import erase_with_memory
from preceptor.memory.learner_memory import LearnerMemory
from preceptor.record.erasure_scope import Erasure, ErasureScope
from preceptor.record.record import Record
from preceptor.settings import MemorySettings
from preceptor.stores.protocols import EpisodeQuery


@dataclass(frozen=True, kw_only=True)
class LearnerErasure:
    """What was erased, and which experiences have no source left and are disabled."""

    erasure: Erasure
    disabled: tuple[str, ...]


def erase_of_learner(
    record: Record,
    learner_id: str,
    scope: ErasureScope,
    *,
    actor: str = "system",
    settings: MemorySettings | None = None,
) -> LearnerErasure:
    """Erase a scope of a learner's log, and first the links from experience to the dialogues in it.

    The notes of the days it touches go too, and what is believed is derived again from the rest; `settings` are the
    rules of that (`None`: the defaults). With the whole learner every other row that names them goes.

    What a course could not answer in these dialogues is forgotten too. An experience whose only source is erased is
    disabled and named in the audit log. Where single episodes are erased, the links to their whole dialogues go. With
    the whole learner their consent goes too.

    Raises:
        NotFoundError: The learner has nothing in this scope.
    """
    touched = _dialogues(record, learner_id, scope)
    links = [record.source_link(dialogue_id) for dialogue_id in touched]
    disabled = erase_sources(record.experiences, [*touched, *links], clock=record.clock) if touched else ()
    record.distilled.forget([*touched, *links])
    record.courses.forget_unanswered(touched)
    if scope.whole_learner:
        record.consents.forget(learner_id)
    memory = LearnerMemory(record, settings or MemorySettings())
    return LearnerErasure(erasure=erase_with_memory(memory, learner_id, scope, actor=actor), disabled=disabled)


def _dialogues(record: Record, learner_id: str, scope: ErasureScope) -> Sequence[str]:
    query = EpisodeQuery(
        learner_id=learner_id,
        subject_id=scope.subject_id,
        dialogue_id=scope.dialogue_id,
        episode_ids=scope.episode_ids or None,
    )
    found = {sealed.envelope.dialogue_id for sealed in record.episodes.find(query)}
    return sorted(dialogue_id for dialogue_id in found if dialogue_id)
