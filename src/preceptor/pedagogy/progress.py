"""Where a learner stands in one dialogue: what was shown, what was wrong, how often; folded turn by turn."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

from preceptor.pedagogy.judging import WrongKey
from preceptor.pedagogy.worlds import OwnResult


@dataclass(frozen=True, kw_only=True)
class Progress:
    """The learner's standing after some turns."""

    turns: int = 0
    """Learner turns so far."""
    reached: frozenset[int] = frozenset()
    results: tuple[OwnResult, ...] = ()
    """Values the learner worked out, oldest first, the latest 24."""
    wrong: tuple[tuple[WrongKey, int], ...] = ()
    """(value with its name, number of turns in which it was claimed and wrong)."""
    first_answer: Fraction | None = None
    refused: frozenset[Fraction] = frozenset()
    """Values that were given as the final answer and were not right."""
    unproven: frozenset[Fraction] = frozenset()
    """Bare values that were stated and not marked right."""
    account_line: str | None = None
    """The line that goes off first in the latest account of a way that came out wrong."""
    solved: bool = False
    errors: int = 0
    """Turns with something wrong."""
    stuck: int = 0
    """Turns in a row that won no step."""
    unread_streak: int = 0
    bare_guesses: int = 0
    said: frozenset[str] = field(default_factory=frozenset)
    """The learner's utterances so far, folded, to know a repeated one."""

    def times_wrong(self, claim: WrongKey) -> int:
        """Return in how many turns a value was claimed and wrong, under the same name or none."""
        return max((count for key, count in self.wrong if _same(key, claim)), default=0)

    @property
    def wrong_keys(self) -> frozenset[WrongKey]:
        """Return every value that was wrong, with its name."""
        return frozenset(key for key, _ in self.wrong)

    @property
    def wrong_values(self) -> frozenset[Fraction]:
        """Return every value that was wrong."""
        return frozenset(value for (value, _), _ in self.wrong)


def _same(left: WrongKey, right: WrongKey) -> bool:
    return left[0] == right[0] and (left[1] == right[1] or not left[1] or not right[1])


def count_wrong(
    wrong: tuple[tuple[WrongKey, int], ...], values: frozenset[WrongKey]
) -> tuple[tuple[WrongKey, int], ...]:
    """Return the counts with one more turn for each of these values."""
    counts = Counter(dict(wrong))
    counts.update(values)
    return tuple(sorted(counts.items()))
