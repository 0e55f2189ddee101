"""One value in the problem's own world and in perturbed ones: a fingerprint of where the value comes from.

6 = 2 × 3 and 6 = 12 / 2 agree in the problem's world and differ where its quantities are changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from preceptor.domain.claim import Operand
from preceptor.maths.expression import Expression, Leaf, Negative, Tree, Unknown
from preceptor.maths.problem_quantities import WORLDS, perturbed_values

Fingerprint = tuple[float, ...]
"""The value in the problem's world, then in each perturbed world."""


def key(fingerprint: Fingerprint) -> tuple[str, ...]:
    """Return a fingerprint as something to look up: nine significant digits of each world."""
    return tuple(f"{value:.9g}" for value in fingerprint)


class GivenWorlds:
    """What each given value of a problem becomes in each world."""

    def __init__(self, givens: Sequence[Operand]) -> None:
        self._changed = [perturbed_values(givens, world) for world in range(WORLDS)]
        self.values: frozenset[Fraction] = frozenset(given.value for given in givens) | frozenset(
            given.value * 100 for given in givens if given.unit == "%"
        )

    def of(self, value: Fraction) -> Fingerprint:
        """Return the fingerprint of a quantity of the problem, or of a constant."""
        return (_float(value), *(_float(changed.get(value, value)) for changed in self._changed))


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def combine(sign: str, left: Fingerprint, right: Fingerprint) -> Fingerprint | None:
    """Return two fingerprints joined by an operator, world by world; `None` where a world has no value."""
    try:
        if sign == "+":
            return tuple(a + b for a, b in zip(left, right, strict=True))
        if sign == "-":
            return tuple(a - b for a, b in zip(left, right, strict=True))
        if sign == "*":
            return tuple(a * b for a, b in zip(left, right, strict=True))
        if sign == "/":
            return tuple(a / b for a, b in zip(left, right, strict=True))
        return tuple(float(a**b) for a, b in zip(left, right, strict=True) if abs(b) <= 40)
    except (ZeroDivisionError, OverflowError, TypeError):
        return None


def fingerprint_of(
    expression: Expression, operands: Sequence[Fingerprint], unknowns: Mapping[str, Fingerprint]
) -> Fingerprint | None:
    """Return an expression's fingerprint from those of its operands; `None`: it has a free unknown or no value."""

    def walk(tree: Tree) -> Fingerprint | None:
        if isinstance(tree, Leaf):
            return operands[tree.index]
        if isinstance(tree, Unknown):
            return unknowns.get(tree.name)
        if isinstance(tree, Negative):
            inner = walk(tree.inner)
            return None if inner is None else tuple(-value for value in inner)
        left, right = walk(tree.left), walk(tree.right)
        return None if left is None or right is None else combine(expression.operators[tree.operator], left, right)

    found = walk(expression.tree)
    return found if found is not None and len(found) == WORLDS + 1 else None


def solve_in_worlds(
    left: Expression,
    right: Expression,
    operands: Sequence[Fingerprint],
    name: str,
    unknowns: Mapping[str, Fingerprint],
) -> Fingerprint | None:
    """Return the unknown that makes `left = right` in every world, for equations linear in it; else `None`."""
    cut = len(left.operands)

    def gap(trial: float) -> Fingerprint | None:
        known = {**unknowns, name: (trial,) * (WORLDS + 1)}
        first = fingerprint_of(left, operands[:cut], known)
        second = fingerprint_of(right, operands[cut:], known)
        return None if first is None or second is None else combine("-", first, second)

    at_zero, at_one, at_two = gap(0.0), gap(1.0), gap(2.0)
    if at_zero is None or at_one is None or at_two is None:
        return None
    slope = combine("-", at_one, at_zero)
    bend = combine("-", at_two, at_one)
    if slope is None or bend is None or any(abs(a - b) > 1e-6 * (1 + abs(a)) for a, b in zip(slope, bend, strict=True)):
        return None
    solved = combine("/", at_zero, slope)
    return None if solved is None else tuple(-value for value in solved)
