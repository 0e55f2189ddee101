"""Where a learner stands in one dialogue: what was shown, what was wrong, how often; folded turn by turn."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

from preceptor.pedagogy.worlds import OwnResult


@dataclass(frozen=True, kw_only=True)
class Progress:
    """The learner's standing after some turns."""

    turns: int = 0
    """Learner turns so far."""
    reached: frozenset[int] = frozenset()
    results: tuple[OwnResult, ...] = ()
    """Values the learner worked out, oldest first, the latest 24."""
    wrong: tuple[tuple[Fraction, int], ...] = ()
    """(value, number of turns in which it was claimed and wrong)."""
    first_answer: Fraction | None = None
    last_wrong_answer: Fraction | None = None
    solved: bool = False
    errors: int = 0
    """Turns with something wrong."""
    stuck: int = 0
    """Turns in a row that won no step."""
    unread_streak: int = 0
    bare_guesses: int = 0
    said: frozenset[str] = field(default_factory=frozenset)
    """The learner's utterances so far, folded, to know a repeated one."""

    def times_wrong(self, value: Fraction) -> int:
        """Return in how many turns a value was claimed and wrong."""
        return dict(self.wrong).get(value, 0)

    @property
    def wrong_values(self) -> frozenset[Fraction]:
        """Return every value that was wrong."""
        return frozenset(value for value, _ in self.wrong)


def count_wrong(
    wrong: tuple[tuple[Fraction, int], ...], values: frozenset[Fraction]
) -> tuple[tuple[Fraction, int], ...]:
    """Return the counts with one more turn for each of these values."""
    counts = Counter(dict(wrong))
    counts.update(values)
    return tuple(sorted(counts.items()))
