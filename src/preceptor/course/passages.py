"""Cutting a document's pages into passages that respect its sections, paragraphs and sentences.

A passage is a span of one page: its text is the page's text from `start` to `end`, always. Its id follows from the
document, its headings and its text, so that what did not change keeps its id and its vector.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from preceptor.domain.course import CoursePage, Heading
from preceptor.domain.passage import PASSAGE_CHARS, PASSAGE_OVERLAP_CHARS, Document, Passage

SMALLEST_REST = 120
"""What is left of a section below this many characters joins the passage before it. (chosen)"""
LARGEST_OVERLAP = 200
"""An overlap reaches back to a sentence's start if that is not further than this, else to a word's. (chosen)"""
_SENTENCE_END = re.compile(r"(?<=\S)[.!?…]+[\"'”’)\]]*\s+|[。！？；]+[”’」』）]*\s*|\n[ \t]*\n\s*|\n")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|al|fig|eq|eqs|no|vol|pp|ch|sec|dr|mr|mrs|ms|prof|st|approx|resp|bzw|z\.B|d\.h|Abb|Nr|p)"
    r"|\b[A-Z])\.\s+\Z",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:^|\n)[^\n]{0,40}[:：][*_`]{0,3}\s*\Z|(?:^|\n)#{1,6} [^\n]*\s*\Z|(?:^|\n)\*\*[^\n*]{1,40}\*\*\s*\Z"
)
"""A line that announces what follows must not end a passage."""
_SOFT_END = re.compile(r"[,;:，；：、]\s*|\s+")


@dataclass(frozen=True)
class Span:
    """A part of one page's text."""

    start: int
    end: int
    heading_path: tuple[str, ...]


def cut_pages(document: Document, pages: Sequence[CoursePage]) -> list[Passage]:
    """Return a document's passages in reading order; headings above a page's first line come from the pages before."""
    out: list[Passage] = []
    seen: Counter[str] = Counter()
    above: tuple[Heading, ...] = ()
    for page in pages:
        spans, above = cut_page(page, above)
        for span in spans:
            text = page.text[span.start : span.end]
            key = "\x1f".join((document.document_id, *span.heading_path, text))
            seen[key] += 1
            out.append(
                Passage(
                    passage_id=_passage_id(key, seen[key]),
                    subject_id=document.subject_id,
                    document_id=document.document_id,
                    document_name=document.name,
                    page=page.page,
                    start=span.start,
                    end=span.end,
                    text=text,
                    heading_path=span.heading_path,
                    official=document.official,
                    page_fingerprint=page.fingerprint,
                )
            )
    return out


def cut_page(page: CoursePage, above: tuple[Heading, ...] = ()) -> tuple[list[Span], tuple[Heading, ...]]:
    """Return a page's spans in order, and the headings that the next page stands under."""
    spans: list[Span] = []
    start = 0
    for place, heading in enumerate((*page.headings, None)):
        end = len(page.text) if heading is None else heading.start
        if place == 0 or not _only_headings(page, start, end):
            path = _path(above)
            spans += [Span(a, b, path) for a, b in _cut(page.text, start, end)]
            start = end
        if heading is not None:
            above = (*(one for one in above if one.level < heading.level), heading)
    if start < len(page.text):  # headings that nothing follows on this page
        spans += [Span(a, b, _path(above)) for a, b in _cut(page.text, start, len(page.text))]
    return spans, above


def _path(headings: Sequence[Heading]) -> tuple[str, ...]:
    """Return headings as texts; one that repeats the one above it, as a title often does, counts once."""
    texts = [one.text for one in headings]
    return tuple(text for place, text in enumerate(texts) if not place or text != texts[place - 1])


def _only_headings(page: CoursePage, start: int, end: int) -> bool:
    """Return whether a section is its heading alone: then it opens the passage of the next one."""
    place = start
    for heading in page.headings:
        if start <= heading.start < end:
            if page.text[place : heading.start].strip():
                return False
            place = heading.end
    return not page.text[place:end].strip()


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield spans of one section."""
    start, end = _trimmed(text, start, end)
    ends = _ends(text, start, end)
    while start < end:
        stop = end
        if end - start > PASSAGE_CHARS + SMALLEST_REST:
            stop = _stop(text, ends, start)
        a, b = _trimmed(text, start, stop)
        if a < b:
            yield a, b
        if stop >= end:
            return
        start = _next_start(text, ends, start, stop)


def _stop(text: str, ends: Sequence[int], start: int) -> int:
    """Return where a passage ends: after the last sentence that fits, else within a long one."""
    limit = start + PASSAGE_CHARS
    fitting = ends[bisect_right(ends, start + PASSAGE_CHARS // 3) : bisect_right(ends, limit)]
    paragraphs = [one for one in fitting if one > start + 2 * PASSAGE_CHARS // 3 and text[one - 2 : one] == "\n\n"]
    for choice in (paragraphs, fitting):
        for one in reversed(choice):
            if not _LABEL.search(text, max(start, one - 60), one):
                return one
    if fitting:
        return fitting[-1]
    for found in reversed(list(_SOFT_END.finditer(text, start + PASSAGE_CHARS // 2, limit))):
        return found.end()
    return limit


def _next_start(text: str, ends: Sequence[int], start: int, stop: int) -> int:
    """Return where the next passage starts: at a sentence about `PASSAGE_OVERLAP_CHARS` before the end, else a word."""
    wanted = stop - PASSAGE_OVERLAP_CHARS
    at = bisect_left(ends, stop - LARGEST_OVERLAP)
    near = [one for one in ends[at:] if start < one < stop - PASSAGE_OVERLAP_CHARS // 4]
    if near:
        return min(near, key=lambda one: abs(one - wanted))
    space = re.compile(r"\s").search(text, max(wanted, start + 1), stop)
    if space and space.end() < stop:
        return space.end()
    return stop if any(char.isspace() for char in text[start:stop]) else max(wanted, start + 1)


def _ends(text: str, start: int, end: int) -> list[int]:
    """Return the places after each sentence, line or paragraph of a section."""
    found = []
    for hit in _SENTENCE_END.finditer(text, start, end):
        if "\n" in hit.group() or not _ABBREVIATION.search(text, max(start, hit.end() - 16), hit.end()):
            found.append(hit.end())
    return found


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _passage_id(key: str, occurrence: int) -> str:
    return "p" + hashlib.sha256(f"{key}\x1f{occurrence}".encode()).hexdigest()[:24]
