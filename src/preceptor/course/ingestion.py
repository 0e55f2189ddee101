"""Adding files to a course: read in a child process, cut, stored whole; one report a file, a bad one harms no other.

Adding again goes on where it was: a file that is stored already, read by this version, is passed over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from preceptor.course.course_files import CourseFile, check_name, check_size, find_files, read_file
from preceptor.course.extraction import MEDIA_TYPES, READ_BY, ExtractedDocument, format_of
from preceptor.course.extraction_process import ExtractionProcess
from preceptor.course.passages import cut_pages
from preceptor.course.terms import text_terms
from preceptor.course.tutor_orders import find_orders
from preceptor.domain.course import CoursePage, PageProblem
from preceptor.domain.passage import Document, Passage
from preceptor.errors import InputError, NotFoundError
from preceptor.record.episode_log import Clock, utc_now
from preceptor.settings import CourseSettings
from preceptor.stores.courses import CourseStore, DocumentContent

FileStatus = Literal["added", "changed", "unchanged", "refused"]


@dataclass(frozen=True, kw_only=True)
class FileReport:
    """What became of one file."""

    name: str
    status: FileStatus
    detail: str = ""
    """Why it was refused; one line."""
    document_id: str | None = None
    n_pages: int = 0
    n_passages: int = 0
    kept: int = 0
    """Passages that the stored version had already."""
    replaced: int = 0
    """Passages of the stored version that are no more; what cites them is told."""
    n_problems: int = 0
    """Things about its pages that an instructor should know."""


Progress = Callable[[int, int, str], None]
"""Called before each file with how many are done, how many there are, and its name."""


class CourseIngestion:
    """Adds files to the courses of one store."""

    def __init__(
        self, store: CourseStore, process: ExtractionProcess, settings: CourseSettings, *, clock: Clock = utc_now
    ) -> None:
        """Keep what it works with."""
        self._store, self._process, self._settings, self._clock = store, process, settings, clock

    def add(self, subject_id: str, paths: Sequence[Path], *, progress: Progress | None = None) -> list[FileReport]:
        """Add files and folders.

        Returns:
            One report a file, in order. Each file is stored before the next one is read.

        Raises:
            NotFoundError: There is no such course.
        """
        self._store.course(subject_id)
        files = list(find_files(paths))
        reports: list[FileReport] = []
        for file in files:
            if progress:
                progress(len(reports), len(files), file.name)
            reports.append(self._add_file(subject_id, file))
        if progress:
            progress(len(files), len(files), "")
        return reports

    def add_content(self, subject_id: str, name: str, content: bytes) -> FileReport:
        """Add one file by its bytes, such as an upload.

        Raises:
            InputError: It is refused; the message begins with its name.
            NotFoundError: There is no such course.
        """
        try:
            check_size(len(content), self._settings.max_file_bytes)
            return self._add(subject_id, check_name(name), content)
        except InputError as error:
            raise InputError(f"{ascii(name)[1:-1][:80]}: {error}") from error

    def _add_file(self, subject_id: str, file: CourseFile) -> FileReport:
        try:
            if file.refusal:
                raise InputError(file.refusal)
            format_of(file.name)
            return self._add(subject_id, file.name, read_file(file.path, self._settings.max_file_bytes))
        except InputError as error:
            return FileReport(name=file.name, status="refused", detail=str(error))

    def _add(self, subject_id: str, name: str, content: bytes) -> FileReport:
        form = format_of(name)
        key = document_id(subject_id, name)
        fingerprint = hashlib.sha256(content).hexdigest()
        stored = self._stored(subject_id, key)
        if stored and (stored.fingerprint, stored.read_by) == (fingerprint, READ_BY):
            return FileReport(name=name, status="unchanged", document_id=key, n_pages=stored.n_pages)
        extracted = self._process.extract(content, form)
        document = Document(
            document_id=key,
            subject_id=subject_id,
            name=name,
            media_type=MEDIA_TYPES[form],
            fingerprint=fingerprint,
            n_pages=len(extracted.pages),
            added_at=self._clock(),
            read_by=READ_BY,
        )
        ready = prepare(document, extracted)
        change = self._store.put_document(ready)
        return FileReport(
            name=name,
            status="changed" if stored else "added",
            document_id=key,
            n_pages=len(ready.pages),
            n_passages=len(ready.passages),
            kept=change.kept,
            replaced=change.replaced,
            n_problems=len(ready.problems),
        )

    def _stored(self, subject_id: str, key: str) -> Document | None:
        try:
            return self._store.document(subject_id, key)
        except NotFoundError:
            return None


def document_id(subject_id: str, name: str) -> str:
    """Return the id of the document of a name, which outlives its content."""
    return "d" + hashlib.sha256(f"{subject_id}\x1f{name}".encode()).hexdigest()[:24]


def prepare(document: Document, extracted: ExtractedDocument) -> DocumentContent:
    """Return what is stored of a file that was read."""
    pages = [
        CoursePage(
            page=number,
            text=page.text,
            fingerprint=hashlib.sha256(page.text.encode()).hexdigest(),
            headings=page.headings,
        )
        for number, page in enumerate(extracted.pages, start=1)
    ]
    passages = cut_pages(document, pages)
    return DocumentContent(
        document=document,
        pages=pages,
        passages=passages,
        words={passage.passage_id: passage_words(passage) for passage in passages},
        problems=tuple(_problems(pages, extracted)),
    )


def passage_words(passage: Passage) -> tuple[str, ...]:
    """Return the words that find a passage: its own and those of its headings."""
    return tuple(text_terms("\n".join((*passage.heading_path, passage.text))))


def _problems(pages: Sequence[CoursePage], extracted: ExtractedDocument) -> Iterable[PageProblem]:
    for page, read in zip(pages, extracted.pages, strict=True):
        for problem in read.problems:
            yield replace(problem, page=page.page)
            if problem.kind in ("hidden_text", "comment"):
                yield from find_orders(page.page, problem.excerpt)
        if not page.text.strip() and not any(one.kind in ("no_text", "hidden_text") for one in read.problems):
            yield PageProblem(page=page.page, kind="no_text", detail="the page is empty")
        yield from find_orders(page.page, page.text)
