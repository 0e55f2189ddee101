"""What the instructor's side of a course shows: files, what was found in them, gaps, questions without an answer."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from fastapi import Request

from preceptor.concepts.centrality import centrality
from preceptor.course.extraction import known_suffixes
from preceptor.course.open_courses import OpenCourses
from preceptor.course.upload_queue import UploadQueue
from preceptor.domain.concept import EXPLAINED, ConceptMap
from preceptor.domain.course import PageProblem
from preceptor.domain.passage import Document
from preceptor.domain.principal import Principal
from preceptor.errors import NotFoundError
from preceptor.safety.redaction import PersonalDataRedactor
from preceptor.server.course_labels import (
    PROBLEM_WORDS,
    STORED_WORDS,
    UPLOAD_SIGNS,
    UPLOAD_WORDS,
    WORK_WORDS,
    place_words,
    size_words,
)
from preceptor.stores.courses import UnansweredQuestion

UNANSWERED_READ = 500
"""Questions without an answer that are looked through. (chosen)"""
UNANSWERED_SHOWN = 20
CITED_SHOWN = 10
GAPS_SHOWN = 12
"""Lines of each list on a course's page. (chosen: one screen)"""
_ID_CHARS = 64


@dataclass(frozen=True, kw_only=True)
class AskedInVain:
    """A question to which a course had nothing, by whoever asked it."""

    question: str
    n_times: int
    last_at: datetime


@dataclass(frozen=True, kw_only=True)
class MapGap:
    """A concept that the files name and none explains."""

    name: str
    needed_by: tuple[str, ...]


def courses_of(request: Request) -> OpenCourses:
    """Return the installation's courses.

    Raises:
        NotFoundError: This server was started without any.
    """
    courses: OpenCourses | None = request.app.state.courses
    if courses is None:
        raise NotFoundError("no courses are opened here")
    return courses


def uploads_of(request: Request) -> UploadQueue:
    """Return the queue of uploaded files.

    Raises:
        NotFoundError: This server was started without courses.
    """
    queue: UploadQueue | None = request.app.state.uploads
    if queue is None:
        raise NotFoundError("no courses are opened here")
    return queue


def course_id_of(title: str) -> str:
    """Return a course's id from its title: "Search & Planning" → "search-planning"; "" where no letter is left."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_ID_CHARS].strip("-")


def desk_context(
    request: Request, principal: Principal, courses: OpenCourses, subject_id: str, documents: Sequence[Document]
) -> dict[str, Any]:
    """Return what the instructor's parts of a course page need."""
    held = courses.maps.map(subject_id)
    limit = request.app.state.settings.course.max_file_bytes
    return upload_context(uploads_of(request), subject_id) | {
        "files": [
            {
                "document": document,
                "n_problems": len(courses.library.problems(principal, subject_id, document.document_id)),
            }
            for document in documents
        ],
        "accepts": ",".join(known_suffixes()),
        "max_bytes": limit,
        "max_words": size_words(limit),
        "asked_in_vain": asked_in_vain(courses.store.unanswered(subject_id, limit=UNANSWERED_READ)),
        "cited": [
            {
                "words": place_words(one.document_name, one.page),
                "address": f"/courses/{subject_id}/documents/{one.document_id}/pages/{one.page}",
                "n_replies": one.n_replies,
            }
            for one in request.app.state.session.instructor_desk.cited_pages(principal, subject_id, limit=CITED_SHOWN)
        ],
        "n_concepts": len(held.concepts),
        "gaps": map_gaps(held)[:GAPS_SHOWN],
        "n_gaps": sum(concept.readiness < EXPLAINED for concept in held.concepts),
    }


def upload_context(queue: UploadQueue, subject_id: str) -> dict[str, Any]:
    """Return what the list of uploads needs."""
    work = queue.work(subject_id)
    return {
        "subject_id": subject_id,
        "work": work,
        "work_words": WORK_WORDS[work],
        "uploads": [
            {
                "name": upload.name,
                "state": upload.state,
                "sign": UPLOAD_SIGNS[upload.state],
                "words": STORED_WORDS[upload.report.status] if upload.report else UPLOAD_WORDS[upload.state],
                "detail": upload.detail,
                "size": size_words(upload.n_bytes),
                "report": upload.report,
            }
            for upload in queue.list(subject_id)
        ],
    }


def problem_pages(problems: Sequence[PageProblem]) -> list[dict[str, Any]]:
    """Return a document's problems page by page, with their words."""
    return [
        {
            "page": number,
            "problems": [{"words": PROBLEM_WORDS[one.kind], "kind": one.kind, "problem": one} for one in group],
        }
        for number, group in groupby(sorted(problems, key=lambda one: one.page), key=lambda one: one.page)
    ]


def asked_in_vain(questions: Sequence[UnansweredQuestion]) -> list[AskedInVain]:
    """Return questions that found nothing, the most frequent first, without who asked and without personal data."""
    redactor = PersonalDataRedactor()
    counts: Counter[str] = Counter()
    latest: dict[str, UnansweredQuestion] = {}
    for question in questions:
        key = " ".join(question.question.casefold().split()).rstrip("?!. ")
        counts[key] += 1
        if key not in latest or latest[key].asked_at < question.asked_at:
            latest[key] = question
    ranked = sorted(counts, key=lambda key: (-counts[key], -latest[key].asked_at.timestamp()))
    return [
        AskedInVain(
            question=redactor.redact(latest[key].question)[0], n_times=counts[key], last_at=latest[key].asked_at
        )
        for key in ranked[:UNANSWERED_SHOWN]
    ]


def map_gaps(held: ConceptMap) -> list[MapGap]:
    """Return concepts that are named only, those first on which most of the map rests."""
    rank = centrality(held)
    named = sorted(
        (one for one in held.concepts if one.readiness < EXPLAINED), key=lambda one: (-rank[one.concept_id], one.name)
    )
    return [
        MapGap(
            name=one.name,
            needed_by=tuple(
                sorted(
                    held.by_id[edge.concept_id].name for edge in held.edges if edge.prerequisite_id == one.concept_id
                )
            ),
        )
        for one in named
    ]
