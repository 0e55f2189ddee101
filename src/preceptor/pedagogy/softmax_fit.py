"""Fits a multinomial logistic head with a ridge: the trainer of the small heads here and in experience."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]


def fit_softmax(
    matrix: Rows, chosen: NDArray[np.intp], n_classes: int, penalty: Rows, *, most_steps: int, least_change: float
) -> Rows:
    """Return weights of shape (n_features + 1, n_classes); the last row is the intercept.

    Newton-like steps under Böhning's bound of the curvature: each one lowers the loss.

    Args:
        matrix: One row an example, shape (n, n_features).
        chosen: Class of each example, in [0, n_classes).
        n_classes: How many there are.
        penalty: Ridge of each feature and of the intercept, shape (n_features + 1,).
        most_steps: It ends after so many in any case.
        least_change: A step that moves no weight by as much is the last.
    """
    rows = np.column_stack([matrix, np.ones(len(matrix))])
    wanted = np.eye(n_classes)[chosen]
    step = np.linalg.inv(0.5 * (1 - 1 / n_classes) * rows.T @ rows + np.diag(penalty))
    weights: Rows = np.zeros((rows.shape[1], n_classes))
    for _ in range(most_steps):
        scores = rows @ weights
        chance = np.exp(scores - scores.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        change = step @ (rows.T @ (wanted - chance) - penalty[:, None] * weights)
        weights = weights + change
        if float(np.abs(change).max()) < least_change:
            break
    return weights
