"""Parts of a worked solution that another way may work out first: terms of its sums, factors of its products.

The solution is multiplied out: 10 % of (38 + 2) is 10 % of 38 and 10 % of 2. Whoever has added some of its terms, or
multiplied some factors of one, has done nothing wrong yet, whatever the next step of the reference is.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from preceptor.maths.expression import Binary, Leaf, Negative, Tree
from preceptor.maths.step_graph import StepGraph, StepNode

_MAX_TERMS = 8
_MAX_FACTORS = 6
_MAX_DEPTH = 12


@dataclass(frozen=True, slots=True)
class _Factor:
    value: Fraction
    divides: bool = False


@dataclass(frozen=True, slots=True)
class _Term:
    """A product with its sign."""

    factors: tuple[_Factor, ...]
    negative: bool = False


def partial_values(graph: StepGraph) -> frozenset[Fraction]:
    """Return what sums of some terms and products of some factors of the steps give, steps multiplied out or not.

    A value is no proof that a calculation is such a part; it only forbids to call it an error.
    """
    found: set[Fraction] = set()
    for node in graph.nodes:
        for deep in (False, True):
            terms = _expanded(node, graph, deep=deep) or []
            for term in terms:
                found |= _products(term)
            for alike in _by_common_factor(terms):
                found |= _sums(alike)
    return frozenset(found)


def _expanded(node: StepNode, graph: StepGraph, *, deep: bool, depth: int = 0) -> list[_Term] | None:
    """Multiply a step out; `None`: too long, or no sum of products."""
    if node.expression is None or node.equals is not None or depth > _MAX_DEPTH:
        return None
    return _tree_terms(node.expression.tree, node, graph, deep=deep, depth=depth)


def _tree_terms(tree: Tree, node: StepNode, graph: StepGraph, *, deep: bool, depth: int) -> list[_Term] | None:
    if isinstance(tree, Leaf):
        source, value = node.inputs[tree.index], node.operands[tree.index].value
        if deep and source is not None and graph.nodes[source].value == value:
            inner = _expanded(graph.nodes[source], graph, deep=True, depth=depth + 1)
            if inner is not None:
                return inner
        return [_Term((_Factor(value),))]
    if isinstance(tree, Negative):
        terms = _tree_terms(tree.inner, node, graph, deep=deep, depth=depth)
        return None if terms is None else [_negated(term) for term in terms]
    if not isinstance(tree, Binary):
        return None
    left = _tree_terms(tree.left, node, graph, deep=deep, depth=depth)
    right = _tree_terms(tree.right, node, graph, deep=deep, depth=depth)
    if left is None or right is None:
        return None
    return _joined(node.operators[tree.operator], left, right)


def _joined(operator: str, left: list[_Term], right: list[_Term]) -> list[_Term] | None:
    if operator in {"+", "-"}:
        joined = [*left, *(right if operator == "+" else map(_negated, right))]
    elif operator == "*":
        joined = [_times(one, other) for one in left for other in right]
    elif operator == "/" and len(right) == 1:
        turned = _Term(tuple(_Factor(part.value, not part.divides) for part in right[0].factors), right[0].negative)
        joined = [_times(one, turned) for one in left]
    else:
        return None
    crowded = len(joined) > _MAX_TERMS or any(len(term.factors) > _MAX_FACTORS for term in joined)
    return None if crowded else joined


def _negated(term: _Term) -> _Term:
    return _Term(term.factors, not term.negative)


def _times(left: _Term, right: _Term) -> _Term:
    return _Term((*left.factors, *right.factors), left.negative != right.negative)


def _by_common_factor(terms: Sequence[_Term]) -> list[list[_Term]]:
    """Return the terms as they are, and those that share a factor without it: 2 · 7 + 2 · 3 holds 7 + 3."""
    groups = [list(terms)]
    for factor in {factor for term in terms for factor in term.factors}:
        sharing = [_Term(_without(term.factors, factor), term.negative) for term in terms if factor in term.factors]
        if len(sharing) > 1:
            groups.append(sharing)
    return groups


def _without(factors: tuple[_Factor, ...], gone: _Factor) -> tuple[_Factor, ...]:
    place = factors.index(gone)
    return (*factors[:place], *factors[place + 1 :])


def _products(term: _Term) -> set[Fraction]:
    sizes = range(2, len(term.factors) + 1)
    chosen = (_Term(some) for size in sizes for some in itertools.combinations(term.factors, size))
    return {value for value in map(_value, chosen) if value is not None}


def _sums(terms: Sequence[_Term]) -> set[Fraction]:
    """Return every sum of some terms by its size: whoever takes away starts at the larger one."""
    known = [value for value in map(_value, terms) if value is not None]
    sizes = range(2, len(known) + 1)
    return {abs(sum(some, Fraction(0))) for size in sizes for some in itertools.combinations(known, size)}


def _value(term: _Term) -> Fraction | None:
    """Return what a product gives; `None`: nothing is left of it, or it divides by zero."""
    if not term.factors or any(factor.divides and not factor.value for factor in term.factors):
        return None
    product = Fraction(-1 if term.negative else 1)
    for factor in term.factors:
        product = product / factor.value if factor.divides else product * factor.value
    return product
