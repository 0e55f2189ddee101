"""The exact value of an expression tree: quotients of polynomials over the rationals with square roots and pi.

Square roots of different square-free numbers are independent over the rationals and pi is transcendental, so
equality here is decided, not estimated: 2*sqrt(2) is sqrt(8), (x^2-1)/(x-1) is x+1. What has no such value
(sin, cube roots, roots of variables) is left to floats, which can only tell values apart, and to `symbolic`.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from preceptor.maths.expression_grammar import (
    MAX_EXPONENT,
    Binary,
    Call,
    LimitError,
    Mixed,
    Name,
    Neg,
    Node,
    Num,
    Percent,
    UnreadError,
)
from preceptor.maths.numerals import decimal_places, format_number

MAX_BITS = 2000
MAX_TERMS = 200
_MAX_RADICAND = 10**9
_OPERATIONS = 6_000

Monomial = tuple[int, tuple[tuple[str, int], ...]]
"""A square-free number under the root, and names with their exponents, sorted. (1, ()) is the number 1."""
Terms = dict[Monomial, Fraction]


class NotExactError(ValueError):
    """The tree has no value in this ring; floats and the symbolic checker may still compare it."""


@dataclass(frozen=True, kw_only=True)
class Exact:
    """A quotient of two sums of terms; the lower one is never zero."""

    above: Terms
    below: Terms

    @property
    def names(self) -> frozenset[str]:
        """Variables in it, pi not among them."""
        found = {name for terms in (self.above, self.below) for _, powers in terms for name, _ in powers}
        return frozenset(found - {"pi"})

    def as_fraction(self) -> Fraction | None:
        """Return its value where it is rational and written without names or roots, else `None`."""
        if not self.above:
            return Fraction(0)
        if self.above.keys() == self.below.keys():
            ratios = {self.above[key] / self.below[key] for key in self.above}
            return ratios.pop() if len(ratios) == 1 else None
        return None

    def equals(self, other: Exact) -> bool:
        """Return whether both are the same function, wherever both are defined."""
        budget = _Budget()
        left = _times(self.above, other.below, budget)
        return not _plus(left, _times(other.above, self.below, budget), -1)

    def minus(self, other: Exact) -> Exact:
        """Return the difference."""
        return _add(self, other, -1, _Budget())


class _Budget:
    """Counts term products, so that no expression takes more than a few milliseconds."""

    def __init__(self) -> None:
        self.left = _OPERATIONS

    def spend(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise LimitError("That expression is too long to multiply out here.")


_ONE: Monomial = (1, ())


def rational(value: Fraction | int) -> Exact:
    """Return a plain number."""
    number = Fraction(value)
    return Exact(above={_ONE: number} if number else {}, below={_ONE: Fraction(1)})


def scaled(value: Exact, factor: Fraction) -> Exact:
    """Return a value times a rational number."""
    return _multiply(value, rational(factor), _Budget())


def _check(terms: Terms) -> Terms:
    if len(terms) > MAX_TERMS:
        raise LimitError("That expression has too many terms.")
    for value in terms.values():
        if value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS:
            raise LimitError("A number in there is too large.")
    return terms


def _plus(left: Terms, right: Terms, factor: int) -> Terms:
    result = dict(left)
    for key, value in right.items():
        total = result.get(key, Fraction(0)) + factor * value
        if total:
            result[key] = total
        else:
            result.pop(key, None)
    return _check(result)


def _times(left: Terms, right: Terms, budget: _Budget) -> Terms:
    budget.spend(len(left) * len(right))
    result: Terms = {}
    for (left_root, left_powers), left_value in left.items():
        for (right_root, right_powers), right_value in right.items():
            shared = math.gcd(left_root, right_root)
            root = (left_root // shared) * (right_root // shared)
            powers = dict(left_powers)
            for name, exponent in right_powers:
                powers[name] = powers.get(name, 0) + exponent
            key = (root, tuple(sorted(powers.items())))
            total = result.get(key, Fraction(0)) + left_value * right_value * shared
            if total:
                result[key] = total
            else:
                result.pop(key, None)
    return _check(result)


def _add(left: Exact, right: Exact, factor: int, budget: _Budget) -> Exact:
    if left.below == right.below:
        return Exact(above=_plus(left.above, right.above, factor), below=left.below)
    above = _plus(_times(left.above, right.below, budget), _times(right.above, left.below, budget), factor)
    return _tidy(above, _times(left.below, right.below, budget))


def _tidy(above: Terms, below: Terms) -> Exact:
    """Divide by a single-term denominator's coefficient, so that plain numbers stay small."""
    if len(below) == 1:
        ((key, value),) = below.items()
        above = {name: part / value for name, part in above.items()}
        below = {key: Fraction(1)}
    return Exact(above=_check(above), below=below)


