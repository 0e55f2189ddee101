"""The child process of `extraction_process`: a header line and a file's bytes in, a header line and its pages out.

Before it reads anything from outside it has loaded all its code and given up what a hostile file could use: it can open
no file and no connection, start no process, write nothing but its answer, and take only so much memory.
"""

from __future__ import annotations

import contextlib
import encodings.aliases
import importlib
import io
import json
import os
import resource
import sys
from dataclasses import asdict
from typing import BinaryIO

from preceptor.course.extraction import ExtractionLimits, Extractor, Format, all_formats, open_extractor
from preceptor.errors import InputError

_SAMPLE_LIMITS = ExtractionLimits(max_pages=10, max_page_chars=1000, max_unpacked_bytes=50_000_000)


def main() -> None:
    """Serve until standard input closes."""
    memory_bytes, cpu_s = int(sys.argv[1]), int(sys.argv[2])
    extractors = {form: open_extractor(form) for form in all_formats()}
    _load_everything(extractors)
    for limit, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 3),
    ):
        resource.setrlimit(limit, (value, value))
    _answer(sys.stdout.buffer, {"ready": True}, b"")
    while header := sys.stdin.buffer.readline():
        asked = json.loads(header)
        content = sys.stdin.buffer.read(asked["n_bytes"])
        _allow_cpu(cpu_s)
        _extract(extractors[asked["format"]], content, ExtractionLimits(**asked["limits"]))


def _extract(extractor: Extractor, content: bytes, limits: ExtractionLimits) -> None:
    try:
        found = extractor.extract(content, limits)
        body = json.dumps(asdict(found), ensure_ascii=True).encode()
    except InputError as error:
        _answer(sys.stdout.buffer, {"refused": str(error)}, b"")
    except (MemoryError, RecursionError):
        _answer(sys.stdout.buffer, {"refused": "needs more memory than one file may take"}, b"")
    else:
        _answer(sys.stdout.buffer, {"refused": None}, body)


def _answer(stream: BinaryIO, header: dict[str, object], body: bytes) -> None:
    stream.write(json.dumps({**header, "n_bytes": len(body)}).encode() + b"\n" + body)
    stream.flush()


def _allow_cpu(seconds: int) -> None:
    """Let the process use so many more seconds of processor time before the kernel ends it."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(usage.ru_utime + usage.ru_stime) + seconds + 1, hard))


def _load_everything(extractors: dict[Format, Extractor]) -> None:
    """Use every extractor once: what is loaded late could not be loaded any more."""
    for name in sorted(set(encodings.aliases.aliases.values())):
        with contextlib.suppress(ImportError):  # some belong to other systems
            importlib.import_module(f"encodings.{name}")
    samples = {
        "markdown": b"# a\n\n<b style='color:red'>b</b> <!-- a b c -->",
        "html": b"<style>.a{color:red}</style><h1>a</h1><p style='color:red'>b</p><!-- one two three -->",
        "text": b"a\n===\n\nb\xe9",
        "pdf": _pdf(),
        "docx": _docx(),
        "pptx": _pptx(),
    }
    for form, extractor in extractors.items():
        extractor.extract(samples[form], _SAMPLE_LIMITS)


def _pdf() -> bytes:
    import pypdfium2
    import pypdfium2.raw as pdfium

    document = pypdfium2.PdfDocument.new()
    page = document.new_page(200, 200)
    text = pdfium.FPDFPageObj_NewTextObj(document.raw, b"Helvetica", 12.0)
    words = "white".encode("utf-16-le") + b"\x00\x00"
    pdfium.FPDFText_SetText(text, (pdfium.FPDF_WCHAR * (len(words) // 2)).from_buffer_copy(words))
    pdfium.FPDFPageObj_SetFillColor(text, 255, 255, 255, 255)
    pdfium.FPDFPageObj_Transform(text, 1, 0, 0, 1, 50, 50)
    pdfium.FPDFPage_InsertObject(page.raw, text)
    page.gen_content()
    made = io.BytesIO()
    document.save(made)
    document.close()
    return made.getvalue()


def _docx() -> bytes:
    import docx

    document = docx.Document()
    document.add_heading("a", 1)
    run = document.add_paragraph("b").add_run("c")
    run.font.hidden = True
    document.add_comment(run, text="d", author="", initials="")
    document.add_table(rows=1, cols=1)
    made = io.BytesIO()
    document.save(made)
    return made.getvalue()


def _pptx() -> bytes:
    import pptx

    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    for shape in slide.placeholders:
        shape.text_frame.text = "a"
    notes = slide.notes_slide.notes_text_frame
    if notes is not None:
        notes.text = "b"
    made = io.BytesIO()
    deck.save(made)
    return made.getvalue()


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        main()
    os._exit(0)  # pdfium's own clean-up at exit is of no use here
