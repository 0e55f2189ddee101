"""A scripted learner of search algorithms: writes a trace with up to two mistakes, and may see them when told where."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from preceptor.lab.protocols.revision import (
    DETAIL_NAMED,
    MISLED,
    PLACE_NAMED,
    SPOILS,
    UNAIDED,
    asks_to_look_again,
    learner_chances,
)
from preceptor.lab.protocols.trace_task import TraceTask
from preceptor.tracing.problem import Algorithm, name_order
from preceptor.tracing.search import Entry, SearchState

MistakeKind = Literal["left_in_open", "missing", "wrong_value", "stopped_early"]
N_MISTAKES = (0, 1, 1, 1, 2, 2)
"""Mistakes of a learner, drawn from these. (chosen)"""
_STEP = re.compile(r"\b[Ss]tep\s+(\d+)|第\s*(\d+)\s*步")


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """One mistake in a trace."""

    kind: MistakeKind
    step: int
    """Expansion from which it stands, from 1."""
    node: str
    chance: float
    """Drawn once, in [0, 1): seen where the words give a chance above it; so both arms have the same luck."""


class ScriptedTraceLearner:
    """Writes one row per expansion: the node, OPEN, CLOSED."""

    engine = "scripted traces"

    def __init__(self, task: TraceTask, number: int, *, seed: int) -> None:
        """Draw the mistakes; the same task, number and seed draw the same."""
        self._task = task
        rng = learner_chances(task.task_id, number, seed)
        self.mistakes = _draw(task, rng, rng.choice(N_MISTAKES))
        self._spare = _draw(task, rng, 1)
        self._slips = rng.random()

    async def attempt(self) -> str:
        """Return the trace with every mistake in it."""
        return _write(self._task, self.mistakes)

    async def revise(self, work: str, said: str) -> str:
        """Return the trace again without the mistakes that were seen; all of it is decided by the words alone."""
        steps = {int(one or other) for one, other in _STEP.findall(said)}
        kept = [one for one in self.mistakes if one.chance >= self._chance(one, said, steps)]
        spoiled = [
            one
            for one in self._spare
            if self._slips < self._spoil_chance(said, steps) and all(one.step != other.step for other in self.mistakes)
        ]
        return _write(self._task, [*kept, *spoiled])

    @staticmethod
    def _chance(mistake: Mistake, said: str, steps: set[int]) -> float:
        if mistake.step in steps:
            name = rf"(?<![A-Za-z0-9_]){re.escape(mistake.node)}(?![A-Za-z0-9_])"
            named = bool(mistake.node) and re.search(name, said)
            return DETAIL_NAMED if named else PLACE_NAMED
        return UNAIDED if asks_to_look_again(said) and not steps else 0.0

    def _spoil_chance(self, said: str, steps: set[int]) -> float:
        if steps:
            return MISLED if not steps & {one.step for one in self.mistakes} else 0.0
        return SPOILS if asks_to_look_again(said) else 0.0


def _draw(task: TraceTask, rng: random.Random, n: int) -> list[Mistake]:
    """Return up to n mistakes at different steps, in order.

    What the checker takes for legal is no mistake: rules that are open may allow a node to stand in OPEN or not.
    """
    possible = list(_possible(task))
    rng.shuffle(possible)
    found: dict[int, Mistake] = {}
    for kind, step, node in possible:
        if len(found) == n:
            break
        made = Mistake(kind=kind, step=step, node=node, chance=rng.random())
        if step not in found and task.verdict(_write(task, [made])).status != "complete":
            found[step] = made
    return [found[step] for step in sorted(found)]


def _possible(task: TraceTask) -> list[tuple[MistakeKind, int, str]]:
    found: list[tuple[MistakeKind, int, str]] = []
    run = task.run
    for step in range(1, len(run)):
        before, state = run[step - 1], run[step]
        current = state.current
        assert current is not None
        if step < len(run) - 1:
            found.append(("left_in_open", step, current.node))
        known = {entry.node for entry in (*before.opened, *before.closed)}
        for entry in task.machine.live(state):
            if entry.node not in known and state.found is None:
                found.append(("missing", step, entry.node))
                if task.algorithm not in {Algorithm.BFS, Algorithm.DFS, Algorithm.GREEDY}:
                    found.append(("wrong_value", step, entry.node))
    if len(run) > 3:
        found.append(("stopped_early", len(run) - 2, ""))
    return found


def _write(task: TraceTask, mistakes: list[Mistake]) -> str:
    lines: list[str] = []
    stops = min((one.step for one in mistakes if one.kind == "stopped_early"), default=len(task.run))
    for step, state in enumerate(task.run[1:], start=1):
        if step > stops:
            return "\n".join(lines) + "\n"
        assert state.current is not None
        lines.append(
            f"{step}. expand {state.current.node}, OPEN: {_opened(task, state, step, mistakes)}; {_shut(state)}"
        )
    final = task.run[-1].found
    if final is not None:
        path = min(task.machine.goal_paths(task.run[-1]), key=lambda one: [name_order(node) for node in one])
        cost = f", cost {_number(final.g)}" if task.algorithm.uses_g else ""
        lines.append(f"Path: {'-'.join(path)}{cost}")
    return "\n".join(lines) + "\n"


def _opened(task: TraceTask, state: SearchState, step: int, mistakes: list[Mistake]) -> str:
    shown: list[str] = []
    for entry in task.machine.live(state):
        here = [one for one in mistakes if one.node == entry.node and one.step <= step]
        if any(one.kind == "missing" for one in here):
            continue
        off = sum(one.kind == "wrong_value" for one in here)
        shown.append(_entry(task, entry, off))
    for one in mistakes:
        if one.kind == "left_in_open" and one.step == step and state.current is not None:
            shown.insert(0, _entry(task, state.current, 0))
    return ", ".join(shown) or "-"


def _entry(task: TraceTask, entry: Entry, off: int) -> str:
    g, h = entry.g + off, task.problem.h(entry.node)
    if task.algorithm in {Algorithm.BFS, Algorithm.DFS}:
        return entry.node
    if task.algorithm is Algorithm.ASTAR:
        assert h is not None
        return f"{entry.node}(g={_number(g)}, h={_number(h)}, f={_number(g + h)})"
    value = h if task.algorithm is Algorithm.GREEDY and h is not None else g
    return f"{entry.node}({_number(value)})"


def _shut(state: SearchState) -> str:
    return f"CLOSED: {', '.join(entry.node for entry in state.closed) or '-'}"


def _number(value: Fraction) -> str:
    return str(value)
