"""Which kinds of quantity and relation a text speaks of, in words that fit any problem: a rate, a length, a comparison.

English; a text in another language gives nothing.
"""

from __future__ import annotations

import re

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("a percentage", r"%|\bpercent"),
        ("a fraction", r"\b(?:half|halves|quarters?|thirds?|fourths?|fifths?|sixths?|eighths?|tenths?)\b|\d\s?/\s?\d"),
        ("a multiple", r"\btimes\b|\btwice\b|\b(?:double|triple|quadruple)d?\b"),
        ("an average", r"\baverage\b|\bmean of\b"),
        ("a rate", r"\beach\b|\bper\b|\bevery\b"),
        ("a comparison", r"\bthan\b|\bas (?:many|much|old|tall|long|far)\b"),
        ("a total", r"\btotal\b|\baltogether\b|\ball\b|\bsum\b|\bcombined\b"),
        ("a remainder", r"\bleft\b|\bremain|\brest\b"),
        ("an unknown", r"(?<![\w'])[xyz](?![\w'])"),
        ("time", r"\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b"),
        ("length", r"\b(?:feet|foot|inch|inches|yards?|miles?|met(?:er|re)s?|cm|km|kilomet(?:er|re)s?)\b"),
        ("weight", r"\b(?:pounds?|ounces?|kg|grams?|kilograms?|tons?)\b"),
        ("a cost", r"[$€£]|\b(?:dollars?|cents?|costs?|prices?|pays?|paid|spends?|spent)\b"),
    )
)


def quantity_kinds(text: str, language: str = "en") -> tuple[str, ...]:
    """Return the kinds of quantity and relation that a text speaks of, in a fixed order."""
    if language.split("-")[0] != "en":
        return ()
    return tuple(name for name, pattern in _KINDS if pattern.search(text))
