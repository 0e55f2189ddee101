"""Numbers and operations spelled out in English, as a learner who avoids digits writes them."""

from __future__ import annotations

from fractions import Fraction

from preceptor.maths.numerals import format_number

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
_SCALES = ((10**9, "billion"), (10**6, "million"), (10**3, "thousand"), (100, "hundred"))
_PARTS = {2: "half", 3: "third", 4: "quarter", 5: "fifth", 6: "sixth", 8: "eighth", 10: "tenth"}

OPERATION_WORDS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by", "^": "to the power of"}


def spell(value: Fraction) -> str:
    """Return a number in English words: "two hundred five", "three quarters", "two point five"; digits if none fit."""
    if value < 0:
        return f"minus {spell(-value)}"
    if value.denominator == 1:
        return _whole(value.numerator)
    if value < 1 and value.denominator in _PARTS:
        part = _PARTS[value.denominator]
        if value.numerator == 1:
            return f"one {part}"
        return f"{_whole(value.numerator)} {'halves' if part == 'half' else part + 's'}"
    digits = format_number(value).replace(",", "")
    whole, point, rest = digits.partition(".")
    if not point or not whole.isdigit():
        return digits
    return f"{_whole(int(whole))} point {' '.join(_SMALL[int(digit)] for digit in rest)}"


def _whole(number: int) -> str:
    if number < 20:
        return _SMALL[number]
    if number < 100:
        ten, one = divmod(number, 10)
        return _TENS[ten] + (f"-{_SMALL[one]}" if one else "")
    if number >= 10**12:
        return str(number)
    for scale, name in _SCALES:
        if number >= scale:
            count, rest = divmod(number, scale)
            return f"{_whole(count)} {name}" + (f" {_whole(rest)}" if rest else "")
    raise AssertionError("unreachable: every number of 100 or more has a scale")
