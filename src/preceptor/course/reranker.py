"""The second look at a few candidates, and the official boost that follows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from preceptor.course.bm25 import QueryTerm
from preceptor.course.passage_index import PassageIndex

Scores = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """What the stages before found, the same order throughout."""

    query: str
    terms: tuple[QueryTerm, ...]
    rows: NDArray[np.int64]
    """Rows of the index, (n,)."""
    dense: Scores | None
    """Cosines, (n,); `None`: no vectors."""
    words: Scores
    """BM25, (n,)."""
    fused: Scores
    """(n,), in [0, 1]."""
    pool_rows: NDArray[np.int64]
    """All rows that were fused, of which `rows` were kept."""
    pool_fused: Scores
    term_vectors: NDArray[np.float32] | None = None
    """Of `terms`, (n_terms, n_dims); `None`: words are compared as they are spelt."""
    query_vector: NDArray[np.float32] | None = None
    """Unit vector, (n_dims,); `None`: words only."""


HeadName = Literal["meaning", "vectors", "words"]
"""What there is to judge by: vectors of passages and of words, of passages only, neither."""


def head_name(candidates: Candidates) -> HeadName:
    """Return which head fits what is known of these candidates."""
    if candidates.dense is None:
        return "words"
    return "vectors" if candidates.term_vectors is None else "meaning"


class Reranker(Protocol):
    """Judges how well each candidate answers the query."""

    @property
    def name(self) -> str:
        """What it is, for the record."""
        ...

    def rerank(self, index: PassageIndex, candidates: Candidates) -> Scores:
        """Return a probability of relevance for each candidate, in [0, 1], (n,)."""
        ...


def sigmoid(logits: NDArray[np.floating]) -> Scores:
    """Return probabilities of logits, each in (0, 1)."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), dtype=np.float32)


def official_boost(scores: Scores, official: NDArray[np.bool_], *, above: float, boost: float) -> Scores:
    """Return what being official adds to each score: `boost` where the probability exceeds `above`, else 0.

    Source:
        KITE: +0.3 above 0.6, official material only. A passage that is not relevant gains nothing.
    """
    return np.where(official & (scores > above), np.float32(boost), np.float32(0)).astype(np.float32)
