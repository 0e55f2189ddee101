"""How well each episode of a scope fits a question: its own words, its neighbours', its dialogue's, its vector."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from preceptor.memory.entry import LANGUAGES, concept_number
from preceptor.memory.scope_index import NEAR, NOWHERE, Floats, Ints, Mask, ScopeIndex
from preceptor.memory.word_forms import word_form, word_number
from preceptor.models.embedder import Vector
from preceptor.settings import MemorySettings

SATURATION = 1.2
"""BM25's k1. (seed of the formula: Robertson and Zaragoza 2009; calibrated: 0.7 to 2 made no difference)"""
LENGTH_SHARE = 0.6
"""BM25's b for episodes. (calibrated on LoCoMo 0-2: 0.3 to 0.8 made no difference)"""
DIALOGUE_LENGTH_SHARE = 0.5
"""BM25's b for dialogues. (chosen)"""
NEAR_VECTOR = 0.8
"""A neighbour's vector counts this much of its own. (calibrated on LoCoMo 0-2)"""
SPREAD = ((1.0, 0), (0.7, 1), (0.45, 2))
"""A word of the question counts so much where it stands at this distance at the nearest. (chosen)"""
WINDOW = 0.4
"""Weight of each of four neighbours' vectors in the mean vector of an episode's window. (chosen)"""
WINDOW_ROWS = 500
"""Windows whose mean vector is made, those with the highest cosines; the others' closeness is 0. (chosen: 1 ms)"""
MUCH_SAID = 54
"""Words of an episode that count as much as any more. (chosen)"""
MAX_WORDS = 32
"""Words of a question that are looked for, the rarest. (chosen: three sentences)"""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked, without its time phrase and its small words."""

    words: tuple[str, ...]
    """Folded words as they stand there; may be empty."""
    language: str
    concept_ids: tuple[str, ...] = ()
    vector: Vector | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it is about nothing that could be matched."""
        return not self.words and not self.concept_ids and self.vector is None


@dataclass(frozen=True, kw_only=True)
class Match:
    """One number a row of the index; arrays have the index's size."""

    relevance: Floats
    """[0, 1]: shares by the weights of the settings."""
    concept_share: Floats
    """Share of the question's concepts it touched, [0, 1]."""
    by_words: Mask
    """A distinctive word stands in it or right beside it."""
    by_rarest_word: Mask
    """The question's rarest word that occurs at all stands in it."""
    by_concept: Mask
    by_vector: Mask
    """Its vector is nearer than nearly all unrelated pairs."""
    near_vectors: Ints
    """The nearest rows by vector, nearest first."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What relevance is made of, one number in [0, 1] a row for each of `PARTS`, and what the masks are made of."""

    shares: tuple[Floats, ...]
    cosine: Floats
    by_words: Mask
    by_rarest_word: Mask


PARTS = (
    "own_words_weight",
    "near_words_weight",
    "spread_words_weight",
    "dialogue_words_weight",
    "vector_weight",
    "near_vector_weight",
    "window_vector_weight",
    "speaker_weight",
    "length_weight",
    "edge_weight",
)
"""The settings that weigh the parts, in their order."""


def parts_of(index: ScopeIndex, question: Question, settings: MemorySettings) -> Parts:
    """Return the parts of every row's relevance. What matches by no word and no vector has 0 in all."""
    cosine = _cosines(index, question.vector, settings)
    own, near, spread, dialogue, by_words, by_rarest_word = _by_words(index, question)
    closeness = np.clip((cosine - settings.vector_unrelated) / (1 - settings.vector_unrelated), 0, 1)
    padded = np.append(closeness, 0)
    beside_it = np.maximum(padded[index.neighbours[:, 0]], padded[index.neighbours[:, 1]])
    around = np.maximum(closeness, NEAR_VECTOR * beside_it)
    touched = ((near > 0) | (around > 0)).astype(np.float32)
    length = np.minimum(np.log1p(index.lengths) / np.log1p(MUCH_SAID), 1).astype(np.float32)
    edge = np.any(index.neighbours[:, :4] == NOWHERE, axis=1).astype(np.float32)
    return Parts(
        shares=(
            own,
            near,
            spread,
            dialogue,
            closeness,
            around,
            _window_closeness(index, question.vector, cosine),
            touched * _speaker(index, question.words),
            touched * length,
            touched * edge,
        ),
        cosine=cosine,
        by_words=by_words,
        by_rarest_word=by_rarest_word,
    )


