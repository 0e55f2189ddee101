"""How a claim is shown back to the learner: "24 × 2 = 48 sandwiches", with no number that they did not write."""

from __future__ import annotations

import re
from fractions import Fraction

from preceptor.domain.claim import Claim, Operand
from preceptor.maths.numerals import format_number
from preceptor.maths.text_numbers import find_numbers
from preceptor.pedagogy.wording import with_noun

_SIGNS = {"*": "×", "/": "÷", "+": "+", "-": "−", "^": "^"}
_LONGEST = 80
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_COMPOSED = re.compile(r"[/:]")
"""In what is no plain number: 1/4 may not come back as 0.25, nor 7:30 as 7.5."""


def read_as(claim: Claim, language: str = "en", *, said: str) -> str:
    """Return a claim as it was understood, at most 80 characters of its calculation.

    Args:
        claim: What was read.
        language: Tag; decides how numbers are written.
        said: The utterance. What would show a number that does not stand in it, such as the solution of an equation
            left unsolved, is shown as it was written instead.
    """
    shown = _shown(claim, language)
    return shown if holds_only(shown, said, language) else _trimmed(claim.text)


def holds_only(shown: str, said: str, language: str = "en") -> bool:
    """Whether every number of a text stands in what was said, in the same digits or in words."""
    pieces = set(_NUMBER.findall(shown)) - set(_NUMBER.findall(said))
    if not pieces:
        return True
    written = [number for number in find_numbers(said, language) if number.is_word or not _COMPOSED.search(number.text)]
    known = {number.value * (100 if number.kind == "percent" else 1) for number in written}
    return all({number.value for number in find_numbers(piece, language)} <= known for piece in pieces)


def _shown(claim: Claim, language: str) -> str:
    value = None
    if claim.value is not None:
        named = claim.value * 100 if claim.unit == "%" else claim.value
        value = with_noun(named, unit=claim.unit, noun=claim.noun, language=language)
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
    row = in_a_row(claim)
    if row is not None:
        pieces = [_number(row[0], language)]
        for sign, operand in zip(claim.operators, row[1:], strict=True):
            pieces += [_SIGNS.get(sign, sign), _number(operand, language)]
        return _trimmed(" ".join(pieces))
    return _trimmed(re.split(r"=|\bwhich\b|\bto get\b", claim.text, maxsplit=1)[0])


def in_a_row(claim: Claim) -> tuple[Operand, ...] | None:
    """Return the operands in the order in which they give what the claim computes when they are written in a row.

    Two that were told the other way round ("I subtracted 5 from 72") are turned. `None`: it has no operator, or
    needs parentheses.
    """
    if not claim.operators or len(claim.operators) != len(claim.operands) - 1:
        return None
    if claim.computed is None or _computed(claim.operators, claim.operands) == claim.computed:
        return claim.operands
    turned = claim.operands[::-1]
    return turned if len(turned) == 2 and _computed(claim.operators, turned) == claim.computed else None


def _computed(signs: tuple[str, ...], operands: tuple[Operand, ...]) -> Fraction | None:
    """Compute operands in a row with the usual precedence."""
    terms: list[Fraction] = [operands[0].value]
    for sign, operand in zip(signs, operands[1:], strict=True):
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
    """Return a text in one line, cut between two words where it is long: half a number would be another one."""
    text = re.sub(r"\s+", " ", text).strip(" .,;:")
    if len(text) <= _LONGEST:
        return text
    cut = text.rfind(" ", 0, _LONGEST)
    return f"{text[:cut]}…" if cut > 0 else "…"
