"""Course files' tables on either database."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from sqlalchemy import Connection, Row, Select, delete, exists, insert, select, update

from preceptor.domain.course import Course, CoursePage, EvidenceStatus, Heading, PageProblem
from preceptor.domain.passage import Document, Passage
from preceptor.errors import NotFoundError
from preceptor.stores.courses import DocumentChange, DocumentContent, PassageVectors, UnansweredQuestion
from preceptor.stores.instants import instant_from, instant_text
from preceptor.stores.sql.course_documents import (
    drop_passages,
    is_stored,
    next_revision,
    portions,
    put_document,
    put_pages,
    put_passages,
    scope_of,
    stored_passages,
)
from preceptor.stores.sql.course_tables import (
    COURSE,
    COURSE_DOCUMENT,
    COURSE_PAGE,
    COURSE_PASSAGE,
    COURSE_PASSAGE_PAST,
    COURSE_PROBLEM,
    COURSE_UNANSWERED,
    COURSE_VECTOR,
)
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import as_json, find_words


class SqlCourseStore:
    """`CourseStore` on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        """Keep the database; nothing is read yet."""
        self._database = database

    def create(self, course: Course) -> None:
        """See `CourseStore.create`."""
        row = {"subject_id": course.subject_id, "title": course.title, "created_at": instant_text(course.created_at)}
        with self._database.write() as connection:
            connection.execute(insert(COURSE).values(**row, revision=0))

    def course(self, subject_id: str) -> Course:
        """See `CourseStore.course`."""
        with self._database.read() as connection:
            row = connection.execute(select(COURSE).where(COURSE.c.subject_id == subject_id)).first()
        if row is None:
            raise NotFoundError(f"no course {subject_id!r}")
        return _course(row)

    def courses(self) -> list[Course]:
        """See `CourseStore.courses`."""
        with self._database.read() as connection:
            return [_course(row) for row in connection.execute(select(COURSE).order_by(COURSE.c.position))]

    def revision(self, subject_id: str) -> int:
        """See `CourseStore.revision`."""
        with self._database.read() as connection:
            return _revision(connection, subject_id)

    def put_document(self, content: DocumentContent) -> DocumentChange:
        """See `CourseStore.put_document`."""
        with self._database.write() as connection:
            next_revision(connection, content.document.subject_id)
            if is_stored(connection, content.document):
                return DocumentChange(kept=len(content.passages), added=0, replaced=0)
            put_document(connection, content.document)
            put_pages(connection, content)
            return put_passages(connection, content)

    def remove_document(self, subject_id: str, document_id: str) -> int:
        """See `CourseStore.remove_document`."""
        with self._database.write() as connection:
            _require_document(connection, subject_id, document_id)
            next_revision(connection, subject_id)
            stored = stored_passages(connection, document_id)
            drop_passages(connection, document_id, stored)
            connection.execute(delete(COURSE_DOCUMENT).where(COURSE_DOCUMENT.c.document_id == document_id))
        return len(stored)

    def set_official(self, subject_id: str, document_id: str, official: bool) -> None:
        """See `CourseStore.set_official`."""
        with self._database.write() as connection:
            _require_document(connection, subject_id, document_id)
            next_revision(connection, subject_id)
            here = COURSE_DOCUMENT.c.document_id == document_id
            connection.execute(update(COURSE_DOCUMENT).where(here).values(official=int(official)))

    def documents(self, subject_id: str) -> list[Document]:
        """See `CourseStore.documents`."""
        chosen = select(COURSE_DOCUMENT).where(COURSE_DOCUMENT.c.subject_id == subject_id)
        with self._database.read() as connection:
            rows = connection.execute(chosen).all()
        return sorted((_document(row) for row in rows), key=lambda document: document.name)

    def document(self, subject_id: str, document_id: str) -> Document:
        """See `CourseStore.document`."""
        with self._database.read() as connection:
            return _document(_require_document(connection, subject_id, document_id))

    def page(self, subject_id: str, document_id: str, page: int) -> CoursePage:
        """See `CourseStore.page`."""
        chosen = select(COURSE_PAGE).where(COURSE_PAGE.c.document_id == document_id, COURSE_PAGE.c.page == page)
        with self._database.read() as connection:
            document = _document(_require_document(connection, subject_id, document_id))
            row = connection.execute(chosen).first()
        if row is None:
            raise NotFoundError(f"no page {page} in {document.name!r}: it has {document.n_pages}")
        headings = tuple(Heading(start=a, end=b, level=level, text=text) for a, b, level, text in _list(row.headings))
        return CoursePage(page=row.page, text=row.text, fingerprint=row.fingerprint, headings=headings)

    def problems(self, subject_id: str, document_id: str) -> list[PageProblem]:
        """See `CourseStore.problems`."""
        table = COURSE_PROBLEM.c
        chosen = select(COURSE_PROBLEM).where(table.document_id == document_id).order_by(table.page, table.position)
        with self._database.read() as connection:
            _require_document(connection, subject_id, document_id)
            rows = connection.execute(chosen).all()
        return [PageProblem(page=row.page, kind=row.kind, detail=row.detail, excerpt=row.excerpt) for row in rows]

    def passages(self, subject_id: str) -> list[Passage]:
        """See `CourseStore.passages`."""
        chosen = _passages().where(COURSE_PASSAGE.c.subject_id == subject_id).order_by(*_READING_ORDER)
        with self._database.read() as connection:
            return [_passage(row) for row in connection.execute(chosen)]

    def passage(self, passage_id: str) -> Passage:
        """See `CourseStore.passage`."""
        with self._database.read() as connection:
            row = connection.execute(_passages().where(COURSE_PASSAGE.c.passage_id == passage_id)).first()
        if row is None:
            raise NotFoundError(f"no passage {passage_id!r}")
        return _passage(row)

    def passage_status(self, passage_id: str) -> Literal["holds", "superseded", "removed"]:
        """See `CourseStore.passage_status`."""
        now = select(COURSE_PASSAGE.c.passage_id).where(COURSE_PASSAGE.c.passage_id == passage_id)
        past = (
            select(COURSE_PASSAGE_PAST.c.passage_id)
            .join(COURSE_DOCUMENT, COURSE_DOCUMENT.c.document_id == COURSE_PASSAGE_PAST.c.document_id)
            .where(COURSE_PASSAGE_PAST.c.passage_id == passage_id)
        )
        with self._database.read() as connection:
            if connection.execute(now).first():
                return "holds"
            return "superseded" if connection.execute(past).first() else "removed"

    def evidence_status(self, document_id: str, page: int, fingerprint: str) -> EvidenceStatus:
        """See `CourseStore.evidence_status`."""
        table = COURSE_PAGE.c
        wanted = (table.page == page) | (table.fingerprint == fingerprint)
        chosen = select(table.fingerprint).where(table.document_id == document_id, wanted)
        with self._database.read() as connection:
            found = {row[0] for row in connection.execute(chosen)}
        if fingerprint in found:
            return "holds"
        return "changed" if found else "removed"

    def search_words(self, subject_id: str, words: Sequence[str], limit: int) -> list[str]:
        """See `CourseStore.search_words`."""
        table = COURSE_PASSAGE.c
        with self._database.read() as connection:
            positions = find_words(connection, scope_of(subject_id), words, limit, table="passage_words")
            chosen = select(table.position, table.passage_id).where(table.position.in_(positions))
            found = {row.position: row.passage_id for row in connection.execute(chosen)}
        return [found[position] for position in positions]

    def vectors(self, subject_id: str, embedder: str) -> PassageVectors:
        """See `CourseStore.vectors`."""
        table = COURSE_VECTOR.c
        chosen = (
            select(table.passage_id, table.vector)
            .join(COURSE_PASSAGE, COURSE_PASSAGE.c.passage_id == table.passage_id)
            .join(COURSE_DOCUMENT, COURSE_DOCUMENT.c.document_id == COURSE_PASSAGE.c.document_id)
            .where(COURSE_PASSAGE.c.subject_id == subject_id, table.embedder == embedder, table.vector.is_not(None))
            .order_by(*_READING_ORDER)
        )
        with self._database.read() as connection:
            revision = _revision(connection, subject_id)
            rows = connection.execute(chosen).all()
        return PassageVectors(
            revision=revision,
            passage_ids=tuple(row.passage_id for row in rows),
            vectors=b"".join(bytes(row.vector) for row in rows),
        )

    def without_vectors(self, embedder: str, limit: int, *, subject_id: str | None = None) -> list[Passage]:
        """See `CourseStore.without_vectors`."""
        vector, passage = COURSE_VECTOR.c, COURSE_PASSAGE.c
        made = exists().where(vector.embedder == embedder, vector.passage_id == passage.passage_id)
        chosen = _passages().where(~made).order_by(passage.position.desc()).limit(limit)
        if subject_id is not None:
            chosen = chosen.where(passage.subject_id == subject_id)
        with self._database.read() as connection:
            return [_passage(row) for row in connection.execute(chosen)]

    def put_vectors(self, embedder: str, vectors: Mapping[str, bytes | None]) -> int:
        """See `CourseStore.put_vectors`."""
        with self._database.write() as connection:
            subjects = _replace_vectors(connection, embedder, vectors)
            for subject_id in sorted(set(subjects.values())):
                next_revision(connection, subject_id)
        return len(subjects)

    def token_vectors(self, embedder: str, passage_ids: Sequence[str]) -> dict[str, bytes | None]:
        """See `CourseStore.token_vectors`."""
        table, found = COURSE_VECTOR.c, dict[str, bytes | None]()
        with self._database.read() as connection:
            for ids in portions(passage_ids):
                chosen = select(table.passage_id, table.vector)
                rows = connection.execute(chosen.where(table.embedder == embedder, table.passage_id.in_(ids)))
                found |= {row.passage_id: None if row.vector is None else bytes(row.vector) for row in rows}
        return found

    def put_token_vectors(self, embedder: str, codes: Mapping[str, bytes | None]) -> int:
        """See `CourseStore.put_token_vectors`."""
        with self._database.write() as connection:
            return len(_replace_vectors(connection, embedder, codes))

    def add_unanswered(self, question: UnansweredQuestion) -> None:
        """See `CourseStore.add_unanswered`."""
        row = {
            "subject_id": question.subject_id,
            "learner_id": question.learner_id,
            "dialogue_id": question.dialogue_id,
            "question": question.question,
            "asked_at": instant_text(question.asked_at),
            "details": as_json(dict(question.details)),
        }
        with self._database.write() as connection:
            connection.execute(insert(COURSE_UNANSWERED).values(**row))

    def unanswered(self, subject_id: str, *, limit: int) -> list[UnansweredQuestion]:
        """See `CourseStore.unanswered`."""
        table = COURSE_UNANSWERED.c
        chosen = select(COURSE_UNANSWERED).where(table.subject_id == subject_id)
        with self._database.read() as connection:
            rows = connection.execute(chosen.order_by(table.position.desc()).limit(limit)).all()
        return [
            UnansweredQuestion(
                subject_id=row.subject_id,
                learner_id=row.learner_id,
                dialogue_id=row.dialogue_id,
                question=row.question,
                asked_at=instant_from(row.asked_at),
                details=json.loads(row.details),
            )
            for row in rows
        ]

    def forget_unanswered(self, dialogue_ids: Sequence[str]) -> int:
        """See `CourseStore.forget_unanswered`."""
        with self._database.write() as connection:
            return sum(
                connection.execute(delete(COURSE_UNANSWERED).where(COURSE_UNANSWERED.c.dialogue_id.in_(some))).rowcount
                for some in portions(dialogue_ids)
            )