def _multiply(left: Exact, right: Exact, budget: _Budget) -> Exact:
    return _tidy(_times(left.above, right.above, budget), _times(left.below, right.below, budget))


def _invert(value: Exact) -> Exact:
    if not value.above:
        raise UnreadError("That divides by zero.")
    return _tidy(value.below, value.above)


def _raise(base: Exact, exponent: Fraction, budget: _Budget) -> Exact:
    if exponent.denominator == 1:
        if abs(exponent) > MAX_EXPONENT:
            raise LimitError(f"An exponent may be at most {MAX_EXPONENT}.")
        if exponent < 0:
            return _raise(_invert(base), -exponent, budget)
        if exponent == 0 and not base.above:
            raise UnreadError("0 to the power of 0 has no value.")
        result = rational(1)
        for _ in range(int(exponent)):
            result = _multiply(result, base, budget)
        return result
    number = base.as_fraction()
    if number is None or abs(exponent) > MAX_EXPONENT:
        raise NotExactError
    return _raise(_root(number, exponent.denominator), Fraction(exponent.numerator), budget)


def _root(value: Fraction, degree: int) -> Exact:
    """Return the exact root of a rational; square roots may stay roots, others must come out even."""
    if value < 0 and degree % 2 == 0:
        raise NotExactError
    size = abs(value)
    above, below = _whole_root(size.numerator, degree), _whole_root(size.denominator, degree)
    if above is not None and below is not None:
        return rational(Fraction(above, below) * (-1 if value < 0 else 1))
    product = size.numerator * size.denominator
    if degree != 2 or product > _MAX_RADICAND:
        raise NotExactError
    outside, inside, factor = 1, product, 2
    while factor * factor <= inside:
        while inside % (factor * factor) == 0:
            inside //= factor * factor
            outside *= factor
        factor += 1
    return Exact(above={(inside, ()): Fraction(outside, size.denominator)}, below={_ONE: Fraction(1)})


def _whole_root(value: int, degree: int) -> int | None:
    if degree > MAX_EXPONENT:
        raise NotExactError
    if value.bit_length() > 900:
        return math.isqrt(value) if degree == 2 and math.isqrt(value) ** 2 == value else None
    guess = math.isqrt(value) if degree == 2 else round(value ** (1 / degree))
    return next((root for root in (guess - 1, guess, guess + 1) if root >= 0 and root**degree == value), None)


def exact_value(node: Node) -> Exact:
    """Return a tree's exact value.

    Raises:
        NotExactError: It has none in this ring.
        UnreadError: It divides by zero, or grows over a limit (2,000 bits, 200 terms, exponent 40).
    """
    return _evaluate(node, _Budget())


def _evaluate(node: Node, budget: _Budget) -> Exact:
    budget.spend(1)
    match node:
        case Num(value=value):
            return rational(value)
        case Mixed(whole=whole, above=above, below=below):
            return rational(whole + Fraction(above, below))
        case Name(name=name):
            if name in {"i", "inf"}:
                raise NotExactError
            return Exact(above={(1, ((name, 1),)): Fraction(1)}, below={_ONE: Fraction(1)})
        case Neg(arg=Binary(op="^", left=left, right=right)):
            return _multiply(rational(-1), _evaluate(Binary(op="^", left=left, right=right), budget), budget)
        case Neg(arg=arg):
            return _multiply(rational(-1), _evaluate(arg, budget), budget)
        case Percent(arg=arg):
            return _multiply(_evaluate(arg, budget), rational(Fraction(1, 100)), budget)
        case Binary():
            return _binary(node, budget)
        case Call(function=function, args=args):
            return _call(function, [_evaluate(arg, budget) for arg in args])


def _binary(node: Binary, budget: _Budget) -> Exact:
    left, right = _evaluate(node.left, budget), _evaluate(node.right, budget)
    if node.op in "+-":
        return _add(left, right, 1 if node.op == "+" else -1, budget)
    if node.op == "*":
        return _multiply(left, right, budget)
    if node.op == "/":
        return _multiply(left, _invert(right), budget)
    exponent = right.as_fraction()
    if exponent is None:
        raise NotExactError
    return _raise(left, exponent, budget)


def _call(function: str, args: list[Exact]) -> Exact:
    value = args[0].as_fraction()
    if function == "abs" and value is not None:
        return rational(abs(value))
    if function in {"sqrt", "root"} and value is not None:
        degree = Fraction(2) if function == "sqrt" else args[1].as_fraction()
        if degree is not None and degree.denominator == 1 and 2 <= degree <= MAX_EXPONENT:
            return _root(value, int(degree))
    raise NotExactError


