"""Fits a multinomial logistic head with a ridge: the trainer of the small heads here and in experience."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]
_LEAST_SQUARE = 1e-10
"""Part of the largest squared length below which a direction is rounding."""


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


def fit_wide_softmax(
    matrix: Rows, chosen: NDArray[np.intp], n_classes: int, penalty: Rows, *, most_steps: int, least_change: float
) -> Rows:
    """Return what `fit_softmax` does, for more features than examples: the search keeps to what the examples span.

    Args:
        matrix: One row an example, shape (n, n_features).
        chosen: Class of each example, in [0, n_classes).
        n_classes: How many there are.
        penalty: Ridge of each feature and of the intercept, all above 0, shape (n_features + 1,).
        most_steps: It ends after so many in any case.
        least_change: A step that moves no weight of the smaller problem by as much is the last.
    """
    wide = matrix / np.sqrt(penalty[:-1])
    squares, turned = np.linalg.eigh(wide @ wide.T)
    kept = squares > squares[-1] * _LEAST_SQUARE
    lengths, turned = np.sqrt(squares[kept]), turned[:, kept]
    ridge = np.concatenate([np.ones(len(lengths)), penalty[-1:]])
    found = fit_softmax(turned * lengths, chosen, n_classes, ridge, most_steps=most_steps, least_change=least_change)
    weights = wide.T @ (turned @ (found[:-1] / lengths[:, None])) / np.sqrt(penalty[:-1, None])
    return np.vstack([weights, found[-1:]])
