"""PDF through pypdfium2: characters become pieces of lines, hidden ones apart; `pdf_layout` puts them in order."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, field

import pypdfium2
import pypdfium2.raw as pdfium

from preceptor.course.extraction import ExtractedDocument, ExtractionLimits
from preceptor.course.extraction_page import PageWriter
from preceptor.course.pdf_colours import HidingColours
from preceptor.course.pdf_layout import Piece
from preceptor.course.pdf_text import PageLines, write_pages
from preceptor.errors import InputError

SMALLEST_POINTS = 1.5
"""Text smaller than this is taken for hidden. (chosen: nobody can read it; indices reach 4)"""
GAP_EMS = 1.6
"""A wider gap within a line ends a piece. (chosen: justified words stay below 1, gutters are above 1.5)"""
_HYPHENS = {0x02: "-", 0xFFFE: "-", 0x2010: "-", 0x2011: "-"}
_INVISIBLE = 3
_COMMENT_KINDS = frozenset({1, 3, 9, 10, 11, 12, 13, 14})
"""Annotation subtypes that carry remarks: text, free text, highlight, underline, squiggly, strike-out, stamp, caret."""
_BOLD_NAMES = (b"bold", b"cmbx", b"black", b"heavy", b"-semib", b"demi", b"sfbx")
_MISSING = "\ufffd"
UNDECODED_SHARE = 0.3
"""Share of characters without a known letter above which a page counts as not decodable. (chosen)"""


class PdfExtractor:
    """`Extractor` for .pdf."""

    def extract(self, content: bytes, limits: ExtractionLimits) -> ExtractedDocument:
        """See `Extractor.extract`."""
        document = _open(content)
        try:
            n_pages = len(document)
            if not n_pages:
                raise InputError("is damaged: it has no page")
            if n_pages > limits.max_pages:
                raise InputError(f"has {n_pages} pages, at most {limits.max_pages} are read; split it")
            pages = [_read_page(document, index, limits) for index in range(n_pages)]
            if pdfium.FPDFDoc_GetAttachmentCount(document.raw):
                pages[0].writer.report("unread", "files attached to it were not read")
        finally:
            document.close()
        return ExtractedDocument(pages=write_pages(pages, limits.max_page_chars))


def _open(content: bytes) -> pypdfium2.PdfDocument:
    if b"%PDF-" not in content[:1024]:
        raise InputError("is damaged or not a PDF: it does not begin like one")
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise InputError("is encrypted; save it without a password") from error
        raise InputError("is damaged: it cannot be read as a PDF") from error


def _read_page(document: pypdfium2.PdfDocument, index: int, limits: ExtractionLimits) -> PageLines:
    writer = PageWriter(index + 1)
    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        writer.report("unread", "the page is damaged and was not read")
        return PageLines(writer=writer, pieces=[], height=1.0)
    try:
        handle = pdfium.FPDFText_LoadPage(page.raw)
        if not handle:
            writer.report("unread", "the page's text is damaged and was not read")
            return PageLines(writer=writer, pieces=[], height=1.0)
        try:
            reading = _PageReading(page, handle, limits.max_page_chars)
            reading.run()
        finally:
            pdfium.FPDFText_ClosePage(handle)
        _report_comments(page, writer)
        return reading.lines(writer)
    finally:
        page.close()


@dataclass
class _Look:
    """What a text object looks like; looked up once an object."""

    size: float
    bold: bool
    mode: int
    colour: tuple[int, int, int, int]
    rotated: bool
    hidden: str | None = None
    box: list[float] = field(default_factory=lambda: [math.inf, math.inf, -math.inf, -math.inf])


class _PageReading:
    """One pass over the characters of a page."""

    def __init__(self, page: pypdfium2.PdfPage, handle: ctypes.c_void_p, max_chars: int) -> None:
        self._page, self._handle = page, handle
        self._n = min(int(pdfium.FPDFText_CountChars(handle)), 2 * max_chars)
        left, bottom, right, top = page.get_bbox()
        self._left, self._bottom, self._right, self._top = left, bottom, right, top
        self._looks: dict[int, _Look] = {}
        self._raw: list[tuple[int, list[tuple[str, float, float, float, float]]]] = []

    def run(self) -> None:
        """Collect characters in runs of one look and one line."""
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        box = tuple(ctypes.byref(one) for one in (left, right, bottom, top))
        unicode_of, object_of, box_of = (
            pdfium.FPDFText_GetUnicode,
            pdfium.FPDFText_GetTextObject,
            pdfium.FPDFText_GetCharBox,
        )
        run: list[tuple[str, float, float, float, float]] = []
        key, lead = 0, 0
        for place in range(self._n):
            code = unicode_of(self._handle, place)
            if code in (10, 13):
                run, key = [], 0
                continue
            if 0xD800 <= code < 0xDC00:
                lead = code
                continue
            if 0xDC00 <= code < 0xE000 and lead:
                code = 0x10000 + ((lead - 0xD800) << 10) + (code - 0xDC00)
            char = _HYPHENS.get(code) or (chr(code) if code and not 0xD800 <= code < 0xE000 else _MISSING)
            if char in " \xa0" and run:
                run.append((" ", *run[-1][1:]))
                continue
            own = ctypes.cast(object_of(self._handle, place), ctypes.c_void_p).value or 0
            box_of(self._handle, place, *box)
            x0, x1, y0, y1 = left.value, right.value, bottom.value, top.value
            if own not in self._looks:
                self._looks[own] = self._look(place, own)
            look = self._looks[own]
            _widen(look.box, x0, y0, x1, y1)
            if not run or own != key or self._breaks(run, look, x0):
                run = []
                self._raw.append((own, run))
                key = own
            run.append((char, x0, y0, x1, y1))

    def _breaks(self, run: list[tuple[str, float, float, float, float]], look: _Look, x0: float) -> bool:
        last = run[-1][3]
        return x0 - last > GAP_EMS * look.size or x0 < run[0][1] - 3 * look.size

    def _look(self, place: int, own: int) -> _Look:
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(self._handle, place, ctypes.byref(matrix))
        scale = math.hypot(matrix.c, matrix.d) or 1.0
        text = pdfium.FPDFText_GetTextObject(self._handle, place)
        channels = [ctypes.c_uint() for _ in range(4)]
        pdfium.FPDFText_GetFillColor(self._handle, place, *(ctypes.byref(one) for one in channels))
        return _Look(
            size=pdfium.FPDFText_GetFontSize(self._handle, place) * scale,
            bold=_is_bold(text),
            mode=pdfium.FPDFTextObj_GetTextRenderMode(text) if own else 0,
            colour=(channels[0].value, channels[1].value, channels[2].value, channels[3].value),
            rotated=abs(matrix.b) > abs(matrix.a),
        )

    def lines(self, writer: PageWriter) -> PageLines:
        """Sort hidden text out and return the rest as pieces."""
        self._mark_hidden()
        pieces: list[Piece] = []
        hidden: dict[str, list[str]] = {}
        turned: list[str] = []
        for key, chars in self._raw:
            look = self._looks[key]
            text = "".join(char for char, *_ in chars)
            if not text.strip():
                continue
            if look.hidden:
                hidden.setdefault(look.hidden, []).append(text)
            elif look.rotated:
                turned.append(text)
            else:
                pieces.append(self._piece(text, chars, look))
        for why, texts in hidden.items():
            writer.report("hidden_text", f"text that nobody sees was left out ({why})", " ".join(texts))
        if len("".join(turned)) > 20:
            writer.report("unread", "text that stands upright on its side was left out", " ".join(turned))
        lines = PageLines(writer=writer, pieces=pieces, height=self._top - self._bottom)
        self._report_text(lines)
        return lines

    def _piece(self, text: str, chars: list[tuple[str, float, float, float, float]], look: _Look) -> Piece:
        x0 = min(one[1] for one in chars)
        x1 = max(one[3] for one in chars)
        y0 = min(one[2] for one in chars)
        y1 = max(one[4] for one in chars)
        return Piece(text=text, x0=x0, x1=x1, top=self._top - y1, bottom=self._top - y0, size=look.size, bold=look.bold)

    def _mark_hidden(self) -> None:
        unseen = [look for look in self._looks.values() if look.mode == _INVISIBLE]
        is_scan = len(unseen) > len(self._looks) / 2 and _pictures(self._page)
        for look in self._looks.values():
            if look.mode == _INVISIBLE and not is_scan:
                look.hidden = "drawn invisibly"
            elif 0 < look.size < SMALLEST_POINTS:
                look.hidden = "too small to read"
            elif self._is_off(look):
                look.hidden = "off the page"
        colours = HidingColours(self._page)
        for look in self._looks.values():
            if look.hidden is None and look.mode != _INVISIBLE and colours.hides(look.colour, look.box):
                look.hidden = "the colour of its background"

    def _is_off(self, look: _Look) -> bool:
        x0, y0, x1, y1 = look.box
        return bool(x1 < self._left or x0 > self._right or y1 < self._bottom or y0 > self._top)

    def _report_text(self, lines: PageLines) -> None:
        text = "".join(piece.text for piece in lines.pieces)
        if not text.strip():
            if _pictures(self._page):
                lines.writer.report(
                    "no_text", "the page is a picture without text, such as a scan: nothing of it is read"
                )
            else:
                lines.writer.report("no_text", "the page is empty")
            return
        missing = sum(char == _MISSING or 0xE000 <= ord(char) < 0xF900 for char in text)
        if missing > UNDECODED_SHARE * len(text):
            lines.writer.report("encoding", "the page's font does not say which letters it draws", text)


def _widen(box: list[float], x0: float, y0: float, x1: float, y1: float) -> None:
    box[0], box[1] = min(box[0], x0), min(box[1], y0)
    box[2], box[3] = max(box[2], x1), max(box[3], y1)


def _is_bold(text: ctypes.c_void_p) -> bool:
    font = pdfium.FPDFTextObj_GetFont(text) if text else None
    if not font:
        return False
    name = ctypes.create_string_buffer(128)
    pdfium.FPDFFont_GetBaseFontName(font, name, 128)
    plain = bytes(name.value).lower()
    return any(mark in plain for mark in _BOLD_NAMES)


def _pictures(page: pypdfium2.PdfPage) -> bool:
    return any(True for _ in page.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=3))


def _report_comments(page: pypdfium2.PdfPage, writer: PageWriter) -> None:
    for index in range(min(int(pdfium.FPDFPage_GetAnnotCount(page.raw)), 500)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, index)
        if not annotation:
            continue
        if pdfium.FPDFAnnot_GetSubtype(annotation) in _COMMENT_KINDS:
            text = _annotation_text(annotation)
            if text.strip():
                writer.report("comment", "a comment beside the text was left out", text)
        pdfium.FPDFPage_CloseAnnot(annotation)


def _annotation_text(annotation: ctypes.c_void_p) -> str:
    size = min(int(pdfium.FPDFAnnot_GetStringValue(annotation, b"Contents", None, 0)), 20_000)
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size + 2)
    pdfium.FPDFAnnot_GetStringValue(annotation, b"Contents", ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", errors="replace")
