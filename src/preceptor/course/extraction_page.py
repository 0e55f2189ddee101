"""Writing the text of one page: paragraphs, headings with their offsets, and what was wrong on the way."""

from __future__ import annotations

import re
import unicodedata

from preceptor.course.extraction import ExtractedPage
from preceptor.domain.course import Heading, PageProblem, ProblemKind

EXCERPT_CHARS = 200
"""Longest excerpt an instructor is shown of a problem. (chosen: two lines)"""
MAX_PROBLEMS = 50
"""Most problems kept of one page. (chosen: more would be scrolled past)"""
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LIGATURE = re.compile("[ﬀ-ﬆ]")
_JOINERS = "\u200c\u200d"
_HARMLESS = {"\u00ad", "\u200e", "\u200f", "\u061c", "\ufeff"}
"""Left out without a word: soft hyphens, marks of writing direction, byte order marks."""
_MAY_HIDE = re.compile(r"[^\n\t\x20-\x7e\u00a0-\u00ac\u00ae-\u024f\u4e00-\u9fff]")


def clean_text(text: str) -> tuple[str, str]:
    """Return a text without characters that nobody sees, and what they were.

    Tag characters, which can carry whole hidden sentences, are returned as the letters they stand for; other hidden
    characters as their code points.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not _MAY_HIDE.search(text) and "\xad" not in text:
        return text, ""
    text = _LIGATURE.sub(lambda hit: _LIGATURES[hit.group()], text)
    kept: list[str] = []
    hidden: list[str] = []
    for place, char in enumerate(text):
        if char in "\n\t" or char.isprintable():
            kept.append(char)
        elif char in "\u2028\u2029\x0b\x0c\x85":
            kept.append("\n")
        elif unicodedata.category(char) == "Zs":
            kept.append(" ")
        elif char in _JOINERS and _joins(text, place):
            kept.append(char)
        elif unicodedata.category(char) == "Co":
            kept.append("\ufffd")
        elif char not in _HARMLESS and unicodedata.category(char) != "Cc":
            hidden.append(chr(ord(char) - 0xE0000) if 0xE0020 <= ord(char) <= 0xE007E else f"U+{ord(char):04X} ")
    return "".join(kept), "".join(hidden).strip()


def _joins(text: str, place: int) -> bool:
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    return bool(before and after) and not (before.isascii() or after.isascii())


class PageWriter:
    """The text of one page while it grows."""

    def __init__(self, page: int) -> None:
        """Start page `page`, 1-based."""
        self.page = page
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []
        self._problems: list[PageProblem] = []
        self._unseen: list[str] = []

    @property
    def length(self) -> int:
        """Characters so far."""
        return self._length

    def add(self, text: str, *, separator: str = "\n\n") -> None:
        """Add a paragraph; hidden characters in it are left out and reported."""
        text = self._cleaned(text).strip("\n").rstrip()
        if text.strip():
            self._append(text, separator)

    def add_heading(self, text: str, level: int) -> None:
        """Add a heading, on one line."""
        text = " ".join(self._cleaned(text).split())
        if text:
            start = self._append(text, "\n\n")
            self._headings.append(Heading(start=start, end=self._length, level=level, text=text))

    def report(self, kind: ProblemKind, detail: str, excerpt: str = "") -> None:
        """Note a problem of this page."""
        if len(self._problems) < MAX_PROBLEMS:
            plain = " ".join(clean_text(excerpt)[0].split())
            cut = plain if len(plain) <= EXCERPT_CHARS else plain[: EXCERPT_CHARS - 1] + "…"
            self._problems.append(PageProblem(page=self.page, kind=kind, detail=detail, excerpt=cut))

    def finish(self, max_chars: int) -> ExtractedPage:
        """Return the page, cut to a length."""
        text = "".join(self._parts)
        if len(text) > max_chars:
            self.report("cut", f"only the first {max_chars} of {len(text)} characters are read")
            text = text[:max_chars].rstrip()
        if self._unseen:
            self.report("hidden_text", "characters that nobody sees were left out", "".join(self._unseen))
        headings = tuple(heading for heading in self._headings if heading.end <= len(text))
        return ExtractedPage(text=text, headings=headings, problems=tuple(self._problems))

    def _cleaned(self, text: str) -> str:
        text, hidden = clean_text(text)
        if hidden:
            self._unseen.append(hidden)
        return text

    def _append(self, text: str, separator: str) -> int:
        if self._parts:
            self._parts.append(separator)
            self._length += len(separator)
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        return start


def decode_text(content: bytes) -> tuple[str, str | None]:
    """Return a text file's text, and the encoding where it had to be guessed."""
    for mark, name in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if content.startswith(mark):
            return content[len(mark) :].decode(name, errors="replace"), None
    try:
        return content.decode("utf-8"), None
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace"), "Windows-1252"
