"""The head that tells a reply's kind of move: a multinomial logistic regression, as numbers in a file.

The file holds names of our own features, numbers and a data card; no word of any learner or tutor.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from preceptor.domain.tutor_evidence import TutorMove

CLIP = 4.0
"""Standard deviations at which a feature is cut."""
GRAM_SCALE = 1.5
"""Length of the part of a row that tells the reply's shape. (1.5 and 3 on folds: .604, .594)"""

Rows = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class MoveHead:
    """Weights of the four moves over standardised features."""

    features: tuple[str, ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    grams: tuple[str, ...]
    """Runs of a reply's shape that count, by name."""
    weights: Mapping[TutorMove, tuple[float, ...]]
    """Move → weights of features, then of grams, the intercept last."""
    card: Mapping[str, object] = field(default_factory=dict)
    """Where the numbers come from: data, licence, rows, digest, penalty."""
    fitted_on: frozenset[str] = frozenset()
    """Ids of the dialogues it was fitted on; empty when read from a file, which keeps their number only."""

    @cached_property
    def _places(self) -> dict[str, int]:
        return {gram: place for place, gram in enumerate(self.grams)}

    def probabilities(self, values: Mapping[str, float]) -> dict[TutorMove, float]:
        """Return how likely each move is; they sum to 1."""
        facts = np.array([values[name] for name in self.features])
        row = np.concatenate(
            [standardise(facts, np.array(self.centre), np.array(self.scale)), gram_row(values, self._places)]
        )
        table = np.array([self.weights[move] for move in TutorMove])
        scores = table[:, :-1] @ row + table[:, -1]
        chance = np.exp(scores - scores.max())
        return {move: float(part / chance.sum()) for move, part in zip(TutorMove, chance, strict=True)}


def gram_row(values: Mapping[str, float], places: Mapping[str, int]) -> Rows:
    """Return which known runs a reply's shape has, `(n_grams,)`, of length `GRAM_SCALE` or, where it has none, 0."""
    row: Rows = np.zeros(len(places))
    has = [places[name] for name in values if name in places]
    if has:
        row[has] = GRAM_SCALE / len(has) ** 0.5
    return row


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
        "grams": list(head.grams),
        "weights": {move.value: list(row) for move, row in head.weights.items()},
    }
    return json.dumps(content, indent=1)


def parse_move_head(text: str) -> MoveHead:
    """Return the head that `dump_move_head` wrote.

    Raises:
        ValueError: Weights and features do not fit each other, or a move is missing.
    """
    raw = json.loads(text)
    size = len(raw["features"]) + len(raw["grams"])
    weights = {TutorMove(name): tuple(row) for name, row in raw["weights"].items()}
    if set(weights) != set(TutorMove) or any(len(row) != size + 1 for row in weights.values()):
        raise ValueError(f"each of {', '.join(TutorMove)} must have {size + 1} weights")
    return MoveHead(
        features=tuple(raw["features"]),
        centre=tuple(raw["centre"]),
        scale=tuple(raw["scale"]),
        grams=tuple(raw["grams"]),
        weights=weights,
        card=raw["card"],
    )


@lru_cache(maxsize=1)
def shipped_move_head() -> MoveHead:
    """Return the head of the package."""
    path = resources.files("preceptor.pedagogy") / "tutor_move_head.json"
    return parse_move_head(path.read_text(encoding="utf-8"))
