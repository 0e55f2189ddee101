"""How a claim is shown back to the learner: "24 × 2 = 48 sandwiches"."""

from __future__ import annotations

import re
from fractions import Fraction

from preceptor.domain.claim import Claim, Operand
from preceptor.maths.numerals import format_number
from preceptor.pedagogy.wording import with_noun

_SIGNS = {"*": "×", "/": "÷", "+": "+", "-": "−", "^": "^"}
_LONGEST = 80


def read_as(claim: Claim, language: str = "en") -> str:
    """Return a claim as it was understood, at most 80 characters of its calculation."""
    value = None
    if claim.value is not None:
        value = with_noun(claim.value, unit=claim.unit, noun=claim.noun, language=language)
    if claim.unknown and value is not None:
        return f"{claim.unknown} = {value}"
    calculation = _calculation(claim, language)
    if calculation is None:
        return value or _trimmed(claim.text)
    if value is None:
        return calculation
    return f"{calculation} {'≈' if claim.rounded else '='} {value}"


def _calculation(claim: Claim, language: str) -> str | None:
    if not claim.operators:
        return None
    if len(claim.operators) == len(claim.operands) - 1 and not _needs_parentheses(claim):
        pieces = [_number(claim.operands[0], language)]
        for sign, operand in zip(claim.operators, claim.operands[1:], strict=True):
            pieces += [_SIGNS.get(sign, sign), _number(operand, language)]
        return " ".join(pieces)[:_LONGEST]
    return _trimmed(re.split(r"=|\bwhich\b|\bto get\b", claim.text, maxsplit=1)[0])


def _needs_parentheses(claim: Claim) -> bool:
    """Whether the operands written in a row, in reading order, would not give what the claim computes."""
    return claim.computed is not None and _in_a_row(claim) != claim.computed


def _in_a_row(claim: Claim) -> Fraction | None:
    """Compute the operands in a row with the usual precedence."""
    terms: list[Fraction] = [claim.operands[0].value]
    for sign, operand in zip(claim.operators, claim.operands[1:], strict=True):
        value = operand.value
        if sign == "*":
            terms[-1] *= value
        elif sign == "/":
            if not value:
                return None
            terms[-1] /= value
        elif sign in "+-":
            terms.append(value if sign == "+" else -value)
        else:
            return None
    return sum(terms, Fraction(0))


def _number(operand: Operand, language: str) -> str:
    if operand.unit == "%":
        return f"{format_number(operand.value * 100, language)}%"
    return format_number(operand.value, language, as_fraction="/" in operand.text)


def _trimmed(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip(" .,;:")
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
