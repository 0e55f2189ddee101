"""Small course files, good and hostile, made when a test needs them, and what is read of them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import docx
import pptx
import pypdfium2
import pypdfium2.raw as pdfium

from preceptor.course.extraction import ExtractedDocument, ExtractionLimits, format_of, open_extractor

BLACK = (0, 0, 0, 255)
WHITE = (255, 255, 255, 255)
LIMITS = ExtractionLimits(max_pages=50, max_page_chars=100_000, max_unpacked_bytes=20_000_000)


@dataclass(frozen=True, kw_only=True)
class Words:
    """A line on a PDF page; x and y in points from the lower left corner."""

    text: str
    x: float
    y: float
    size: float = 11.0
    colour: tuple[int, int, int, int] = BLACK
    font: str = "Helvetica"
    mode: int = 0


@dataclass(frozen=True, kw_only=True)
class Box:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    colour: tuple[int, int, int, int]


def pdf(pages: Sequence[Sequence[Words | Box]]) -> bytes:
    document = pypdfium2.PdfDocument.new()
    for things in pages:
        page = document.new_page(595, 842)
        for thing in things:
            if isinstance(thing, Box):
                made = pdfium.FPDFPageObj_CreateNewRect(thing.x, thing.y, thing.width, thing.height)
                pdfium.FPDFPath_SetDrawMode(made, pdfium.FPDF_FILLMODE_WINDING, 0)
            else:
                made = pdfium.FPDFPageObj_NewTextObj(document.raw, thing.font.encode(), thing.size)
                raw = thing.text.encode("utf-16-le") + b"\x00\x00"
                pdfium.FPDFText_SetText(made, (pdfium.FPDF_WCHAR * (len(raw) // 2)).from_buffer_copy(raw))
                pdfium.FPDFTextObj_SetTextRenderMode(made, thing.mode)
                pdfium.FPDFPageObj_Transform(made, 1, 0, 0, 1, thing.x, thing.y)
            pdfium.FPDFPageObj_SetFillColor(made, *thing.colour)
            pdfium.FPDFPage_InsertObject(page.raw, made)
        page.gen_content()
    return _saved(document)


def prose(lines: Sequence[str], *, x: float = 70, top: float = 760, pitch: float = 14, size: float = 11) -> list[Words]:
    """Lines of one column, from `top` down."""
    return [Words(text=line, x=x, y=top - place * pitch, size=size) for place, line in enumerate(lines)]


def scanned_pdf() -> bytes:
    """One page that is a grey picture."""
    document = pypdfium2.PdfDocument.new()
    page = document.new_page(595, 842)
    bitmap = pypdfium2.PdfBitmap.new_native(100, 140, pdfium.FPDFBitmap_BGR)
    bitmap.fill_rect((120, 120, 120, 255), 0, 0, 100, 140)
    image = pypdfium2.PdfImage.new(document)
    image.set_bitmap(bitmap)
    image.set_matrix(pypdfium2.PdfMatrix().scale(595, 842))
    page.insert_obj(image)
    page.gen_content()
    return _saved(document)


def encrypted_pdf() -> bytes:
    """A PDF whose trailer asks for a password that nobody has."""
    key = b"<" + b"41" * 32 + b">"
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
        b"<</Filter/Standard/V 1/R 2/O " + key + b"/U " + key + b"/P -4>>",
    )
    body, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"xref\n0 5\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<</Size 5/Root 1 0 R/Encrypt 4 0 R/ID[<00><00>]>>\nstartxref\n%d\n%%%%EOF\n" % len(body)
    return body + table + trailer


def _saved(document: pypdfium2.PdfDocument) -> bytes:
    made = io.BytesIO()
    document.save(made)
    document.close()
    return made.getvalue()


def word_document() -> Any:
    return docx.Document()


def slide_deck() -> Any:
    return pptx.Presentation()


def packed(document: Any) -> bytes:
    made = io.BytesIO()
    document.save(made)
    return made.getvalue()


def repacked(content: bytes, changes: dict[str, bytes]) -> bytes:
    """A package with parts replaced or added."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            new.writestr(part.filename, changes.get(part.filename, old.read(part)))
        for name in changes.keys() - set(old.namelist()):
            new.writestr(name, changes[name])
    return made.getvalue()


def read(content: bytes, name: str) -> ExtractedDocument:
    return open_extractor(format_of(name)).extract(content, LIMITS)


def kinds(found: ExtractedDocument) -> list[str]:
    return [problem.kind for page in found.pages for problem in page.problems]


def headings(found: ExtractedDocument) -> list[tuple[int, int, str]]:
    for page in found.pages:
        for one in page.headings:
            assert page.text[one.start : one.end] == one.text
    return [(number, one.level, one.text) for number, page in enumerate(found.pages, 1) for one in page.headings]
