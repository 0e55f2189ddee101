"""Maximal marginal relevance: the next passage is relevant and says something else than those chosen before."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]


def maximal_marginal_relevance(
    relevance: Scores, vectors: Scores, *, lambda_: float, keep: int
) -> tuple[list[int], list[float]]:
    """Return places of the chosen candidates in the order they were chosen, and each one's marginal score.

    Args:
        relevance: One a candidate, in [0, 1].
        vectors: Unit or zero rows, (n, n_dims); how like each other two candidates are is their cosine.
        lambda_: Weight of relevance against newness, in [0, 1]; 1 keeps the order of relevance.
        keep: At most so many.

    Source:
        Carbonell and Goldstein, SIGIR 1998; KITE: lambda 0.7.
    """
    open_, nearest = np.ones(len(relevance), dtype=bool), np.zeros(len(relevance), dtype=np.float32)
    places: list[int] = []
    scores: list[float] = []
    for _ in range(min(keep, len(relevance))):
        marginal = np.where(open_, lambda_ * relevance - (1 - lambda_) * nearest, -np.inf)
        best = int(np.argmax(marginal))
        places.append(best)
        scores.append(float(marginal[best]))
        open_[best] = False
        # Row by row: the whole matrix at once wakes a pool of threads, which on a busy machine costs 20 ms.
        nearest = np.maximum(nearest, vectors @ vectors[best])
    return places, scores
