"""The courses of an installation: opening them, adding and removing files, the instructor's mark, pages to cite.

Whoever changes a course must be an instructor; whoever reads one need not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from preceptor.course.extraction_process import ExtractionProcess
from preceptor.course.ingestion import CourseIngestion, FileReport, Progress
from preceptor.course.passage_vectors import PassageVectorWriter
from preceptor.domain.course import Course, CoursePage, PageProblem
from preceptor.domain.passage import Document
from preceptor.domain.principal import Principal
from preceptor.errors import DuplicateError, InputError, NotFoundError
from preceptor.models.embedder import Embedder
from preceptor.record.episode_log import Clock, utc_now
from preceptor.settings import Settings
from preceptor.stores.courses import CourseStore
from preceptor.stores.sql.courses import SqlCourseStore
from preceptor.stores.sql.database import open_database

_SUBJECT = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}\Z")


class CourseLibrary:
    """All courses. Safe to use from several threads; use it with `with`, or `close` it."""

    def __init__(
        self,
        store: CourseStore,
        settings: Settings,
        *,
        embedder: Embedder | None = None,
        process: ExtractionProcess | None = None,
        clock: Clock = utc_now,
    ) -> None:
        """Take over an open store; no process starts before the first file.

        Args:
            store: Its tables.
            settings: Limits of reading.
            embedder: With one, `vectors` can be started; `None`: words must do.
            process: One to share, which its owner closes; `None`: its own.
            clock: The time.

        Raises:
            ModelError: Late interaction is on, and the embedder gives no vector a token.
        """
        self.store = store
        self._clock = clock
        self._process = process or ExtractionProcess(settings.course)
        self._owns_process = process is None
        self._ingestion = CourseIngestion(store, self._process, settings.course, clock=clock)
        tokens = settings.course_retrieval.late_interaction
        self.vectors = None if embedder is None else PassageVectorWriter(store, embedder, tokens=tokens)

    def create(self, principal: Principal, subject_id: str, title: str) -> Course:
        """Make a course.

        Raises:
            InputError: The principal is no instructor, the id is not allowed, or the course is there already.
        """
        _require_instructor(principal, "create a course")
        if not _SUBJECT.match(subject_id):
            raise InputError(f"course {subject_id[:80]!r}: expected 1 to 64 of a-z, 0-9, dot, dash and underscore")
        made = Course(subject_id=subject_id, title=title.strip() or subject_id, created_at=self._clock())
        try:
            self.store.create(made)
        except DuplicateError as error:
            raise InputError(f"course {subject_id!r} is there already") from error
        return made

    def add(
        self, principal: Principal, subject_id: str, paths: Sequence[Path], *, progress: Progress | None = None
    ) -> list[FileReport]:
        """Add files and folders; see `CourseIngestion.add`."""
        _require_instructor(principal, "add files")
        reports = self._ingestion.add(subject_id, paths, progress=progress)
        self._notify()
        return reports

    def add_upload(self, principal: Principal, subject_id: str, name: str, content: bytes) -> FileReport:
        """Add one uploaded file; see `CourseIngestion.add_content`."""
        _require_instructor(principal, "add files")
        report = self._ingestion.add_content(subject_id, name, content)
        self._notify()
        return report

    def remove(self, principal: Principal, subject_id: str, name: str) -> Document:
        """Take a document out of its course, by name or id; return what it was.

        Raises:
            InputError: The principal is no instructor.
            NotFoundError: The course has no such document.
        """
        _require_instructor(principal, "remove files")
        document = self.find(subject_id, name)
        self.store.remove_document(subject_id, document.document_id)
        return document

    def mark_official(self, principal: Principal, subject_id: str, name: str, official: bool) -> Document:
        """Set or take back the official mark of a document, by name or id.

        Raises:
            InputError: The principal is no instructor.
            NotFoundError: The course has no such document.
        """
        _require_instructor(principal, "mark files official")
        document = self.find(subject_id, name)
        self.store.set_official(subject_id, document.document_id, official)
        return self.store.document(subject_id, document.document_id)

    def find(self, subject_id: str, name: str) -> Document:
        """Return a document by its name or id.

        Raises:
            NotFoundError: The course has no such document.
        """
        self.store.course(subject_id)
        for document in self.store.documents(subject_id):
            if name in (document.name, document.document_id):
                return document
        raise NotFoundError(f"no document {name!r} in course {subject_id!r}; see `preceptor course show {subject_id}`")

    def page(self, subject_id: str, document_id: str, page: int) -> CoursePage:
        """Return the stored text that a citation points into."""
        return self.store.page(subject_id, document_id, page)

    def problems(self, principal: Principal, subject_id: str, document_id: str) -> list[PageProblem]:
        """Return what was wrong with a document's pages.

        Raises:
            InputError: The principal is no instructor: hidden text and notes are among it.
        """
        _require_instructor(principal, "see what was found in files")
        return self.store.problems(subject_id, document_id)

    def warm(self) -> None:
        """Start the process that reads files, so that the next file need not wait for it."""
        self._process.warm()

    def close(self) -> None:
        """End the reading process and the background work; the store stays open."""
        if self.vectors is not None:
            self.vectors.stop()
        if self._owns_process:
            self._process.close()

    def _notify(self) -> None:
        if self.vectors is not None:
            self.vectors.notify()


@contextmanager
def open_library(settings: Settings, *, embedder: Embedder | None = None) -> Iterator[CourseLibrary]:
    """Open the courses of an installation, and close its database at the end.

    Raises:
        StoreError: The database cannot be reached.
    """
    database = open_database(home=settings.home, url=settings.store.url)
    library = CourseLibrary(SqlCourseStore(database), settings, embedder=embedder)
    try:
        yield library
    finally:
        library.close()
        database.close()


def _require_instructor(principal: Principal, deed: str) -> None:
    if not principal.may_instruct:
        raise InputError(f"only an instructor may {deed}")
