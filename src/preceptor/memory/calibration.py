"""Whether the tutor's confidence is a probability: the mastery it predicted before each check against the verdict."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from preceptor.domain.belief import Belief
from preceptor.domain.metrics import expected_calibration_error
from preceptor.settings import MemorySettings

RANKING_ONLY = "treat confidence as a ranking, not a probability"
"""The limits line until the tutor is calibrated. (seed: A Tutor That Remembers)"""


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """What the tutor expected of one check before it was made."""

    episode_id: str
    mastery: float
    """Predicted probability that it is right, [0, 1]: the mean over the concepts it counts for."""
    right: bool


@dataclass(frozen=True, kw_only=True)
class CalibrationBucket:
    """One point of the reliability curve."""

    low: float
    high: float
    n: int
    mean_predicted: float | None
    """`None`: no prediction fell here."""
    share_right: float | None


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """How predictions and verdicts agree."""

    n: int
    """Checks with a prediction. A check on a concept without a belief has none: a made-up 0.5 would look calibrated."""
    buckets: tuple[CalibrationBucket, ...]
    ece: float | None
    """Expected calibration error over the buckets, [0, 1]; `None`: no prediction."""
    calibrated: bool
    """Enough checks had a prediction (`memory.calibrated_from`)."""

    @property
    def limits(self) -> tuple[str, ...]:
        """What must be said beside any confidence; empty once calibrated."""
        return () if self.calibrated else (RANKING_ONLY,)


def predictions(rows: Sequence[Belief], recorded_at: Mapping[str, datetime]) -> list[Prediction]:
    """Return the predictions that beliefs made, in the order of the checks.

    Args:
        rows: Every belief row of a scope, superseded ones included, in the order they were recorded.
        recorded_at: When each check behind them was recorded, by episode id; checks not in it are left out.

    What counts is the row that was current when the check was recorded, not what is known of that time today.
    """
    chains: dict[tuple[str, str], list[Belief]] = {}
    for one in rows:
        chains.setdefault((one.concept_id, one.predicate), []).append(one)
    seen: dict[str, tuple[int, bool, list[float]]] = {}
    for chain in chains.values():
        times = [one.recorded_at for one in chain]
        counted: set[str] = set()
        for one in chain:
            for part in one.added:
                if part.verdict not in {"right", "wrong"} or part.episode_id in counted:
                    continue
                counted.add(part.episode_id)
                at = recorded_at.get(part.episode_id)
                before = bisect_left(times, at) if at is not None else 0
                mastery = chain[before - 1].mastery if before else None
                if mastery is not None:
                    entry = seen.setdefault(part.episode_id, (part.sequence, part.verdict == "right", []))
                    entry[2].append(mastery)
    return [
        Prediction(episode_id=episode_id, mastery=sum(masteries) / len(masteries), right=right)
        for episode_id, (_, right, masteries) in sorted(seen.items(), key=lambda item: item[1][0])
    ]


def calibrate(made: Sequence[Prediction], settings: MemorySettings) -> Calibration:
    """Return the reliability curve and the expected calibration error of predictions."""
    n_buckets = settings.calibration_buckets
    held: list[list[Prediction]] = [[] for _ in range(n_buckets)]
    for one in made:
        held[min(int(one.mastery * n_buckets), n_buckets - 1)].append(one)
    return Calibration(
        n=len(made),
        buckets=tuple(_bucket(place, n_buckets, rows) for place, rows in enumerate(held)),
        ece=expected_calibration_error([one.right for one in made], [one.mastery for one in made], n_buckets=n_buckets),
        calibrated=len(made) >= settings.calibrated_from,
    )


def _bucket(place: int, n_buckets: int, rows: Sequence[Prediction]) -> CalibrationBucket:
    return CalibrationBucket(
        low=place / n_buckets,
        high=(place + 1) / n_buckets,
        n=len(rows),
        mean_predicted=sum(one.mastery for one in rows) / len(rows) if rows else None,
        share_right=sum(one.right for one in rows) / len(rows) if rows else None,
    )
