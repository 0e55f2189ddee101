"""A softmax head over a message's features, as whole numbers in a file: what reads a message where no rule does."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from preceptor.messages.features import N_BUCKETS, message_row

HeadName = Literal["routes", "record", "safety"]
_STEPS = 127
"""Whole numbers on either side of 0 that a weight is kept as: one byte each."""


@dataclass(frozen=True, kw_only=True)
class MessageHead:
    """Weights of each label over the buckets of `features.message_row`."""

    labels: tuple[str, ...]
    weights: NDArray[np.float32]
    """Shape (N_BUCKETS + 1, n_labels); the last row is the intercept."""
    card: Mapping[str, object] = field(default_factory=dict)
    """Where the numbers come from: lines, rows, digest, penalty."""

    def __post_init__(self) -> None:
        """Refuse weights that do not fit the labels and the buckets."""
        wanted = (N_BUCKETS + 1, len(self.labels))
        if self.weights.shape != wanted:
            raise ValueError(f"weights must have shape {wanted}, got {self.weights.shape}")

    def chances(self, text: str) -> dict[str, float]:
        """Return how likely each label is; they sum to 1."""
        row = message_row(text)
        scores = row.values @ self.weights[row.columns] + self.weights[-1]
        parts = np.exp(scores - scores.max())
        return dict(zip(self.labels, (parts / parts.sum()).tolist(), strict=True))


def dump_head(head: MessageHead) -> str:
    """Return the head as JSON text; each label's weights are rounded to a 127th of its largest."""
    scales = np.abs(head.weights).max(axis=0) / _STEPS
    rounded = np.rint(head.weights / np.where(scales > 0, scales, 1)).astype(np.int8)
    content = {
        "card": dict(head.card),
        "labels": list(head.labels),
        "scales": [round(float(scale), 8) for scale in scales],
        "weights": base64.b64encode(zlib.compress(rounded.tobytes(), 9)).decode("ascii"),
    }
    return json.dumps(content, indent=1)


def parse_head(text: str) -> MessageHead:
    """Return the head that `dump_head` wrote.

    Raises:
        ValueError: The weights do not fit the labels and the buckets.
    """
    raw = json.loads(text)
    packed = np.frombuffer(zlib.decompress(base64.b64decode(raw["weights"])), dtype=np.int8)
    labels = tuple(raw["labels"])
    if packed.size != (N_BUCKETS + 1) * len(labels):
        raise ValueError(f"need {(N_BUCKETS + 1) * len(labels)} weights for {len(labels)} labels, got {packed.size}")
    weights = packed.reshape(-1, len(labels)).astype(np.float32) * np.array(raw["scales"], dtype=np.float32)
    return MessageHead(labels=labels, weights=weights, card=raw["card"])


@cache
def shipped_head(name: HeadName) -> MessageHead:
    """Return a head of the package; read once, in about 5 ms."""
    return parse_head((resources.files(__package__) / f"{name}_head.json").read_text(encoding="utf-8"))
