"""What a question is about, and how much of it the first passages hold.

A word counts by its cosine with the whole question: in "how do I write a fraction in latex" that is `latex` and
`fraction`, not `write`. A passage answers no better than the one such word that it comes nowhere near.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from preceptor.course.passage_index import PassageIndex
from preceptor.course.reranker import Candidates
from preceptor.course.reranking_features import WINDOW_TERMS

FOCUS_FEATURES = ("held_together", "held_window", "least_window")
"""Names of what `focus_features` returns; each at most 1, and greater where more of the question is held."""
WORST_COUNTS = 3.0
"""Power of the mean over a question's words: the greatest lack decides most. (chosen on folds over topics of our own
questions, by itself: the maximum .881, power 2 .894, power 3 .896 AUROC over whole passages)"""

Cosines = NDArray[np.float32]


def focus_features(index: PassageIndex, candidates: Candidates, rows: Sequence[int]) -> dict[str, float]:
    """Return how much of what a question is about these passages hold, by name; `{}` where nothing can be compared.

    `held_together` looks at the passages as one, `held_window` at the best `WINDOW_TERMS` words of one passage with its
    headings; `least_window` is the nearness of the farthest word within the best such window of the first passage, all
    words alike.

    Args:
        index: The course, with vectors of its words.
        candidates: The question, its vector and those of its words.
        rows: Passages, the likeliest first.
    """
    words, question = candidates.term_vectors, candidates.query_vector
    if words is None or question is None or not len(words):
        return {}
    passages = [one for row in rows if (one := _cosines(index, words, int(row))) is not None]
    if not passages:
        return {}
    focus = np.clip(words @ question, 0.0, 1.0).astype(np.float64)
    windows = [_windows(headings, text) for headings, text in passages]
    together = np.max([window.max(axis=1) for window in windows], axis=0)
    return {
        "held_together": 1 - float((focus * (1 - together) ** 2).max()),
        "held_window": 1 - min(float(_lack(focus, window).min()) for window in windows),
        "least_window": float(windows[0].min(axis=0).max()),
    }


def _cosines(index: PassageIndex, words: Cosines, row: int) -> tuple[Cosines, Cosines] | None:
    """Return the cosines of a question's words to those of a passage's headings and text, each (n_terms, n_tokens)."""
    tokens = index.words.passage_tokens(row)
    if index.meanings is None or index.meaning_rows is None or not len(tokens):
        return None
    cosines = np.clip(words @ index.meanings[index.meaning_rows[tokens]].T, 0.0, 1.0)
    n_headings = int(index.n_heading_tokens[row])
    return cosines[:, :n_headings], cosines[:, n_headings:]


def _windows(headings: Cosines, text: Cosines) -> NDArray[np.float64]:
    """Return how near each word comes within each stretch of the text or in the headings, (n_terms, n_windows)."""
    named = headings.max(axis=1, initial=0.0)[:, None]
    if not text.shape[1]:
        return np.asarray(named, dtype=np.float64)
    width = min(WINDOW_TERMS, text.shape[1])
    return np.asarray(np.maximum(sliding_window_view(text, width, axis=1).max(axis=-1), named), dtype=np.float64)


def _lack(focus: NDArray[np.float64], near: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean lack of each column of `near`, (n_terms, n), by the power that lets the worst word count."""
    lack: NDArray[np.float64] = ((focus[:, None] * (1 - near)) ** WORST_COUNTS).sum(axis=0) ** (1 / WORST_COUNTS)
    return lack
