"""Fits the builtin reranker: first the order inside each query, then the scale of the probability. Numpy only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from preceptor.course.linear_head import LinearHead, Rows, centre_and_scale, fit_logistic, standardise
from preceptor.course.reranker import HeadName
from preceptor.course.reranking_features import FEATURES, LEFT_OUT

RIDGE = 8.0
"""Penalty on the squared weights of the order. (chosen on folds over topics of our own questions; 3 to 20 are alike)"""
_STEPS = 30


@dataclass(frozen=True, kw_only=True)
class RankingExample:
    """One query's candidates with what they should have been."""

    features: Rows
    """(n, len(FEATURES))."""
    relevant: NDArray[np.bool_]
    """(n,); none where the course has no answer or the stages before lost it."""


def fit_reranker(
    examples: Sequence[RankingExample], name: HeadName, *, card: Mapping[str, object] | None = None
) -> LinearHead:
    """Return a head whose order is that of a list-wise softmax and whose sigmoid is calibrated.

    Args:
        examples: At least one with a relevant and another candidate.
        name: Which head: what it cannot see is left out.
        card: Goes into the head, with the counts added.

    Raises:
        ValueError: No query has both kinds of candidate.

    Source:
        List-wise: Xia et al., ICML 2008, top-one form. Scale: Platt (1999), fitted over all candidates.
    """
    used = [place for place, feature in enumerate(FEATURES) if feature not in LEFT_OUT[name]]
    filled = [example for example in examples if len(example.relevant)]
    lists = [example for example in filled if example.relevant.any() and not example.relevant.all()]
    if not lists:
        raise ValueError("need a query with a relevant candidate and another one, got none")
    everything = np.vstack([example.features[:, used] for example in filled])
    centre, scale = centre_and_scale(everything)
    weights = fit_order(
        [(standardise(example.features[:, used], centre, scale), example.relevant) for example in lists], RIDGE
    )
    scores = standardise(everything, centre, scale) @ weights
    slope, intercept = fit_logistic(
        scores[:, None], np.concatenate([example.relevant for example in filled]), ridge=1e-3
    )
    return LinearHead(
        features=tuple(FEATURES[place] for place in used),
        centre=tuple(centre.tolist()),
        scale=tuple(scale.tolist()),
        weights=tuple((weights * slope[0]).tolist()),
        intercept=intercept,
        card={**(card or {}), "queries": len(examples), "queries_with_evidence": len(lists), "ridge": RIDGE},
    )


def fit_order(lists: Sequence[tuple[Rows, NDArray[np.bool_]]], ridge: float) -> Rows:
    """Return weights that make the relevant candidates likely under a softmax over their list.

    Newton's method with halved steps: a full step can overshoot where a list is already in order.

    Args:
        lists: (standardised rows, which of them are relevant), each with both kinds; at least one.
        ridge: Penalty on the squared weights.
    """
    weights = np.zeros(lists[0][0].shape[1])
    loss, gradient, curvature = _order_loss(lists, weights, ridge)
    for _ in range(_STEPS):
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while size > 1e-4:
            tried = _order_loss(lists, weights - size * step, ridge)
            if tried[0] < loss:
                break
            size /= 2
        else:
            break
        weights = weights - size * step
        (loss, gradient, curvature), gained = tried, loss - tried[0]
        if gained < 1e-9:
            break
    return weights


def _order_loss(
    lists: Sequence[tuple[Rows, NDArray[np.bool_]]], weights: Rows, ridge: float
) -> tuple[float, Rows, Rows]:
    """Return the penalised negative log likelihood with its gradient and curvature."""
    loss = 0.5 * ridge * float(weights @ weights)
    gradient, curvature = ridge * weights, ridge * np.eye(len(weights))
    for rows, relevant in lists:
        logits = rows @ weights
        logits = logits - logits.max()
        total = np.exp(logits).sum()
        chance = np.exp(logits) / total
        mean = chance @ rows
        loss -= float(logits[relevant].mean() - np.log(total))
        gradient = gradient - rows[relevant].mean(axis=0) + mean
        curvature = curvature + (rows * chance[:, None]).T @ rows - np.outer(mean, mean)
    return loss, gradient, curvature
