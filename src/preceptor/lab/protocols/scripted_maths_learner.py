"""A scripted learner of word problems: at most one wrong idea in a solution, which it may see when told where."""

from __future__ import annotations

import re
from fractions import Fraction

from preceptor.lab.protocols.maths_task import MathsTask
from preceptor.lab.protocols.revision import (
    DETAIL_NAMED,
    MISLED,
    PLACE_NAMED,
    SPOILS,
    UNAIDED,
    asks_to_look_again,
    learner_chances,
    praises,
)
from preceptor.lab.simulation.calculation import Calculation, Quantity, Term, leaves, of_node, value_of, write
from preceptor.lab.simulation.wrong_idea import WrongIdea, WrongKind, choose_wrong_idea
from preceptor.maths.numerals import format_number

RIGHT_FROM_THE_START = 0.25
"""Share of learners without a wrong idea. (chosen)"""
_KINDS: tuple[WrongKind, ...] = ("wrong_operation", "foreign_quantity", "stopped_early", "slip")
_SIGNS = {sign: sign for sign in "+-*/^"}
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:/\d+)?")


class ScriptedMathsLearner:
    """Writes one calculation a line and the answer last."""

    engine = "scripted maths lines"

    def __init__(self, task: MathsTask, number: int, *, seed: int) -> None:
        """Draw the wrong idea; the same task, number and seed draw the same."""
        self._task = task
        rng = learner_chances(task.task_id, number, seed)
        wanted = rng.random() >= RIGHT_FROM_THE_START
        drawn = choose_wrong_idea(task.graph, rng, (rng.choice(_KINDS),))
        self.idea = drawn if wanted else None
        self._spare = None if wanted else drawn
        self._sees, self._slips = rng.random(), rng.random()

    async def attempt(self) -> str:
        """Return the solution with the wrong idea in it."""
        return _written(self._task, self.idea)

    async def revise(self, work: str, said: str) -> str:
        """Return the solution again; whether the wrong idea was seen is decided by the words alone."""
        if self.idea is not None:
            return _written(self._task, None if self._sees < self._chance(self.idea, said) else self.idea)
        return _written(self._task, self._spare if self._slips < self._spoil_chance(said) else None)

    def _chance(self, idea: WrongIdea, said: str) -> float:
        numbers = _numbers(said)
        term = of_node(self._task.graph.nodes[idea.node])
        operands = {one.value for one in leaves(term)} if term is not None else set()
        if idea.calculation is not None:
            operands |= {one.value for one in leaves(idea.calculation)}
        if idea.value in numbers and idea.kind != "stopped_early":
            return DETAIL_NAMED
        if len(operands & numbers) >= 2:
            return DETAIL_NAMED
        if operands & numbers:
            return PLACE_NAMED
        return UNAIDED if asks_to_look_again(said) or "?" in said else 0.0

    def _spoil_chance(self, said: str) -> float:
        if not asks_to_look_again(said) or praises(said):
            return 0.0
        return MISLED if _numbers(said) else SPOILS


def _numbers(said: str) -> set[Fraction]:
    return {Fraction(one.replace(",", "")) for one in _NUMBER.findall(said) if not one.endswith("/0")}


def _written(task: MathsTask, idea: WrongIdea | None) -> str:
    """Return the solution's lines; a wrong value is carried on through what is computed from it."""
    values: dict[int, Fraction] = {}
    lines: list[str] = []
    last = Fraction(0)
    for node in task.needed:
        if idea is not None and idea.kind == "stopped_early" and node == idea.node:
            break
        here = idea is not None and idea.node == node and idea.calculation is not None
        right = of_node(task.graph.nodes[node])
        term = idea.calculation if here and idea is not None else right
        assert term is not None
        carried = _carried(term, values)
        given = idea.value if here and idea is not None else value_of(carried)
        if given is None:
            break
        last = given
        values[node] = last
        lines.append(f"{write(carried, _SIGNS)} = {format_number(last)}")
    lines.append(f"Answer: {format_number(last)}")
    return "\n".join(lines) + "\n"


def _carried(term: Term, values: dict[int, Fraction]) -> Term:
    """Return a calculation with the learner's own values of earlier steps in it."""
    if isinstance(term, Quantity):
        own = values.get(term.node) if term.node is not None else None
        return term if own is None else Quantity(value=own, percent=term.percent, node=term.node)
    return Calculation(operator=term.operator, left=_carried(term.left, values), right=_carried(term.right, values))
