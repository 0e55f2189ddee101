"""The map as a second index over a course's passages: those that speak of what a question names come first."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from preceptor.concepts.canonical_key import canonical_key, key_words
from preceptor.concepts.concept_pages import concept_weights
from preceptor.concepts.subject_maps import SubjectMaps
from preceptor.domain.concept import ConceptMap
from preceptor.domain.passage import Passage
from preceptor.stores.courses import CourseStore

HEADING_SHARE = 1.0
EVIDENCE_SHARE = 0.5
TEXT_SHARE = 1.0
"""What a concept's name in a passage's headings, its page among the concept's evidence, and its name in the text add
to the passage's score. (chosen)"""
_MOST_PASSAGES = 200
"""Of one concept: the best are kept."""


class MapPassages:
    """Finds passages through a subject's map; what it has worked out is kept until course or map change."""

    def __init__(self, maps: SubjectMaps, courses: CourseStore, *, language: str = "en") -> None:
        """Keep the stores; nothing is read yet.

        Args:
            maps: The maps.
            courses: The passages.
            language: Of questions and passages.
        """
        self._maps = maps
        self._courses = courses
        self._language = language
        self._lock = Lock()
        self._known: dict[str, tuple[tuple[int, int], dict[str, list[tuple[str, float]]]]] = {}

    def passage_ids(self, subject_id: str, query: str, *, limit: int) -> Sequence[str]:
        """Return ids of passages of the subject by relevance of their concepts, best first; empty: none is named."""
        held = self._maps.map(subject_id)
        weights = concept_weights(held, query, self._language)
        if not weights or limit < 1:
            return ()
        by_concept = self._by_concept(subject_id, held)
        scores: dict[str, float] = {}
        for concept_id, weight in weights.items():
            for passage_id, share in by_concept.get(concept_id, ()):
                scores[passage_id] = scores.get(passage_id, 0.0) + weight * share
        return sorted(scores, key=lambda one: (-scores[one], one))[:limit]

    def _by_concept(self, subject_id: str, held: ConceptMap) -> dict[str, list[tuple[str, float]]]:
        state = (self._courses.revision(subject_id), self._maps.store.revision(subject_id))
        with self._lock:
            known = self._known.get(subject_id)
        if known is not None and known[0] == state:
            return known[1]
        made = passages_by_concept(held, self._courses.passages(subject_id), self._language)
        with self._lock:
            self._known[subject_id] = (state, made)
        return made


def passages_by_concept(
    concepts: ConceptMap, passages: Sequence[Passage], language: str
) -> dict[str, list[tuple[str, float]]]:
    """Return for each concept the passages that speak of it, with a score, best first."""
    folded = [
        (one, _folded(one.text, language), _folded(" . ".join(one.heading_path), language), (one.document_id, one.page))
        for one in passages
    ]
    out: dict[str, list[tuple[str, float]]] = {}
    for concept in concepts.concepts:
        keys = {concept.key, *(canonical_key(alias, concept.language) for alias in concept.aliases)} - {""}
        needles = [f" {'  '.join(key_words(key, ''))} " for key in keys]
        pages = {(place.document_id, place.page) for place in concept.evidence}
        found = []
        for passage, text, headings, place in folded:
            n = sum(text.count(needle) for needle in needles)
            titled = any(needle in headings for needle in needles)
            if n or titled:
                score = TEXT_SHARE * n / (n + 1) + HEADING_SHARE * titled + EVIDENCE_SHARE * (place in pages)
                found.append((passage.passage_id, score))
        out[concept.concept_id] = sorted(found, key=lambda one: -one[1])[:_MOST_PASSAGES]
    return out


def _folded(text: str, language: str) -> str:
    """Return a text's folded words two spaces apart, so that neighbours share none."""
    return f" {'  '.join(key_words(text, language))} "
