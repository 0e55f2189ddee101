"""Citations that hold: every statement taken from a file carries document, page and a span that is really there.

Two ways in. The builtin engine cites spans it cut out itself: they are checked against the stored passage. A model
writes numbers in brackets: each is checked against the passage it names, and its span is found. What fails is taken out
of the reply and counted; a passage that nothing cites is no source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from preceptor.course.sentences import sentences_of_passage
from preceptor.course.terms import text_terms
from preceptor.domain.grounding import Citation, Grounding, GroundingStatus
from preceptor.domain.passage import Passage

SUPPORT = 0.5
"""Share of a statement's words that the cited span must hold. (chosen: of 3,000 sentences of our own course notes held
against a passage of another page, 4 in 1,000 reach it by chance)"""
GROUNDED_SHARE = 0.5
"""Share of statements with a citation from which a reply counts as grounded. (chosen: more than half are not, else)"""
SHORTEST_STATEMENT = 3
"""Words from which a sentence that asks nothing is taken to state something. (chosen)"""
_MARKERS = re.compile(r"\s*\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_QUOTED = re.compile(r"[“«„\"]([^“”«»„\"]{12,}?)[”»“\"]")
_QUESTION = re.compile(r"[?？؟]\W*\Z")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

StoredPassage = Callable[[str], Passage | None]
"""Returns a passage as it is stored now; `None`: there is none of this id any more."""


def cite(passage: Passage, *, start: int, end: int, marker: int, statement: str) -> Citation:
    """Return a citation of a span, counted in the page's text."""
    return Citation(
        marker=marker,
        passage_id=passage.passage_id,
        document_id=passage.document_id,
        document_name=passage.document_name,
        page=passage.page,
        page_fingerprint=passage.page_fingerprint,
        start=start,
        end=end,
        quote=passage.text[start - passage.start : end - passage.start],
        statement=statement,
        official=passage.official,
    )


def holds(citation: Citation, stored: StoredPassage) -> bool:
    """Return whether the stored passage has the quotation at this span of this page."""
    passage = stored(citation.passage_id)
    if passage is None or (passage.document_id, passage.page) != (citation.document_id, citation.page):
        return False
    place = citation.start - passage.start
    inside = 0 <= place < citation.end - passage.start <= len(passage.text)
    return bool(citation.quote) and inside and passage.text[place : citation.end - passage.start] == citation.quote


def status_of(n_statements: int, n_grounded: int, *, in_course: bool) -> GroundingStatus:
    """Return how well a reply is held up by files."""
    if not in_course and not n_grounded:
        return "not_in_course"
    if not n_statements:
        return "none_needed"
    return "grounded" if n_grounded >= GROUNDED_SHARE * n_statements else "mostly_ungrounded"


def is_statement(sentence: str) -> bool:
    """Return whether a sentence states something that could stand in a file."""
    plain = _MARKERS.sub("", sentence).strip()
    return not _QUESTION.search(plain) and len(text_terms(plain)) >= SHORTEST_STATEMENT


@dataclass(kw_only=True)
class MarkerCheck:
    """Checks the markers of one model's reply, sentence by sentence."""

    passages: Sequence[Passage]
    """As numbered in the prompt, from 1."""
    stored: StoredPassage
    citations: list[Citation] = field(default_factory=list)
    removed: int = 0
    n_statements: int = 0
    n_grounded: int = 0

    def sentence(self, text: str) -> str:
        """Return the sentence with only those markers that hold, numbered in the order of the reply."""
        plain = _MARKERS.sub("", text)
        states = is_statement(text)
        self.n_statements += states
        kept: list[int] = []
        for hit in _MARKERS.finditer(text):
            for number in re.findall(r"\d+", hit.group(1)):
                marker = self._marker(int(number), plain.strip())
                if marker is None:
                    self.removed += 1
                elif marker not in kept:
                    kept.append(marker)
        self.n_grounded += states and bool(kept)
        return _with_markers(plain, kept) if _MARKERS.search(text) else text

    def grounding(self, *, in_course: bool) -> Grounding:
        """Return what the whole reply rests on."""
        return Grounding(
            status=status_of(self.n_statements, self.n_grounded, in_course=in_course),
            citations=tuple(self.citations),
            removed=self.removed,
            n_statements=self.n_statements,
            n_grounded=self.n_grounded,
        )

    def _marker(self, number: int, statement: str) -> int | None:
        if not 1 <= number <= len(self.passages):
            return None
        passage = self.passages[number - 1]
        span = find_support(statement, passage)
        if span is None:
            return None
        for earlier in self.citations:
            if (earlier.passage_id, earlier.start, earlier.end) == (passage.passage_id, *span):
                return earlier.marker
        made = cite(passage, start=span[0], end=span[1], marker=len(self.citations) + 1, statement=statement)
        if not holds(made, self.stored):
            return None
        self.citations.append(made)
        return made.marker


def find_support(statement: str, passage: Passage) -> tuple[int, int] | None:
    """Return the span of the page that holds up a statement; `None`: none does.

    Words in quotation marks must stand in the passage as they are; numbers must stand in it; and the best sentence must
    hold at least `SUPPORT` of the statement's words.
    """
    for hit in _QUOTED.finditer(statement):
        span = _find_quoted(hit.group(1), passage)
        if span is None:
            return None
        return span
    terms = set(text_terms(statement))
    if not terms or not set(_NUMBER.findall(statement)) <= set(_NUMBER.findall(passage.text)):
        return None
    best: tuple[float, int, int] | None = None
    for one in sentences_of_passage(passage, every=True):
        share = len(terms & set(text_terms(one.text))) / len(terms)
        if best is None or share > best[0]:
            best = (share, one.start, one.end)
    return (best[1], best[2]) if best is not None and best[0] >= SUPPORT else None


def checked(citations: Sequence[Citation], stored: StoredPassage) -> tuple[tuple[Citation, ...], int]:
    """Return the citations that hold, numbered anew, and how many do not."""
    kept = [one for one in citations if holds(one, stored)]
    renumbered = tuple(replace(one, marker=place) for place, one in enumerate(kept, start=1))
    return renumbered, len(citations) - len(kept)


def _find_quoted(quoted: str, passage: Passage) -> tuple[int, int] | None:
    words = quoted.strip(" .,;:!?。，").split()
    hit = re.search(r"\s+".join(re.escape(word) for word in words), passage.text, re.IGNORECASE) if words else None
    return (passage.start + hit.start(), passage.start + hit.end()) if hit else None


def _with_markers(plain: str, markers: Sequence[int]) -> str:
    """Put markers before a sentence's last mark, so that no sentence begins with one."""
    body = plain.rstrip()
    tail = plain[len(body) :]
    mark = re.search(r"[.!?。！？؟…]+[\"'”’»)\]]*\Z", body)
    shown = "".join(f" [{marker}]" for marker in markers)
    return f"{body[: mark.start()]}{shown}{body[mark.start() :]}{tail}" if mark else f"{body}{shown}{tail}"
