"""What an instructor sees of learners' dialogues: flagged turns, why a hint was given, which pages are cited.

Looking into another learner's dialogue is itself put on record, before anything of it is shown.
"""

from __future__ import annotations

from preceptor.domain.principal import Principal
from preceptor.errors import InputError
from preceptor.record.record import Record
from preceptor.record.safety_queue import FlaggedTurn
from preceptor.stores.protocols import Access
from preceptor.tutoring.cited_pages import CitedPage, cited_pages
from preceptor.tutoring.hint_reason import HintReason, hint_reasons
from preceptor.tutoring.memory_sources import with_memory_sources
from preceptor.tutoring.stored_dialogue import dialogue_view, load_dialogue
from preceptor.tutoring.views import DialogueView


class InstructorDesk:
    """Reads the record for instructors; every call refuses whoever is none."""

    def __init__(self, record: Record) -> None:
        """Take the record."""
        self._record = record

    def flagged(self, principal: Principal, *, limit: int = 100) -> tuple[FlaggedTurn, ...]:
        """Return the instructor's queue, newest first.

        Raises:
            InputError: The principal is no instructor.
        """
        return self._record.safety_queue.list(principal, limit=limit)

    def open_flagged(self, principal: Principal, *, learner_id: str, dialogue_id: str) -> DialogueView:
        """Return a flagged transcript as its learner sees it; that it was opened is stored first.

        Raises:
            InputError: The principal is no instructor, or nothing in this dialogue is flagged.
            NotFoundError: There is no such dialogue.
        """
        self._record.safety_queue.open(principal, learner_id, dialogue_id)
        stored = load_dialogue(self._record.log, learner_id, dialogue_id)
        return with_memory_sources(dialogue_view(stored), stored, self._record.episodes, learner_id)

    def hint_reasons(
        self, principal: Principal, dialogue_id: str, *, learner_id: str | None = None
    ) -> tuple[HintReason, ...]:
        """Return, turn by turn, what teaching experience had to do with the replies.

        That an instructor looks into another learner's dialogue is stored first.

        Args:
            principal: Who is asking.
            dialogue_id: Which dialogue.
            learner_id: Whose; `None`: the principal's own.

        Raises:
            InputError: The principal is no instructor.
            NotFoundError: There is no such dialogue.
        """
        _require_instructor(principal, "why a hint was given")
        whose = learner_id or principal.learner_id
        dialogue = load_dialogue(self._record.log, whose, dialogue_id)
        if whose != principal.learner_id:
            self._record.accesses.add(
                Access(
                    reader_id=principal.learner_id,
                    learner_id=whose,
                    dialogue_id=dialogue_id,
                    accessed_at=self._record.clock(),
                )
            )
        return hint_reasons(dialogue)

    def cited_pages(self, principal: Principal, subject_id: str, *, limit: int) -> tuple[CitedPage, ...]:
        """Return the pages of a course that replies cite most; counts only.

        Raises:
            InputError: The principal is no instructor.
        """
        _require_instructor(principal, "which pages are cited")
        return cited_pages(self._record.episodes, self._record.courses, subject_id, limit=limit)


def _require_instructor(principal: Principal, what: str) -> None:
    if not principal.may_instruct:
        raise InputError(f"{what} is the instructor's to see: this principal holds other roles only")
