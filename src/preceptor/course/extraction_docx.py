"""DOCX through python-docx: one page, headings by style, tables row by row; hidden runs and comments left out."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import docx
from docx.opc.exceptions import OpcError, PackageNotFoundError
from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph
from lxml import etree

from preceptor.course.extraction import ExtractedDocument, ExtractionLimits
from preceptor.course.extraction_package import check_package
from preceptor.course.extraction_page import PageWriter
from preceptor.errors import InputError

SMALLEST_HALF_POINTS = 4
"""Text of 2 points or less is taken for hidden. (chosen: nobody can read it)"""
_SKIPPED = {qn("w:del"), qn("w:moveFrom"), qn("w:instrText"), qn("w:delText"), qn("w:pPr")}
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


class DocxExtractor:
    """`Extractor` for .docx."""

    def extract(self, content: bytes, limits: ExtractionLimits) -> ExtractedDocument:
        """See `Extractor.extract`."""
        macros = check_package(content, main_part="word/document.xml", max_unpacked_bytes=limits.max_unpacked_bytes)
        try:
            document = docx.Document(io.BytesIO(content))
        except (OpcError, PackageNotFoundError, etree.XMLSyntaxError, KeyError, ValueError, AttributeError) as error:
            raise InputError("is damaged: it cannot be read as a Word document") from error
        writer = PageWriter(1)
        if macros:
            writer.report("macros", "the macros in it were left out")
        for block in document.iter_inner_content():
            _write(writer, block)
        for comment in document.comments:
            if comment.text.strip():
                writer.report("comment", "a comment beside the text was left out", comment.text)
        return ExtractedDocument(pages=(writer.finish(limits.max_page_chars),))


def _write(writer: PageWriter, block: Paragraph | Table) -> None:
    if isinstance(block, Table):
        rows = []
        for row in block.rows:
            seen: list[Any] = []
            for cell in row.cells:
                if not any(cell._tc is one._tc for one in seen):
                    seen.append(cell)
            cells = [" ".join(_visible(p, writer) for p in cell.paragraphs).strip() for cell in seen]
            rows.append(" | ".join(cells))
        writer.add("\n".join(row for row in rows if row.strip(" |")))
        return
    text = _visible(block, writer)
    level = _level(block)
    if level is not None:
        writer.add_heading(text, level)
    elif _is_list(block):
        writer.add(f"- {text}" if text.strip() else "", separator="\n")
    else:
        writer.add(text)


def _level(paragraph: Paragraph) -> int | None:
    """Return a heading's level by its outline level, or by its style's name where the style says none."""
    style: Any = paragraph.style
    for element in (paragraph._p.pPr, *(one.element.pPr for one in _lineage(style))):
        outline = None if element is None else element.find(qn("w:outlineLvl"))
        if outline is not None and (outline.get(qn("w:val")) or "").isdigit():
            level = int(outline.get(qn("w:val"))) + 1
            return level if level <= 9 else None
    name = (style.name or "") if style is not None else ""
    if name == "Title":
        return 1
    if name.startswith("Heading ") and name[8:].isdigit():
        return int(name[8:])
    return None


def _lineage(style: Any) -> Iterator[Any]:
    for _ in range(20):
        if style is None:
            return
        yield style
        style = style.base_style


def _is_list(paragraph: Paragraph) -> bool:
    properties = paragraph._p.pPr
    return properties is not None and properties.find(qn("w:numPr")) is not None


def _visible(paragraph: Paragraph, writer: PageWriter) -> str:
    shown: list[str] = []
    hidden: list[str] = []
    why = ""
    for run in _runs(paragraph._p):
        text = _run_text(run)
        reason = _hidden(run, paragraph) if text.strip() else None
        if reason is None:
            shown.append(text)
        else:
            hidden.append(text)
            why = reason
    if hidden:
        writer.report("hidden_text", f"text that nobody sees was left out ({why})", "".join(hidden))
    return "".join(shown)


def _runs(element: Any) -> Iterator[Any]:
    for child in element:
        if child.tag in _SKIPPED or child.tag == _FALLBACK:
            continue
        if child.tag == qn("w:r"):
            yield child
            yield from _boxes(child)
        elif child.tag.endswith(("}oMath", "}oMathPara")):
            yield child
        else:
            yield from _runs(child)


def _boxes(run: Any) -> Iterator[Any]:
    """Return the runs inside a run: those of text boxes."""
    for box in run.iter(qn("w:txbxContent")):
        if not any(parent.tag == _FALLBACK for parent in box.iterancestors()):
            yield from _runs(box)


def _run_text(run: Any) -> str:
    if not run.tag == qn("w:r"):
        return "".join(part.text or "" for part in run.iter() if part.tag.endswith("}t"))
    out: list[str] = []
    for child in run:
        if child.tag == qn("w:t"):
            out.append(child.text or "")
        elif child.tag == qn("w:tab"):
            out.append("\t")
        elif child.tag in (qn("w:br"), qn("w:cr")):
            out.append("\n")
        elif child.tag == qn("w:noBreakHyphen"):
            out.append("-")
    return "".join(out)


def _hidden(run: Any, paragraph: Paragraph) -> str | None:
    sources = [run.find(qn("w:rPr")), *_style_properties(run, paragraph)]
    properties = [one for one in sources if one is not None]
    if _is_on(properties, "w:vanish") or _is_on(properties, "w:specVanish"):
        return "marked as hidden"
    size = _first(properties, "w:sz")
    if size is not None and size.isdigit() and int(size) <= SMALLEST_HALF_POINTS:
        return "too small to read"
    colour = (_first(properties, "w:color") or "auto").upper()
    behind = _background(properties, paragraph)
    if colour != "AUTO" and colour == behind:
        return "the colour of its background"
    return None


def _style_properties(run: Any, paragraph: Paragraph) -> list[Any]:
    found = []
    own = run.find(qn("w:rPr"))
    named = None if own is None else own.find(qn("w:rStyle"))
    if named is not None:
        part: Any = paragraph.part
        styles = part.document.styles.element
        for style in styles.findall(qn("w:style")):
            if style.get(qn("w:styleId")) == named.get(qn("w:val")):
                found.append(style.find(qn("w:rPr")))
    return found + [one.element.find(qn("w:rPr")) for one in _lineage(paragraph.style)]


def _first(properties: list[Any], tag: str) -> str | None:
    for one in properties:
        found = one.find(qn(tag))
        if found is not None:
            value: str | None = found.get(qn("w:val"))
            return value
    return None


def _is_on(properties: list[Any], tag: str) -> bool:
    for one in properties:
        found = one.find(qn(tag))
        if found is not None:
            return found.get(qn("w:val")) not in ("0", "false", "off")
    return False


def _background(properties: list[Any], paragraph: Paragraph) -> str:
    """Return the colour behind a run: its own shading, its paragraph's, its cell's, else white."""
    shades = [one.find(qn("w:shd")) for one in properties]
    for parent in (paragraph._p, *paragraph._p.iterancestors(qn("w:tc"))):
        holder = parent.find(qn("w:pPr")) if parent is paragraph._p else parent.find(qn("w:tcPr"))
        shades.append(None if holder is None else holder.find(qn("w:shd")))
    for shade in shades:
        fill = None if shade is None else shade.get(qn("w:fill"))
        if fill and fill.lower() != "auto":
            return str(fill).upper()
    return "FFFFFF"
