"""Markdown: its source is the page's text, so that formulas stay as written; what nobody would see is left out."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

from preceptor.course.extraction import ExtractedDocument, ExtractionLimits
from preceptor.course.extraction_html import hiding
from preceptor.course.extraction_page import PageWriter
from preceptor.course.extraction_text import read_text

_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_REMARK = re.compile(r"^[ ]{0,3}\[[^\]\n]{0,40}\]:[ \t]*(?:#|<>)[ \t]*[(\"'](.*)[)\"'][ \t]*$", re.MULTILINE)
_HIDING_TAG = re.compile(r"<(\w+)(\s[^<>]*)>(.*?)</\1\s*>", re.DOTALL | re.IGNORECASE)
_SCRIPT = re.compile(r"<(script|style|template)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*\n", re.DOTALL)
_TITLE = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)
_MARKS = re.compile(r"^#{1,6}\s+|\s+#+\s*$|\s*\{[#.][^{}]*\}\s*$|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


class MarkdownExtractor:
    """`Extractor` for .md."""

    def __init__(self) -> None:
        """Make the parser that finds headings."""
        self._parser = MarkdownIt("commonmark").disable("inline", ignoreInvalid=True)

    def extract(self, content: bytes, limits: ExtractionLimits) -> ExtractedDocument:
        """See `Extractor.extract`."""
        writer = PageWriter(1)
        text = read_text(content, writer)[: 2 * limits.max_page_chars]
        text = _without_front_matter(text, writer)
        text = _without_hidden(text, writer)
        self._write(writer, text)
        return ExtractedDocument(pages=(writer.finish(limits.max_page_chars),))

    def _write(self, writer: PageWriter, text: str) -> None:
        lines = text.split("\n")
        done = 0
        tokens = self._parser.parse(text)
        for place, token in enumerate(tokens):
            if token.type != "heading_open" or token.map is None or token.level != 0:
                continue
            start, end = token.map
            writer.add(_tidy(lines[done:start]))
            writer.add_heading(_plain(tokens[place + 1].content), int(token.tag[1]))
            done = end
        writer.add(_tidy(lines[done:]))


def _without_front_matter(text: str, writer: PageWriter) -> str:
    found = _FRONT_MATTER.match(text)
    if found is None:
        return text
    title = _TITLE.search(found.group(1))
    if title:
        writer.add_heading(title.group(1), 1)
    return text[found.end() :]


def _without_hidden(text: str, writer: PageWriter) -> str:
    """Return the text without comments and hidden elements; code blocks stay as they are."""
    parts = re.split(r"(^(?:```|~~~).*?^(?:```|~~~)[^\n]*$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if place % 2 else _cleared(part, writer) for place, part in enumerate(parts))


def _cleared(text: str, writer: PageWriter) -> str:
    for pattern in (_COMMENT, _REMARK):
        for found in pattern.finditer(text):
            if found.group(1).strip():
                writer.report("comment", "a remark beside the text was left out", found.group(1))
        text = pattern.sub("", text)

    def seen(found: re.Match[str]) -> str:
        why = hiding(found.group(2))
        if why is None:
            return found.group()
        writer.report("hidden_text", f"text that a page would not show was left out ({why})", found.group(3))
        return ""

    return _HIDING_TAG.sub(seen, _SCRIPT.sub("", text))


def _plain(heading: str) -> str:
    return _MARKS.sub("", _LINK.sub(r"\1", heading))


def _tidy(lines: list[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines))
