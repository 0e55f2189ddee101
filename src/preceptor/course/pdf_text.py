"""From a PDF's lines to its pages' text: running heads taken out, hyphens mended, paragraphs joined, headings found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from preceptor.course.extraction import ExtractedPage
from preceptor.course.extraction_page import PageWriter
from preceptor.course.pdf_layout import Line, Piece, reading_order

EDGE = 0.15
"""Part of a page's height, at its top and bottom, where running heads stand. (chosen)"""
NUMBER_EDGE = 0.25
"""The same for page numbers that stand alone. (chosen: wide margins put them there)"""
EDGE_LINES = 3
"""Lines at each edge that may be running heads. (chosen)"""
MIN_REPEATS = 3
"""Pages on which a line must stand to be a running head. (chosen)"""
MIN_REPEAT_SHARE = 0.25
"""Share of the pages on which it must stand. (chosen: heads may differ on left and right pages and by chapter)"""
HEADING_GROWTH = 1.12
"""Times the size of the body text from which a line is a heading. (chosen: 10 pt text has heads of 12)"""
MAX_HEADING_CHARS = 120
_PAGE_NUMBER = re.compile(
    r"^[\W_]*(?:page|p\.|seite|página|第)?\s*(\d{1,4}|[ivxlc]{1,7})\s*(?:(?:/|of|von|de)\s*\d{1,4})?[\W_]*(?:页)?$",
    re.I,
)
_BULLET = re.compile(r"^(?:[•●◦▪■‣∙·–—*-]\s+|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+|\[\d+\]\s)", re.IGNORECASE)
_NUMBERED = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[A-Z]\.|[IVX]{1,4}\.|Chapter \d+|Appendix [A-Z])\s+\S")
_LABEL = re.compile(r"^[A-Z][\w ]{1,20}:\s")
_ENDS = (".", "!", "?", ":", ";", "。", "！", "？", "”", ".)")
_WORD_END = re.compile(r"([^\W\d_]+)-$")
_WORD_START = re.compile(r"^([^\W\d_]+)")
_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")


@dataclass
class PageLines:
    """One page between reading and writing."""

    writer: PageWriter
    pieces: list[Piece]
    height: float
    lines: list[Line] = field(default_factory=list)


def write_pages(pages: Sequence[PageLines], max_chars: int) -> tuple[ExtractedPage, ...]:
    """Return the text of all pages of one document."""
    for page in pages:
        page.lines = reading_order(page.pieces)
        page.pieces = []
    _drop_running_heads(pages, _body_size(line for page in pages for line in page.lines))
    every = [line for page in pages for line in page.lines]
    body = _body_size(every)
    levels = _levels(every, body)
    mend = _Hyphens(every)
    for page in pages:
        _write(page, body, levels, mend)
    return tuple(page.writer.finish(max_chars) for page in pages)


def _drop_running_heads(pages: Sequence[PageLines], body: float) -> None:
    """Take out lines that repeat at the edges of many pages, whatever number stands in them, and page numbers.

    In a line as large as a heading the number counts: "Chapter 2" is no repetition of "Chapter 1".
    """
    seen: Counter[tuple[bool, str]] = Counter()
    for page in pages:
        seen.update({key for _, key in _edge_lines(page, body)})
    needed = max(MIN_REPEATS, MIN_REPEAT_SHARE * len(pages))
    numbers = sum(any(_PAGE_NUMBER.match(line.text) for line, _ in _edge_lines(page, body)) for page in pages)
    for number, page in enumerate(pages, start=1):
        gone = set()
        for line, key in _edge_lines(page, body):
            repeats = seen[key] >= needed
            counted = _PAGE_NUMBER.match(line.text) and (numbers >= needed or line.text.strip("-–— ") == str(number))
            if repeats or counted:
                gone.add(id(line))
        page.lines = [line for line in page.lines if id(line) not in gone]


def _edge_lines(page: PageLines, body: float) -> list[tuple[Line, tuple[bool, str]]]:
    found = []
    by_height = sorted(page.lines, key=lambda line: line.top)
    for lines, is_top in ((by_height[:EDGE_LINES], True), (by_height[-EDGE_LINES:], False)):
        for line in lines:
            place = line.bottom if is_top else page.height - line.top
            if place <= (NUMBER_EDGE if _PAGE_NUMBER.match(line.text) else EDGE) * page.height:
                text = line.text.casefold()
                found.append((line, (is_top, text if _is_large(line, body) else re.sub(r"\d+", "#", text))))
    return found


