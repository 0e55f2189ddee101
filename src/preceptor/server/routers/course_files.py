"""The instructor's side of a course: files in and out, what was found in them, the official mark, the map."""

from __future__ import annotations

from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from markupsafe import Markup
from starlette.datastructures import UploadFile

from preceptor.concepts.drawing import draw_map, map_table, map_title
from preceptor.course.extraction import format_of, known_suffixes
from preceptor.course.upload_queue import Upload
from preceptor.domain.principal import Principal
from preceptor.errors import BusyError, InputError
from preceptor.server.course_desk import courses_of, map_gaps, problem_pages, upload_context, uploads_of
from preceptor.server.form_body import read_form
from preceptor.server.pages import page, recent_of
from preceptor.server.principal import instructor_of
from preceptor.server.routers.courses import HERE

router = APIRouter()
Instructing = Annotated[Principal, Depends(instructor_of)]
FILES_AT_ONCE = 100
"""Files in one request. (chosen: a folder's worth)"""
_FIELDS = 5


@router.post("/courses/{subject_id}/files")
async def upload(request: Request, principal: Instructing, subject_id: str) -> RedirectResponse:
    """Take files from a plain form. What is refused stands in the list of uploads."""
    await _take(request, principal, subject_id)
    return RedirectResponse(f"/courses/{subject_id}#uploads", status_code=303)


@router.post("/api/courses/{subject_id}/files")
async def upload_files(request: Request, principal: Instructing, subject_id: str) -> JSONResponse:
    """Take files: 202 with what was taken and what was refused at once, 422 where nothing was taken."""
    taken, refused = await _take(request, principal, subject_id)
    if not taken:
        message = "; ".join(refused) or "No file was sent: expected a field `files` with a file in it."
        return JSONResponse({"error": {"kind": "input", "message": message}}, status_code=422)
    rows = [{"upload_id": one.upload_id, "name": one.name, "n_bytes": one.n_bytes} for one in taken]
    return JSONResponse({"taken": rows, "refused": refused}, status_code=202)


@router.get("/courses/{subject_id}/uploads")
def uploads(request: Request, principal: Instructing, subject_id: str) -> HTMLResponse:
    """The list of uploads alone, to refresh it."""
    courses_of(request).store.course(subject_id)
    template = request.app.state.templates.get_template("parts/uploads.html")
    return HTMLResponse(template.render(upload_context(uploads_of(request), subject_id)))


@router.post("/courses/{subject_id}/uploads/clear")
def clear_uploads(request: Request, principal: Instructing, subject_id: str) -> RedirectResponse:
    """Forget the uploads that are finished."""
    uploads_of(request).clear(subject_id)
    return RedirectResponse(f"/courses/{subject_id}", status_code=303)


@router.get("/courses/{subject_id}/documents/{document_id}")
def show_document(request: Request, principal: Instructing, subject_id: str, document_id: str) -> HTMLResponse:
    """One file: what was found on its pages, and what can be done with it."""
    courses = courses_of(request)
    document = courses.store.document(subject_id, document_id)
    problems = courses.library.problems(principal, subject_id, document_id)
    context = {
        "course": courses.store.course(subject_id),
        "document": document,
        "title": document.name,
        "problem_pages": problem_pages(problems),
        "n_problems": len(problems),
        "accepts": ",".join(suffix for suffix in known_suffixes() if format_of(f"a{suffix}") == _format(document.name)),
        "recent": recent_of(request, principal),
    }
    return page(request, "course_document.html", HERE | context, principal=principal)


@router.post("/courses/{subject_id}/documents/{document_id}/official")
async def mark_official(
    request: Request, principal: Instructing, subject_id: str, document_id: str
) -> RedirectResponse:
    """Set or take back the official mark."""
    fields = await read_form(request)
    library = courses_of(request).library
    await to_thread.run_sync(library.mark_official, principal, subject_id, document_id, fields.get("official") == "yes")
    back = f"/courses/{subject_id}" if fields.get("back") == "course" else _document(subject_id, document_id)
    return RedirectResponse(back, status_code=303)


@router.post("/courses/{subject_id}/documents/{document_id}/remove")
def remove(request: Request, principal: Instructing, subject_id: str, document_id: str) -> RedirectResponse:
    """Take a file out of its course; index and map follow in the background."""
    courses_of(request).library.remove(principal, subject_id, document_id)
    uploads_of(request).renew(subject_id)
    return RedirectResponse(f"/courses/{subject_id}", status_code=303)


@router.get("/courses/{subject_id}/map")
def show_map(request: Request, principal: Instructing, subject_id: str) -> HTMLResponse:
    """The concept map as a drawing and as a table, and its gaps."""
    courses = courses_of(request)
    course = courses.store.course(subject_id)
    held = courses.maps.map(subject_id)
    names = {one.document_id: one.name for one in courses.store.documents(subject_id)}
    context: dict[str, Any] = {
        "course": course,
        "title": f"Concept map of {course.title}",
        "n_concepts": len(held.concepts),
        "map_title": map_title(held),
        "has_lines": bool(held.edges),
        "map_svg": Markup(draw_map(held)),
        "map_table": Markup(map_table(held, document_names=names)),
        "gaps": map_gaps(held),
        "work": uploads_of(request).work(subject_id),
        "recent": recent_of(request, principal),
    }
    return page(request, "course_map.html", HERE | context, principal=principal)


@router.post("/courses/{subject_id}/map")
def rebuild_map(request: Request, principal: Instructing, subject_id: str) -> RedirectResponse:
    """Build the map from the files once more, in the background."""
    courses_of(request).store.course(subject_id)
    uploads_of(request).renew(subject_id)
    return RedirectResponse(f"/courses/{subject_id}/map", status_code=303)


async def _take(request: Request, principal: Principal, subject_id: str) -> tuple[list[Upload], list[str]]:
    """Return what was put into the queue, and one line for each file that was refused at once.

    The instructor is known before the body is read; the body itself is limited by `security`.
    """
    courses = courses_of(request)
    await to_thread.run_sync(courses.store.course, subject_id)
    queue = uploads_of(request)
    taken: list[Upload] = []
    refused: list[str] = []
    async with request.form(max_files=FILES_AT_ONCE, max_fields=_FIELDS) as form:
        replaced = str(form.get("replaces") or "")
        for sent in form.getlist("files"):
            if not isinstance(sent, UploadFile) or not (sent.filename or sent.size):
                continue
            try:
                name = sent.filename or ""
                if replaced:
                    document = await to_thread.run_sync(courses.store.document, subject_id, replaced)
                    if _format(name) != _format(document.name):
                        detail = f"only a file of the same kind can take the place of {document.name}"
                        raise queue.refuse(subject_id, name, detail, n_bytes=sent.size or 0)
                    name = document.name
                content = await sent.read()
                taken.append(await to_thread.run_sync(queue.put, principal, subject_id, name, content))
            except (InputError, BusyError) as error:
                refused.append(str(error))
    return taken, refused


def _format(name: str) -> str:
    """Return a file's format; "" for one that is not read."""
    try:
        return format_of(name)
    except InputError:
        return ""


def _document(subject_id: str, document_id: str) -> str:
    return f"/courses/{subject_id}/documents/{document_id}"
