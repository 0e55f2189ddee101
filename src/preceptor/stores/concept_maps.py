"""What the store of concept maps promises: one map a subject, replaced whole, and the readings it was built from.

A subject is required everywhere. What LEARNERS taught is not kept here: it stays in their episodes, where it can be
erased; only what an instructor taught belongs to the subject.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from preceptor.domain.concept import ConceptMap, ConceptMerge, ConceptReading


@dataclass(frozen=True, kw_only=True)
class InstructorNote:
    """Something an instructor taught a subject's map."""

    note_id: str
    subject_id: str
    concept_name: str
    """As the instructor names it; a concept of this exact name gets the note, else one is made."""
    text: str
    language: str
    taught_at: datetime
    """Timezone-aware, UTC."""


class ConceptMapStore(Protocol):
    """The maps of all subjects, and what they are built from."""

    def put_reading(self, reading: ConceptReading) -> None:
        """Store a file's reading in place of an earlier one of the same document."""
        ...

    def readings(self, subject_id: str) -> list[ConceptReading]:
        """Return a subject's readings in the order their documents were first read; empty if unknown."""
        ...

    def remove_reading(self, subject_id: str, document_id: str) -> bool:
        """Remove one document's reading; `False`: there was none in this subject."""
        ...

    def add_note(self, note: InstructorNote) -> None:
        """Store an instructor's note.

        Raises:
            DuplicateError: `note_id` is already stored; nothing is changed.
        """
        ...

    def notes(self, subject_id: str) -> list[InstructorNote]:
        """Return a subject's notes, oldest first; empty if unknown."""
        ...

    def remove_note(self, subject_id: str, note_id: str) -> bool:
        """Remove one note; `False`: there was none in this subject."""
        ...

    def replace_map(self, concepts: ConceptMap, merges: Sequence[ConceptMerge], built_at: datetime) -> int:
        """Store a map and its log of merges in place of the subject's earlier ones; return its revision, from 1."""
        ...

    def load_map(self, subject_id: str) -> ConceptMap | None:
        """Return a subject's map; `None`: none was built."""
        ...

    def revision(self, subject_id: str) -> int:
        """Return how often the subject's map was built; 0: never."""
        ...

    def merges(self, subject_id: str) -> list[ConceptMerge]:
        """Return what the map's building took for one concept, in order."""
        ...

    def subjects(self) -> list[str]:
        """Return the subjects that have a map, in order of their name."""
        ...

    def put_threshold(self, embedder: str, content: Mapping[str, object]) -> None:
        """Store the merge threshold measured for an embedder's fingerprint, in place of an earlier one."""
        ...

    def threshold(self, embedder: str) -> Mapping[str, object] | None:
        """Return what was measured for an embedder; `None`: nothing."""
        ...