def _body_size(lines: Iterable[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return max(sizes.items(), key=lambda item: item[1])[0] if sizes else 10.0


def _levels(lines: Iterable[Line], body: float) -> dict[float, int]:
    """Return heading sizes → level; sizes within half a point share one."""
    sizes = sorted({round(line.size * 2) / 2 for line in lines if _is_large(line, body)}, reverse=True)
    return {size: place for place, size in enumerate(sizes[:5], start=1)}


def _is_large(line: Line, body: float) -> bool:
    letters = sum(char.isalpha() for char in line.text)
    return (
        line.size >= HEADING_GROWTH * body
        and len(line.text) <= MAX_HEADING_CHARS
        and letters >= 2
        and letters >= 0.4 * len(line.text)
        and not line.is_row
    )


def _write(page: PageLines, body: float, levels: dict[float, int], mend: _Hyphens) -> None:
    place = 0
    lines = page.lines
    while place < len(lines):
        level = _heading_level(lines, place, body, levels)
        if level is not None:
            end = place + 1
            while end < len(lines) and _continues_heading(lines[end - 1], lines[end]) and end - place < 3:
                end += 1
            page.writer.add_heading(mend.join([line.text for line in lines[place:end]]), level)
        else:
            end = place + 1
            while end < len(lines) and not _starts_paragraph(lines, end, body, levels):
                end += 1
            item = lines[place].is_row or bool(_BULLET.match(lines[place].text))
            text = mend.join([line.text for line in lines[place:end]])
            page.writer.add(text, separator="\n" if item else "\n\n")
        place = end


def _heading_level(lines: Sequence[Line], place: int, body: float, levels: dict[float, int]) -> int | None:
    line = lines[place]
    if _is_large(line, body):
        return levels.get(round(line.size * 2) / 2, len(levels) + 1)
    if not line.bold or line.is_row or line.size < 0.95 * body or not 3 <= len(line.text) <= 90:
        return None
    if line.text.endswith((".", ",", ";")) or not any(char.isalpha() for char in line.text):
        return None
    before = lines[place - 1] if place else None
    after = lines[place + 1] if place + 1 < len(lines) else None
    if after is None or (after.bold and not _NUMBERED.match(line.text)):
        return None
    stands_apart = before is None or before.block != line.block or line.top - before.bottom > 0.5 * line.size
    return len(levels) + 1 if stands_apart or _NUMBERED.match(line.text) else None


def _continues_heading(before: Line, line: Line) -> bool:
    return (
        abs(before.size - line.size) < 0.3
        and before.bold == line.bold
        and 0 <= line.top - before.top < 1.8 * line.size
        and not _NUMBERED.match(line.text)
        and not line.is_row
        and len(before.text) + len(line.text) <= 2 * MAX_HEADING_CHARS
        and (line.bold or line.size > 0)
    )


def _starts_paragraph(lines: Sequence[Line], place: int, body: float, levels: dict[float, int]) -> bool:
    before, line = lines[place - 1], lines[place]
    if _heading_level(lines, place, body, levels) is not None or line.is_row or before.is_row:
        return True
    if _BULLET.match(line.text) or abs(line.size - before.size) > 0.12 * max(line.size, before.size):
        return True
    if line.block != before.block:
        return before.text.endswith(_ENDS) or not line.text[:1].islower()
    block = [one for one in lines if one.block == line.block]
    pitches = [b.top - a.top for a, b in zip(block, block[1:], strict=False) if b.top > a.top]
    pitch = median(pitches) if pitches else 1.2 * line.size
    if line.top - before.top > 1.35 * max(pitch, 1.1 * line.size):
        return True
    if _LABEL.match(line.text) and before.text.endswith(_ENDS):
        return True
    left, right = min(one.x0 for one in block), max(one.x1 for one in block)
    ends_short = before.x1 < right - 0.15 * (right - left) and before.text.endswith(_ENDS)
    indented = line.x0 > left + 0.8 * line.size and line.x0 > before.x0 + 0.8 * line.size
    return ends_short or (indented and before.text.endswith(_ENDS))


class _Hyphens:
    """Mends words that were cut at the end of a line, by the words of the same document."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._words: set[str] = set()
        self._hyphenated: set[str] = set()
        for line in lines:
            text = line.text.casefold()
            inner = text.rsplit(" ", 1)[0] if text.endswith("-") else text
            self._hyphenated.update(_HYPHENATED.findall(inner))
            self._words.update(re.findall(r"[^\W\d_]+", inner))

    def join(self, texts: Sequence[str]) -> str:
        """Return lines as one text."""
        whole = texts[0]
        for text in texts[1:]:
            whole = self._joined(whole, text)
        return whole

    def _joined(self, before: str, after: str) -> str:
        cut, start = _WORD_END.search(before), _WORD_START.match(after)
        if cut is None or start is None:
            dense = before[-1:] > "\u2e80" and after[:1] > "\u2e80"
            return before + after if dense else f"{before} {after}"
        left, right = cut.group(1).casefold(), start.group(1).casefold()
        compound = before[: cut.start()].endswith("-") or f"{left}-{right}" in self._hyphenated
        if after[0].islower() and (left + right in self._words or not compound):
            return before[:-1] + after
        return before + after
