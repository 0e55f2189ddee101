"""The form an answer is written in: mixed, reduced, proper."""

from __future__ import annotations

from fractions import Fraction

from preceptor.maths.answer_reading import Quantity, fraction_bar, literal
from preceptor.maths.expression_grammar import Binary, Mixed, Neg, Num


def is_mixed(quantity: Quantity) -> bool:
    """Return whether it is written as a mixed number."""
    return isinstance(literal(quantity.node), Mixed)


def _fraction_parts(quantity: Quantity) -> tuple[int, int] | None:
    node = literal(quantity.node)
    if isinstance(node, Mixed):
        return node.above, node.below
    if isinstance(node, Binary) and fraction_bar(node):
        left = node.left.arg if isinstance(node.left, Neg) else node.left
        if isinstance(left, Num) and isinstance(node.right, Num):
            return int(left.value), int(node.right.value)
    return None


def is_reduced(quantity: Quantity) -> bool:
    """Return whether its fraction is in lowest terms; roots and letters have none and count as reduced."""
    parts = _fraction_parts(quantity)
    if parts is None:
        node = literal(quantity.node)
        return quantity.exact is not None and quantity.exact.as_fraction() is None and not isinstance(node, Num)
    value = Fraction(*parts) if parts[1] else None
    return value is not None and value.denominator == parts[1] > 1


def is_proper(quantity: Quantity) -> bool:
    """Return whether it is written as a fraction below 1."""
    parts = _fraction_parts(quantity)
    return parts is not None and parts[0] < parts[1]
