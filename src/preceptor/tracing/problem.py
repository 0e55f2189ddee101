"""A search problem: a graph with costs and a heuristic, where to start, and what is looked for. Knows no algorithm."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

MAX_NODES = 2_000
"""Largest graph that is read. (chosen: a 44 x 44 grid; exercises are far smaller)"""

_DIGITS = re.compile(r"(\d+)")


class Algorithm(StrEnum):
    """The algorithms that can be traced."""

    BFS = "bfs"
    DFS = "dfs"
    UCS = "ucs"
    GREEDY = "greedy"
    ASTAR = "astar"
    DIJKSTRA = "dijkstra"

    @property
    def uses_g(self) -> bool:
        """Whether the choice of the next node depends on the cost so far."""
        return self in {Algorithm.UCS, Algorithm.ASTAR, Algorithm.DIJKSTRA}

    @property
    def uses_h(self) -> bool:
        """Whether the choice of the next node depends on the heuristic."""
        return self in {Algorithm.GREEDY, Algorithm.ASTAR}


@dataclass(frozen=True, kw_only=True)
class TraceProblem:
    """One search problem."""

    neighbours: Mapping[str, tuple[tuple[str, Fraction], ...]]
    """Node → (neighbour, cost of the edge), in the order written; every node is a key."""
    start: str
    goals: frozenset[str] = frozenset()
    """Empty: the whole graph is searched (Dijkstra)."""
    heuristic: Mapping[str, Fraction] = field(default_factory=dict)
    """Node → h; empty where the problem gives none."""
    algorithm: Algorithm | None = None
    """`None`: the problem does not say."""

    def h(self, node: str) -> Fraction | None:
        """Return a node's heuristic value; `None`: not given."""
        return self.heuristic.get(node)


def name_order(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts names by letter, and digits in them by size: n2 before n10."""
    return tuple(
        (0, int(part), "") if part.isdigit() else (1, 0, part.casefold()) for part in _DIGITS.split(name) if part
    )
