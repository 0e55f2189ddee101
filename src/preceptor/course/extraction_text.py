"""Plain text and reStructuredText: one page, headings where a line is underlined."""

from __future__ import annotations

import re

from preceptor.course.extraction import ExtractedDocument, ExtractionLimits
from preceptor.course.extraction_page import PageWriter, decode_text
from preceptor.errors import InputError

_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.:])\1{2,}\s*$")
_CHAPTER = re.compile(r"^(?:chapter|section|part|unit|lesson)\s+\d+\b.{0,80}$", re.IGNORECASE)
_REMARK = re.compile(r"^\.\. (?!\w[\w-]*::|_|\[|\|)(?=\S)")
_BINARY_SHARE = 0.05
"""Share of control characters above which a file is no text. (chosen)"""


class TextExtractor:
    """`Extractor` for .txt and .rst."""

    def extract(self, content: bytes, limits: ExtractionLimits) -> ExtractedDocument:
        """See `Extractor.extract`."""
        writer = PageWriter(1)
        write_lines(writer, read_text(content, writer).split("\n"))
        return ExtractedDocument(pages=(writer.finish(limits.max_page_chars),))


def read_text(content: bytes, writer: PageWriter) -> str:
    """Return a text file's text; report a guessed encoding.

    Raises:
        InputError: It is no text.
    """
    text, guessed = decode_text(content)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    controls = sum(char < " " and char not in "\n\t\f\v\x1b" for char in text[:100_000])
    if "\x00" in text or controls > _BINARY_SHARE * min(len(text), 100_000):
        raise InputError("is not text: it holds binary data")
    if guessed:
        writer.report("encoding", f"not UTF-8; read as {guessed}, letters with accents may be wrong")
    return text


def write_lines(writer: PageWriter, lines: list[str]) -> None:
    """Write paragraphs and underlined headings; a heading's level follows from the order its underline first came."""
    levels: dict[str, int] = {}
    paragraph: list[str] = []

    def flush() -> None:
        writer.add("\n".join(line.rstrip() for line in paragraph))
        paragraph.clear()

    place = 0
    while place < len(lines):
        line = lines[place]
        under = lines[place + 1] if place + 1 < len(lines) else ""
        if _is_title(line, under):
            over = bool(paragraph) and bool(_UNDERLINE.match(paragraph[-1])) and paragraph[-1][0] == under[0]
            if over:
                paragraph.pop()
            flush()
            level = levels.setdefault(("=" if over else "") + under[0], len(levels) + 1)
            writer.add_heading(line, level)
            place += 2
            continue
        if _CHAPTER.match(line.strip()) and not paragraph and not under.strip():
            writer.add_heading(line, 1)
        elif _REMARK.match(line):
            writer.report("comment", "a remark beside the text was left out", line[3:])
        elif line.strip():
            paragraph.append(line)
        else:
            flush()
        place += 1
    flush()


def _is_title(line: str, under: str) -> bool:
    if not line.strip() or line[0].isspace() or _UNDERLINE.match(line) or not _UNDERLINE.match(under):
        return False
    return len(line.strip()) <= 120 and len(under.strip()) >= min(len(line.strip()), 3)
