"""A calculation as a tree of known quantities: how a simulated learner writes it and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from preceptor.maths.expression import Binary, Leaf, Negative, Tree
from preceptor.maths.numerals import format_number
from preceptor.maths.step_graph import StepGraph, StepNode

_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A known number."""

    value: Fraction
    percent: bool = False
    """Written as "20%"; the value is the hundredth."""
    node: int | None = None
    """The step that gave it; `None`: from the problem."""


@dataclass(frozen=True, kw_only=True)
class Calculation:
    """Two calculations or quantities joined by an operator."""

    operator: str
    left: Term
    right: Term


Term = Quantity | Calculation


def value_of(term: Term) -> Fraction | None:
    """Return what a calculation gives; `None`: division by zero or a power too large."""
    if isinstance(term, Quantity):
        return term.value
    left, right = value_of(term.left), value_of(term.right)
    if left is None or right is None:
        return None
    match term.operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right if right else None
    if right.denominator != 1 or not 0 <= right <= 6:
        return None
    return Fraction(left**right.numerator)


def write(
    term: Term, signs: dict[str, str], number: Callable[[Fraction], str] = format_number, *, outer: int = 0
) -> str:
    """Return a calculation as text, with brackets where they are needed."""
    if isinstance(term, Quantity):
        return f"{number(term.value * 100)}%" if term.percent else number(term.value)
    strength = _STRENGTH[term.operator]
    left = write(term.left, signs, number, outer=strength)
    right = write(term.right, signs, number, outer=strength + 1)
    text = f"{left} {signs[term.operator]} {right}"
    return f"({text})" if strength < outer else text


def of_node(node: StepNode) -> Term | None:
    """Return a step's calculation; `None` where it is an equation, rounds, or is no calculation at all."""
    if node.expression is None or node.equals is not None or not node.operators:
        return None
    term = _term(node, node.expression.tree)
    return term if term is not None and value_of(term) == node.value else None


def _term(node: StepNode, tree: Tree) -> Term | None:
    if isinstance(tree, Leaf):
        operand = node.operands[tree.index]
        percent = "%" in operand.text and operand.value * 100 < 1000
        return Quantity(value=operand.value, percent=percent, node=node.inputs[tree.index])
    if isinstance(tree, Negative) or not isinstance(tree, Binary):
        return None
    left, right = _term(node, tree.left), _term(node, tree.right)
    if left is None or right is None:
        return None
    return Calculation(operator=node.operators[tree.operator], left=left, right=right)


def needed_nodes(graph: StepGraph) -> tuple[int, ...]:
    """Return the steps that the answer is made of, in order, the answer's own last; empty where none gives it."""
    if graph.answer_node is None:
        return ()
    found: set[int] = set()
    waiting = [graph.answer_node]
    while waiting:
        index = waiting.pop()
        if index not in found:
            found.add(index)
            waiting += [source for source in graph.nodes[index].inputs if source is not None]
    return tuple(sorted(found))


def leaves(term: Term) -> list[Quantity]:
    """Return a calculation's quantities in reading order."""
    return [term] if isinstance(term, Quantity) else leaves(term.left) + leaves(term.right)