_READING_ORDER = (COURSE_DOCUMENT.c.position, COURSE_PASSAGE.c.page, COURSE_PASSAGE.c.start_char)


def _passages() -> Select[Any]:
    joined = COURSE_PASSAGE.join(COURSE_DOCUMENT, COURSE_DOCUMENT.c.document_id == COURSE_PASSAGE.c.document_id)
    return select(COURSE_PASSAGE, COURSE_DOCUMENT.c.name, COURSE_DOCUMENT.c.official).select_from(joined)


def _replace_vectors(connection: Connection, embedder: str, vectors: Mapping[str, bytes | None]) -> dict[str, str]:
    """Write what an embedder made of passages that are still there; return each one's subject."""
    subjects: dict[str, str] = {}
    for ids in portions(list(vectors)):
        connection.execute(
            delete(COURSE_VECTOR).where(COURSE_VECTOR.c.embedder == embedder, COURSE_VECTOR.c.passage_id.in_(ids))
        )
        chosen = select(COURSE_PASSAGE.c.passage_id, COURSE_PASSAGE.c.subject_id)
        chosen = chosen.where(COURSE_PASSAGE.c.passage_id.in_(ids)).with_for_update(key_share=True)
        subjects |= {row.passage_id: row.subject_id for row in connection.execute(chosen)}
    rows = [{"embedder": embedder, "passage_id": key, "vector": vectors[key]} for key in subjects]
    if rows:
        connection.execute(insert(COURSE_VECTOR), rows)
    return subjects


