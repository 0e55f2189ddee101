"""An arithmetic expression as a tree over its operands, evaluated exactly and again with replaced operands.

Values are fractions; unknowns are carried as linear forms. Bounded: exponent 40, numbers of 2,000 bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from preceptor.domain.claim import Operand

MAX_LENGTH = 400
"""Characters of one expression."""
MAX_DEPTH = 20
MAX_EXPONENT = 40
MAX_BITS = 2_000


@dataclass(frozen=True, slots=True)
class Leaf:
    """The operand with this index."""

    index: int


@dataclass(frozen=True, slots=True)
class Unknown:
    """A letter that stands for a number."""

    name: str


@dataclass(frozen=True, slots=True)
class Negative:
    """The opposite of its inner tree."""

    inner: Tree


@dataclass(frozen=True, slots=True)
class Binary:
    """Two trees joined by the operator with this index."""

    operator: int
    left: Tree
    right: Tree


Tree = Leaf | Unknown | Negative | Binary


@dataclass(frozen=True, kw_only=True, slots=True)
class Expression:
    """A tree, its numbers and its operators in reading order."""

    tree: Tree
    operands: tuple[Operand, ...]
    operators: tuple[str, ...]
    """Each one of + - * / ^."""
    start: int
    end: int
    """Span in the text it was read from, end exclusive."""
    percents: frozenset[int] = frozenset()
    """Operands written as a percent; their value is the hundredth."""
    places: tuple[int, ...] = ()
    """Per operand the decimal places as printed."""

    @property
    def compound(self) -> bool:
        """Whether there is anything to compute."""
        return bool(self.operators)

    @property
    def unknowns(self) -> frozenset[str]:
        """Names of its unknowns."""
        return frozenset(_names(self.tree))


@dataclass(frozen=True, kw_only=True, slots=True)
class LinearForm:
    """constant + Σ coefficient · unknown."""

    constant: Fraction
    coefficients: Mapping[str, Fraction]


def _names(tree: Tree) -> list[str]:
    if isinstance(tree, Unknown):
        return [tree.name]
    if isinstance(tree, Negative):
        return _names(tree.inner)
    if isinstance(tree, Binary):
        return _names(tree.left) + _names(tree.right)
    return []


def evaluate(
    expression: Expression,
    *,
    operands: Sequence[Fraction] | None = None,
    operators: Sequence[str] | None = None,
    unknowns: Mapping[str, Fraction] | None = None,
    percent_of_left: bool = False,
) -> Fraction | None:
    """Return an expression's value, or `None` where it has none (division by zero, a free unknown, too large).

    Args:
        expression: What to compute.
        operands: Values in place of its own, one per operand.
        operators: Operators in place of its own, one per operator.
        unknowns: Values of unknowns; one that is missing makes the result `None`.
        percent_of_left: Read "a + 20%" as a · 1.2 instead of a + 0.2.
    """
    form = linear_form(
        expression, operands=operands, operators=operators, unknowns=unknowns, percent_of_left=percent_of_left
    )
    return None if form is None or form.coefficients else form.constant


def linear_form(
    expression: Expression,
    *,
    operands: Sequence[Fraction] | None = None,
    operators: Sequence[str] | None = None,
    unknowns: Mapping[str, Fraction] | None = None,
    percent_of_left: bool = False,
) -> LinearForm | None:
    """Return an expression as a linear form in its unknowns; `None`: it is not linear or has no value."""
    values = operands if operands is not None else [operand.value for operand in expression.operands]
    signs = operators if operators is not None else expression.operators
    known = unknowns or {}

    def walk(tree: Tree) -> LinearForm | None:
        if isinstance(tree, Leaf):
            return LinearForm(constant=values[tree.index], coefficients={})
        if isinstance(tree, Unknown):
            if tree.name in known:
                return LinearForm(constant=known[tree.name], coefficients={})
            return LinearForm(constant=Fraction(0), coefficients={tree.name: Fraction(1)})
        if isinstance(tree, Negative):
            inner = walk(tree.inner)
            return None if inner is None else _scaled(inner, Fraction(-1))
        left, right = walk(tree.left), walk(tree.right)
        if left is None or right is None:
            return None
        sign = signs[tree.operator]
        relative = isinstance(tree.right, Leaf) and tree.right.index in expression.percents
        if percent_of_left and sign in "+-" and relative and not _is_percent(tree.left, expression):
            factor = 1 + right.constant if sign == "+" else 1 - right.constant
            return _scaled(left, factor)
        return _combined(sign, left, right)

    return walk(expression.tree)


def _is_percent(tree: Tree, expression: Expression) -> bool:
    if isinstance(tree, Leaf):
        return tree.index in expression.percents
    return isinstance(tree, Binary) and _is_percent(tree.right, expression)


def _scaled(form: LinearForm, factor: Fraction) -> LinearForm:
    if not factor:
        return LinearForm(constant=Fraction(0), coefficients={})
    return LinearForm(
        constant=form.constant * factor,
        coefficients={name: value * factor for name, value in form.coefficients.items()},
    )


def _combined(sign: str, left: LinearForm, right: LinearForm) -> LinearForm | None:
    if sign in "+-":
        other = right if sign == "+" else _scaled(right, Fraction(-1))
        coefficients = dict(left.coefficients)
        for name, value in other.coefficients.items():
            coefficients[name] = coefficients.get(name, Fraction(0)) + value
        kept = {name: value for name, value in coefficients.items() if value}
        return _bounded(LinearForm(constant=left.constant + other.constant, coefficients=kept))
    if sign == "*":
        if left.coefficients and right.coefficients:
            return None
        factor, form = (right.constant, left) if not right.coefficients else (left.constant, right)
        return _bounded(_scaled(form, factor))
    if right.coefficients:
        return None
    if sign == "/":
        return None if not right.constant else _bounded(_scaled(left, 1 / right.constant))
    if sign == "^":
        return _power(left, right.constant)
    return None


def _power(base: LinearForm, exponent: Fraction) -> LinearForm | None:
    if base.coefficients or exponent.denominator != 1 or abs(exponent) > MAX_EXPONENT:
        return None
    if exponent < 0 and not base.constant:
        return None
    if base.constant.numerator.bit_length() * abs(exponent) > MAX_BITS:
        return None
    return LinearForm(constant=base.constant ** int(exponent), coefficients={})


def _bounded(form: LinearForm) -> LinearForm | None:
    values = [form.constant, *form.coefficients.values()]
    if any(value.numerator.bit_length() + value.denominator.bit_length() > MAX_BITS for value in values):
        return None
    return form


def solve_linear(left: LinearForm, right: LinearForm) -> tuple[str, Fraction] | None:
    """Return the one unknown of `left = right` and its value; `None`: none, several, or no single solution."""
    difference = _combined("-", left, right)
    if difference is None or len(difference.coefficients) != 1:
        return None
    ((name, coefficient),) = difference.coefficients.items()
    return name, -difference.constant / coefficient


def rounds_to(exact: Fraction, stated: Fraction, places: int) -> bool:
    """Return whether `stated`, printed with so many decimal places, is `exact` rounded to its last digit.

    Half a unit of the last printed digit is allowed; a whole number is a rounding only of a value that is none.
    """
    if exact == stated:
        return False
    if exact.denominator == 1:
        return False
    return abs(exact - stated) <= Fraction(1, 2 * 10**places)
