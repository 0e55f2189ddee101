"""The head that tells a reply's kind of move: a multinomial logistic regression, as numbers in a file.

The file holds names of our own features, numbers and a data card; no word of any learner or tutor.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from preceptor.domain.tutor_evidence import TutorMove

CLIP = 4.0
"""Standard deviations at which a feature is cut."""

Rows = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class MoveHead:
    """Weights of the four moves over standardised features."""

    features: tuple[str, ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    weights: Mapping[TutorMove, tuple[float, ...]]
    """Move → weights, the intercept last."""
    card: Mapping[str, object] = field(default_factory=dict)
    """Where the numbers come from: data, licence, rows, digest, penalty."""
    fitted_on: frozenset[str] = frozenset()
    """Ids of the dialogues it was fitted on; empty when read from a file, which keeps their number only."""

    def probabilities(self, values: Mapping[str, float]) -> dict[TutorMove, float]:
        """Return how likely each move is; they sum to 1."""
        row = standardise(
            np.array([values[name] for name in self.features]), np.array(self.centre), np.array(self.scale)
        )
        table = np.array([self.weights[move] for move in TutorMove])
        scores = table[:, :-1] @ row + table[:, -1]
        chance = np.exp(scores - scores.max())
        return {move: float(part / chance.sum()) for move, part in zip(TutorMove, chance, strict=True)}


def standardise(rows: Rows, centre: Rows, scale: Rows) -> Rows:
    """Return rows in standard deviations from the training mean, cut at `CLIP`."""
    return np.clip((rows - centre) / scale, -CLIP, CLIP)


def dump_move_head(head: MoveHead) -> str:
    """Return the head as JSON text."""
    content = {
        "card": dict(head.card),
        "features": list(head.features),
        "centre": list(head.centre),
        "scale": list(head.scale),
        "weights": {move.value: list(row) for move, row in head.weights.items()},
    }
    return json.dumps(content, indent=1)


def parse_move_head(text: str) -> MoveHead:
    """Return the head that `dump_move_head` wrote.

    Raises:
        ValueError: Weights and features do not fit each other, or a move is missing.
    """
    raw = json.loads(text)
    size = len(raw["features"])
    weights = {TutorMove(name): tuple(row) for name, row in raw["weights"].items()}
    if set(weights) != set(TutorMove) or any(len(row) != size + 1 for row in weights.values()):
        raise ValueError(f"each of {', '.join(TutorMove)} must have {size + 1} weights")
    return MoveHead(
        features=tuple(raw["features"]),
        centre=tuple(raw["centre"]),
        scale=tuple(raw["scale"]),
        weights=weights,
        card=raw["card"],
    )


@lru_cache(maxsize=1)
def shipped_move_head() -> MoveHead:
    """Return the head of the package."""
    path = resources.files("preceptor.pedagogy") / "tutor_move_head.json"
    return parse_move_head(path.read_text(encoding="utf-8"))
