"""A logistic head over named features, as numbers in a file: what the reranker and the answerability decision are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]

CLIP = 4.0
"""Standard deviations at which a feature is cut: one odd value must not swing the head."""


@dataclass(frozen=True, kw_only=True)
class LinearHead:
    """P(yes) = sigmoid(intercept + sum of weight × standardised feature)."""

    features: tuple[str, ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float
    card: Mapping[str, object] = field(default_factory=dict)
    """Where the numbers come from: data, rows, digest, penalty."""

    def __post_init__(self) -> None:
        """Refuse a head whose numbers do not fit its features."""
        sizes = {len(self.features), len(self.centre), len(self.scale), len(self.weights)}
        if len(sizes) != 1 or any(scale <= 0 for scale in self.scale):
            raise ValueError(
                f"a head of {len(self.features)} features needs as many centres, scales above 0 and weights, got "
                f"{len(self.centre)}, {len(self.scale)}, {len(self.weights)}"
            )

    def logits(self, rows: Rows) -> Rows:
        """Return the logit of each row, (n,); rows have the head's features as columns, (n, n_features)."""
        standard = standardise(rows, np.array(self.centre), np.array(self.scale))
        logits: Rows = standard @ np.array(self.weights) + self.intercept
        return logits

    def dump(self) -> dict[str, Any]:
        """Return the head as what `parse_head` takes."""
        return {
            "card": dict(self.card),
            "features": list(self.features),
            "centre": [round(value, 5) for value in self.centre],
            "scale": [round(value, 5) for value in self.scale],
            "weights": [round(value, 5) for value in self.weights],
            "intercept": round(self.intercept, 5),
        }


def parse_head(raw: Mapping[str, Any]) -> LinearHead:
    """Return the head that `dump` wrote.

    Raises:
        ValueError: Its numbers do not fit its features.
    """
    return LinearHead(
        features=tuple(raw["features"]),
        centre=tuple(raw["centre"]),
        scale=tuple(raw["scale"]),
        weights=tuple(raw["weights"]),
        intercept=float(raw["intercept"]),
        card=raw.get("card", {}),
    )


def standardise(rows: Rows, centre: Rows, scale: Rows) -> Rows:
    """Return rows in standard deviations from the training mean, cut at `CLIP`."""
    return np.clip((rows - centre) / scale, -CLIP, CLIP)


def centre_and_scale(rows: Rows, counts: Rows | None = None) -> tuple[Rows, Rows]:
    """Return each column's mean and standard deviation; a column that does not vary gets scale 1.

    Args:
        rows: (n, n_features).
        counts: How often each row counts, (n,); `None`: once.
    """
    centre = np.average(rows, axis=0, weights=counts)
    scale = np.sqrt(np.average((rows - centre) ** 2, axis=0, weights=counts))
    return centre, np.where(scale < 1e-6, 1.0, scale)


def fit_logistic(
    rows: Rows, labels: NDArray[np.bool_], *, ridge: float, counts: Rows | None = None
) -> tuple[Rows, float]:
    """Return weights and intercept of a ridge logistic regression, by Newton's method.

    Args:
        rows: Standardised, (n, n_features).
        labels: (n,), both kinds.
        ridge: Penalty on the squared weights, not on the intercept.
        counts: How often each row counts, (n,), above 0; `None`: once.

    Raises:
        ValueError: Only one kind of label.
    """
    if labels.all() or not labels.any():
        raise ValueError("logistic regression needs rows of both labels, got one kind only")
    whole = np.hstack([rows, np.ones((len(rows), 1))])
    penalty = ridge * np.eye(whole.shape[1])
    penalty[-1, -1] = 1e-6
    weights = np.zeros(whole.shape[1])
    counted = np.ones(len(rows)) if counts is None else counts
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(whole @ weights, -30, 30)))
        gradient = whole.T @ (counted * (labels - chance)) - penalty @ weights
        step = np.linalg.solve((whole * (counted * chance * (1 - chance))[:, None]).T @ whole + penalty, gradient)
        weights = weights + step
        if float(np.abs(step).max()) < 1e-7:
            break
    return weights[:-1], float(weights[-1])
