"""Course files: time of 300 PDF pages, of words among 20,000 passages, and from an upload to its words and vector.

`python -m benchmarks.course_files --data DIR [--json]`. The PDF is the annotation guideline's pages repeated; the
20,000 passages are those of the textbooks and the guideline, repeated under other names. The embedder is that of the
settings; without its weights the vector's time is unscored.
"""

from __future__ import annotations

import io
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pypdfium2

from benchmarks.card import DataSource, Measure, ResultCard, cpu_seconds, digest_files, print_card, read_options
from preceptor.course.extraction import ExtractedDocument
from preceptor.course.ingestion import document_id, passage_words, prepare
from preceptor.course.library import CourseLibrary, open_library
from preceptor.course.passages import cut_pages
from preceptor.course.terms import text_terms
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.models.embedder import Embedder, open_embedder
from preceptor.settings import load_settings

N_PAGES = 300
N_PASSAGES = 20_000
N_QUERIES = 200
N_UPLOADS = 20
SEED = 7
_SENTENCES = (
    "The frontier of this search holds every node that was seen and not expanded yet. A priority queue orders it by "
    "the cost so far, and the goal test is made when a node is taken out. The example of week {n} uses the graph {n}a. "
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print one card."""
    options = read_options("course_files", arguments)
    guideline = options.data / "mrbench" / "human_annotation_guideline.pdf"
    texts = sorted(path for path in (options.data / "textbooks").rglob("*.md"))
    settings = load_settings()
    embedder = open_embedder(settings)
    with tempfile.TemporaryDirectory() as folder:
        home = settings.model_copy(
            update={"home": Path(folder), "store": settings.store.model_copy(update={"url": None})}
        )
        with open_library(home, embedder=embedder) as library:
            for subject in ("pdf", "books", "live"):
                library.create(LOCAL_OWNER, subject, "")
            library.add_upload(LOCAL_OWNER, "live", "warm.txt", b"The process is warm.")
            pdf_s = _timed(lambda: library.add_upload(LOCAL_OWNER, "pdf", "book.pdf", _repeated(guideline)))
            library.add(LOCAL_OWNER, "books", [options.data / "textbooks", guideline])
            _fill(library)
            searches = _search_times(library)
            words, vectors = _upload_times(library, embedder)
    card = ResultCard(
        name="course_files",
        data=DataSource(
            data_id="textbooks, mrbench guideline",
            digest=digest_files([*texts, guideline]),
            licence="see their ABOUT.md",
        ),
        n=N_UPLOADS,
        n_clusters=1,
        split_rule="none: nothing is tuned",
        measures=[
            Measure(
                metric="pdf_300_pages_s",
                definition="Upload of 300 PDF pages to stored passages, seconds, without vectors; a warm process.",
                point=pdf_s,
                pass_mark="<= 30",
                passed=pdf_s <= 30,
            ),
            *_quantiles(
                "words_ms", f"Words of a question among {N_PASSAGES} passages of one subject, limit 50.", searches, 5
            ),
            *_quantiles("upload_to_words_ms", "Upload of a changed one-page file until its words find it.", words, 200),
            *_quantiles(
                "upload_to_vector_ms",
                "The same until its vector is stored, made in the background thread.",
                vectors,
                1000,
            ),
        ],
        baselines=[],
        does_not_show=[
            "files that need a decoder for pictures: scans are named, not read",
            "PostgreSQL, or many uploads at once",
        ],
        command=options.command,
        cpu_seconds=cpu_seconds(),
        models=embedder.fingerprint if embedder else "none",
    )
    print_card(card, as_json=options.as_json)


def _quantiles(metric: str, definition: str, times_ms: Sequence[float], limit_ms: float) -> list[Measure]:
    if not times_ms:
        return [Measure(metric=f"{metric}_p95", definition=f"{definition} No embedder is installed.", point=None)]
    p95 = statistics.quantiles(times_ms, n=20)[-1]
    return [
        Measure(metric=f"{metric}_p50", definition=definition, point=statistics.median(times_ms), n=len(times_ms)),
        Measure(
            metric=f"{metric}_p95",
            definition=definition,
            point=p95,
            n=len(times_ms),
            pass_mark=f"<= {limit_ms:g}",
            passed=p95 <= limit_ms,
        ),
    ]


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _repeated(pdf: Path) -> bytes:
    source, made, out = pypdfium2.PdfDocument(pdf), pypdfium2.PdfDocument.new(), io.BytesIO()
    while len(made) < N_PAGES:
        made.import_pages(source, list(range(min(len(source), N_PAGES - len(made)))))
    made.save(out)
    return out.getvalue()


def _fill(library: CourseLibrary) -> None:
    """Repeat the stored documents under other names until there are `N_PASSAGES` passages."""
    documents = library.store.documents("books")
    n_passages, round_number = len(library.store.passages("books")), 0
    known: dict[str, tuple[str, ...]] = {}
    while n_passages < N_PASSAGES:
        round_number += 1
        for document in documents:
            name = f"copy{round_number}/{document.name}"
            copy = replace(document, name=name, document_id=document_id("books", name), fingerprint=name)
            pages = [library.page("books", document.document_id, number + 1) for number in range(document.n_pages)]
            passages = cut_pages(copy, pages)
            content = prepare(copy, ExtractedDocument(pages=()))
            for one in passages:
                if one.text not in known:
                    known[one.text] = passage_words(one)
            words = {one.passage_id: known[one.text] for one in passages}
            library.store.put_document(replace(content, pages=pages, passages=passages, words=words))
            n_passages += len(passages)
            if n_passages >= N_PASSAGES:
                return


def _search_times(library: CourseLibrary) -> list[float]:
    """Ask with eight words in a row of a passage, as long as a learner's question."""
    chosen = random.Random(SEED)
    passages = library.store.passages("books")
    times = []
    for _ in range(N_QUERIES):
        words = text_terms(chosen.choice(passages).text)
        start = chosen.randrange(max(1, len(words) - 8))
        query = list(dict.fromkeys(words[start : start + 8]))
        times.append(1000 * _timed(lambda query=query: library.store.search_words("books", query, 50)))  # type: ignore[misc]
    return times


def _upload_times(library: CourseLibrary, embedder: Embedder | None) -> tuple[list[float], list[float]]:
    """Change a one-page file again and again, while the background still has thousands of vectors to make."""
    words, vectors = [], []
    if library.vectors is not None:
        library.vectors.start()
    for number in range(N_UPLOADS):
        token = f"quux{chr(ord('a') + number)}"
        content = (_SENTENCES.format(n=number) * 9 + f"Token {token}.").encode()
        start = time.perf_counter()
        library.add_upload(LOCAL_OWNER, "live", "week.md", content)
        while not library.store.search_words("live", text_terms(token), 1):
            time.sleep(0.001)
        words.append(1000 * (time.perf_counter() - start))
        if embedder is not None:
            wanted = {one.passage_id for one in library.store.passages("live") if one.document_name == "week.md"}
            while not wanted <= set(library.store.vectors("live", embedder.fingerprint).passage_ids):
                time.sleep(0.005)
            vectors.append(1000 * (time.perf_counter() - start))
    return words, vectors


if __name__ == "__main__":
    main()
