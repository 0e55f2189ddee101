"""Fits the heads that read messages on labelled lines: `python -m benchmarks.message_reading fit`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from preceptor.messages.features import N_BUCKETS, message_row
from preceptor.messages.head import MessageHead

RIDGE = 0.1
"""Penalty on the squared weights. (.05 to .4 do not tell one from another on folds)"""
INTERCEPT = 0.3
"""Squared length of the intercept's column: how freely it is fitted. (chosen)"""
_STEPS = 200
_LEAST_CHANGE = 1e-3

Rows = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class LabelledLine:
    """One message and what it is."""

    text: str
    label: str
    weight: float = 1.0
    """How much it counts, above 0."""


def fit_message_head(
    lines: Sequence[LabelledLine], labels: tuple[str, ...], *, card: Mapping[str, object] | None = None
) -> MessageHead:
    """Return a multinomial logistic head with a ridge, fitted on exactly these lines.

    The weights are a sum of the lines' rows, so that the table solved for is (n_lines, n_lines), whatever the buckets.
    The steps are those of `pedagogy.softmax_fit`: under Böhning's bound of the curvature each lowers the loss.

    Raises:
        ValueError: No lines, or one has another label.
    """
    if not lines or any(line.label not in labels for line in lines):
        raise ValueError(f"need lines with labels among {', '.join(labels)}")
    matrix = line_matrix([line.text for line in lines])
    likeness = matrix @ matrix.T + INTERCEPT
    wanted = np.eye(len(labels))[[labels.index(line.label) for line in lines]]
    counts = np.array([[line.weight] for line in lines])
    step = np.linalg.inv(0.5 * (1 - 1 / len(labels)) * counts * likeness + RIDGE * np.eye(len(lines)))
    shares: Rows = np.zeros(wanted.shape)
    for _ in range(_STEPS):
        scores = likeness @ shares
        chance = np.exp(scores - scores.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        change = step @ (counts * (wanted - chance) - RIDGE * shares)
        shares = shares + change
        if float(np.abs(change).max()) < _LEAST_CHANGE:
            break
    weights = np.vstack([matrix.T @ shares, INTERCEPT * shares.sum(axis=0)])
    return MessageHead(
        labels=labels, weights=weights.astype(np.float32), card={**(card or {}), "rows": len(lines), "ridge": RIDGE}
    )


def line_matrix(texts: Sequence[str]) -> Rows:
    """Return the features of each text, shape (n_texts, N_BUCKETS)."""
    matrix: Rows = np.zeros((len(texts), N_BUCKETS))
    for place, text in enumerate(texts):
        row = message_row(text)
        np.add.at(matrix[place], row.columns, row.values)
    return matrix
