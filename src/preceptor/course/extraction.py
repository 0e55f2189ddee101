"""From the bytes of a course file to the text of its pages: one extractor per format behind one Protocol.

An extractor sees bytes only, never a path. It runs in the child process of `extraction_process`; nothing else calls it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, Protocol

from preceptor.domain.course import Heading, PageProblem
from preceptor.errors import InputError

Format = Literal["pdf", "markdown", "html", "text", "docx", "pptx"]

READ_BY = "1"
"""Version of extraction and cutting; raised when the same file would give other passages."""

_FORMATS: dict[str, Format] = {
    ".pdf": "pdf",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".txt": "text",
    ".text": "text",
    ".rst": "text",
    ".docx": "docx",
    ".pptx": "pptx",
}
MEDIA_TYPES: dict[Format, str] = {
    "pdf": "application/pdf",
    "markdown": "text/markdown",
    "html": "text/html",
    "text": "text/plain",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
_MACRO_SUFFIXES = {".docm": ".docx", ".dotm": ".docx", ".pptm": ".pptx", ".potm": ".pptx", ".ppsm": ".pptx"}
_OLD_SUFFIXES = {".doc": ".docx", ".ppt": ".pptx", ".odt": ".docx", ".odp": ".pptx", ".rtf": ".docx"}


@dataclass(frozen=True, kw_only=True)
class ExtractionLimits:
    """What one file may take."""

    max_pages: int
    max_page_chars: int
    """Characters of one page; a text file is one page."""
    max_unpacked_bytes: int
    """Of all parts of a DOCX or PPTX together."""


@dataclass(frozen=True, kw_only=True)
class ExtractedPage:
    """The text of one page as it will be stored."""

    text: str
    headings: tuple[Heading, ...] = ()
    problems: tuple[PageProblem, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ExtractedDocument:
    """What was read of one file."""

    pages: tuple[ExtractedPage, ...]
    """In order; the first is page 1."""


class Extractor(Protocol):
    """Reads one format."""

    def extract(self, content: bytes, limits: ExtractionLimits) -> ExtractedDocument:
        """Return the pages of a file.

        Raises:
            InputError: It is damaged, encrypted, too large or not of this format; one line, without the file's name.
        """
        ...


def format_of(name: str) -> Format:
    """Return the format that a file's name says.

    Raises:
        InputError: It is none of ours; the message says what to do.
    """
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in _FORMATS:
        return _FORMATS[suffix]
    if suffix in _MACRO_SUFFIXES:
        raise InputError(f"files with macros are not read; save it as {_MACRO_SUFFIXES[suffix]}")
    if suffix in _OLD_SUFFIXES:
        raise InputError(f"{suffix} is not read; save it as {_OLD_SUFFIXES[suffix]} or .pdf")
    raise InputError(
        f"{suffix or 'a file without an ending'} is not read; expected one of {', '.join(sorted(_FORMATS))}"
    )


_EXTRACTORS: dict[Format, str] = {
    "pdf": "extraction_pdf:PdfExtractor",
    "markdown": "extraction_markdown:MarkdownExtractor",
    "html": "extraction_html:HtmlExtractor",
    "text": "extraction_text:TextExtractor",
    "docx": "extraction_docx:DocxExtractor",
    "pptx": "extraction_pptx:PptxExtractor",
}


def open_extractor(form: Format) -> Extractor:
    """Return the extractor of a format; its library is imported now, and in the child process only."""
    module, name = _EXTRACTORS[form].split(":")
    made: Callable[[], Extractor] = getattr(importlib.import_module(f"preceptor.course.{module}"), name)
    return made()


def all_formats() -> tuple[Format, ...]:
    """Return every format that is read."""
    return tuple(_EXTRACTORS)


def known_suffixes() -> tuple[str, ...]:
    """Return the file endings that are read."""
    return tuple(sorted(_FORMATS))
