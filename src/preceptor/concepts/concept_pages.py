"""The map as a second index of a course's pages: what a question names, and what that builds on."""

from __future__ import annotations

from dataclasses import dataclass

from preceptor.concepts.canonical_key import key_words
from preceptor.concepts.concept_name import name_words
from preceptor.concepts.routing import route
from preceptor.concepts.vectors import ConceptVectors
from preceptor.domain.concept import ConceptMap
from preceptor.models.embedder import Vector

PREREQUISITE_SHARE = 0.35
"""What a page of a prerequisite counts, of what a page of the concept itself counts. (chosen)"""
PARTIAL_SHARE = 0.5
"""What a concept counts of whose name only some words stand in the question. (chosen)"""


@dataclass(frozen=True, kw_only=True)
class ConceptPage:
    """A page that the map holds for a question."""

    document_id: str
    page: int
    score: float
    """Only its order means something: fuse it by rank."""
    concept_ids: tuple[str, ...]
    """Through which it was found."""


def concept_pages(
    concepts: ConceptMap,
    query: str,
    *,
    language: str = "en",
    vector: Vector | None = None,
    vectors: ConceptVectors | None = None,
    limit: int = 50,
) -> tuple[ConceptPage, ...]:
    """Return the pages of the concepts that a question is about, best first; empty where the map knows none.

    Args:
        concepts: The subject's map.
        query: The learner's question.
        language: Of the question.
        vector: Of the question; see `routing.route`.
        vectors: Of the map; see `routing.route`.
        limit: At most so many.
    """
    if limit < 1:
        return ()
    weights = concept_weights(concepts, query, language, vector=vector, vectors=vectors)
    found: dict[tuple[str, int], tuple[float, list[str]]] = {}
    for concept_id, weight in sorted(weights.items(), key=lambda item: -item[1]):
        concept = concepts.by_id[concept_id]
        # A concept on many pages says less about each of them.
        share = weight / (1 + 0.1 * max(0, len(concept.evidence) - 1))
        for place in concept.evidence:
            score, ids = found.get((place.document_id, place.page), (0.0, []))
            found[place.document_id, place.page] = (score + share, [*ids, concept_id])
    ranked = sorted(found.items(), key=lambda item: (-item[1][0], item[0]))[:limit]
    return tuple(
        ConceptPage(document_id=document_id, page=page, score=score, concept_ids=tuple(ids))
        for (document_id, page), (score, ids) in ranked
    )


def concept_weights(
    concepts: ConceptMap,
    query: str,
    language: str,
    *,
    vector: Vector | None = None,
    vectors: ConceptVectors | None = None,
) -> dict[str, float]:
    """Return the concepts that a question is about and what those build on, each with a weight in (0, 1]."""
    weights = _partial(concepts, query, language)
    for hit in route(query, concepts, language, vector, vectors=vectors):
        weights[hit.concept_id] = max(hit.score, weights.get(hit.concept_id, 0.0))
    for concept_id, weight in list(weights.items()):
        for below in concepts.prerequisites(concept_id):
            share = weight * PREREQUISITE_SHARE
            weights[below.concept_id] = max(share, weights.get(below.concept_id, 0.0))
    return weights


def _partial(concepts: ConceptMap, query: str, language: str) -> dict[str, float]:
    """Return the concepts that share telling words of their name with the question, weighed by that share."""
    loose = {word for text in name_words(language).function for word in key_words(text, language)}
    asked = set(key_words(query, language)) - loose
    out: dict[str, float] = {}
    for concept in concepts.concepts:
        words = set(key_words(concept.key, "")) - loose
        shared = len(words & asked) / len(words) if words else 0.0
        if shared >= PARTIAL_SHARE:
            out[concept.concept_id] = PARTIAL_SHARE * shared
    return out
