"""A course file and its passages: what retrieval finds and a citation points into."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

PASSAGE_CHARS = 500
"""About how long a passage is. (seed: KITE)"""
PASSAGE_OVERLAP_CHARS = 100
"""How much of a passage the next one of the same section repeats. (seed: KITE)"""
PAGED = frozenset({".pdf", ".pptx"})
"""Endings of files that have pages or slides; the others are one page, which is not worth a word."""


def has_pages(document_name: str) -> bool:
    """Return whether a file's format has pages, so that a page number tells where to look."""
    return PurePosixPath(document_name).suffix.lower() in PAGED


def page_label(document_name: str, page: int | None) -> str:
    """Return a file's name with the page where its format has pages: "unit 3.pdf, p. 12", "search.md"."""
    return f"{document_name}, p. {page}" if page is not None and has_pages(document_name) else document_name


@dataclass(frozen=True, kw_only=True)
class Document:
    """One file of a course, as it was when it was read."""

    document_id: str
    """Stays the same when the file of that name is replaced."""
    subject_id: str
    name: str
    """The file's name within the course; two files of one course never share one."""
    media_type: str
    fingerprint: str
    """SHA-256 of the file's bytes, hexadecimal."""
    n_pages: int
    """Pages of a PDF, slides of a presentation; 1 for formats without pages."""
    added_at: datetime
    """Timezone-aware, UTC."""
    official: bool = False
    """Set by an instructor only; a text that claims it changes nothing."""
    read_by: str = ""
    """Version of the reading that made its passages; another version reads an unchanged file again."""


@dataclass(frozen=True, kw_only=True)
class Passage:
    """About 500 characters of one section of one page."""

    passage_id: str
    """Follows from document, headings, text and, among equal ones, order: what is unchanged keeps its id."""
    subject_id: str
    document_id: str
    document_name: str
    page: int
    """1-based."""
    start: int
    """First character, counted in the page's stored text; 0-based."""
    end: int
    """One past the last character: the page's text from start to end is `text`."""
    text: str
    heading_path: tuple[str, ...] = ()
    """The headings above it, outermost first."""
    official: bool = False
    """Of an official document."""
    page_fingerprint: str = ""
    """SHA-256 of the page's stored text: changes when the page does."""
