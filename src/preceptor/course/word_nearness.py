"""How near a query's words come to the words of a few passages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from preceptor.course.passage_index import PassageIndex

FLOOR = 0.05
"""Least nearness in a logarithm: an unlike word must not decide alone. (chosen)"""


def word_nearness(
    index: PassageIndex, term_vectors: NDArray[np.float32], rows: Sequence[int]
) -> NDArray[np.float64] | None:
    """Return how near each word comes to its nearest word of each passage, (n_terms, n_passages), cosines at least 0.

    Args:
        index: The course.
        term_vectors: Of the query's words, (n_terms, n_dims).
        rows: Passages.

    Returns:
        `None` where the course's words have no vectors yet, or nothing is asked.
    """
    if index.meanings is None or index.meaning_rows is None or not len(rows) or not len(term_vectors):
        return None
    tokens = [index.words.passage_tokens(int(row)) for row in rows]
    starts = np.concatenate([[0], np.cumsum([max(1, len(one)) for one in tokens])[:-1]])
    padded = [one if len(one) else np.zeros(1, dtype=np.int32) for one in tokens]
    vectors = index.meanings[index.meaning_rows[np.concatenate(padded)]]
    nearest = np.maximum.reduceat(term_vectors @ vectors.T, starts, axis=1)
    empty = np.array([not len(one) for one in tokens])
    return np.where(empty[None, :], 0.0, np.maximum(nearest, 0.0)).astype(np.float64)
