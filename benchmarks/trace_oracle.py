"""Every run of a search algorithm on a small graph, by plain enumeration: the oracle of `trace_check`.

It shares no code with the product: graphs are dictionaries, runs are lists of rows, nothing is merged or pruned.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAX_RUNS = 1_500
"""A graph with more runs under its rules is not used. (chosen: enumeration stays quick)"""


@dataclass(frozen=True, kw_only=True)
class Row:
    """What stands after one expansion; the first row is the start."""

    node: str | None
    waiting: dict[str, tuple[int, str | None]]
    """Node in OPEN → (g, parent) of the entry that counts."""
    optional: frozenset[str]
    """Nodes that need not be listed: what the goal test on generation cut short."""
    shut: frozenset[str]
    stale: dict[str, frozenset[int]]
    """Node → every g at which it stands in OPEN, where the rules allow it to stand there more than once."""
    added: dict[str, int]
    """Nodes that were new in OPEN → g."""
    bettered: dict[str, int]
    """Nodes whose g fell → g."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One complete run."""

    rows: tuple[Row, ...]
    path: tuple[str, ...] | None
    cost: int
    rules: dict[str, Any]


class TooManyRunsError(Exception):
    """The graph has more runs than `MAX_RUNS`."""


def variants(rules: dict[str, Any], algorithm: str) -> Iterator[dict[str, Any]]:
    """Yield the rules with everything open decided but ties and neighbour order."""
    test = rules.get("goal_test", "textbook")
    if test == "textbook":
        test = "any" if algorithm in ("bfs", "dfs") else "expansion"
    tests = ["generation", "expansion"] if test == "any" else [test]
    reopen = rules.get("reopen", True)
    reopens = [True, False] if reopen == "any" else [reopen]
    doubles = rules.get("duplicates", "any")
    updates = rules.get("update_order", "any")
    for t, r, d, u in itertools.product(
        tests,
        reopens,
        ["forbid", "allow"] if doubles == "any" else [doubles],
        ["keep", "renew"] if updates == "any" else [updates],
    ):
        yield {**rules, "goal_test": t, "reopen": r, "duplicates": d, "update_order": u}


def every_run(
    edges: dict[str, list[tuple[str, int]]],
    h: dict[str, int],
    start: str,
    goal: str | None,
    algorithm: str,
    rules: dict[str, Any],
) -> list[Run]:
    """Return all runs under all variants of the rules.

    Raises:
        TooManyRunsError: There are more than `MAX_RUNS`.
    """
    runs: list[Run] = []
    for one in variants(rules, algorithm):
        world = _World(edges, h, start, goal, algorithm, one)
        for run in world.runs():
            runs.append(run)
            if len(runs) > MAX_RUNS:
                raise TooManyRunsError
    return runs


