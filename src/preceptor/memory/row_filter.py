"""Which rows of a scope's index are wanted, and how many there are of each kind, without opening an episode."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np

from preceptor.domain.episode import SALIENCE
from preceptor.memory.entry import KINDS
from preceptor.memory.scope_index import Mask, ScopeIndex
from preceptor.memory.scoring import kind_mask

JUDGED = frozenset({"check", "quiz"})
"""Kinds that have a verdict, told by their salience at write time."""
_VERDICTS: dict[str, tuple[str, str]] = {
    "right": ("check_passed", "quiz_passed"),
    "wrong": ("check_missed", "quiz_missed"),
}


@dataclass(frozen=True, kw_only=True)
class RowFilter:
    """What is wanted of the rows that may be recalled."""

    kinds: Collection[str] | None = None
    """`None`: any."""
    verdict: Literal["right", "wrong"] | None = None
    """Checks and quiz items with this verdict only."""

    def mask(self, index: ScopeIndex) -> Mask:
        """Return the rows that are wanted."""
        wanted = np.ones(index.size, dtype=np.bool_)
        if self.kinds is not None:
            wanted &= kind_mask(index, frozenset(self.kinds))
        if self.verdict is not None:
            wanted &= _judged(index, self.verdict)
        return wanted


EVERYTHING = RowFilter()


def counts_of(index: ScopeIndex, allowed: Mask) -> dict[str, int]:
    """Return how many rows there are of each kind, and of checks and quiz items by verdict; zeros are left out."""
    numbers = np.bincount(index.headers["kind"][allowed], minlength=len(KINDS)).tolist()
    counts = {kind: number for kind, number in zip(KINDS, numbers, strict=False) if kind and number}
    judged = {verdict: int((_judged(index, verdict) & allowed).sum()) for verdict in _VERDICTS}
    return counts | {verdict: number for verdict, number in judged.items() if number}


def _judged(index: ScopeIndex, verdict: str) -> Mask:
    saliences = np.array([SALIENCE[name] for name in _VERDICTS[verdict]], dtype=np.float32)
    return kind_mask(index, JUDGED) & np.isin(index.headers["salience"].astype(np.float32), saliences)
