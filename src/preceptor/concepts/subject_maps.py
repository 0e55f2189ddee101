"""The maps of an installation: reading files into them, building them again, teaching them, holding them ready."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from threading import Lock
from typing import Any, cast

from preceptor.concepts.building import BuiltMap, build_map
from preceptor.concepts.calibration import MergeThreshold, default_threshold
from preceptor.concepts.from_problems import problems_map
from preceptor.concepts.reader import ConceptReader, Material
from preceptor.concepts.teaching import Taught, teach
from preceptor.concepts.vectors import ConceptVectors, embed_concepts
from preceptor.domain.concept import ConceptMap, ConceptReading
from preceptor.domain.problem import Problem
from preceptor.models.embedder import Embedder, open_embedder
from preceptor.settings import Settings
from preceptor.stores.concept_maps import ConceptMapStore, InstructorNote
from preceptor.stores.sql.concept_maps import SqlConceptMapStore
from preceptor.stores.sql.database import open_database

PROBLEM_SUBJECT = "maths"
"""The subject that has a map without any file: the concepts of word problems."""
HELD_SUBJECTS = 16
"""So many maps are held ready at once. (chosen)"""


def _now() -> datetime:
    return datetime.now(UTC)


class SubjectMaps:
    """All maps. Safe to use from several threads."""

    def __init__(
        self, store: ConceptMapStore, embedder: Embedder | None = None, clock: Callable[[], datetime] = _now
    ) -> None:
        """Take over an open store.

        Args:
            store: Its tables.
            embedder: Merges names and makes vectors in the languages it speaks; `None`: words must do.
            clock: The time.
        """
        self.store = store
        self._embedder = embedder
        self._clock = clock
        self._lock = Lock()
        self._held: dict[str, tuple[int, ConceptMap]] = {}
        self._vectors: dict[str, tuple[ConceptMap, ConceptVectors]] = {}

    async def read(self, material: Material, reader: ConceptReader, engine: str) -> ConceptReading | None:
        """Read a file into its subject's readings; `None`: this engine read this very file already.

        The map is not built again: call `rebuild` after the last file.

        Raises:
            ModelError: The reader's model failed; nothing is changed.
        """
        for held in self.store.readings(material.subject_id):
            if (held.document_id, held.fingerprint, held.engine) == (
                material.document_id,
                material.fingerprint,
                engine,
            ) and material.fingerprint:
                return None
        reading = await reader.read(material)
        self.store.put_reading(reading)
        return reading

    def rebuild(
        self, subject_id: str, *, documents: Collection[str] | None = None, problems: Sequence[Problem] = ()
    ) -> BuiltMap:
        """Build a subject's map from what was read and taught, and store it in place of the old one.

        Args:
            subject_id: The subject.
            documents: Ids of the documents that the subject still has; readings of others go. `None`: all stay.
            problems: Problems whose concepts belong to the map; the subject "maths" has the whole table of them anyway.
        """
        readings = self.store.readings(subject_id)
        for reading in readings if documents is not None else ():
            if documents is not None and reading.document_id not in documents:
                self.store.remove_reading(subject_id, reading.document_id)
        kept = [one for one in readings if documents is None or one.document_id in documents]
        table = None
        if problems or subject_id == PROBLEM_SUBJECT:
            table = problems_map(subject_id, () if subject_id == PROBLEM_SUBJECT else problems)
        built = build_map(subject_id, kept, embedder=self._embedder, threshold=self.threshold(), problems=table)
        held = built.map
        for note in self.store.notes(subject_id):
            held = teach(held, note.concept_name, note.text, language=note.language).map
        self.store.replace_map(held, built.merges, self._clock())
        return BuiltMap(map=held, merges=built.merges)

    def map(self, subject_id: str) -> ConceptMap:
        """Return a subject's map; empty where none was built, the concepts of word problems for "maths"."""
        revision = self.store.revision(subject_id)
        with self._lock:
            known = self._held.get(subject_id)
            if known is not None and known[0] == revision:
                return known[1]
        found = self.store.load_map(subject_id)
        if found is None:
            found = problems_map(subject_id) if subject_id == PROBLEM_SUBJECT else ConceptMap(subject_id=subject_id)
        with self._lock:
            while len(self._held) >= HELD_SUBJECTS:
                self._held.pop(next(iter(self._held)))
            self._held[subject_id] = (revision, found)
        return found

    def vectors(self, concepts: ConceptMap) -> ConceptVectors | None:
        """Return the vectors of a map that `map` gave; `None` without an embedder. Made once a map, then held."""
        if self._embedder is None:
            return None
        with self._lock:
            known = self._vectors.get(concepts.subject_id)
        if known is not None and known[0] is concepts:
            return known[1]
        made = embed_concepts(concepts, self._embedder)
        with self._lock:
            while len(self._vectors) >= HELD_SUBJECTS:
                self._vectors.pop(next(iter(self._vectors)))
            self._vectors[concepts.subject_id] = (concepts, made)
        return made

    def teach(self, subject_id: str, concept_name: str, note: str, *, language: str) -> Taught:
        """Store an INSTRUCTOR's note with the subject, for every learner; a learner's belongs into an episode.

        Raises:
            InputError: The note is empty or too long, or names no concept; nothing is stored.
        """
        taught = teach(self.map(subject_id), concept_name, note, language=language)
        self.store.add_note(
            InstructorNote(
                note_id=uuid.uuid4().hex,
                subject_id=subject_id,
                concept_name=concept_name,
                text=note,
                language=language,
                taught_at=self._clock(),
            )
        )
        self.store.replace_map(taught.map, self.store.merges(subject_id), self._clock())
        return taught

    def threshold(self) -> MergeThreshold | None:
        """Return from which similarity on names are merged; `None` without an embedder."""
        if self._embedder is None:
            return None
        stored = self.store.threshold(self._embedder.fingerprint)
        if stored is None:
            return default_threshold(self._embedder.fingerprint)
        return MergeThreshold(**cast(dict[str, Any], dict(stored)))

    def put_threshold(self, threshold: MergeThreshold) -> None:
        """Store a measured threshold with the embedder it belongs to."""
        self.store.put_threshold(threshold.embedder, asdict(threshold))


@contextmanager
def open_subject_maps(settings: Settings) -> Iterator[SubjectMaps]:
    """Open the maps of an installation, and close its database at the end.

    Raises:
        StoreError: The database cannot be reached.
    """
    database = open_database(home=settings.home, url=settings.store.url)
    try:
        yield SubjectMaps(SqlConceptMapStore(database), open_embedder(settings))
    finally:
        database.close()
