"""Whether exact values stand in one proportion: the rows of two ratios, the sides of two equations."""

from __future__ import annotations

from collections.abc import Sequence

from preceptor.maths.expression_grammar import UnreadError
from preceptor.maths.expression_value import Exact, scaled


def proportional_rows(left: Sequence[Exact | None], right: Sequence[Exact | None]) -> bool:
    """Return whether two rows of equally many numbers are proportional; False where one is none or begins with 0."""
    ours = [item.as_fraction() for item in left if item is not None]
    theirs = [item.as_fraction() for item in right if item is not None]
    if len(ours) != len(left) or len(theirs) != len(right) or not ours[0] or not theirs[0]:
        return False
    rows = zip(ours, theirs, strict=True)
    return all(
        one is not None and other is not None and one * theirs[0] == other * ours[0] for one, other in rows if theirs[0]
    )


def proportional(left: Exact, right: Exact) -> bool:
    """Return whether two differences are multiples of each other, so that both are 0 for the same values."""
    if not left.above or not right.above:
        return False
    key = next(iter(left.above))
    if key not in right.above or left.below != right.below:
        return False
    return scaled(left, right.above[key] / left.above[key]).equals(right)


def multiplied(left: Exact, right: Exact) -> Exact:
    """Return the product of a value and a number.

    Raises:
        UnreadError: `right` is no rational number.
    """
    number = right.as_fraction()
    if number is None:
        raise UnreadError("I can only compare ratios of numbers.")
    return scaled(left, number)
