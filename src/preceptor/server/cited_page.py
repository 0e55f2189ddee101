"""The page of a course that a reply cites, as it is stored now: the span is looked for again before it is marked."""

from __future__ import annotations

from typing import Any

from preceptor.course.open_courses import OpenCourses
from preceptor.domain.course import CoursePage
from preceptor.errors import NotFoundError
from preceptor.server.course_labels import place_words
from preceptor.server.course_text import shown_text
from preceptor.tutoring.sources import SourceView
from preceptor.tutoring.views import DialogueView

PAGE_CHANGED = "This page has changed since the reply was made. It took these words from it: “{quote}”"
PAGE_GONE = "This page is no longer in the course. The reply took these words from it: “{quote}”"


def is_about_course(dialogue: DialogueView) -> bool:
    """Return whether a dialogue is about a course as a whole and no problem."""
    return dialogue.problem_id == f"course:{dialogue.subject_id}"


def page_context(
    courses: OpenCourses, subject_id: str, document_id: str, number: int, *, start: int, end: int, begin: int | None
) -> dict[str, Any]:
    """Return what the templates of a page's text need.

    Raises:
        NotFoundError: There is no such course, document or page.
    """
    course = courses.store.course(subject_id)
    document = courses.store.document(subject_id, document_id)
    stored = courses.store.page(subject_id, document_id, number)
    address = f"/courses/{subject_id}/documents/{document_id}"
    span = f"start={start}&end={end}&" if end > start else ""
    return {
        "course": course,
        "document": document,
        "number": number,
        "title": place_words(document.name, number),
        "text": shown_text(stored, start=start, end=end, begin=begin),
        "text_id": "page-text",
        "address": address,
        "part_address": f"{address}/pages/{number}?{span}begin=",
        "note": "",
        "back": "",
    }


def cited_page_context(courses: OpenCourses, dialogue: DialogueView, *, turn: int, place: int) -> dict[str, Any]:
    """Return what the templates need of the page behind one source of a reply.

    Args:
        courses: Where the page is stored.
        dialogue: The reader's own.
        turn: The reply's turn.
        place: Which of its sources, from 1.

    Raises:
        NotFoundError: The reply has no such source, or its page is gone; then the message holds the quotation.
    """
    cited = [source for view in dialogue.turns if view.turn == turn for source in view.sources]
    source = cited[place - 1] if 1 <= place <= len(cited) else None
    if source is None or source.kind != "course" or source.page is None:
        raise NotFoundError(f"turn {turn} has no source {place} in a course")
    try:
        stored = courses.store.page(dialogue.subject_id, source.document_id, source.page)
    except NotFoundError:
        return _gone(source)
    span = _found_again(stored, source)
    start, end = span or (0, 0)
    context = page_context(
        courses, dialogue.subject_id, source.document_id, source.page, start=start, end=end, begin=None
    )
    return context if span else context | {"note": PAGE_CHANGED.format(quote=source.quote)}


def _found_again(page: CoursePage, source: SourceView) -> tuple[int, int] | None:
    """Return where the quotation stands now; `None`: it is not on the page any more."""
    if page.text[source.start : source.end] == source.quote:
        return source.start, source.end
    place = page.text.find(source.quote) if source.quote else -1
    return (place, place + len(source.quote)) if place >= 0 else None


def _gone(source: SourceView) -> dict[str, Any]:
    return {
        "title": place_words(source.title, source.page),
        "note": PAGE_GONE.format(quote=source.quote),
        "document": None,
        "text": None,
        "back": "",
    }
