"""The six algorithms as one explicit state machine: OPEN, CLOSED, current node, g, parents; every legal next step.

Knows nothing of learners. Where the rules leave a tie open, `choices` returns all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from preceptor.errors import InputError
from preceptor.tracing.problem import Algorithm, TraceProblem, name_order
from preceptor.tracing.rules import RunRules, Tie

MAX_STEPS = 5_000
"""A run is broken off after so many expansions. (chosen: a tree search without path check may never end)"""
MAX_PATHS = 64
"""Equally cheap paths remembered for one entry. (chosen)"""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One entry of OPEN or CLOSED."""

    node: str
    g: Fraction
    """Cost of the path from the start."""
    paths: frozenset[tuple[str, ...]]
    """The path that made it, start first, with others of equal cost."""
    batch: int
    """Number of the expansion that put it there; 0: the start."""
    rank: int = 0
    """Place among its siblings; equal where the order of neighbours is open."""

    @property
    def depth(self) -> int:
        """Number of edges of its shortest path."""
        return min(len(path) for path in self.paths) - 1

    @property
    def parents(self) -> frozenset[str]:
        """The node before it on each of its paths; empty for the start."""
        return frozenset(path[-2] for path in self.paths if len(path) > 1)


@dataclass(frozen=True, kw_only=True)
class SearchState:
    """The state after some expansions."""

    opened: tuple[Entry, ...]
    """OPEN with every entry, also those that a cheaper one has made stale."""
    closed: tuple[Entry, ...] = ()
    """CLOSED in order of expansion."""
    current: Entry | None = None
    """The node expanded last."""
    expansions: int = 0
    found: Entry | None = None
    """The goal, once it is recognised."""
    found_on_generation: bool = False


