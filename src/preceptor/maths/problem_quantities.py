"""The given quantities of a problem's text, and perturbed worlds that tell equal values of different origin apart."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from preceptor.domain.claim import Operand
from preceptor.maths.text_numbers import find_numbers

WORLDS = 3
"""How many perturbed worlds a value is kept in."""
_PRIMES = (101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199)


def problem_quantities(text: str, language: str = "en") -> tuple[Operand, ...]:
    """Return the quantities a problem gives, in reading order: digits, words, percents, "twice", "half".

    A percent's value is its hundredth.
    """
    return tuple(
        Operand(value=number.value, text=number.text, unit=number.unit, noun=number.noun)
        for number in find_numbers(text, language)
    )


def is_percent(operand: Operand) -> bool:
    """Whether a quantity is written as a percent."""
    return operand.unit == "%"


def perturbed_values(givens: Sequence[Operand], world: int) -> dict[Fraction, Fraction]:
    """Return, for one world, what each given value becomes; equal values change alike, 0 and 1 stay.

    The changes are fixed ratios of primes, so the same problem always has the same worlds. A percent's face (20 of
    "20%") changes with its value.
    """
    changed: dict[Fraction, Fraction] = {}
    for given in givens:
        if given.value in changed or given.value in {0, 1}:
            continue
        place = len(changed)
        ratio = Fraction(
            _PRIMES[(place * 5 + world * 3) % len(_PRIMES)], _PRIMES[(place * 7 + world * 11 + 2) % len(_PRIMES)]
        )
        if ratio == 1:
            ratio = Fraction(211, 223)
        changed[given.value] = given.value * ratio
        if is_percent(given):
            changed.setdefault(given.value * 100, given.value * 100 * ratio)
    return changed
