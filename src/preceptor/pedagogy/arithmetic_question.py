"""The value that a bare calculation in a question asks for: "7*60 = ?", "what is 163 - 156", "the sum of 27 and 16"."""

from __future__ import annotations

import re
from fractions import Fraction

from preceptor.maths.claims import read_claims

_START = re.compile(
    r"\d|[($€£]\s*\d|\.\d|\b(?:sum|product|difference|quotient|add|subtract|multiply|divide|half|twice|double|triple|one|two"
    r"|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|hundred)\b",
    re.IGNORECASE,
)
_SCALE = re.compile(r"dozen|pair|couple", re.IGNORECASE)
"""Words that may count as one thing with a price of its own: "3 x 2 dozen" may be 3 packs."""
_LATER_WORDS = 3


def asked_value(sentence: str, language: str = "en") -> Fraction | None:
    """Return what the last calculation without a result in a question gives; `None`: no bare calculation is asked.

    Words may follow it ("7 x 60 apples?"), at most three: in a longer sentence the numbers only tell a story.
    """
    start = _START.search(sentence)
    if start is None:
        return None
    rest = re.sub(r"[?？؟_]+", " ", sentence[start.start() :])
    open_claims = [claim for claim in read_claims(rest, language) if claim.value is None and claim.operators]
    if not open_claims or open_claims[-1].unknown or sentence.count("=") > 1:
        return None
    last = open_claims[-1]
    if any(_SCALE.search(operand.text) for operand in last.operands):
        return None
    after = re.findall(r"[^\W\d_]+|\d+", rest[last.end :])
    if len(after) > _LATER_WORDS or any(word.isdigit() for word in after):
        return None
    return last.computed