def match(index: ScopeIndex, question: Question, settings: MemorySettings) -> Match:
    """Return how well every row fits."""
    parts = parts_of(index, question, settings)
    weights = [float(getattr(settings, name)) for name in PARTS]
    total = sum(weights) or 1.0
    relevance = np.zeros(index.size, dtype=np.float32)
    for weight, part in zip(weights, parts.shares, strict=True):
        relevance += np.float32(weight / total) * part
    share = _concept_share(index, question.concept_ids)
    by_vector = parts.cosine >= settings.vector_match
    nearest = np.flatnonzero(by_vector)
    nearest = nearest[np.argsort(-parts.cosine[nearest], kind="stable")][: settings.vector_pool]
    return Match(
        relevance=relevance,
        concept_share=share,
        by_words=parts.by_words,
        by_rarest_word=parts.by_rarest_word,
        by_concept=share > 0,
        by_vector=by_vector,
        near_vectors=nearest,
    )


def _cosines(index: ScopeIndex, vector: Vector | None, settings: MemorySettings) -> Floats:
    cosine = np.full(index.size, settings.vector_unrelated, dtype=np.float32)
    if vector is not None and len(index.vectors) and index.vectors.shape[1] == len(vector):
        cosine[index.vector_rows] = index.vectors @ vector
    return cosine


def _window_closeness(index: ScopeIndex, vector: Vector | None, cosines: Floats) -> Floats:
    """Return the cosine, [0, 1], of the mean vector of each row and its four neighbours."""
    closeness = np.zeros(index.size, dtype=np.float32)
    if vector is None or not len(index.vectors) or index.vectors.shape[1] != len(vector):
        return closeness
    cosine = np.zeros(index.size + 1, dtype=np.float32)
    cosine[index.vector_rows] = cosines[index.vector_rows]
    beside = index.neighbours[:, :4]
    total = cosine[:-1].copy()
    for column in range(4):
        total += np.float32(WINDOW) * cosine[beside[:, column]]
    rows = np.argpartition(-total, WINDOW_ROWS)[:WINDOW_ROWS] if index.size > WINDOW_ROWS else np.arange(index.size)
    place = np.full(index.size + 1, NOWHERE, dtype=np.int64)
    place[index.vector_rows] = np.arange(len(index.vector_rows))
    mean = np.zeros((len(rows), len(vector)), dtype=np.float32)
    for weight, at in ((1.0, place[rows]), *((WINDOW, place[one]) for one in beside[rows].T)):
        found = index.vectors[at]
        found *= np.where(at == NOWHERE, 0, weight).astype(np.float32)[:, None]
        mean += found
    closeness[rows] = np.clip(total[rows] / np.maximum(np.linalg.norm(mean, axis=1), 1e-6), 0, 1)
    return closeness


def _by_words(index: ScopeIndex, question: Question) -> tuple[Floats, Floats, Floats, Floats, Mask, Mask]:
    """Return (own, near, spread, dialogue) scores, and masks: a distinctive word in or beside it, the rarest in it."""
    own, near = np.zeros(index.size, dtype=np.float32), np.zeros(index.size, dtype=np.float32)
    spread = np.zeros(index.size, dtype=np.float32)
    beside, rarest = np.zeros(index.size, dtype=np.bool_), np.zeros(index.size, dtype=np.bool_)
    found = _places(index, question)
    if not found:
        return own, near, spread, own, beside, rarest
    rows = _touched(index, found)
    counts = _counts(rows, found)
    totals = np.array([len(places) for places in found], dtype=np.int64)
    documents = np.count_nonzero(counts, axis=0)
    idf = np.log(1 + (index.size - documents + 0.5) / (documents + 0.5)).astype(np.float32)
    most = float((idf * (SATURATION + 1)).sum())
    distinctive = totals <= index.common_count
    if not distinctive.any():
        distinctive = totals == totals.min()
    place_of = np.full(index.size + 1, len(rows), dtype=np.int64)
    place_of[rows] = np.arange(len(rows))
    padded = np.concatenate((counts, np.zeros((1, counts.shape[1]), dtype=np.float32)))
    with_near = counts.copy()
    by_words = _any(counts[:, distinctive])
    weight_at = {distance: np.float32(weight) for weight, distance in SPREAD}
    reached = (counts > 0).astype(np.float32)
    for column, (distance, weight) in enumerate(NEAR):
        moved = padded.take(place_of[index.neighbours[rows, column]], axis=0)
        if abs(distance) == 1:
            by_words |= _any(moved[:, distinctive])
        if abs(distance) in weight_at:
            np.maximum(reached, (moved > 0) * weight_at[abs(distance)], out=reached)
        moved *= np.float32(weight)
        with_near += moved
    own[rows] = _bm25(counts, idf, _norm(index.lengths, LENGTH_SHARE)[rows], most)
    near[rows] = _bm25(with_near, idf, _norm(index.near_lengths, LENGTH_SHARE)[rows], most)
    spread[rows] = reached @ (idf / idf.sum())
    beside[rows] = by_words
    rarest[rows] = _any(counts[:, totals == totals.min()])
    return own, near, spread, _dialogue_score(index, rows, counts), beside, rarest


