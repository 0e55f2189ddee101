"""What one installation opens of its courses: files, maps and search, opened once, shared by whoever shows them."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Protocol

from preceptor.concepts.builtin_reader import ENGINE, BuiltinConceptReader
from preceptor.concepts.course_material import course_materials
from preceptor.concepts.subject_maps import SubjectMaps
from preceptor.course.library import CourseLibrary
from preceptor.course.passage_vectors import PassageVectorWriter
from preceptor.course.retrieved import RetrievedPassages
from preceptor.domain.concept import ConceptMap
from preceptor.errors import MissingExtraError, ModelError, SettingsError
from preceptor.models.embedder import Embedder
from preceptor.record.episode_log import Clock, utc_now
from preceptor.settings import Settings
from preceptor.stores.concept_maps import ConceptMapStore
from preceptor.stores.courses import CourseStore

_LOG = logging.getLogger(__name__)


class CourseSearch(Protocol):
    """Searches courses from memory."""

    def prepare(self, subject_id: str) -> object:
        """Read a course into memory."""
        ...

    def search(self, subject_id: str, query: str, *, language: str | None = None) -> RetrievedPassages:
        """Return what a course holds on a query; see `CourseRetrieval.search`."""
        ...


class OpenCourses:
    """The courses of an installation, ready to be read, searched and changed. Safe to use from several threads."""

    def __init__(
        self,
        store: CourseStore,
        maps: ConceptMapStore,
        settings: Settings,
        *,
        search: CourseSearch,
        embedder: Callable[[], Embedder | None],
        clock: Clock = utc_now,
    ) -> None:
        """Take over open stores; nothing is read and no process or thread starts before `start` or a first use.

        Args:
            store: Courses; stays open.
            maps: Concept maps; stays open.
            settings: Limits of reading.
            search: The one of the live turn.
            embedder: Gives the one that is shared; called in the background only.
            clock: The time.
        """
        self.store = store
        self.search = search
        self.library = CourseLibrary(store, settings, clock=clock)
        self.maps = SubjectMaps(maps, clock=clock)
        self._map_store = maps
        self._embedder = embedder
        self._language = settings.language
        self._late_interaction = settings.course_retrieval.late_interaction
        self._clock = clock
        self._starting: threading.Thread | None = None

    def start(self) -> None:
        """Begin the background work: the process that reads files, and vectors that passages lack."""
        self._starting = threading.Thread(target=self._start, name="course-start", daemon=True)
        self._starting.start()

    def renew(self, subject_id: str) -> None:
        """Bring index and concept map of a course up to its files; takes seconds, so never while a request waits.

        Raises:
            NotFoundError: There is no such course.
        """
        self.search.prepare(subject_id)
        self.rebuild_map(subject_id)

    def rebuild_map(self, subject_id: str) -> ConceptMap:
        """Read what changed into the concept map of a course and return it.

        The builtin reader reads; a file that some engine has read as it now is, is not read again, and `preceptor map
        build` reads with the engine of the settings.

        Raises:
            NotFoundError: There is no such course, or it lost a page meanwhile.
        """
        self.store.course(subject_id)
        maps = SubjectMaps(self._map_store, self._shared_embedder(), self._clock)
        known = {(one.document_id, one.fingerprint) for one in maps.store.readings(subject_id)}
        documents = {one.document_id for one in self.store.documents(subject_id)}
        reader = BuiltinConceptReader()
        for material in course_materials(self.store, subject_id, self._language):
            if (material.document_id, material.fingerprint) not in known:
                asyncio.run(maps.read(material, reader, ENGINE))
        return maps.rebuild(subject_id, documents=documents).map

    def close(self) -> None:
        """End the background work; the stores stay open."""
        if self._starting is not None:
            self._starting.join()
        self.library.close()

    def _start(self) -> None:
        self.library.warm()
        embedder = self._shared_embedder()
        if embedder is not None:
            self.library.vectors = self._writer(embedder)
            self.library.vectors.start()

    def _writer(self, embedder: Embedder) -> PassageVectorWriter:
        try:
            return PassageVectorWriter(self.store, embedder, tokens=self._late_interaction)
        except ModelError as error:
            _LOG.warning("courses get no token vectors: %s", error)
            return PassageVectorWriter(self.store, embedder)

    def _shared_embedder(self) -> Embedder | None:
        try:
            return self._embedder()
        except (SettingsError, ModelError, MissingExtraError) as error:
            _LOG.warning("courses are read without vectors: %s", error)
            return None
