"""The row of numbers that the facts about a reply become: facts, runs of shapes, nearness to kinds of reply.

A kind of reply is a point on the main axes of the facts. Nearness to some hundred such points lets a linear head see
what facts mean together (the Nyström method; Williams and Seeger 2001).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

CLIP = 4.0
"""Standard deviations at which a fact is cut."""

Rows = NDArray[np.float64]
Table = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class MoveSpace:
    """What the columns of a row stand for."""

    features: tuple[str, ...]
    centre: tuple[float, ...]
    """Mean of each feature over the replies that have it; stands for it where it is not told."""
    scale: tuple[float, ...]
    grams: Mapping[str, float]
    """Run of a reply's shape → its inverse document frequency."""
    habits: Mapping[str, float]
    """The same of the tutor's earlier replies."""
    axes: Table
    """Main axes of the standardised features, (n_axes, n_features)."""
    points: Table
    """Kinds of reply, (n_points, n_axes)."""
    width: float
    """Squared distance on the axes at which nearness has fallen to exp(-1); above 0."""

    def __post_init__(self) -> None:
        """Refuse parts that do not fit each other."""
        n_features, n_axes = len(self.features), len(self.axes)
        if not n_features == len(self.centre) == len(self.scale) or any(len(axis) != n_features for axis in self.axes):
            raise ValueError(f"centre, scale and each axis must have {n_features} numbers, one a feature")
        if any(len(point) != n_axes for point in self.points):
            raise ValueError(f"each point must have {n_axes} numbers, one an axis")
        if not self.width > 0:
            raise ValueError(f"width must be above 0, got {self.width}")

    @property
    def size(self) -> int:
        """Columns of a row."""
        return len(self.features) + len(self.grams) + len(self.habits) + len(self.points)

    def rows(self, replies: Sequence[Mapping[str, float]]) -> Rows:
        """Return one row a reply, shape (n_replies, size)."""
        standard = self.standard(replies)
        grams, habits = _Runs(self.grams), _Runs(self.habits)
        return np.column_stack([
            standard,
            [grams.row(facts) for facts in replies],
            [habits.row(facts) for facts in replies],
            nearness(standard @ self._axes.T, self._points, self.width),
        ])  # fmt: skip

    def row(self, facts: Mapping[str, float]) -> Rows:
        """Return the row of one reply, shape (size,)."""
        standard = self.standard([facts])
        near = nearness(standard @ self._axes.T, self._points, self.width)[0]
        return np.concatenate([standard[0], self._grams.row(facts), self._habits.row(facts), near])

    def standard(self, replies: Sequence[Mapping[str, float]]) -> Rows:
        """Return the features in standard deviations from their mean, cut at `CLIP`; 0 where one is not told."""
        told = np.array([[facts.get(name, np.nan) for name in self.features] for facts in replies])
        centre, scale = self._standard
        found: Rows = np.nan_to_num(np.clip((told - centre) / scale, -CLIP, CLIP), nan=0.0)
        return found

    @cached_property
    def _standard(self) -> tuple[Rows, Rows]:
        return np.array(self.centre), np.array(self.scale)

    @cached_property
    def _axes(self) -> Rows:
        return np.array(self.axes).reshape(len(self.axes), len(self.features))

    @cached_property
    def _points(self) -> Rows:
        return np.array(self.points).reshape(len(self.points), len(self.axes))

    @cached_property
    def _grams(self) -> _Runs:
        return _Runs(self.grams)

    @cached_property
    def _habits(self) -> _Runs:
        return _Runs(self.habits)


class _Runs:
    """Turns the runs that a reply has into numbers."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._places = {name: place for place, name in enumerate(weights)}
        self._weights = np.array(list(weights.values()), dtype=np.float64)

    def row(self, facts: Mapping[str, float]) -> Rows:
        """Return the weights of the runs there are, scaled to length 1; 0 where there is none."""
        found: Rows = np.zeros(len(self._places))
        has = [self._places[name] for name in facts if name in self._places]
        if has:
            found[has] = self._weights[has] / np.linalg.norm(self._weights[has])
        return found


def nearness(places: Rows, points: Rows, width: float) -> Rows:
    """Return exp(-d² / width) of each place to each point, shape (n_places, n_points)."""
    squares = (places**2).sum(axis=1)[:, None] + (points**2).sum(axis=1) - 2 * places @ points.T
    found: Rows = np.exp(-np.maximum(squares, 0.0) / width)
    return found
