"""The head that tells a reply's kind of move: a multinomial logistic regression, as numbers in a file.

The file holds names of our own features, numbers and a data card; no word of any learner or tutor.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any

import numpy as np

from preceptor.domain.tutor_evidence import TutorMove
from preceptor.pedagogy.tutor_move_space import MoveSpace, Rows


@dataclass(frozen=True, kw_only=True)
class MoveHead:
    """Weights of the four moves over the columns of a reply's row."""

    space: MoveSpace
    weights: Mapping[TutorMove, tuple[float, ...]]
    """Move → one weight a column of `space`, the intercept last."""
    card: Mapping[str, object] = field(default_factory=dict)
    """Where the numbers come from: data, licence, rows, digest, penalty."""
    fitted_on: frozenset[str] = frozenset()
    """Ids of the dialogues it was fitted on; empty when read from a file, which keeps their number only."""

    @cached_property
    def _table(self) -> Rows:
        return np.array([self.weights[move] for move in TutorMove])

    def probabilities(self, values: Mapping[str, float]) -> dict[TutorMove, float]:
        """Return how likely each move is; they sum to 1."""
        scores = self._table[:, :-1] @ self.space.row(values) + self._table[:, -1]
        chance = np.exp(scores - scores.max())
        return {move: float(part / chance.sum()) for move, part in zip(TutorMove, chance, strict=True)}


def dump_move_head(head: MoveHead) -> str:
    """Return the head as JSON text."""
    content = {
        "card": dict(head.card),
        "space": asdict(head.space),
        "weights": {move.value: list(row) for move, row in head.weights.items()},
    }
    return json.dumps(content)


def parse_move_head(text: str) -> MoveHead:
    """Return the head that `dump_move_head` wrote.

    Raises:
        ValueError: Weights and columns do not fit each other, or a move is missing.
    """
    raw = json.loads(text)
    told = {name: _frozen(value) for name, value in raw["space"].items()}
    space = MoveSpace(**told)
    weights = {TutorMove(name): tuple(row) for name, row in raw["weights"].items()}
    if set(weights) != set(TutorMove) or any(len(row) != space.size + 1 for row in weights.values()):
        raise ValueError(f"each of {', '.join(TutorMove)} must have {space.size + 1} weights")
    return MoveHead(space=space, weights=weights, card=raw["card"])


def _frozen(value: Any) -> Any:
    return tuple(_frozen(part) for part in value) if isinstance(value, list) else value


@lru_cache(maxsize=1)
def shipped_move_head() -> MoveHead:
    """Return the head of the package."""
    path = resources.files("preceptor.pedagogy") / "tutor_move_head.json"
    return parse_move_head(path.read_text(encoding="utf-8"))
