"""Courses for everyone who may read them: the list, one course with its search, and the text of its pages."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from preceptor.course.retrieved import RetrievedPassages
from preceptor.domain.principal import Principal
from preceptor.errors import InputError
from preceptor.server.cited_page import page_context
from preceptor.server.course_desk import course_id_of, courses_of, desk_context
from preceptor.server.course_labels import place_words
from preceptor.server.form_body import read_form
from preceptor.server.pages import page, recent_of
from preceptor.server.principal import instructor_of, principal_of

router = APIRouter(prefix="/courses")
Asking = Annotated[Principal, Depends(principal_of)]
Instructing = Annotated[Principal, Depends(instructor_of)]
Query_ = Annotated[str, Query(max_length=400)]
HERE = {"here": "/courses"}


@router.get("")
def list_courses(request: Request, principal: Asking) -> HTMLResponse:
    """All courses of this installation."""
    return _list_page(request, principal)


@router.post("")
async def create(request: Request, principal: Instructing) -> Response:
    """Make a course; its id follows from its title where none is given."""
    fields = await read_form(request)
    title = fields.get("title", "").strip()
    subject_id = fields.get("subject_id", "").strip() or course_id_of(title)
    courses = courses_of(request)
    try:
        if not title:
            raise InputError("A course needs a name.")
        made = await to_thread.run_sync(courses.library.create, principal, subject_id, title)
    except InputError as refused:
        again = partial(_list_page, request, principal, typed=fields, error=str(refused))
        return await to_thread.run_sync(again)
    return RedirectResponse(f"/courses/{made.subject_id}", status_code=303)


@router.get("/{subject_id}")
def show(request: Request, principal: Asking, subject_id: str, q: Query_ = "") -> HTMLResponse:
    """One course: its files and the search in them; for the instructor also what there is to do."""
    courses = courses_of(request)
    course = courses.store.course(subject_id)
    found = courses.search.search(subject_id, q) if q.strip() else None
    documents = courses.store.documents(subject_id)
    context: dict[str, Any] = {
        "course": course,
        "documents": documents,
        "query": q,
        "found": found,
        "hits": _hits(found),
        "title": course.title,
        "max_chars": request.app.state.settings.server.max_utterance_chars,
        "recent": recent_of(request, principal),
    }
    if principal.may_instruct:
        context |= desk_context(request, principal, courses, subject_id, documents)
    return page(request, "course.html", HERE | context, principal=principal)


@router.get("/{subject_id}/documents/{document_id}/pages/{number}")
def show_page(
    request: Request,
    principal: Asking,
    subject_id: str,
    document_id: str,
    number: int,
    start: int = 0,
    end: int = 0,
    begin: Annotated[int | None, Query(ge=0)] = None,
) -> HTMLResponse:
    """The stored text of one page, with a span marked."""
    courses = courses_of(request)
    context = page_context(courses, subject_id, document_id, number, start=start, end=end, begin=begin)
    context["recent"] = recent_of(request, principal)
    return page(request, "course_page.html", HERE | context, principal=principal)


def _list_page(
    request: Request, principal: Principal, *, typed: dict[str, str] | None = None, error: str = ""
) -> HTMLResponse:
    store = courses_of(request).store
    rows = [(course, store.documents(course.subject_id)) for course in store.courses()]
    context = {
        "rows": [
            {
                "course": course,
                "n_files": len(documents),
                "n_pages": sum(one.n_pages for one in documents),
            }
            for course, documents in rows
            if documents or principal.may_instruct
        ],
        "typed": {"title": "", "subject_id": "", **(typed or {})},
        "error": error,
        "recent": recent_of(request, principal),
    }
    return page(request, "courses.html", HERE | context, principal=principal, status=422 if error else 200)


def _hits(found: RetrievedPassages | None) -> list[dict[str, Any]]:
    return [
        {
            "passage": one.passage,
            "score": one.score,
            "words": place_words(one.passage.document_name, one.passage.page),
            "path": " › ".join(one.passage.heading_path),
            "address": f"/courses/{one.passage.subject_id}/documents/{one.passage.document_id}/pages/{one.passage.page}"
            f"?start={one.passage.start}&end={one.passage.end}#quoted",
        }
        for one in (found.passages if found is not None else ())
    ]
