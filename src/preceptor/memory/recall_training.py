"""Fitting the shares of relevance on questions whose evidence is known; the numbers go into `MemorySettings`.

    loss = mean over evidence e of log(1 + Z / (K · exp(w·x_e))) + ridge · |w|²
    Z    = sum of exp(w·x) over what is no evidence

A logistic loss of each piece of evidence against everything beside it, with room for K others above it: a smooth form
of recall at K, where a softmax would ask for the first place only. Weights are not negative, so that what matches
nothing keeps a relevance of 0 and more of a match is never worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from preceptor.errors import InputError
from preceptor.memory.matching import PARTS, Parts
from preceptor.memory.scope_index import Floats, Ints

PLACES = 10
"""K: places that are looked at. (from the measure that is wanted: recall at 10)"""
RIDGE = 0.01
"""On weights of standardized parts. (calibrated on LoCoMo 0-2, a conversation left out: .003 to .03 within 0.3)"""
SEVERAL = 2.0
"""Weight of a question whose evidence is joined from several places. (calibrated as above: 1, 2, 4)"""
RIVALS = 80
"""Rows without evidence that are fitted on: those first by `_RIVALRY`. Of all
rows most are easy: recall at 10 of 83.4 against 83.7, multi-hop 51.4 against 53.2. (LoCoMo 0-2, left-one-out)"""
_RIVALRY = {
    "own_words_weight": 0.7,
    "near_words_weight": 1.3,
    "dialogue_words_weight": 0.3,
    "vector_weight": 0.6,
    "near_vector_weight": 0.6,
    "speaker_weight": 0.1,
}
"""Weights by which rivals are chosen: those chosen by hand on LoCoMo 0-2 before any were fitted."""
_STEPS = 600
_RATE = 0.03

Reals = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class TrainingQuestion:
    """One question: the parts of its rows, shape (n_rows, n_parts), and which of them answer it."""

    parts: Floats
    spread: Floats
    """Standard deviation of each part over every row there is."""
    evidence: Ints
    weight: float = 1.0


def training_question(parts: Parts, evidence: Sequence[int], *, several: bool) -> TrainingQuestion:
    """Return a question to fit on.

    Args:
        parts: What `matching.parts_of` gives.
        evidence: Rows that answer it, one or more.
        several: Whether the answer is joined from several places.
    """
    table = np.stack(parts.shares, axis=1)
    first = table @ np.array([_RIVALRY.get(name, 0.0) for name in PARTS], dtype=np.float32)
    wanted = np.array(sorted(set(evidence)), dtype=np.int64)
    rivals = np.setdiff1d(np.argsort(-first, kind="stable")[:RIVALS], wanted)
    return TrainingQuestion(
        parts=table[np.concatenate((wanted, rivals))],
        spread=table.std(axis=0),
        evidence=np.arange(len(wanted)),
        weight=SEVERAL if several else 1.0,
    )


def fit_recall_weights(questions: Sequence[TrainingQuestion], *, ridge: float = RIDGE) -> dict[str, float]:
    """Return the setting of each part, not negative, their sum 1.

    Raises:
        InputError: There are no questions, or one has no evidence or nothing beside it.
    """
    if not questions:
        raise InputError("no questions to fit the weights of recall on; expected one or more")
    for place, one in enumerate(questions):
        if not 0 < len(one.evidence) < len(one.parts):
            raise InputError(f"question {place} has {len(one.evidence)} rows of evidence of {len(one.parts)}")
    spread = np.mean([one.spread for one in questions], axis=0).astype(np.float64) + 1e-6
    scaled = [_split(one, spread) for one in questions]
    weights = _descend(scaled, np.array([one.weight for one in questions]), ridge) / spread
    shares = weights / (weights.sum() or 1.0)
    return {name: round(float(share), 3) for name, share in zip(PARTS, shares, strict=True)}


def _split(one: TrainingQuestion, spread: Reals) -> tuple[Reals, Reals]:
    """Return (evidence, the rest) with every part divided by its spread."""
    rest = np.ones(len(one.parts), dtype=np.bool_)
    rest[one.evidence] = False
    return one.parts[one.evidence] / spread, one.parts[rest] / spread


def _descend(questions: Sequence[tuple[Reals, Reals]], weights: Reals, ridge: float) -> Reals:
    """Return the minimum over weights that are not negative: projected gradient with Adam's steps."""
    at, mean, square = np.zeros(len(PARTS)), np.zeros(len(PARTS)), np.zeros(len(PARTS))
    for step in range(1, _STEPS + 1):
        gradient = _gradient(questions, weights, at) + 2 * ridge * at
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        rate = _RATE / (1 + 4 * step / _STEPS)
        move = rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        at = np.maximum(at - move, 0)
    return np.asarray(at)


def _gradient(questions: Sequence[tuple[Reals, Reals]], weights: Reals, at: Reals) -> Reals:
    total = np.zeros_like(at)
    for (evidence, rest), weight in zip(questions, weights, strict=True):
        score = rest @ at
        top = score.max()
        share = np.exp(score - top)
        log_sum = np.log(share.sum()) + top
        share /= share.sum()
        missed = 1 / (1 + np.exp(np.minimum(np.log(PLACES) + evidence @ at - log_sum, 500)))
        total += weight / len(evidence) * (missed.sum() * (share @ rest) - missed @ evidence)
    return np.asarray(total / weights.sum())