def _any(counts: Floats) -> Mask:
    found: Mask = np.any(counts > 0, axis=1)
    return found


def _places(index: ScopeIndex, question: Question) -> list[Ints]:
    """Return, for each word of the question that occurs, the row of each place where it stands; no two alike."""
    spoken = [LANGUAGES[number] for number in sorted(index.languages)]
    found: dict[bytes, Ints] = {}
    for word in question.words:
        if zlib.crc32(word.encode()) in index.actors:
            continue
        forms = {word_number(word_form(word, language)) for language in (question.language, *spoken)}
        stands = index.words == next(iter(forms))
        for form in list(forms)[1:]:
            stands |= index.words == form
        rows = index.word_rows[stands]
        if len(rows):
            found.setdefault(rows.tobytes(), rows)
    places = list(found.values())
    if len(places) > MAX_WORDS:
        kept = sorted(sorted(range(len(places)), key=lambda one: len(places[one]))[:MAX_WORDS])
        places = [places[one] for one in kept]
    return places


def _touched(index: ScopeIndex, found: Sequence[Ints]) -> Ints:
    """Return the rows in which a word stands, and those beside them: all others score 0."""
    touched: Mask = np.zeros(index.size + 1, dtype=np.bool_)
    for places in found:
        touched[places] = True
    touched[index.neighbours[np.flatnonzero(touched)]] = True
    return np.flatnonzero(touched[:-1])


def _counts(rows: Ints, found: Sequence[Ints]) -> Floats:
    """Return how often each word stands in each of the rows, shape (n_rows, n_words)."""
    counts = np.zeros((len(rows), len(found)), dtype=np.float32)
    for column, places in enumerate(found):
        counts[:, column] = np.bincount(np.searchsorted(rows, places), minlength=len(rows))
    return counts


def _norm(lengths: Floats, share: float) -> Floats:
    """Return what BM25 adds to each row's counts for its length."""
    return (SATURATION * (1 - share + share * lengths / max(float(lengths.mean()), 1.0))).astype(np.float32)


def _bm25(counts: Floats, idf: Floats, norm: Floats, most: float) -> Floats:
    """Return BM25 of each row as a share of `most`; `counts` has shape (n_rows, n_words)."""
    with np.errstate(invalid="ignore"):  # the product of finite numbers sets the flag on some processors
        share_of_most: Floats = (counts / (counts + norm[:, None])) @ (idf * np.float32((SATURATION + 1) / most))
    return share_of_most


def _dialogue_score(index: ScopeIndex, rows: Ints, counts: Floats) -> Floats:
    """Return BM25 of each row's whole dialogue; `counts` belong to `rows`, everything else has none."""
    n_dialogues = int(index.dialogues.max()) + 1
    numbers = index.dialogues[rows]
    whole = np.stack([np.bincount(numbers, weights=row, minlength=n_dialogues) for row in counts.T], axis=1)
    lengths = np.bincount(index.dialogues, weights=index.lengths, minlength=n_dialogues)
    documents = np.count_nonzero(whole, axis=0)
    idf = np.log(1 + (n_dialogues - documents + 0.5) / (documents + 0.5)).astype(np.float32)
    most = float((idf * (SATURATION + 1)).sum()) or 1.0
    norm = _norm(lengths.astype(np.float32), DIALOGUE_LENGTH_SHARE)
    score = _bm25(whole.astype(np.float32), idf, norm, most)
    return np.asarray(score[index.dialogues], dtype=np.float32)


def _speaker(index: ScopeIndex, words: Sequence[str]) -> Floats:
    """Return 1 for what the one person said whom the question names, else 0."""
    named = {number for number in (zlib.crc32(word.encode()) for word in words) if number in index.actors}
    if len(named) != 1:
        return np.zeros(index.size, dtype=np.float32)
    return np.asarray(index.headers["actor"] == named.pop(), dtype=np.float32)


def _concept_share(index: ScopeIndex, concept_ids: Sequence[str]) -> Floats:
    asked = {concept_number(concept_id) for concept_id in concept_ids}
    if not asked or not len(index.concepts):
        return np.zeros(index.size, dtype=np.float32)
    hit = np.isin(index.concepts, np.array(sorted(asked), dtype=np.uint32))
    counted = np.bincount(index.concept_rows[hit], minlength=index.size)
    return np.minimum(counted / len(asked), 1).astype(np.float32)
