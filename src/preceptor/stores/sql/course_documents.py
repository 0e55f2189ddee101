"""Writing one course file whole: its row, pages, problems, passages and words. The caller brings the transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from sqlalchemy import Connection, delete, insert, select, update

from preceptor.domain.passage import Document, Passage
from preceptor.errors import NotFoundError
from preceptor.stores.courses import DocumentChange, DocumentContent
from preceptor.stores.instants import instant_text
from preceptor.stores.sql.course_tables import (
    COURSE,
    COURSE_DOCUMENT,
    COURSE_PAGE,
    COURSE_PASSAGE,
    COURSE_PASSAGE_PAST,
    COURSE_PROBLEM,
)
from preceptor.stores.sql.dialects import add_words, as_json, remove_words

_MANY = 500
"""Values in one IN list: SQLite takes at most 32,766 variables a statement."""
_Item = TypeVar("_Item")


def next_revision(connection: Connection, subject_id: str) -> None:
    """Count the change; on PostgreSQL the row is also the lock that two writers of one course wait for."""
    here = COURSE.c.subject_id == subject_id
    if not connection.execute(update(COURSE).where(here).values(revision=COURSE.c.revision + 1)).rowcount:
        raise NotFoundError(f"no course {subject_id!r}; make it with `preceptor course create`")


def is_stored(connection: Connection, document: Document) -> bool:
    """Return whether this very file, read this very way, is stored."""
    table = COURSE_DOCUMENT.c
    same = (table.fingerprint == document.fingerprint) & (table.read_by == document.read_by)
    here = (table.document_id == document.document_id) & (table.subject_id == document.subject_id)
    return connection.execute(select(table.document_id).where(here & same)).first() is not None


def put_document(connection: Connection, document: Document) -> None:
    """Write the document's row; the instructor's mark stays."""
    row = {
        "subject_id": document.subject_id,
        "name": document.name,
        "media_type": document.media_type,
        "fingerprint": document.fingerprint,
        "n_pages": document.n_pages,
        "added_at": instant_text(document.added_at),
        "read_by": document.read_by,
    }
    here = COURSE_DOCUMENT.c.document_id == document.document_id
    if not connection.execute(update(COURSE_DOCUMENT).where(here).values(**row)).rowcount:
        connection.execute(insert(COURSE_DOCUMENT).values(**row, document_id=document.document_id, official=0))


def put_pages(connection: Connection, content: DocumentContent) -> None:
    """Write pages and problems in place of the old ones."""
    key = content.document.document_id
    connection.execute(delete(COURSE_PAGE).where(COURSE_PAGE.c.document_id == key))
    connection.execute(delete(COURSE_PROBLEM).where(COURSE_PROBLEM.c.document_id == key))
    pages = [
        {
            "document_id": key,
            "page": page.page,
            "text": page.text,
            "fingerprint": page.fingerprint,
            "headings": as_json([[one.start, one.end, one.level, one.text] for one in page.headings]),
        }
        for page in content.pages
    ]
    problems = [{"document_id": key, **vars(problem)} for problem in content.problems]
    for table, rows in ((COURSE_PAGE, pages), (COURSE_PROBLEM, problems)):
        if rows:
            connection.execute(insert(table), rows)


def put_passages(connection: Connection, content: DocumentContent) -> DocumentChange:
    """Write the passages that are new, move those that are kept, take out the rest."""
    document = content.document
    stored = stored_passages(connection, document.document_id)
    wanted = {passage.passage_id: passage for passage in content.passages}
    gone = {key: position for key, position in stored.items() if key not in wanted}
    drop_passages(connection, document.document_id, gone)
    kept = [_place(passage) for key, passage in wanted.items() if key in stored]
    added = [passage for key, passage in wanted.items() if key not in stored]
    for row in kept:
        here = COURSE_PASSAGE.c.passage_id == row["passage_id"]
        connection.execute(update(COURSE_PASSAGE).where(here).values(**row))
    _add_passages(connection, added, content.words)
    return DocumentChange(kept=len(kept), added=len(added), replaced=len(gone))


def _add_passages(connection: Connection, added: Sequence[Passage], words: Mapping[str, tuple[str, ...]]) -> None:
    for some in portions(added):
        ids = [passage.passage_id for passage in some]
        connection.execute(delete(COURSE_PASSAGE_PAST).where(COURSE_PASSAGE_PAST.c.passage_id.in_(ids)))
        connection.execute(insert(COURSE_PASSAGE), [_row(passage) for passage in some])
        chosen = select(COURSE_PASSAGE.c.passage_id, COURSE_PASSAGE.c.position, COURSE_PASSAGE.c.subject_id)
        rows = connection.execute(chosen.where(COURSE_PASSAGE.c.passage_id.in_(ids))).all()
        indexed = [(row.position, scope_of(row.subject_id), words[row.passage_id]) for row in rows]
        add_words(connection, [row for row in indexed if row[2]], table="passage_words")


def stored_passages(connection: Connection, document_id: str) -> dict[str, int]:
    """Return passage id → position."""
    chosen = select(COURSE_PASSAGE.c.passage_id, COURSE_PASSAGE.c.position)
    rows = connection.execute(chosen.where(COURSE_PASSAGE.c.document_id == document_id))
    return {row.passage_id: row.position for row in rows}


def drop_passages(connection: Connection, document_id: str, gone: Mapping[str, int]) -> None:
    """Take out passages with words and vectors, and remember that they were."""
    remove_words(connection, list(gone.values()), table="passage_words")
    for ids in portions(list(gone)):
        connection.execute(delete(COURSE_PASSAGE).where(COURSE_PASSAGE.c.passage_id.in_(ids)))
        past = [{"passage_id": key, "document_id": document_id} for key in ids]
        connection.execute(insert(COURSE_PASSAGE_PAST), past)


def _place(passage: Passage) -> dict[str, object]:
    return {
        "passage_id": passage.passage_id,
        "page": passage.page,
        "start_char": passage.start,
        "end_char": passage.end,
        "page_fingerprint": passage.page_fingerprint,
    }


def _row(passage: Passage) -> dict[str, object]:
    return {
        **_place(passage),
        "subject_id": passage.subject_id,
        "document_id": passage.document_id,
        "text": passage.text,
        "heading_path": as_json(list(passage.heading_path)),
    }


def scope_of(subject_id: str) -> str:
    """Return one token that stands for a subject in the word index, whatever characters the id has."""
    return "s" + hashlib.sha256(subject_id.encode()).hexdigest()[:32]


def portions(values: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    """Cut a list so that each part fits one statement."""
    for start in range(0, len(values), _MANY):
        yield values[start : start + _MANY]
