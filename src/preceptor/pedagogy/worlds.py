"""What a learner's calculation means: its value in the perturbed worlds of the worked solution.

In the problem itself 6 may be 2 × 3 and 12 ÷ 2. When the given quantities are changed, only calculations that mean
the same still agree. A calculation that equals a step in every world IS that step, however it is written; one that
agrees only in the problem's own numbers is a coincidence.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from preceptor.domain.claim import Operand
from preceptor.maths.expression import Expression, evaluate
from preceptor.maths.noun_phrases import singular
from preceptor.maths.problem_quantities import WORLDS, is_percent, perturbed_values
from preceptor.maths.step_graph import StepGraph, StepNode
from preceptor.maths.text_numbers import find_numbers
from preceptor.maths.units import convert, find_unit

World = tuple[Fraction | None, ...]
"""One quantity's value in the problem itself, then in each perturbed world; `None`: not known there."""

_COUNT = WORLDS + 1
_MAX_COMBINATIONS = 64


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a number in a calculation may come from."""

    worlds: World
    node: int | None = None
    earlier: int | None = None
    """Index among the learner's own earlier results."""
    given: bool = False
    roots: frozenset[int] = frozenset()
    """Steps it was calculated from, itself included."""


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """One way to read a calculation: where each operand comes from, and what it gives in each world."""

    sources: tuple[Source, ...]
    worlds: World

    @property
    def roots(self) -> frozenset[int]:
        """Return the steps it was calculated from."""
        return frozenset[int]().union(*(source.roots for source in self.sources))


@dataclass(frozen=True, kw_only=True)
class OwnResult:
    """A value the learner worked out, with its meaning."""

    operand: Operand
    worlds: World
    roots: frozenset[int] = frozenset()
    """Steps it is, or was calculated from."""


@dataclass(frozen=True, kw_only=True)
class GraphWorlds:
    """A step graph in several worlds."""

    graph: StepGraph
    changed: tuple[dict[Fraction, Fraction], ...]
    """Per perturbed world what each given value becomes."""
    nodes: tuple[World, ...]
    partial: tuple[tuple[Fraction, World], ...] = ()
    """Sums of some operands of a step with three or more: what a learner may add up first."""


class WorldsOfGraphs:
    """Keeps the worlds of the graphs seen last; a graph is looked up by identity, so a turn does not hash it."""

    def __init__(self, *, limit: int = 64) -> None:
        """Keep the worlds of at most `limit` graphs."""
        self._limit = limit
        self._kept: dict[int, GraphWorlds] = {}

    def of(self, graph: StepGraph) -> GraphWorlds:
        """Return the graph's worlds."""
        kept = self._kept.get(id(graph))
        if kept is not None and kept.graph is graph:
            return kept
        if len(self._kept) >= self._limit:
            self._kept.pop(next(iter(self._kept)))
        worlds = worlds_of(graph)
        self._kept[id(graph)] = worlds
        return worlds


def worlds_of(graph: StepGraph) -> GraphWorlds:
    """Return a graph's values in every world."""
    changed = tuple(perturbed_values(graph.givens, world) for world in range(WORLDS))
    nodes = tuple(
        (_exact(node), *(node.worlds if len(node.worlds) == WORLDS else (None,) * WORLDS)) for node in graph.nodes
    )
    worlds = GraphWorlds(graph=graph, changed=changed, nodes=nodes)
    partial = [found for node in graph.nodes for found in _partial_sums(node, worlds)]
    return replace(worlds, partial=tuple(partial))


def _exact(node: StepNode) -> Fraction:
    """Return a step's value before the worked solution rounded it."""
    if node.expression is None or node.equals is not None or not node.consistent or node.value.denominator == 1:
        return node.value
    exact = evaluate(node.expression)
    return exact if exact is not None and abs(exact - node.value) < Fraction(1, 10) else node.value


def _partial_sums(node: StepNode, worlds: GraphWorlds) -> list[tuple[Fraction, World]]:
    """Return sums of neighbouring operands of one sign within a step of sums and differences."""
    if (
        not 2 <= len(node.operators) <= 6
        or set(node.operators) - {"+", "-"}
        or len(node.operands) != len(node.operators) + 1
    ):
        return []
    signs = ("+", *node.operators)
    found: list[tuple[Fraction, World]] = []
    operands = [_operand_world(node, place, worlds) for place in range(len(node.operands))]
    for start in range(len(operands)):
        for end in range(start + 2, len(operands) + 1):
            if end - start == len(operands) or len(set(signs[start:end])) != 1:
                continue
            columns = zip(*operands[start:end], strict=True)
            world = tuple(sum(filter(None, column), Fraction(0)) if None not in column else None for column in columns)
            if world[0] is not None:
                found.append((world[0], world))
    return found


def _operand_world(node: StepNode, place: int, worlds: GraphWorlds) -> World:
    source, value = node.inputs[place], node.operands[place].value
    if source is not None:
        return _rescaled(worlds.nodes[source], value)
    return (value, *(changed.get(value, value) for changed in worlds.changed))


def same(left: World, right: World) -> bool:
    """Whether two quantities agree in every world, and are known in the perturbed ones."""
    return left == right and None not in left


def meanings(
    expression: Expression, worlds: GraphWorlds, earlier: Sequence[OwnResult] = (), *, limit: int | None = None
) -> tuple[Meaning, ...]:
    """Return every way to read a calculation, at most 64, or at most `limit`."""
    choices = [_sources(operand, worlds, earlier) for operand in expression.operands]
    found: list[Meaning] = []
    for combination in itertools.islice(itertools.product(*choices), limit or _MAX_COMBINATIONS):
        values = _evaluate(expression, [source.worlds for source in combination])
        found.append(Meaning(sources=combination, worlds=values))
    return tuple(found)


