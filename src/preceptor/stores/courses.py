"""What the store of course files promises: documents come and go whole, the subject is always required.

It knows tables and transactions; nothing of file formats, of cutting text or of ranking beyond words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from preceptor.domain.course import Course, CoursePage, EvidenceStatus, PageProblem
from preceptor.domain.passage import Document, Passage


@dataclass(frozen=True, kw_only=True)
class DocumentContent:
    """Everything that is stored of one file, in one transaction."""

    document: Document
    pages: Sequence[CoursePage]
    passages: Sequence[Passage]
    words: Mapping[str, tuple[str, ...]]
    """passage_id → the words that find it."""
    problems: Sequence[PageProblem] = ()


@dataclass(frozen=True, kw_only=True)
class DocumentChange:
    """What storing a file did to the passages of its document."""

    kept: int
    """Passages that stayed with their ids and vectors."""
    added: int
    replaced: int
    """Passages that are no more; what cites them is told so by `passage_status`."""


@dataclass(frozen=True, kw_only=True)
class PassageVectors:
    """The vectors of a subject, contiguous."""

    revision: int
    """`CourseStore.revision` of the same snapshot."""
    passage_ids: tuple[str, ...]
    vectors: bytes
    """float16, little endian, shape (n_passages, n_dims), rows in the order of `passage_ids`."""


@dataclass(frozen=True, kw_only=True)
class UnansweredQuestion:
    """A learner's question to which the course had nothing."""

    subject_id: str
    learner_id: str
    dialogue_id: str
    question: str
    asked_at: datetime
    """Timezone-aware, UTC."""
    details: Mapping[str, object] = field(default_factory=dict)
    """What the search saw, such as its best score."""


class CourseStore(Protocol):
    """Courses, their files' pages and passages, word index, vectors, problems and unanswered questions."""

    def create(self, course: Course) -> None:
        """Store a course.

        Raises:
            DuplicateError: The subject has one.
        """
        ...

    def course(self, subject_id: str) -> Course:
        """Return a course.

        Raises:
            NotFoundError: The subject has none.
        """
        ...

    def courses(self) -> list[Course]:
        """Return all courses, oldest first."""
        ...

    def revision(self, subject_id: str) -> int:
        """Return a number that grows with every change of the course's passages or vectors; 0 for no course."""
        ...

    def put_document(self, content: DocumentContent) -> DocumentChange:
        """Store a file whole, in place of the one of the same `document_id`: all of it or nothing.

        Passages whose id is stored already keep their vectors; `official` stays as the instructor set it.

        Raises:
            NotFoundError: There is no such course.
        """
        ...

    def remove_document(self, subject_id: str, document_id: str) -> int:
        """Take out a file with its passages; return how many those were.

        Raises:
            NotFoundError: The course has no such document.
        """
        ...

    def set_official(self, subject_id: str, document_id: str, official: bool) -> None:
        """Set the instructor's mark.

        Raises:
            NotFoundError: The course has no such document.
        """
        ...

    def documents(self, subject_id: str) -> list[Document]:
        """Return a course's documents by name."""
        ...

    def document(self, subject_id: str, document_id: str) -> Document:
        """Return one document.

        Raises:
            NotFoundError: The course has no such document.
        """
        ...

    def page(self, subject_id: str, document_id: str, page: int) -> CoursePage:
        """Return the stored text of a page, 1-based.

        Raises:
            NotFoundError: The course has no such page.
        """
        ...

    def problems(self, subject_id: str, document_id: str) -> list[PageProblem]:
        """Return what an instructor should know of a document, in page order."""
        ...

    def passages(self, subject_id: str) -> list[Passage]:
        """Return all passages of a course: documents in the order they came, each in reading order."""
        ...

    def passage(self, passage_id: str) -> Passage:
        """Return one passage.

        Raises:
            NotFoundError: No passage has this id now; `passage_status` says whether one had.
        """
        ...

    def passage_status(self, passage_id: str) -> Literal["holds", "superseded", "removed"]:
        """Return what became of a passage: `superseded`: its document is there and no longer has it."""
        ...

    def evidence_status(self, document_id: str, page: int, fingerprint: str) -> EvidenceStatus:
        """Return whether a page still reads as it did when it was cited."""
        ...

    def search_words(self, subject_id: str, words: Sequence[str], limit: int) -> list[str]:
        """Return ids of passages of the subject that hold any of the words, best first.

        Args:
            subject_id: The required scope.
            words: Made by the same function as `DocumentContent.words`.
            limit: At most so many.
        """
        ...

    def vectors(self, subject_id: str, embedder: str) -> PassageVectors:
        """Return the vectors that one embedder made, in the order of `passages`; its fingerprint names it."""
        ...

    def without_vectors(self, embedder: str, limit: int, *, subject_id: str | None = None) -> list[Passage]:
        """Return passages that an embedder has not seen yet, the newest first."""
        ...

    def put_vectors(self, embedder: str, vectors: Mapping[str, bytes | None]) -> int:
        """Store vectors by passage id, float16 little endian; return how many passages were still there.

        `None` records that the embedder must not judge this passage.
        """
        ...

    def token_vectors(self, embedder: str, passage_ids: Sequence[str]) -> dict[str, bytes | None]:
        """Return the codes of these passages' tokens that one embedder made, by passage id; what has none is left out.

        `None`: the embedder must not judge this passage.
        """
        ...

    def put_token_vectors(self, embedder: str, codes: Mapping[str, bytes | None]) -> int:
        """Store codes of tokens by passage id; return how many passages were still there.

        They are kept beside the vectors, under a name of their own as embedder, and found missing by
        `without_vectors`. The course's revision stays: no index holds them.
        """
        ...

    def add_unanswered(self, question: UnansweredQuestion) -> None:
        """Keep a question that found nothing."""
        ...

    def unanswered(self, subject_id: str, *, limit: int) -> list[UnansweredQuestion]:
        """Return such questions, newest first."""
        ...

    def forget_unanswered(self, dialogue_ids: Sequence[str]) -> int:
        """Delete the questions of these dialogues; return how many there were."""
        ...
