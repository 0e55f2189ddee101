"""True ways to a problem's answer that the worked solution does not take."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction

from preceptor.lab.simulation.calculation import Calculation, Quantity, Term, of_node, value_of
from preceptor.maths.step_graph import StepGraph


@dataclass(frozen=True, kw_only=True)
class RouteStep:
    """One line of a route."""

    calculation: Term
    value: Fraction
    final: bool


def another_route(graph: StepGraph, rng: random.Random) -> tuple[RouteStep, ...]:
    """Return a true route to the answer, as unlike the reference as its rewritings allow; empty where there is none.

    The whole solution is one calculation; it is rewritten by laws of arithmetic (distributing, regrouping, exchanging,
    repeated addition), checked to give the same value, and worked out from the inside in steps of one operation or two.
    """
    whole = _whole(graph)
    if not isinstance(whole, Calculation) or value_of(whole) != graph.answer:
        return ()
    changed: Term = _rewritten(whole, rng)
    if value_of(changed) != graph.answer or not isinstance(changed, Calculation):
        changed = whole
    steps: list[RouteStep] = []
    _work_out(changed, steps, merge=rng.random() < 0.5)
    return tuple(
        RouteStep(calculation=step.calculation, value=step.value, final=place == len(steps) - 1)
        for place, step in enumerate(steps)
    )


def _whole(graph: StepGraph) -> Term | None:
    """Return the answer's calculation with every step's own calculation in its place."""
    if graph.answer_node is None:
        return None

    def inlined(term: Term, depth: int) -> Term | None:
        if isinstance(term, Quantity):
            if term.node is None or term.percent:
                return term
            inner = of_node(graph.nodes[term.node])
            return None if inner is None or depth > 12 else inlined(inner, depth + 1)
        left, right = inlined(term.left, depth + 1), inlined(term.right, depth + 1)
        return None if left is None or right is None else Calculation(operator=term.operator, left=left, right=right)

    start = of_node(graph.nodes[graph.answer_node])
    return None if start is None else inlined(start, 0)


def _rewritten(term: Term, rng: random.Random) -> Term:
    if isinstance(term, Quantity):
        return term
    left, right = _rewritten(term.left, rng), _rewritten(term.right, rng)
    here = Calculation(operator=term.operator, left=left, right=right)
    options = [one for one in _laws(here) if _is_writable(one)]
    return rng.choice(options) if options else here


def _laws(term: Calculation) -> list[Term]:
    """Return equal calculations of another shape."""
    left, right, out = term.left, term.right, list[Term]()
    inner = left if isinstance(left, Calculation) else None
    other = right if isinstance(right, Calculation) else None
    if term.operator in "+*":
        out.append(Calculation(operator=term.operator, left=right, right=left))
    if term.operator == "*" and isinstance(right, Quantity) and right.value in {2, 3, 4} and isinstance(left, Quantity):
        total: Term = left
        for _ in range(int(right.value) - 1):
            total = Calculation(operator="+", left=total, right=left)
        out.append(total)
    if inner and term.operator == "-" and inner.operator == "-":
        taken = Calculation(operator="+", left=inner.right, right=right)
        out.append(Calculation(operator="-", left=inner.left, right=taken))
    if inner and term.operator == "*" and inner.operator == "/":
        out.append(Calculation(operator="/", left=_join("*", inner.left, right), right=inner.right))
    if inner and term.operator == "*" and inner.operator in "+-":
        out.append(_join(inner.operator, _join("*", inner.left, right), _join("*", inner.right, right)))
    if inner and term.operator == "/" and inner.operator == "/":
        out.append(_join("/", inner.left, _join("*", inner.right, right)))
    if inner and other and term.operator in "+-" and inner.operator == other.operator == "*":
        for a, b in ((inner.left, inner.right), (inner.right, inner.left)):
            for c, d in ((other.left, other.right), (other.right, other.left)):
                if a == c:
                    out.append(_join("*", a, _join(term.operator, b, d)))
    return out


def _join(operator: str, left: Term, right: Term) -> Calculation:
    return Calculation(operator=operator, left=left, right=right)


def _is_writable(term: Term) -> bool:
    """Return whether every part has a value a learner would write: not negative, no endless decimals."""
    value = value_of(term)
    if value is None or value < 0 or value.denominator not in {1, 2, 4, 5, 10, 20, 25, 50, 100}:
        return False
    return isinstance(term, Quantity) or (_is_writable(term.left) and _is_writable(term.right))


def _work_out(term: Calculation, steps: list[RouteStep], *, merge: bool) -> Quantity:
    """Add the lines that work a calculation out; with `merge` two plain operations may stand in one line.

    A line that stands already is not written twice.
    """

    def side(part: Term) -> Term:
        if isinstance(part, Quantity):
            return part
        simple = isinstance(part.left, Quantity) and isinstance(part.right, Quantity)
        return part if merge and simple and not crowded else _work_out(part, steps, merge=merge)

    crowded = isinstance(term.left, Calculation) and isinstance(term.right, Calculation)
    line = Calculation(operator=term.operator, left=side(term.left), right=side(term.right))
    value = value_of(line)
    assert value is not None
    if not any(step.calculation == line for step in steps):
        steps.append(RouteStep(calculation=line, value=value, final=False))
    return Quantity(value=value)