def _evaluate(expression: Expression, operands: Sequence[World]) -> World:
    results: list[Fraction | None] = []
    for world in range(_COUNT):
        values = [operand[world] for operand in operands]
        known = [value for value in values if value is not None]
        results.append(evaluate(expression, operands=known) if len(known) == len(values) else None)
    return tuple(results)


def _sources(operand: Operand, worlds: GraphWorlds, earlier: Sequence[OwnResult]) -> list[Source]:
    value = operand.value
    own_unit = unit_symbol(operand.unit, operand.noun)
    found: dict[World, Source] = {}

    def add(source: Source) -> None:
        found.setdefault(source.worlds, source)

    for node in worlds.graph.nodes:
        if node.value == value or in_other_unit(node.value, unit_symbol(node.unit, node.noun), value, own_unit):
            own = frozenset({node.index})
            add(Source(worlds=_rescaled(worlds.nodes[node.index], value), node=node.index, roots=own))
    if all(value in changed for changed in worlds.changed):
        add(Source(worlds=(value, *(changed[value] for changed in worlds.changed)), given=True))
    else:
        for written in _other_writings(operand, worlds):
            add(Source(worlds=written, given=True))
    for place in range(len(earlier) - 1, -1, -1):
        if earlier[place].operand.value == value:
            add(Source(worlds=earlier[place].worlds, earlier=place, roots=earlier[place].roots))
            break
    for partial, partial_worlds in worlds.partial:
        if partial == value:
            add(Source(worlds=partial_worlds))
    if not any(source.given for source in found.values()):
        add(Source(worlds=(value,) * _COUNT))
    return list(found.values())


def _other_writings(operand: Operand, worlds: GraphWorlds) -> list[World]:
    """Return a number that is a given quantity in another unit, or what a percent or part leaves or adds up to."""
    value = operand.value
    written: list[World] = []
    for given in worlds.graph.givens:
        own = given.value
        if not all(own in changed for changed in worlds.changed):
            continue
        became = [changed[own] for changed in worlds.changed]
        if in_other_unit(own, unit_symbol(given.unit, given.noun), value, unit_symbol(operand.unit, operand.noun)):
            written.append(_rescaled((own, *became), value))
        if 0 < own < 1 and value in {1 - own, 1 + own}:
            sign = -1 if value == 1 - own else 1
            written.append((value, *(1 + sign * world for world in became)))
        if is_percent(given) and value in {100 - own * 100, 100 + own * 100}:
            sign = -1 if value == 100 - own * 100 else 1
            written.append((value, *(100 + sign * world * 100 for world in became)))
    return written


def _rescaled(world: World, value: Fraction) -> World:
    own = world[0]
    if own is None or own == value or own == 0:
        return world
    return tuple(None if entry is None else entry * value / own for entry in world)


def in_other_unit(value: Fraction, unit: str | None, other: Fraction, other_unit: str | None) -> bool:
    """Whether two quantities are one in two units: 2 h and 120 min."""
    if not unit or not other_unit or unit == other_unit:
        return False
    return _converted(value, unit, other_unit) == other


def factor_between(unit: str | None, other_unit: str | None) -> Fraction | None:
    """Return how many of the other unit make one of the first; `None`: they measure different things."""
    if not unit or not other_unit or unit == other_unit:
        return None
    return _converted(Fraction(1), unit, other_unit)


@lru_cache(maxsize=4096)
def _converted(value: Fraction, unit: str, other_unit: str) -> Fraction | None:
    if (unit, other_unit) in _CALENDAR:
        return value * _CALENDAR[unit, other_unit]
    source, target = find_unit(unit), find_unit(other_unit)
    return convert(value, source, target) if source and target else None


_CALENDAR = {("yr", "month"): Fraction(12), ("month", "yr"): Fraction(1, 12)}
"""Conversions of everyday problems that are no exact units: a year counts as 12 months."""


@lru_cache(maxsize=4096)
def unit_symbol(unit: str | None, noun: str | None) -> str | None:
    """Return the unit that a number carries, also where it was read as a noun ("second", "month")."""
    if unit:
        return unit
    if not noun or " " in noun:
        return None
    name = singular(noun.casefold())
    if name == "month":
        return "month"
    found = find_unit(name) if name in _UNIT_NOUNS else None
    return found.symbol if found else None


_UNIT_NOUNS = frozenset({"second", "minute", "hour", "day", "week", "year", "dollar", "cent", "foot", "yard", "inch"})


@lru_cache(maxsize=8192)
def alike(left: str, right: str) -> bool:
    """Whether two nouns or units name the same thing: equal, or one ends in the other ("red sock", "sock")."""
    first, second = singular(left.casefold()), singular(right.casefold())
    return first == second or first.endswith(" " + second) or second.endswith(" " + first)


def named_alike(claim_unit: str | None, claim_noun: str | None, node: StepNode) -> bool:
    """Whether a stated value and a step carry the same unit or count the same thing, in any place that names it."""
    own = unit_symbol(claim_unit, claim_noun)
    for unit, noun in step_names(node):
        if own and own == unit:
            return True
        if claim_noun and noun and alike(claim_noun, noun):
            return True
    return False


@lru_cache(maxsize=4096)
def _names_in(text: str, value: Fraction) -> tuple[tuple[str | None, str | None], ...]:
    return tuple(
        (unit_symbol(number.unit, number.noun), number.noun) for number in find_numbers(text) if number.value == value
    )


def step_names(node: StepNode) -> tuple[tuple[str | None, str | None], ...]:
    """Return (unit, noun) of a step's value wherever its sentence states it."""
    return ((unit_symbol(node.unit, node.noun), node.noun), *_names_in(node.text, node.value))
