"""Fits the worth of a reply on pairs of replies to one learner moment: pairwise logistic regression, numpy alone.

Each pair says which of two replies raters rank higher. Whatever belongs to the moment drops out of the difference, and
each training tutor has an intercept of its own, so a weight says what is better at one moment, whoever writes it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from preceptor.experience.human_labels import LABELS, LabelledReply

RANKED_BY = ("identification", "location", "guidance", "actionability")
"""The questions whose sum ranks two replies."""
WORTH_RIDGE = 6000.0
"""Penalty on the squared weights. (3,000 to 12,000 do not tell one from another on halves of the problems)"""
WORTH_TUTOR_RIDGE = 0.3
"""Penalty on the training tutors' intercepts: nearly none, or weights would learn who writes. (chosen on halves)"""
WIDEST = 2.0
"""Gap in points of 4 at which a pair counts most."""
_NEWTON_STEPS = 6

Rows = NDArray[np.float64]


def human_quality(reply: LabelledReply) -> float | None:
    """Return the raters' sum over the four questions, 0 to 4; `None` where one is unanswered."""
    if any(name not in reply.labels for name in RANKED_BY):
        return None
    return sum(LABELS.index(reply.labels[name]) for name in RANKED_BY) / 2


def fit_worth(matrix: Rows, replies: Sequence[LabelledReply]) -> tuple[float, ...]:
    """Return one weight a feature; empty where no two replies to one moment differ.

    Args:
        matrix: Standardised features, one row a reply.
        replies: The replies, in the rows' order.
    """
    pairs = _ranked_pairs(replies)
    if not pairs:
        return ()
    better, worse = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    counts = np.minimum(np.array([pair[2] for pair in pairs]), WIDEST)
    tutors = np.array([reply.tutor for reply in replies])
    own = (tutors[:, None] == np.unique(tutors)[None]).astype(np.float64)
    rows = np.column_stack([matrix, own])
    penalty = np.concatenate([np.full(matrix.shape[1], WORTH_RIDGE), np.full(own.shape[1], WORTH_TUTOR_RIDGE)])
    weights = _newton(rows[better] - rows[worse], counts, penalty)
    return tuple(round(float(weight), 5) for weight in weights[: matrix.shape[1]])


def _ranked_pairs(replies: Sequence[LabelledReply]) -> list[tuple[int, int, float]]:
    """Return (place of the better, place of the worse, gap) of each pair at one moment that raters tell apart."""
    moments: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for place, reply in enumerate(replies):
        quality = human_quality(reply)
        if quality is not None:
            moments[reply.moment].append((place, quality))
    found = []
    for here in moments.values():
        for (first, one), (second, other) in combinations(here, 2):
            if one != other:
                found.append((first, second, one - other) if one > other else (second, first, other - one))
    return found


def _newton(rows: Rows, counts: Rows, penalty: Rows) -> Rows:
    """Return the weights under which each row, a difference, is most often positive."""
    weights: Rows = np.zeros(rows.shape[1])
    for _ in range(_NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        gradient = rows.T @ (counts * (1 - chance)) - penalty * weights
        curvature = (rows * (counts * chance * (1 - chance))[:, None]).T @ rows + np.diag(penalty)
        weights = weights + np.linalg.solve(curvature, gradient)
    return weights
