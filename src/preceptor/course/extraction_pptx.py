"""PPTX through python-pptx: a page a slide, its title as heading; hidden slides, hidden text and notes left out."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

import pptx
from lxml import etree
from pptx.exc import PythonPptxError
from pptx.oxml.ns import qn

from preceptor.course.extraction import ExtractedDocument, ExtractedPage, ExtractionLimits
from preceptor.course.extraction_package import check_package
from preceptor.course.extraction_page import PageWriter
from preceptor.errors import InputError

SMALLEST_HUNDREDTHS = 200
"""Text of 2 points or less is taken for hidden. (chosen: nobody can read it)"""
_COMMENT_TYPES = ("/comments", "/threadedComment")


class PptxExtractor:
    """`Extractor` for .pptx."""

    def extract(self, content: bytes, limits: ExtractionLimits) -> ExtractedDocument:
        """See `Extractor.extract`."""
        macros = check_package(content, main_part="ppt/presentation.xml", max_unpacked_bytes=limits.max_unpacked_bytes)
        try:
            deck: Any = pptx.Presentation(io.BytesIO(content))
            slides = list(deck.slides)
        except (PythonPptxError, etree.XMLSyntaxError, KeyError, ValueError, AttributeError) as error:
            raise InputError("is damaged: it cannot be read as a presentation") from error
        if len(slides) > limits.max_pages:
            raise InputError(f"has {len(slides)} slides, at most {limits.max_pages} are read; split it")
        size = (int(deck.slide_width or 0), int(deck.slide_height or 0))
        pages = [_page(slide, number, size, limits) for number, slide in enumerate(slides, start=1)]
        if macros and pages:
            note = PageWriter(1)
            note.report("macros", "the macros in it were left out")
            first = pages[0]
            pages[0] = ExtractedPage(
                text=first.text, headings=first.headings, problems=note.finish(0).problems + first.problems
            )
        return ExtractedDocument(pages=tuple(pages))


def _page(slide: Any, number: int, size: tuple[int, int], limits: ExtractionLimits) -> ExtractedPage:
    writer = PageWriter(number)
    if slide._element.get("show") in ("0", "false"):
        hidden = " ".join(_all_text(slide.shapes))
        writer.report("hidden_text", "a hidden slide was left out", hidden)
        return writer.finish(limits.max_page_chars)
    title = slide.shapes.title
    background = _background(slide)
    if title is not None and title.has_text_frame:
        writer.add_heading(" ".join(_lines(title, writer, background, slide)), 1)
    for shape in _ordered(slide.shapes):
        if title is None or shape.shape_id != title.shape_id:
            _write(shape, writer, background, size, slide)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = slide.notes_slide.notes_text_frame.text
        if notes.strip():
            writer.report("comment", "the speaker's notes were left out", notes)
    for relation in slide.part.rels.values():
        if relation.reltype.endswith(_COMMENT_TYPES) and not relation.is_external:
            blob: bytes = relation.target_part.blob
            writer.report("comment", "a comment beside the slide was left out", _xml_text(blob))
    if not writer.length:
        writer.report("no_text", "no text can be read on this slide; a picture of text is not read")
    return writer.finish(limits.max_page_chars)


def _ordered(shapes: Iterable[Any]) -> list[Any]:
    """Return shapes from top to bottom, then left to right; one without a place keeps its turn at the top."""
    return sorted(shapes, key=lambda shape: (int(shape.top or 0) // 300_000, int(shape.left or 0)))


def _write(shape: Any, writer: PageWriter, background: str | None, size: tuple[int, int], slide: Any) -> None:
    if hasattr(shape, "shapes"):
        for inner in _ordered(shape.shapes):
            _write(inner, writer, background, (0, 0), slide)
        return
    text = " ".join(_all_text([shape]))
    if not text.strip():
        return
    why = "marked as hidden" if _is_hidden_shape(shape) else "off the slide" if _is_off(shape, size) else None
    if why:
        writer.report("hidden_text", f"text that nobody sees was left out ({why})", text)
    elif getattr(shape, "has_table", False):
        rows = (" | ".join(cell.text.replace("\n", " ") for cell in row.cells) for row in shape.table.rows)
        writer.add("\n".join(rows))
    else:
        writer.add("\n".join(_lines(shape, writer, background, slide)))


def _all_text(shapes: Iterable[Any]) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _all_text(shape.shapes)
        elif getattr(shape, "has_table", False):
            yield from (cell.text for row in shape.table.rows for cell in row.cells)
        elif shape.has_text_frame:
            yield shape.text_frame.text


def _lines(shape: Any, writer: PageWriter, background: str | None, slide: Any) -> list[str]:
    behind = _fill(shape._element.find(qn("p:spPr")), slide) or background
    lines = []
    hidden: list[str] = []
    why = ""
    for paragraph in shape.text_frame.paragraphs:
        shown = []
        for run in paragraph._p:
            text = _run_text(run)
            reason = _hidden(run, behind, slide) if text.strip() else None
            if reason is None:
                shown.append(text)
            else:
                hidden.append(text)
                why = reason
        line = "".join(shown).strip()
        if line:
            lines.append(line)
    if hidden:
        writer.report("hidden_text", f"text that nobody sees was left out ({why})", " ".join(hidden))
    return lines


def _run_text(run: Any) -> str:
    if run.tag == qn("a:br"):
        return "\n"
    if run.tag in (qn("a:r"), qn("a:fld")):
        found = run.find(qn("a:t"))
        return "" if found is None else found.text or ""
    if run.tag.endswith(("}m", "}oMath", "}AlternateContent")):
        return "".join(part.text or "" for part in run.iter() if part.tag.endswith("}t"))
    return ""


def _hidden(run: Any, behind: str | None, slide: Any) -> str | None:
    properties = run.find(qn("a:rPr"))
    if properties is None:
        return None
    size = properties.get("sz")
    if size and size.isdigit() and int(size) <= SMALLEST_HUNDREDTHS:
        return "too small to read"
    colour = _fill(properties, slide)
    if colour is not None and colour == behind:
        return "the colour of its background"
    fill = properties.find(qn("a:solidFill"))
    alpha = None if fill is None else next(fill.iter(qn("a:alpha")), None)
    if alpha is not None and (alpha.get("val") or "").isdigit() and int(alpha.get("val")) < 10_000:
        return "transparent"
    return "transparent" if properties.find(qn("a:noFill")) is not None else None


def _is_hidden_shape(shape: Any) -> bool:
    return any(found.get("hidden") in ("1", "true") for found in shape._element.iter(qn("p:cNvPr")))


def _is_off(shape: Any, size: tuple[int, int]) -> bool:
    if not all(size) or shape.left is None or shape.top is None:
        return False
    right, bottom = shape.left + (shape.width or 0), shape.top + (shape.height or 0)
    return bool(shape.left >= size[0] or shape.top >= size[1] or right <= 0 or bottom <= 0)


def _fill(holder: Any, slide: Any) -> str | None:
    """Return the one solid colour an element is filled with, RRGGBB; `None`: none, or it cannot be told."""
    solid = None if holder is None else holder.find(qn("a:solidFill"))
    if solid is None or not len(solid) or len(solid[0]):  # a colour with modifiers is another one
        return None
    colour = solid[0]
    if colour.tag == qn("a:srgbClr"):
        return str(colour.get("val")).upper()
    if colour.tag == qn("a:sysClr"):
        return str(colour.get("lastClr") or "").upper() or None
    return _theme_colour(colour.get("val"), slide) if colour.tag == qn("a:schemeClr") else None


def _background(slide: Any) -> str | None:
    """Return the slide's background: its own, else its layout's, else its master's; `None`: a picture, a gradient."""
    for part in (slide, slide.slide_layout, slide.slide_layout.slide_master):
        found = next(part._element.iter(qn("p:bg")), None)
        if found is None:
            continue
        own = found.find(qn("p:bgPr"))
        if own is not None:
            return _fill(own, slide)
        reference = found.find(qn("p:bgRef"))
        colour = None if reference is None else reference.find(qn("a:schemeClr"))
        plain = reference is not None and reference.get("idx") == "1001"
        return _theme_colour(colour.get("val"), slide) if plain and colour is not None else None
    return "FFFFFF"


def _theme_colour(name: str | None, slide: Any) -> str | None:
    master = slide.slide_layout.slide_master
    mapping = next(master._element.iter(qn("p:clrMap")), None)
    wanted = mapping.get(name) if mapping is not None and mapping.get(name) else name
    for relation in master.part.rels.values():
        if relation.reltype.endswith("/theme"):
            theme = etree.fromstring(relation.target_part.blob, etree.XMLParser(resolve_entities=False))
            found = next(theme.iter(qn(f"a:{wanted}")), None)
            if found is None or not len(found):
                return None
            value = found[0].get("lastClr") or found[0].get("val")
            return str(value).upper() if value else None
    return None


def _xml_text(blob: bytes) -> str:
    try:
        root = etree.fromstring(blob, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return ""
    return " ".join(" ".join(str(part) for part in root.itertext()).split())
