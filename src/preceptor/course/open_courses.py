"""Everything one installation opens of its courses: files, maps and search over one database, opened once, shared."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Protocol

from preceptor.concepts.builtin_reader import ENGINE, BuiltinConceptReader
from preceptor.concepts.course_material import course_materials
from preceptor.concepts.map_passages import MapPassages
from preceptor.concepts.subject_maps import SubjectMaps
from preceptor.course.library import CourseLibrary
from preceptor.course.retrieval import CourseRetrieval
from preceptor.course.retrieved import RetrievedPassages
from preceptor.domain.concept import ConceptMap
from preceptor.errors import NotFoundError, PreceptorError
from preceptor.models.embedder import Embedder, open_embedder
from preceptor.record.episode_log import Clock, utc_now
from preceptor.settings import Settings
from preceptor.stores.sql.concept_maps import SqlConceptMapStore
from preceptor.stores.sql.courses import SqlCourseStore
from preceptor.stores.sql.database import Database, open_database

WORD_FOLDER = "word_vectors"
"""Folder in the home folder where vectors of the courses' words are kept."""
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
        database: Database,
        settings: Settings,
        *,
        embedder: Embedder | None = None,
        search: CourseSearch | None = None,
        clock: Clock = utc_now,
    ) -> None:
        """Take over an open database; nothing is read and no process or thread starts before `start` or a first use.

        Args:
            database: Closed with this.
            settings: Limits of reading and numbers of retrieval.
            embedder: `None`: words must do.
            search: One that the live turn has too, which somebody else gets ready at the start; `None`: its own.
            clock: The time.
        """
        self._database = database
        self._language = settings.language
        self._stopping = threading.Event()
        self._starting: threading.Thread | None = None
        self.library = CourseLibrary(SqlCourseStore(database), settings, embedder=embedder, clock=clock)
        self.store = self.library.store
        self.maps = SubjectMaps(SqlConceptMapStore(database), embedder, clock)
        self._owns_search = search is None
        self.retrieval: CourseSearch = search or CourseRetrieval(
            self.store,
            embedder=embedder,
            settings=settings.course_retrieval,
            concepts=MapPassages(self.maps, self.store, language=settings.language),
            word_folder=settings.home / WORD_FOLDER,
        )

    def start(self) -> None:
        """Begin the background work: the reading process, owed vectors, and each course's index in memory."""
        self.library.warm()
        if self.library.vectors is not None:
            self.library.vectors.start()
        if self._owns_search:
            self._starting = threading.Thread(target=self._prepare_all, name="course-indexes", daemon=True)
            self._starting.start()

    def renew(self, subject_id: str) -> None:
        """Bring index and concept map of a course up to its files; takes seconds, so never while a request waits.

        Files are read for the map by the builtin reader only; `preceptor map build` uses the one of the settings.

        Raises:
            NotFoundError: There is no such course.
        """
        self.retrieval.prepare(subject_id)
        self.rebuild_map(subject_id)

    def rebuild_map(self, subject_id: str) -> ConceptMap:
        """Read what changed into the concept map of a course and return it.

        A file that some engine has read as it now is, is not read again.

        Raises:
            NotFoundError: There is no such course, or it lost a page meanwhile.
        """
        self.store.course(subject_id)
        known = {(one.document_id, one.fingerprint) for one in self.maps.store.readings(subject_id)}
        documents = {one.document_id for one in self.store.documents(subject_id)}
        reader = BuiltinConceptReader()
        for material in course_materials(self.store, subject_id, self._language):
            if (material.document_id, material.fingerprint) not in known:
                asyncio.run(self.maps.read(material, reader, ENGINE))
        return self.maps.rebuild(subject_id, documents=documents).map

    def close(self) -> None:
        """End the background work and close the database."""
        self._stopping.set()
        if self._starting is not None:
            self._starting.join()
        self.library.close()
        self._database.close()

    def _prepare_all(self) -> None:
        for course in self.store.courses():
            if self._stopping.is_set():
                return
            try:
                self.retrieval.prepare(course.subject_id)
            except NotFoundError:
                continue
            except PreceptorError as error:
                _LOG.warning("course %s is not ready to be searched: %s", course.subject_id, type(error).__name__)


def open_courses(
    settings: Settings,
    *,
    embedder: Callable[[], Embedder | None] | None = None,
    search: CourseSearch | None = None,
    clock: Clock = utc_now,
) -> OpenCourses:
    """Open the courses of an installation.

    Args:
        settings: Where they lie and how they are read.
        embedder: Gives the one to share; `None`: that of the settings is opened.
        search: The live turn's, to share; `None`: its own.
        clock: The time.

    Raises:
        StoreError: The database cannot be reached.
        ModelError: The embedder's or reranker's files cannot be read.
    """
    chosen = embedder() if embedder is not None else open_embedder(settings)
    database = open_database(home=settings.home, url=settings.store.url)
    try:
        return OpenCourses(database, settings, embedder=chosen, search=search, clock=clock)
    except BaseException:
        database.close()
        raise