def _revision(connection: Connection, subject_id: str) -> int:
    return int(connection.execute(select(COURSE.c.revision).where(COURSE.c.subject_id == subject_id)).scalar() or 0)


def _require_document(connection: Connection, subject_id: str, document_id: str) -> Row[Any]:
    table = COURSE_DOCUMENT.c
    chosen = select(COURSE_DOCUMENT).where(table.subject_id == subject_id, table.document_id == document_id)
    row = connection.execute(chosen).first()
    if row is None:
        raise NotFoundError(f"no document {document_id!r} in course {subject_id!r}")
    return row


def _passage(row: Row[Any]) -> Passage:
    return Passage(
        passage_id=row.passage_id,
        subject_id=row.subject_id,
        document_id=row.document_id,
        document_name=row.name,
        page=row.page,
        start=row.start_char,
        end=row.end_char,
        text=row.text,
        heading_path=tuple(json.loads(row.heading_path)),
        official=bool(row.official),
        page_fingerprint=row.page_fingerprint,
    )


def _document(row: Row[Any]) -> Document:
    return Document(
        document_id=row.document_id,
        subject_id=row.subject_id,
        name=row.name,
        media_type=row.media_type,
        fingerprint=row.fingerprint,
        n_pages=row.n_pages,
        added_at=instant_from(row.added_at),
        official=bool(row.official),
        read_by=row.read_by,
    )


def _course(row: Row[Any]) -> Course:
    return Course(subject_id=row.subject_id, title=row.title, created_at=instant_from(row.created_at))


def _list(text: str) -> Iterable[Any]:
    found: list[Any] = json.loads(text)
    return found
