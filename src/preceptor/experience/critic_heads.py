"""Small linear heads: from computed evidence to what human raters would answer, as numbers in a file.

A head is an ordinal logistic regression in two halves, P(at least "to some extent") and P("yes"). Beside the heads
stands the worth: a linear score of how far raters prefer a reply over others to the same learner moment. The file holds
feature names of our own, numbers and a data card; no word of any learner or tutor.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from preceptor.experience.critic_evidence import Evidence

HEADS = ("identification", "location", "guidance", "actionability", "coherence", "tone")
"""What the heads answer: five of the raters' questions, and their tone with encouraging as "yes"."""

CLIP = 4.0
"""Standard deviations at which a feature is cut: one odd reply must not swing a head."""

PRIOR_POWER = 0.6
"""How far rare answers are raised: probabilities are divided by prior ** this. (chosen on folds)"""

Answer = tuple[float, float, float]
"""Probabilities of No, To some extent and Yes."""


@dataclass(frozen=True, kw_only=True)
class Head:
    """Weights of one question."""

    some: tuple[float, ...]
    """Weights of P(at least to some extent) over standardised features; the intercept last."""
    yes: tuple[float, ...]
    prior: Answer


@dataclass(frozen=True, kw_only=True)
class HeadTable:
    """All heads with the features they read."""

    features: tuple[str, ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    heads: Mapping[str, Head]
    worth: tuple[float, ...] = ()
    """Weights, no intercept, of how far raters prefer a reply over others to the same moment; empty: not fitted."""
    card: Mapping[str, object] = field(default_factory=dict)
    """Where the numbers come from: data, licence, rows, digest, penalty."""
    fitted_on: frozenset[str] = frozenset()
    """Ids of the replies it was fitted on; empty when read from a file, which keeps their number only."""

    def answer(self, evidence: Evidence) -> dict[str, Answer]:
        """Return each head's probabilities for one reply, rare answers raised."""
        row = self._row(evidence)
        return {name: _probabilities(head, row) for name, head in self.heads.items()}

    def preference(self, evidence: Evidence) -> float:
        """Return a reply's worth in log odds; the difference of two at one moment is that the first is preferred.

        An average reply of those the table was fitted on has 0; 0 too where no worth was fitted.
        """
        return float(self._row(evidence) @ np.array(self.worth)) if self.worth else 0.0

    def _row(self, evidence: Evidence) -> NDArray[np.float64]:
        return standardise(
            np.array([evidence.values[name] for name in self.features]), np.array(self.centre), np.array(self.scale)
        )


def standardise(
    rows: NDArray[np.float64], centre: NDArray[np.float64], scale: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return rows in standard deviations from the training mean, cut at `CLIP`."""
    return np.clip((rows - centre) / scale, -CLIP, CLIP)


def _probabilities(head: Head, row: NDArray[np.float64]) -> Answer:
    some, yes = (
        float(1 / (1 + np.exp(-np.clip(row @ np.array(weights[:-1]) + weights[-1], -30, 30))))
        for weights in (head.some, head.yes)
    )
    some = max(some, yes)
    raised = [part / share**PRIOR_POWER for part, share in zip((1 - some, some - yes, yes), head.prior, strict=True)]
    total = sum(raised)
    return raised[0] / total, raised[1] / total, raised[2] / total


def expected(answer: Answer) -> float:
    """Return the answer as one number in [0, 1]: No 0, To some extent 0.5, Yes 1."""
    return 0.5 * answer[1] + answer[2]


def dump_heads(table: HeadTable) -> str:
    """Return the table as JSON text."""
    return json.dumps(
        {
            "card": dict(table.card),
            "features": list(table.features),
            "centre": list(table.centre),
            "scale": list(table.scale),
            "heads": {
                name: {"some": list(head.some), "yes": list(head.yes), "prior": list(head.prior)}
                for name, head in table.heads.items()
            },
            "worth": list(table.worth),
        },
        indent=1,
    )


def parse_heads(text: str) -> HeadTable:
    """Return the table that `dump_heads` wrote.

    Raises:
        ValueError: A head's weights, or the worth's, and the features do not fit each other.
    """
    raw = json.loads(text)
    size = len(raw["features"])
    heads = {}
    for name, one in raw["heads"].items():
        if not len(one["some"]) == len(one["yes"]) == size + 1:
            raise ValueError(f"head {name!r} must have {size + 1} weights, got {len(one['some'])}, {len(one['yes'])}")
        no, some, yes = one["prior"]
        heads[name] = Head(some=tuple(one["some"]), yes=tuple(one["yes"]), prior=(no, some, yes))
    worth = tuple(raw.get("worth", ()))
    if len(worth) not in (0, size):
        raise ValueError(f"worth must have {size} weights, got {len(worth)}")
    return HeadTable(
        features=tuple(raw["features"]),
        centre=tuple(raw["centre"]),
        scale=tuple(raw["scale"]),
        heads=heads,
        worth=worth,
        card=raw["card"],
    )


@lru_cache(maxsize=1)
def shipped_heads() -> HeadTable:
    """Return the heads of the package."""
    path = resources.files("preceptor.experience") / "critic_heads.json"
    return parse_heads(path.read_text(encoding="utf-8"))