class _World:
    def __init__(
        self,
        edges: dict[str, list[tuple[str, int]]],
        h: dict[str, int],
        start: str,
        goal: str | None,
        algorithm: str,
        rules: dict[str, Any],
    ) -> None:
        self.edges, self.h, self.start, self.goal, self.algorithm, self.rules = edges, h, start, goal, algorithm, rules
        self.costed = algorithm in ("ucs", "astar", "dijkstra")

    def runs(self) -> Iterator[Run]:
        heap = [{"n": self.start, "g": 0, "p": None, "t": 0, "r": 0}]
        first = Row(
            node=None,
            waiting={self.start: (0, None)},
            optional=frozenset(),
            shut=frozenset(),
            stale={},
            added={},
            bettered={},
        )
        if self.rules["goal_test"] == "generation" and self.start == self.goal:
            yield Run(rows=(first,), path=(self.start,), cost=0, rules=self.rules)
            return
        yield from self._go(heap, {}, [first], 1)

    def _usable(self, heap: list[dict[str, Any]], shut: dict[str, Any]) -> list[dict[str, Any]]:
        """Return of each node not closed the entry that will be taken first."""
        chosen: dict[str, dict[str, Any]] = {}
        for entry in heap:
            if entry["n"] in shut:
                continue
            rival = chosen.get(entry["n"])
            if rival is None or self._before(entry, rival):
                chosen[entry["n"]] = entry
        return list(chosen.values())

    def _stale(self, heap: list[dict[str, Any]]) -> dict[str, frozenset[int]]:
        if self.rules["duplicates"] == "forbid":
            return {}
        return {e["n"]: frozenset(x["g"] for x in heap if x["n"] == e["n"]) for e in heap}

    def _before(self, entry: dict[str, Any], rival: dict[str, Any]) -> bool:
        if self.algorithm == "dfs":
            return bool(entry["t"] > rival["t"])
        return bool(self.costed and entry["g"] < rival["g"])

    def _legal(self, heap: list[dict[str, Any]], shut: dict[str, Any]) -> list[dict[str, Any]]:
        usable = self._usable(heap, shut)
        if not usable:
            return []
        if self.algorithm == "bfs":
            score = [(e["t"], e["r"]) for e in usable]
        elif self.algorithm == "dfs":
            score = [(-e["t"], e["r"]) for e in usable]
        elif self.algorithm == "greedy":
            score = [(self.h[e["n"]], 0) for e in usable]
        else:
            score = [(e["g"] + (self.h[e["n"]] if self.algorithm == "astar" else 0), 0) for e in usable]
        left = [e for e, s in zip(usable, score, strict=True) if s == min(score)]
        tie = self.rules.get("ties", "any")
        if tie == "alphabetical":
            left = [min(left, key=lambda e: str(e["n"]))]
        elif tie == "insertion":
            left = [e for e in left if (e["t"], e["r"]) == min((x["t"], x["r"]) for x in left)]
        elif tie == "last_in":
            left = [e for e in left if (e["t"], e["r"]) == max((x["t"], x["r"]) for x in left)]
        elif tie == "lowest_h":
            left = [e for e in left if self.h[e["n"]] == min(self.h[x["n"]] for x in left)]
        elif tie == "highest_g":
            left = [e for e in left if e["g"] == max(x["g"] for x in left)]
        return left

    def _go(self, heap: list[dict[str, Any]], shut: dict[str, Any], rows: list[Row], clock: int) -> Iterator[Run]:
        legal = self._legal(heap, shut)
        if not legal:
            yield Run(rows=tuple(rows), path=None, cost=0, rules=self.rules)
            return
        for entry in legal:
            yield from self._take(entry, [e for e in heap if e is not entry], dict(shut), rows, clock)

    def _take(
        self,
        entry: dict[str, Any],
        heap: list[dict[str, Any]],
        shut: dict[str, Any],
        rows: list[Row],
        clock: int,
    ) -> Iterator[Run]:
        node = entry["n"]
        shut[node] = entry
        if self.rules["goal_test"] == "expansion" and node == self.goal:
            row = Row(
                node=node,
                waiting={e["n"]: (e["g"], e["p"]["n"] if e["p"] else None) for e in self._usable(heap, shut)},
                optional=frozenset(),
                shut=frozenset(shut),
                stale=self._stale(heap),
                added={},
                bettered={},
            )
            yield Run(rows=(*rows, row), path=_chain(entry), cost=entry["g"], rules=self.rules)
            return
        known = {e["n"] for e in heap} | set(shut)
        before = {e["n"]: e["g"] for e in self._usable(heap, shut)}
        closed_before = {n: e["g"] for n, e in shut.items()}
        neighbours = list(self.edges[node])
        order = self.rules.get("neighbours", "any")
        if order in ("alphabetical", "reverse"):
            neighbours.sort(reverse=order == "reverse")
        end: dict[str, Any] | None = None
        for rank, (other, cost) in enumerate(neighbours):
            made = {"n": other, "g": entry["g"] + cost, "p": entry, "t": clock, "r": 0 if order == "any" else rank}
            heap = self._put(made, heap, shut)
            if self.rules["goal_test"] == "generation" and other == self.goal and other not in known and end is None:
                end = made
        usable = self._usable(heap, shut)
        waiting = {e["n"]: (e["g"], e["p"]["n"] if e["p"] else None) for e in usable}
        added = {n: g for n, (g, _) in waiting.items() if n not in known}
        bettered = {
            n: g
            for n, (g, _) in waiting.items()
            if n in known and g < before.get(n, closed_before.get(n, g)) and n not in added
        }
        optional = frozenset(e["n"] for e in usable if e["t"] == clock) if end is not None else frozenset()
        row = Row(
            node=node,
            waiting=waiting,
            optional=optional,
            shut=frozenset(shut),
            stale=self._stale(heap),
            added=added,
            bettered=bettered if self.costed else {},
        )
        if end is not None:
            yield Run(rows=(*rows, row), path=_chain(end), cost=end["g"], rules=self.rules)
            return
        yield from self._go(heap, shut, [*rows, row], clock + 1)

    def _put(self, made: dict[str, Any], heap: list[dict[str, Any]], shut: dict[str, Any]) -> list[dict[str, Any]]:
        node = made["n"]
        if node in shut:
            if self.rules["reopen"] and self.costed and made["g"] < shut[node]["g"]:
                del shut[node]
                return [*(e for e in heap if e["n"] != node), made]
            return heap
        held = [e for e in self._usable(heap, shut) if e["n"] == node]
        if not held:
            return [*heap, made]
        if self.costed and made["g"] == held[0]["g"]:
            return heap
        if self.rules["duplicates"] == "allow":
            return [*heap, made]
        if self.costed and made["g"] < held[0]["g"]:
            if self.rules["update_order"] == "keep":
                made = {**made, "t": held[0]["t"], "r": held[0]["r"]}
            return [*(e for e in heap if e is not held[0]), made]
        return heap


def _chain(entry: dict[str, Any]) -> tuple[str, ...]:
    names: list[str] = []
    walk: dict[str, Any] | None = entry
    while walk is not None:
        names.append(walk["n"])
        walk = walk["p"]
    return tuple(reversed(names))