class SearchMachine:
    """One algorithm on one problem under one set of rules."""

    def __init__(self, problem: TraceProblem, algorithm: Algorithm, rules: RunRules) -> None:
        """Refuse a problem that the algorithm cannot run on.

        Raises:
            InputError: A heuristic is missing, or an edge costs less than 0 where costs count.
        """
        self.problem, self.algorithm, self.rules = problem, algorithm, rules
        if algorithm.uses_h:
            missing = [node for node in problem.neighbours if problem.h(node) is None]
            if missing:
                raise InputError(
                    f"{algorithm} needs a heuristic value of every node; none for {', '.join(missing[:5])}"
                )
        if algorithm.uses_g:
            for node, edges in problem.neighbours.items():
                for other, cost in edges:
                    if cost < 0:
                        raise InputError(f"{algorithm} needs costs of 0 or more; edge {node}-{other} costs {cost}")
        if algorithm is not Algorithm.DIJKSTRA and not problem.goals:
            raise InputError(f"{algorithm} needs a goal; the problem names none")
        order = rules.neighbours
        self._neighbours = {
            node: tuple(edges)
            if order in {"as_written", "any"}
            else tuple(sorted(edges, key=lambda edge: name_order(edge[0]), reverse=order == "reverse"))
            for node, edges in problem.neighbours.items()
        }

    def initial(self) -> SearchState:
        """Return the state with only the start in OPEN."""
        entry = Entry(node=self.problem.start, g=Fraction(0), paths=frozenset({(self.problem.start,)}), batch=0)
        early = self.rules.goal_test == "generation" and self.problem.start in self.problem.goals
        return SearchState(opened=(entry,), found=entry if early else None, found_on_generation=early)

    def live(self, state: SearchState) -> tuple[Entry, ...]:
        """Return the entries of OPEN that can still be expanded, in order of insertion."""
        if self.rules.search == "tree":
            return state.opened
        shut = {entry.node for entry in state.closed}
        best: dict[str, Entry] = {}
        for entry in state.opened:
            held = best.get(entry.node)
            if entry.node not in shut and (held is None or self._sooner(entry, held)):
                best[entry.node] = entry
        return tuple(entry for entry in state.opened if best.get(entry.node) is entry)

    def choices(self, state: SearchState) -> tuple[Entry, ...]:
        """Return every entry that may be expanded next; empty: the run is over."""
        live = self.live(state)
        if state.found is not None or not live or state.expansions >= MAX_STEPS:
            return ()
        least = min(self._key(entry) for entry in live)
        left = [entry for entry in live if self._key(entry) == least]
        for tie in self.rules.ties:
            left = self._settled(left, tie)
        return tuple(left)

    def over(self, state: SearchState) -> bool:
        """Return whether the run has ended."""
        return not self.choices(state)

    def f(self, node: str, g: Fraction) -> Fraction:
        """Return the value by which the algorithm compares nodes: g, h, or their sum; g without costs."""
        h = self.problem.h(node) or Fraction(0)
        if self.algorithm is Algorithm.GREEDY:
            return h
        return g + h if self.algorithm is Algorithm.ASTAR else g

    def expand(self, state: SearchState, entry: Entry) -> SearchState:
        """Return the state after one entry of OPEN has been expanded."""
        rest = tuple(one for one in state.opened if one is not entry)
        closed = (*state.closed, entry)
        number = state.expansions + 1
        after = SearchState(opened=rest, closed=closed, current=entry, expansions=number)
        if self.rules.goal_test == "expansion" and entry.node in self.problem.goals:
            return replace(after, found=entry)
        for place, (node, cost) in enumerate(self._neighbours[entry.node]):
            reached = Entry(
                node=node,
                g=entry.g + cost,
                paths=frozenset(sorted((*path, node) for path in entry.paths)[:MAX_PATHS]),
                batch=number,
                rank=0 if self.rules.neighbours == "any" else place,
            )
            is_new = not any(one.node == node for one in (*after.opened, *after.closed))
            after = self._reach(after, reached)
            if self.rules.goal_test == "generation" and is_new and node in self.problem.goals and not after.found:
                after = replace(after, found=reached, found_on_generation=True)
        return after

    def earlier_costs(self, node: str, state: SearchState) -> set[Fraction]:
        """Return the costs at which expanded nodes have reached a node, whichever counts."""
        return {
            entry.g + cost
            for entry in state.closed
            for other, cost in self.problem.neighbours[entry.node]
            if other == node
        }

    def goal_paths(self, state: SearchState) -> set[tuple[str, ...]]:
        """Return the paths to the goal found: as it was reached, and as the parents now stand."""
        if state.found is None:
            return set()
        paths = set(state.found.paths)
        if self.rules.search == "graph":
            best = {entry.node: entry for entry in (*state.closed, *self.live(state))}
            backward = [state.found.node]
            entry = state.found
            while entry.parents and len(backward) <= len(best):
                parent = min(entry.parents, key=name_order)
                backward.append(parent)
                entry = best.get(parent, entry)
            if backward[-1] == self.problem.start:
                paths.add(tuple(reversed(backward)))
        return paths

    def runs(self, state: SearchState | None = None) -> list[SearchState]:
        """Return one legal run from a state to its end, the state first; open ties go to the first in the alphabet."""
        states = [state or self.initial()]
        while choices := self.choices(states[-1]):
            states.append(self.expand(states[-1], min(choices, key=lambda one: name_order(one.node))))
        return states

    def _reach(self, state: SearchState, reached: Entry) -> SearchState:
        """Return the state after one neighbour of the current node was looked at."""
        opened, closed, node = state.opened, state.closed, reached.node
        if self.rules.search == "tree":
            on_path = all(node in path[:-1] for path in reached.paths)
            return state if on_path and self.rules.path_check else replace(state, opened=(*opened, reached))
        shut = next((one for one in closed if one.node == node), None)
        if shut is not None:
            if not (self.rules.reopen and self.algorithm.uses_g and reached.g < shut.g):
                return state
            kept = tuple(one for one in closed if one is not shut)
            stale = tuple(one for one in opened if one.node != node)
            return replace(state, opened=(*stale, reached), closed=kept)
        held = next((one for one in self.live(state) if one.node == node), None)
        if held is None:
            return replace(state, opened=(*opened, reached))
        if self.algorithm.uses_g and reached.g == held.g:
            both = replace(held, paths=frozenset(sorted(held.paths | reached.paths)[:MAX_PATHS]))
            return replace(state, opened=tuple(both if one is held else one for one in opened))
        if self.rules.duplicates == "allow":
            return replace(state, opened=(*opened, reached))
        if self.algorithm.uses_g and reached.g < held.g:
            if self.rules.update_order == "keep":
                reached = replace(reached, batch=held.batch, rank=held.rank)
            return replace(state, opened=(*(one for one in opened if one is not held), reached))
        return state

    def _sooner(self, entry: Entry, held: Entry) -> bool:
        """Return whether one entry of a node is expanded before another entry of the same node."""
        if self.algorithm is Algorithm.DFS:
            return entry.batch > held.batch
        return self.algorithm.uses_g and entry.g < held.g

    def _key(self, entry: Entry) -> tuple[Fraction | int, int]:
        if self.algorithm is Algorithm.BFS:
            return entry.batch, entry.rank
        if self.algorithm is Algorithm.DFS:
            return -entry.batch, entry.rank
        return self.f(entry.node, entry.g), 0

    def _settled(self, left: list[Entry], tie: Tie) -> list[Entry]:
        if tie == "alphabetical":
            first = min(name_order(entry.node) for entry in left)
            return [entry for entry in left if name_order(entry.node) == first]
        if tie == "insertion":
            oldest = min((entry.batch, entry.rank) for entry in left)
            return [entry for entry in left if (entry.batch, entry.rank) == oldest]
        if tie == "last_in":
            newest = max((entry.batch, entry.rank) for entry in left)
            return [entry for entry in left if (entry.batch, entry.rank) == newest]
        if tie == "highest_g":
            most = max(entry.g for entry in left)
            return [entry for entry in left if entry.g == most]
        least = _lowest(self.problem, left)
        return [entry for entry in left if self.problem.h(entry.node) == least]


def _lowest(problem: TraceProblem, entries: Iterable[Entry]) -> Fraction | None:
    values = [h for entry in entries if (h := problem.h(entry.node)) is not None]
    return min(values) if values else None
