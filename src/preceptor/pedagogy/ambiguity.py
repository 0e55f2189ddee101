"""False arithmetic that may only be read wrongly: units, percent, precedence, sign, rounding, an unknown."""

from __future__ import annotations

import re
from fractions import Fraction

from preceptor.domain.claim import Claim
from preceptor.maths.claims import ReadClaim
from preceptor.maths.expression import Binary, Leaf, Tree, evaluate

UNIT_FACTORS = frozenset(
    factor
    for base in (7, 12, 16, 24, 30, 36, 52, 60, 365, 1000, 3600)
    for factor in (Fraction(base), Fraction(1, base))
)
"""Ratios of one quantity in two units."""
ANY_FACTORS = frozenset({Fraction(100), Fraction(1, 100), Fraction(-1)})
"""Ratios of one quantity written in two ways: by its percent, with its sign left out."""
_LONGEST_SURE = 160
_CUT_OFF = re.compile(r"(?:[\d)%]|[+\-*/×÷^]\s*|\b(?:x|times|plus|minus)\s*)\Z", re.IGNORECASE)
"""Right before a claim: it may be the end of a longer calculation. A number on the line above is not."""


def is_ambiguous(read: ReadClaim, text: str) -> bool:
    """Whether false arithmetic may be a matter of reading: units, percent, precedence, sign, rounding, an unknown."""
    claim = read.claim
    if is_cut_out(claim, text) or claim.value is None or claim.computed is None:
        return True
    if claim.computed == 0 or claim.value == 0:
        return claim.value != 0 and claim.computed == 0 and len(claim.operators) > 2
    ratio = claim.value / claim.computed
    named = claim.unit is not None or any(operand.unit for operand in claim.operands)
    if ratio in ANY_FACTORS or (ratio in UNIT_FACTORS and named):
        return True
    fractional = claim.value.denominator != 1 or claim.computed.denominator != 1
    if fractional and abs(ratio - 1) < Fraction(1, 40):
        return True
    if adds_units(claim):
        return True
    if read.expression is not None and claim.value in _other_readings(read):
        return True
    return bool(
        re.search(r"[:;]|\b(?:remainder|each|per|every)\b[^=]*$", text[claim.start : claim.end].split("=")[0])
        and fractional
    )


def is_cut_out(claim: Claim, text: str) -> bool:
    """Whether a claim may be a piece of something longer, or hold an unknown: its numbers are then not all there."""
    if claim.unknown or len(claim.text) > _LONGEST_SURE:
        return True
    return bool(_CUT_OFF.search(text[: claim.start].rstrip(" $")) or re.search(r"\d[a-zA-Z]\b", claim.text))


def adds_units(claim: Claim) -> bool:
    """Whether quantities of different units are added or subtracted, so that the numbers alone say little."""
    units = {operand.unit for operand in claim.operands if operand.unit} | ({claim.unit} if claim.unit else set())
    return len(units) > 1 and bool(set(claim.operators) & {"+", "-"})


def _other_readings(read: ReadClaim) -> set[Fraction]:
    """Return what the calculation gives when it is read from the right, or from the left without precedence."""
    expression = read.expression
    assert expression is not None
    values = [operand.value for operand in expression.operands]
    signs = expression.operators
    found: set[Fraction] = set()
    if len(signs) != len(values) - 1 or len(values) < 3 or not _is_plain(expression.tree):
        plain = evaluate(expression)
        return {plain} if plain is not None else set()
    if set(signs) <= {"/", "*"}:
        result = values[-1]
        for value, sign in zip(reversed(values[:-1]), reversed(signs), strict=True):
            if sign == "/" and not result:
                return found
            result = value * result if sign == "*" else value / result
        found.add(result)
    return found


def _is_plain(tree: Tree) -> bool:
    return isinstance(tree, Leaf | Binary)
