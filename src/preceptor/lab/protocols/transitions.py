"""From one grade to the next: every cell, harm included, and how each denominator counts what has no grade."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

PARTIAL_FROM = 0.5
"""Share of a solution that must be right to call it partly correct. (chosen: the published table does not say)"""


class Standing(StrEnum):
    """How right one work is."""

    CORRECT = "correct"
    PARTIAL = "partial"
    INCORRECT = "incorrect"
    NOT_APPLICABLE = "not_applicable"
    """It could not be read, or not decided."""


@dataclass(frozen=True, kw_only=True)
class Grade:
    """How right one work is."""

    standing: Standing
    share: float | None
    """Share of the solution that is right, in [0, 1]; `None`: not applicable."""


def grade_of(share: float | None, *, correct: bool) -> Grade:
    """Return the grade of a share; below 1 even where every step is right, unless the work is `correct`."""
    if share is None:
        return Grade(standing=Standing.NOT_APPLICABLE, share=None)
    if correct:
        return Grade(standing=Standing.CORRECT, share=1.0)
    return Grade(standing=Standing.PARTIAL if share >= PARTIAL_FROM else Standing.INCORRECT, share=share)


class Cell(StrEnum):
    """One cell of the transition table."""

    ALREADY_CORRECT = "already_correct"
    PARTIAL_CORRECT = "partial_to_correct"
    INCORRECT_CORRECT = "incorrect_to_correct"
    INCORRECT_PARTIAL = "incorrect_to_partial"
    PARTIAL_IMPROVED = "partial_improved"
    INCORRECT_IMPROVED = "incorrect_improved"
    """Still incorrect, with more of it right: the published table has no such row; no improvement in its count."""
    PARTIAL_SAME = "partial_unchanged"
    INCORRECT_SAME = "incorrect_unchanged"
    PARTIAL_WORSE = "partial_worse"
    INCORRECT_WORSE = "incorrect_worse"
    PARTIAL_INCORRECT = "partial_to_incorrect"
    CORRECT_PARTIAL = "correct_to_partial"
    CORRECT_INCORRECT = "correct_to_incorrect"
    NOT_APPLICABLE = "not_applicable"


IMPROVED = frozenset({Cell.PARTIAL_CORRECT, Cell.INCORRECT_CORRECT, Cell.INCORRECT_PARTIAL, Cell.PARTIAL_IMPROVED})
"""What the published table counts as improved (seed: KITE, 1 + 3 + 14 + 6 of 44)."""
HARMED = frozenset(
    {
        Cell.PARTIAL_WORSE,
        Cell.INCORRECT_WORSE,
        Cell.PARTIAL_INCORRECT,
        Cell.CORRECT_PARTIAL,
        Cell.CORRECT_INCORRECT,
    }
)
_NOT_CORRECT_BEFORE = frozenset(Cell) - {
    Cell.ALREADY_CORRECT,
    Cell.CORRECT_PARTIAL,
    Cell.CORRECT_INCORRECT,
    Cell.NOT_APPLICABLE,
}
_MOVED = {
    (Standing.CORRECT, Standing.CORRECT): Cell.ALREADY_CORRECT,
    (Standing.CORRECT, Standing.PARTIAL): Cell.CORRECT_PARTIAL,
    (Standing.CORRECT, Standing.INCORRECT): Cell.CORRECT_INCORRECT,
    (Standing.PARTIAL, Standing.CORRECT): Cell.PARTIAL_CORRECT,
    (Standing.PARTIAL, Standing.INCORRECT): Cell.PARTIAL_INCORRECT,
    (Standing.INCORRECT, Standing.CORRECT): Cell.INCORRECT_CORRECT,
    (Standing.INCORRECT, Standing.PARTIAL): Cell.INCORRECT_PARTIAL,
}
_STAYED = {
    Standing.PARTIAL: (Cell.PARTIAL_WORSE, Cell.PARTIAL_SAME, Cell.PARTIAL_IMPROVED),
    Standing.INCORRECT: (Cell.INCORRECT_WORSE, Cell.INCORRECT_SAME, Cell.INCORRECT_IMPROVED),
}


def cell_of(before: Grade | None, after: Grade | None) -> Cell:
    """Return the cell of one row; a round without a grade makes it not applicable."""
    if before is None or after is None or before.share is None or after.share is None:
        return Cell.NOT_APPLICABLE
    moved = _MOVED.get((before.standing, after.standing))
    if moved is not None:
        return moved
    worse, same, better = _STAYED[before.standing]
    return better if after.share > before.share else worse if after.share < before.share else same


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """A count of a count."""

    count: int
    of: int

    @property
    def share(self) -> float | None:
        """In [0, 1]; `None`: of nothing."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True, kw_only=True)
class TransitionTable:
    """How the rows of one arm moved."""

    counts: dict[Cell, int]
    """Every cell, also the empty ones."""

    @property
    def n(self) -> int:
        """Rows."""
        return sum(self.counts.values())

    @property
    def improved(self) -> Ratio:
        """Improved, of the rows with two grades that were not correct before."""
        return Ratio(count=self._sum(IMPROVED), of=self._sum(_NOT_CORRECT_BEFORE))

    @property
    def improved_as_published(self) -> Ratio:
        """The same, of those and all rows without a grade: these then count as not improved.

        Source:
            Seed KITE: 24 of 27 = 88.89 %, where 27 = 44 - 17 already correct holds the three N/A; without them 24/24.
        """
        return Ratio(count=self._sum(IMPROVED), of=self._sum(_NOT_CORRECT_BEFORE) + self.counts[Cell.NOT_APPLICABLE])

    @property
    def harmed(self) -> Ratio:
        """Worse than before, of the rows with two grades."""
        return Ratio(count=self._sum(HARMED), of=self.n - self.counts[Cell.NOT_APPLICABLE])

    def _sum(self, cells: frozenset[Cell]) -> int:
        return sum(self.counts[cell] for cell in cells)


def transition_table(cells: Sequence[Cell]) -> TransitionTable:
    """Return the counts of every cell."""
    counted = Counter(cells)
    return TransitionTable(counts={cell: counted[cell] for cell in Cell})
