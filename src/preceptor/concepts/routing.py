"""Which concepts a text is about: by names as whole words in any form, then by vectors where the embedder may judge.

An utterance is no topic: "ask me the questions" routes nowhere by itself, and never becomes a belief.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from preceptor.concepts.canonical_key import canonical_key, key_spans, key_words
from preceptor.concepts.concept_name import MAX_WORDS, is_utterance, refusal
from preceptor.concepts.vectors import ConceptVectors
from preceptor.domain.concept import Concept, ConceptMap
from preceptor.models.embedder import Vector

VECTOR_MOST_HITS = 3
"""So many concepts are taken by vector. (chosen)"""
_MOST_WORDS = 400
"""Of a long text only the first words are read."""
_LANGUAGES = ("en", "es", "fr", "de", "ar", "zh")

How = Literal["exact", "name", "alias", "vector"]
_SCORES: Mapping[How, float] = {"exact": 1.0, "name": 0.9, "alias": 0.8}


@dataclass(frozen=True, kw_only=True)
class ConceptHit:
    """A concept that a text is about."""

    concept_id: str
    name: str
    how: How
    """`exact`: the text is the name and nothing else; `name`, `alias`: it stands in the text; `vector`: near it."""
    score: float
    """1 exact, .9 name, .8 alias, otherwise the cosine."""
    start: int | None = None
    end: int | None = None
    """Span in the text, end exclusive; `None` for `vector`."""


def route(
    text: str,
    concepts: ConceptMap,
    language: str,
    vector: Vector | None = None,
    *,
    vectors: ConceptVectors | None = None,
) -> tuple[ConceptHit, ...]:
    """Return the concepts that a text is about, the surest first; empty where none is found.

    Args:
        text: A question, a topic or an evaluation.
        concepts: The subject's map.
        language: Of the text. Names of the map in other languages are found too, in their own forms.
        vector: Of the text, from the embedder of `vectors`; `None`: names alone decide.
        vectors: What `embed_concepts` gave for this map.

    A longer name hides the shorter one inside it. Vectors are asked only where no name was found and the embedder
    speaks the text's language.
    """
    named = _by_name(text, concepts, language)
    if named or vector is None or vectors is None or language.split("-")[0].lower() not in vectors.languages:
        return named
    return _by_vector(concepts, vector, vectors)


def exact(text: str, concepts: ConceptMap, language: str) -> Concept | None:
    """Return the concept whose name or alias the whole text is, in any form; `None`: there is none."""
    index = _index(concepts)
    for primary in _tried(language, concepts):
        key = canonical_key(text, primary)
        found = index.get(tuple(key_words(key, "")))
        if found is not None:
            return concepts.by_id[found[0]]
    return None


def topic_concept(topic: str, concepts: ConceptMap, language: str, *, evaluation: str | None = None) -> Concept | None:
    """Return the concept that a check was about; `None`: it is kept as evidence and becomes no belief.

    A topic that is a name is looked up. Of a topic that is a sentence or an utterance only the tutor's own
    evaluation is read, and only a concept that it NAMES counts, the longest name first.
    """
    if not is_sentence(topic, language):
        found = exact(topic, concepts, language)
        if found is not None:
            return found
        hits = _by_name(topic, concepts, language)
        if hits:
            return concepts.by_id[hits[0].concept_id]
    if evaluation:
        hits = tuple(hit for hit in _by_name(evaluation, concepts, language) if hit.how != "vector")
        if hits:
            return concepts.by_id[max(hits, key=_length).concept_id]
    return None


def is_sentence(topic: str, language: str) -> bool:
    """Return whether a topic is something said rather than a name."""
    return (
        is_utterance(topic, language)
        or len(topic.split()) > MAX_WORDS
        or (refusal(topic, language) in {"reads like a sentence", "tells the reader to do something"})
    )


def _length(hit: ConceptHit) -> int:
    return (hit.end or 0) - (hit.start or 0)


def _by_name(text: str, concepts: ConceptMap, language: str) -> tuple[ConceptHit, ...]:
    index = _index(concepts)
    longest = max(map(len, index), default=0)
    hits: list[ConceptHit] = []
    for primary in _tried(language, concepts):
        spans = key_spans(text, primary)[:_MOST_WORDS]
        words = [word for word, _, _ in spans]
        place = 0
        while place < len(words):
            for size in range(min(longest, len(words) - place), 0, -1):
                found = index.get(tuple(words[place : place + size]))
                if found is not None:
                    hits.append(_hit(concepts.by_id[found[0]], found[1], spans[place][1], spans[place + size - 1][2]))
                    place += size - 1
                    break
            place += 1
    whole = exact(text, concepts, language)
    if whole is not None:
        hits.append(
            ConceptHit(concept_id=whole.concept_id, name=whole.name, how="exact", score=1.0, start=0, end=len(text))
        )
    return _best(hits)


def _hit(concept: Concept, how: How, start: int, end: int) -> ConceptHit:
    return ConceptHit(
        concept_id=concept.concept_id, name=concept.name, how=how, score=_SCORES[how], start=start, end=end
    )


def _best(hits: list[ConceptHit]) -> tuple[ConceptHit, ...]:
    """Return one hit a concept, surest first; a hit inside a longer one of another concept is none."""
    kept: dict[str, ConceptHit] = {}
    for hit in sorted(hits, key=lambda one: (-one.score, -_length(one), one.start or 0)):
        inside = any(
            other.concept_id != hit.concept_id
            and (other.start or 0) <= (hit.start or 0)
            and (other.end or 0) >= (hit.end or 0)
            and _length(other) > _length(hit)
            for other in hits
        )
        if not inside:
            kept.setdefault(hit.concept_id, hit)
    return tuple(kept.values())


def _by_vector(concepts: ConceptMap, vector: Vector, vectors: ConceptVectors) -> tuple[ConceptHit, ...]:
    near = vectors.similarities(vector)
    order = np.argsort(-near)[:VECTOR_MOST_HITS]
    return tuple(
        ConceptHit(
            concept_id=vectors.concept_ids[place],
            name=concepts.by_id[vectors.concept_ids[place]].name,
            how="vector",
            score=float(near[place]),
        )
        for place in order.tolist()
        if near[place] >= vectors.least and vectors.concept_ids[place] in concepts.by_id
    )


def _tried(language: str, concepts: ConceptMap) -> tuple[str, ...]:
    """Return the languages whose word forms a text is folded by: its own, then those of the map's names."""
    held = dict.fromkeys(concept.language.split("-")[0].lower() for concept in concepts.concepts)
    return tuple(dict.fromkeys((language.split("-")[0].lower(), *held)))


@lru_cache(maxsize=16)
def _index_of(entries: tuple[tuple[str, str, str, tuple[str, ...]], ...]) -> dict[tuple[str, ...], tuple[str, How]]:
    index: dict[tuple[str, ...], tuple[str, How]] = {}
    for concept_id, key, _, _ in entries:
        index[tuple(key_words(key, ""))] = (concept_id, "name")
    for concept_id, _, language, aliases in entries:
        for alias in aliases:
            # An alias may be of any language: it is folded by each of them.
            for one in (language, *_LANGUAGES):
                words = tuple(key_words(canonical_key(alias, one), ""))
                if words:
                    index.setdefault(words, (concept_id, "alias"))
    return index


def _index(concepts: ConceptMap) -> dict[tuple[str, ...], tuple[str, How]]:
    return _index_of(tuple((one.concept_id, one.key, one.language, one.aliases) for one in concepts.concepts))
