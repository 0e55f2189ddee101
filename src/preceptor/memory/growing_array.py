"""An array that grows at its end; what was handed out before stays as it was."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

LEAST_ROOM = 64
"""Rows there is room for once an array has grown. (chosen)"""
_Scalar = TypeVar("_Scalar", bound=np.generic)


class GrowingArray(Generic[_Scalar]):
    """Rows of one shape; room doubles when it is used up, so that a row costs the same however many there are.

    One thread may extend it while others read what `rows` gave: rows are written behind theirs, or into new room.
    """

    def __init__(self, rows: NDArray[_Scalar]) -> None:
        """Take the first rows over as they are; they must not be changed by anyone else."""
        self._room: NDArray[_Scalar] = rows
        self._used = len(rows)

    def __len__(self) -> int:
        """Return the number of rows in use."""
        return self._used

    @property
    def rows(self) -> NDArray[_Scalar]:
        """The rows in use, read-only, without a copy."""
        view: NDArray[Any] = self._room[: self._used]
        view.flags.writeable = False
        return view

    def extend(self, rows: NDArray[_Scalar]) -> None:
        """Add rows at the end."""
        needed = self._used + len(rows)
        if needed > len(self._room):
            room: NDArray[_Scalar] = np.empty((max(LEAST_ROOM, 2 * needed), *rows.shape[1:]), dtype=self._room.dtype)
            if self._used:
                room[: self._used] = self._room[: self._used]
            self._room = room
        self._room[self._used : needed] = rows
        self._used = needed
