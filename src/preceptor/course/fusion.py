"""Putting rankings together: by normalised score (dense with words), by rank (with a second index)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]
Rows = NDArray[np.int64]

RANK_CONSTANT = 60
"""Constant of reciprocal rank fusion. (seed: DeepTutor leaves it open; Cormack, Clarke and Büttcher, SIGIR 2009)"""


def best_rows(scores: Scores, limit: int, *, least: float = -np.inf) -> Rows:
    """Return the rows of the highest scores above `least`, best first, ties by row; at most `limit`."""
    if limit < 1 or not len(scores):
        return np.zeros(0, dtype=np.int64)
    if len(scores) > limit:
        edge = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        rows = np.flatnonzero(scores >= edge)
    else:
        rows = np.arange(len(scores))
    rows = rows[scores[rows] > least]
    return rows[np.argsort(-scores[rows], kind="stable")][:limit].astype(np.int64)


def min_max(scores: Scores) -> Scores:
    """Return scores stretched to [0, 1]; all 0 where they do not differ."""
    if not len(scores):
        return scores
    low, high = float(scores.min()), float(scores.max())
    if high - low < 1e-9:
        return np.zeros_like(scores)
    return ((scores - low) / (high - low)).astype(np.float32)


def fuse(dense: Scores, words: Scores, *, dense_weight: float) -> Scores:
    """Return the weighted sum of two score lists over the same candidates, each min-maxed first, in [0, 1].

    Source:
        KITE: 0.7 dense + 0.3 BM25; normalised, since unbounded BM25 scores would swamp cosines.
    """
    return (dense_weight * min_max(dense) + (1 - dense_weight) * min_max(words)).astype(np.float32)


def reciprocal_rank(rankings: Sequence[Sequence[int]]) -> dict[int, float]:
    """Return per row the sum of 1 / (60 + rank) over the rankings that hold it; ranks count from 1."""
    total: dict[int, float] = {}
    for ranking in rankings:
        for rank, row in enumerate(dict.fromkeys(ranking), start=1):
            total[row] = total.get(row, 0.0) + 1 / (RANK_CONSTANT + rank)
    return total
