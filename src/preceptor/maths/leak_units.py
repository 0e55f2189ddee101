"""A secret quantity said in another unit: "2 hours" for 120 minutes, "1 hour and 20 minutes" for 80."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from preceptor.maths.leak_mentions import Mention
from preceptor.maths.units import Unit, convert, find_unit

_UNIT_AFTER = re.compile(r"\s?(?:-\s?)?([A-Za-z°¢]+(?:\s(?:per|an?)\s[a-z]+|/[A-Za-z]+)?)|\s?([\u4e00-\u9fff]{1,3})")
_JOIN = re.compile(r"\s*,?\s*(?:and\s+|plus\s+|y\s+|et\s+|und\s+)?")


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A number with its unit, in a text."""

    value: Fraction
    unit: Unit
    start: int
    end: int
    """Span of number and unit, end exclusive."""


def find_quantities(text: str, mentions: Sequence[Mention]) -> list[Quantity]:
    """Return the numbers that a unit follows, in reading order."""
    found: list[Quantity] = []
    for mention in mentions:
        match = _UNIT_AFTER.match(text, mention.end)
        written = (match.group(1) or match.group(2)) if match else None
        unit = _unit(written) or _unit(written.split()[0].split("/")[0]) if written else None
        if match and unit is not None and (not found or mention.start >= found[-1].end):
            found.append(Quantity(value=mention.value, unit=unit, start=mention.start, end=match.end()))
    return found


@lru_cache(maxsize=512)
def _unit(written: str) -> Unit | None:
    return find_unit(written)


def said_in_unit(text: str, quantities: Sequence[Quantity], target: Unit) -> Iterator[Mention]:
    """Yield the quantities of a text as numbers of one unit, where they are written in others; sums included."""
    run: list[Quantity] = []
    for quantity in quantities:
        if run and not _JOIN.fullmatch(text[run[-1].end : quantity.start]):
            run = []
        run = [*run, quantity] if quantity.unit.dimension == target.dimension else []
        values = [convert(part.value, part.unit, target) for part in run]
        if len(run) > 1 or (run and run[0].unit.factor != target.factor):
            total = sum((value for value in values if value is not None), Fraction(0))
            last = values[-1] or Fraction(0)
            yield Mention(values=frozenset({total, last}), start=run[0].start, end=run[-1].end, form="unit")
