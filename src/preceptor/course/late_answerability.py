"""Whether the course holds the answer, where tokens were compared: what `answerability` sees, and what tokens lack."""

from __future__ import annotations

import numpy as np

from preceptor.course.answerability import FEATURES, NEAR_PASSAGES, Answerability, answer_features
from preceptor.course.late_heads import shipped_late_heads
from preceptor.course.late_interaction import LATE_FEATURES
from preceptor.course.linear_head import LinearHead, Rows
from preceptor.course.passage_index import PassageIndex
from preceptor.course.pipeline import Ranked
from preceptor.course.reranker import head_name, sigmoid

ALL_FEATURES = (*FEATURES, *LATE_FEATURES)
"""Names of the columns of `late_answer_features`."""


def late_answer_features(index: PassageIndex, ranked: Ranked) -> Rows:
    """Return what speaks for an answer, shape (len(ALL_FEATURES),).

    Raises:
        ValueError: No tokens were compared, or nothing was found.
    """
    if ranked.late is None or not len(ranked.rows):
        raise ValueError("tokens were not compared with any passage")
    place = {row: number for number, row in enumerate(ranked.found.candidates.rows.tolist())}
    lacks = ranked.late.answer_lacks([place[row] for row in ranked.rows[:NEAR_PASSAGES].tolist()])
    return np.concatenate([answer_features(index, ranked), [lacks[name] for name in LATE_FEATURES]])


class LateAnswerability:
    """Decides with tokens where they were compared and words have vectors, else as without them."""

    def __init__(self, otherwise: Answerability, head: LinearHead | None = None) -> None:
        """Keep both; `None`: the shipped head."""
        self._otherwise, self._head = otherwise, head

    def probability(self, index: PassageIndex, ranked: Ranked) -> float | None:
        """Return the probability that the course holds the answer; see `Answerability.probability`."""
        if ranked.late is None or not len(ranked.rows) or head_name(ranked.found.candidates) != "meaning":
            return self._otherwise.probability(index, ranked)
        head = self._head or shipped_late_heads().answerability
        row = late_answer_features(index, ranked)[[ALL_FEATURES.index(name) for name in head.features]]
        return float(sigmoid(head.logits(row[None, :]))[0])
