"""What a simulated learner has wrong at the start: one wrong rule at one step of this problem."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from preceptor.lab.simulation.calculation import Calculation, Term, leaves, needed_nodes, of_node, value_of
from preceptor.maths.step_graph import StepGraph, recompute

WrongKind = Literal["wrong_operation", "foreign_quantity", "stopped_early", "slip"]

_SWAPS = {"+": "-*", "-": "+", "*": "+/", "/": "*-", "^": "*"}


@dataclass(frozen=True, kw_only=True)
class WrongIdea:
    """A wrong rule run at one step."""

    kind: WrongKind
    node: int
    """The step that goes wrong; for `stopped_early` the last one, which is left out."""
    calculation: Term | None
    """What the learner calculates there; `None` for `stopped_early`."""
    value: Fraction
    """What the learner gets there; for a slip not what the calculation gives."""
    final: Fraction
    """The final answer it leads to."""

    @property
    def on_route(self) -> bool | None:
        """What is known of its final answer: nothing, where it is a true step's value."""
        return None if self.kind == "stopped_early" else False


def choose_wrong_idea(
    graph: StepGraph, rng: random.Random, kinds: tuple[WrongKind, ...] = ("wrong_operation", "foreign_quantity")
) -> WrongIdea | None:
    """Return a wrong idea of one of these kinds, or of any kind where none of them fits this problem.

    Its value is above zero, is short to write, and stands at no other step of the solution. `None`: there is none.
    """
    everything = list(_ideas(graph, rng))
    for wanted in (kinds, ("wrong_operation", "foreign_quantity", "stopped_early", "slip")):
        fitting = [idea for idea in everything if idea.kind in wanted]
        if fitting:
            return rng.choice(fitting)
    return None


def _ideas(graph: StepGraph, rng: random.Random) -> Iterator[WrongIdea]:
    needed = needed_nodes(graph)
    for index in needed:
        term = of_node(graph.nodes[index])
        if isinstance(term, Calculation):
            for kind, changed in _changes(graph, term):
                value = value_of(changed)
                if value is not None and _plausible(graph, value):
                    yield from _led(graph, kind, index, changed, value)
            right = graph.nodes[index].value
            slip = right + rng.choice([-10, -2, -1, 1, 2, 10]) if right.denominator == 1 else right + 1
            if _plausible(graph, slip):
                yield from _led(graph, "slip", index, term, slip)
    if len(needed) > 1 and graph.answer_node is not None:
        before = graph.nodes[needed[-2]].value
        if before != graph.answer:
            yield WrongIdea(kind="stopped_early", node=graph.answer_node, calculation=None, value=before, final=before)


def _led(graph: StepGraph, kind: WrongKind, index: int, term: Term, value: Fraction) -> Iterator[WrongIdea]:
    """Yield the idea with the final answer it leads to; if later steps break on it, the learner stops there."""
    final = value if index == graph.answer_node else recompute(graph, index, value=value)
    if final is None or final <= 0 or final == graph.answer or not _short(final):
        final = value
    if final != graph.answer:
        yield WrongIdea(kind=kind, node=index, calculation=term, value=value, final=final)


def _changes(graph: StepGraph, term: Calculation) -> Iterator[tuple[WrongKind, Term]]:
    for operator in _SWAPS[term.operator]:
        yield "wrong_operation", Calculation(operator=operator, left=term.left, right=term.right)
    present = {quantity.value for quantity in leaves(term)}
    for given in graph.givens:
        if given.value not in present and given.value > 0 and given.text.strip("$").replace(",", "").isdigit():
            foreign = leaves(term)[-1]
            other = type(foreign)(value=given.value)
            yield "foreign_quantity", Calculation(operator=term.operator, left=term.left, right=other)


def _plausible(graph: StepGraph, value: Fraction) -> bool:
    known = {node.value for node in graph.nodes} | {given.value for given in graph.givens} | {graph.answer}
    return value > 0 and value not in known and _short(value)


def _short(value: Fraction) -> bool:
    return value < 10**9 and value.denominator in {1, 2, 4, 5, 10, 20, 25, 50, 100}