_FUNCTIONS: dict[str, Callable[[complex], complex]] = {
    "sqrt": cmath.sqrt,
    "sin": cmath.sin,
    "cos": cmath.cos,
    "tan": cmath.tan,
    "arcsin": cmath.asin,
    "arccos": cmath.acos,
    "arctan": cmath.atan,
    "ln": cmath.log,
    "log": cmath.log10,
    "exp": cmath.exp,
    "sec": lambda z: 1 / cmath.cos(z),
    "csc": lambda z: 1 / cmath.sin(z),
    "cot": lambda z: cmath.cos(z) / cmath.sin(z),
}


def float_value(node: Node, names: Mapping[str, float]) -> complex | None:
    """Return a tree's value near enough, with these values for its names; `None`: undefined or out of range."""
    try:
        value = _float(node, names)
    except (ArithmeticError, ValueError, KeyError):
        return None
    return value if cmath.isfinite(value) and abs(value) < 1e100 else None


def _float(node: Node, names: Mapping[str, float]) -> complex:
    match node:
        case Num(value=value):
            return complex(float(value))
        case Mixed(whole=whole, above=above, below=below):
            return complex(whole + above / below)
        case Name(name=name):
            return {"pi": complex(math.pi), "e": complex(math.e), "i": 1j}.get(name) or complex(names[name])
        case Neg(arg=arg):
            return -_float(arg, names)
        case Percent(arg=arg):
            return _float(arg, names) / 100
        case Binary(op="^", left=left, right=right):
            return complex(_float(left, names) ** _float(right, names))
        case Binary(op=op, left=left, right=right):
            one, other = _float(left, names), _float(right, names)
            return {"+": one + other, "-": one - other, "*": one * other}[op] if op != "/" else one / other
        case Call(function="root", args=args):
            return complex(_float(args[0], names) ** (1 / _float(args[1], names)))
        case Call(function="abs", args=args):
            return complex(abs(_float(args[0], names)))
        case Call(function=function, args=args):
            return complex(_FUNCTIONS[function](_float(args[0], names)))


def names_of(node: Node) -> frozenset[str]:
    """Return every name in a tree, constants among them."""
    match node:
        case Name(name=name):
            return frozenset({name})
        case Neg(arg=arg) | Percent(arg=arg):
            return names_of(arg)
        case Binary(left=left, right=right):
            return names_of(left) | names_of(right)
        case Call(args=args):
            return frozenset().union(*(names_of(arg) for arg in args))
    return frozenset()


_POINTS = (0.7391, 1.4142, 2.3973, -0.6180, 3.3019)


def surely_different(left: Node, right: Node) -> bool:
    """Return whether two trees differ at a point where both are defined and real. False says nothing."""
    names = sorted((names_of(left) | names_of(right)) - {"pi", "e", "i", "inf"})
    real = "i" not in names_of(left) | names_of(right)
    for shift in range(len(_POINTS)):
        values = {name: _POINTS[(place + shift) % len(_POINTS)] for place, name in enumerate(names)}
        one, other = float_value(left, values), float_value(right, values)
        if one is None or other is None or (real and max(abs(one.imag), abs(other.imag)) > 1e-9):
            continue
        if abs(one - other) > 1e-6 * (1 + abs(one)):
            return True
    return False


def write_exact(value: Exact, *, as_fraction: bool = False) -> str:
    """Return a value as a learner reads it: "3 1/2", "2*sqrt(2)", "x^2 + 2x + 1"."""
    number = value.as_fraction()
    if number is not None:
        return format_number(number, as_fraction=as_fraction)
    above, below = _write_terms(value.above), _write_terms(value.below)
    if below == "1":
        return above
    left = above if len(value.above) == 1 else f"({above})"
    return f"{left}/({below})"


def _write_terms(terms: Terms) -> str:
    def order(item: tuple[Monomial, Fraction]) -> tuple[int, str, int]:
        (root, powers), _ = item
        return (-sum(exponent for _, exponent in powers), str(powers), root)

    written = ""
    for (root, powers), value in sorted(terms.items(), key=order):
        letters = "".join(name if exponent == 1 else f"{name}^{exponent}" for name, exponent in powers)
        inside = letters + ("*" if letters and root > 1 else "") + (f"sqrt({root})" if root > 1 else "")
        size = abs(value)
        places = decimal_places(size)
        number = (
            f"({size})" if size.denominator != 1 and (places is None or places > 3) and inside else format_number(size)
        )
        if inside:
            number = "" if size == 1 else number + ("*" if not letters or letters.startswith("pi") else "")
        sign = ("-" if value < 0 else "") if not written else (" - " if value < 0 else " + ")
        written += sign + number + inside
    return written or "0"
