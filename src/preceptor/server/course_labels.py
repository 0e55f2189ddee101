"""The page's words for course files: what was found in them, what became of an upload, how a reply is held up."""

from __future__ import annotations

from pathlib import PurePosixPath

from preceptor.course.ingestion import FileStatus
from preceptor.course.upload_queue import CourseWork, UploadState
from preceptor.domain.course import ProblemKind
from preceptor.domain.passage import has_pages

PROBLEM_WORDS: dict[ProblemKind, str] = {
    "no_text": "no text found",
    "hidden_text": "hidden text, left out",
    "comment": "a comment, left out",
    "addresses_tutor": "speaks to the tutor; quoted as course text, never obeyed",
    "macros": "macros, left out",
    "encoding": "encoding guessed",
    "cut": "cut at a limit",
    "unread": "a part was not read",
}
UPLOAD_SIGNS: dict[UploadState, str] = {"waiting": "…", "reading": "…", "stored": "✓", "refused": "✗"}
UPLOAD_WORDS: dict[UploadState, str] = {
    "waiting": "waits to be read",
    "reading": "is being read",
    "stored": "stored",
    "refused": "not stored",
}
STORED_WORDS: dict[FileStatus, str] = {
    "added": "added",
    "changed": "replaced the version that was there",
    "unchanged": "the same as what is there",
    "refused": "not stored",
}
WORK_WORDS: dict[CourseWork, str] = {
    "reading": "Files are being read. You can leave this page.",
    "renewing": "Search and concept map are being brought up to the files.",
    "idle": "",
}
GROUNDING_WORDS = {
    "not_in_course": "not from your course files",
    "mostly_ungrounded": "mostly not from your course files",
}
"""Said under a reply, by its `GroundingStatus`; the others need no word."""


def place_words(name: str, page: int | None) -> str:
    """Return where in a course something stands: "unit 3, p. 12"; formats without pages have none."""
    path = PurePosixPath(name)
    plain = path.stem or name
    return f"{plain}, p. {page}" if page is not None and has_pages(name) else plain


def size_words(n_bytes: int) -> str:
    """Return a file's size: "340 kB"."""
    if n_bytes < 1000:
        return f"{n_bytes} bytes"
    return (
        f"{n_bytes / 1000:.0f} kB" if n_bytes < 1_000_000 else f"{n_bytes / 1_000_000:.{int(n_bytes < 10_000_000)}f} MB"
    )
