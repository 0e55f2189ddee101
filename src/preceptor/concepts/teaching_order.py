"""The order to teach a subject in: layers, prerequisites first, hubs first within a layer; cycles are named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from preceptor.concepts.centrality import centrality
from preceptor.domain.concept import ConceptMap


@dataclass(frozen=True, kw_only=True)
class TeachingOrder:
    """A subject's concepts in layers."""

    layers: tuple[tuple[str, ...], ...]
    """Concept ids; everything that a concept builds on stands in an earlier layer, but for the cycles."""
    cycles: tuple[tuple[str, ...], ...] = ()
    """Concept ids that build on each other in a circle; they stand together in one layer, for a person to untie."""


def teaching_order(concepts: ConceptMap) -> TeachingOrder:
    """Return the layers of a map: the longest way down to a concept without prerequisites is its layer."""
    ids = [concept.concept_id for concept in concepts.concepts]
    down: dict[str, list[str]] = {concept_id: [] for concept_id in ids}
    for edge in concepts.edges:
        down[edge.concept_id].append(edge.prerequisite_id)
    groups = _groups(ids, down)
    depth = _depths(groups, down)
    rank = centrality(concepts)
    place = {concept_id: index for index, concept_id in enumerate(ids)}
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for concept_id in sorted(ids, key=lambda one: (-round(rank[one], 9), place[one])):
        layers[depth[concept_id]].append(concept_id)
    return TeachingOrder(
        layers=tuple(map(tuple, layers)),
        cycles=tuple(tuple(sorted(group, key=place.__getitem__)) for group in groups if len(group) > 1),
    )


def _depths(groups: list[list[str]], down: Mapping[str, list[str]]) -> dict[str, int]:
    """Return each concept's layer; the groups come prerequisites first."""
    depth: dict[str, int] = {}
    for group in groups:
        below = [depth[other] for one in group for other in down[one] if other not in group]
        for one in group:
            depth[one] = max(below, default=-1) + 1
    return depth


def _groups(ids: list[str], down: Mapping[str, list[str]]) -> list[list[str]]:
    """Return the strongly connected components, prerequisites first (Tarjan 1972, without recursion)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    out: list[list[str]] = []
    for root in ids:
        if root in number:
            continue
        work = [(root, iter(down[root]))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            one, others = work[-1]
            for other in others:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(down[other])))
                    break
                if other in on_stack:
                    low[one] = min(low[one], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[one])
                if low[one] == number[one]:
                    cut = stack.index(one)
                    group = stack[cut:]
                    del stack[cut:]
                    on_stack.difference_update(group)
                    out.append(group)
    return out
