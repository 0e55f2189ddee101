"""From which similarity on two names mean one concept: each embedder has a scale of its own (traps 6 and 34).

Different concepts of one subject should not be merged. So the similarities between the names of concepts that are KNOWN
to differ (they stand in one reading side by side) are measured, and the threshold lies above nearly all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from preceptor.errors import InputError
from preceptor.models.embedder import Embedder

SEED_THRESHOLD = 0.86
"""(seed: A Tutor That Remembers, on an embedder it does not name)"""
PERCENTILE = 99.9
"""One pair of different concepts in a thousand may lie above the threshold. (chosen)"""
LEAST_PAIRS = 1000


@dataclass(frozen=True, kw_only=True)
class MergeThreshold:
    """What counts as one concept, for one embedder."""

    value: float
    embedder: str
    """The fingerprint it was measured for."""
    origin: Literal["seed", "calibrated", "owner"] = "seed"
    measured: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a threshold that no cosine reaches."""
        if not -1 <= self.value <= 1:
            raise ValueError(f"a merge threshold must be -1..1, got {self.value}")


def default_threshold(fingerprint: str) -> MergeThreshold:
    """Return what applies to an embedder that nothing was measured for: what we measured, else the seed's value."""
    for start, value, measured in SHIPPED:
        if fingerprint.startswith(start):
            return MergeThreshold(value=value, embedder=fingerprint, origin="calibrated", measured=measured)
    return MergeThreshold(value=SEED_THRESHOLD, embedder=fingerprint)


SHIPPED: tuple[tuple[str, float, Mapping[str, object]], ...] = (
    (
        "all-minilm-l6-v2-int8:8199be6f699a:",
        0.8735,
        {
            "on": "names the builtin reader found in 32 English course files, and the concepts of word problems",
            "groups": 33,
            "pairs": 1845,
            "percentile": PERCENTILE,
            "mean": 0.2911,
            "p99": 0.7852,
            "max": 0.9613,
        },
    ),
)
"""(start of a fingerprint, threshold, what was measured). The highest pair was one concept named twice."""


ROUTE_LEAST = 0.50
"""From this cosine on a question may be about a concept it does not name, for an embedder nothing was measured for.
(chosen)"""
SHIPPED_ROUTE_LEAST: tuple[tuple[str, float], ...] = (("all-minilm-l6-v2-int8:8199be6f699a:", 0.40),)
"""(start of a fingerprint, cosine). Calibrated on 25 questions of ours about concepts of word problems and 25 about
other things: at .40 nine of 25 are routed, seven of them rightly, and one of the 25 others."""


def route_least(fingerprint: str) -> float:
    """Return from which cosine on an embedder's vectors route a question."""
    return next((least for start, least in SHIPPED_ROUTE_LEAST if fingerprint.startswith(start)), ROUTE_LEAST)


def measure_threshold(
    groups: Sequence[Sequence[str]], embedder: Embedder, *, language: str, measured_on: str
) -> MergeThreshold:
    """Measure a threshold on names that are known to differ.

    Args:
        groups: The names of one reading each: within a group every two are different concepts.
        embedder: Whose scale is measured.
        language: Of all names.
        measured_on: Name of the texts, for the record.

    Raises:
        InputError: There are fewer than `LEAST_PAIRS` pairs that the embedder can read.
    """
    found: list[float] = []
    for names in groups:
        read = [vector for vector in embedder.embed(list(names), language=language) if vector is not None]
        if len(read) > 1:
            table = np.stack(read) @ np.stack(read).T
            found += table[np.triu_indices(len(read), 1)].tolist()
    if len(found) < LEAST_PAIRS:
        raise InputError(f"{measured_on}: {len(found)} pairs of different concepts, expected {LEAST_PAIRS} or more")
    return MergeThreshold(
        value=round(float(np.percentile(found, PERCENTILE)), 4),
        embedder=embedder.fingerprint,
        origin="calibrated",
        measured={
            "on": measured_on,
            "groups": len(groups),
            "pairs": len(found),
            "percentile": PERCENTILE,
            "mean": round(float(np.mean(found)), 4),
            "p99": round(float(np.percentile(found, 99)), 4),
            "max": round(float(np.max(found)), 4),
        },
    )
