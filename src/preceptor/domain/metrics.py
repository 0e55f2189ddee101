"""Metrics that are pure formulas over labels and scores; intervals and tests lie in `lab/statistics.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence


def class_f1(truth: Sequence[Hashable], predicted: Sequence[Hashable], label: Hashable) -> float:
    """Return the F1 of one class, in [0, 1]; 0 where it is neither there nor predicted.

    Raises:
        ValueError: The two have different lengths.
    """
    _check(truth, predicted)
    pairs = list(zip(truth, predicted, strict=True))
    hits = sum(real == label and guess == label for real, guess in pairs)
    total = sum((real == label) + (guess == label) for real, guess in pairs)
    return 2 * hits / total if total else 0.0


def macro_f1(
    truth: Sequence[Hashable], predicted: Sequence[Hashable], labels: Sequence[Hashable] | None = None
) -> float:
    """Return the unweighted mean of the classes' F1, in [0, 1].

    Args:
        truth: True labels.
        predicted: Predicted labels, row by row.
        labels: The classes; `None`: those that occur in either.

    Raises:
        ValueError: The two have different lengths, or there is no class.
    """
    _check(truth, predicted)
    classes = list(labels) if labels is not None else list(dict.fromkeys((*truth, *predicted)))
    if not classes:
        raise ValueError("macro F1 needs at least one class, got none")
    return sum(class_f1(truth, predicted, label) for label in classes) / len(classes)


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Return Cohen's kappa, at most 1; `None` where chance alone explains full agreement (one class only).

    Raises:
        ValueError: No rows, or the two have different lengths.
    """
    _check(first, second)
    if not first:
        raise ValueError("kappa needs at least one row, got none")
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    ours, theirs = Counter(first), Counter(second)
    expected = sum(ours[label] * theirs[label] for label in ours) / n**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def auroc(truth: Sequence[bool], scores: Sequence[float]) -> float | None:
    """Return the share of (positive, negative) pairs that the score orders right, ties half; `None`: no pair.

    Raises:
        ValueError: The two have different lengths.
    """
    _check(truth, scores)
    order = sorted(range(len(scores)), key=lambda row: scores[row])
    ranks = [0.0] * len(order)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and scores[order[end + 1]] == scores[order[start]]:
            end += 1
        for place in range(start, end + 1):
            ranks[order[place]] = (start + end) / 2 + 1
        start = end + 1
    positives = sum(truth)
    negatives = len(truth) - positives
    if not positives or not negatives:
        return None
    total = sum(rank for rank, real in zip(ranks, truth, strict=True) if real)
    return (total - positives * (positives + 1) / 2) / (positives * negatives)


def expected_calibration_error(
    truth: Sequence[bool], probabilities: Sequence[float], *, n_buckets: int = 10
) -> float | None:
    """Return the mean distance of stated and true frequency over buckets of equal width, in [0, 1]; `None`: no rows.

    Args:
        truth: Whether it was so.
        probabilities: That it is so, each in [0, 1].
        n_buckets: At least 1; empty buckets count nothing, others by their rows.

    Raises:
        ValueError: The two have different lengths, a probability is out of range, or n_buckets is below 1.

    Source:
        Naeini, Cooper and Hauskrecht, AAAI 2015.
    """
    _check(truth, probabilities)
    if n_buckets < 1 or not all(0 <= one <= 1 for one in probabilities):
        raise ValueError(f"need probabilities in [0, 1] and n_buckets of 1 or more, got n_buckets {n_buckets}")
    buckets: dict[int, list[tuple[float, bool]]] = {}
    for real, stated in zip(truth, probabilities, strict=True):
        buckets.setdefault(min(int(stated * n_buckets), n_buckets - 1), []).append((stated, real))
    if not buckets:
        return None
    apart = sum(abs(sum(stated for stated, _ in rows) - sum(real for _, real in rows)) for rows in buckets.values())
    return apart / len(truth)


def pair_credit(first: Sequence[float], second: Sequence[float]) -> float:
    """Return 1 where `first` ranks above `second`, 0 where below, 0.5 on a tie; keys compare left to right.

    Raises:
        ValueError: The two keys have different lengths.
    """
    _check(first, second)
    return 0.5 if tuple(first) == tuple(second) else float(tuple(first) > tuple(second))


def _check(first: Sequence[object], second: Sequence[object]) -> None:
    if len(first) != len(second):
        raise ValueError(f"need two sequences of one length, got {len(first)} and {len(second)}")
