"""OPEN and CLOSED for the screen: the learner's own state after the last right step, never one step further."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from preceptor.tracing.checking import TraceVerdict
from preceptor.tracing.learner_trace import step_mentions
from preceptor.tracing.problem import name_order
from preceptor.tracing.search import Entry, SearchMachine

Facts: TypeAlias = set[tuple[str, Fraction | str | None]]
"""(name of a value, value) of one node."""


def state_view(verdict: TraceVerdict) -> dict[str, Any]:
    """Return the confirmed state as JSON values.

    Returns:
        `algorithm`, `status`, `step` (expansions confirmed), `current`, `open` and `closed`: lists of {node, g, h, f,
        parent}, by the course's rules; `path` to the goal, if the learner wrote it; `undetermined`: more than one state
        is legal, and only what they share is shown. A value stands only where the learner wrote it and all legal states
        have it; else it is null. All numbers are strings such as "7" or "7/2".
    """
    states = [one.state for one in verdict.confirmed]
    machine = verdict.confirmed[0].machine
    known = _written(verdict)
    live = [one.machine.live(one.state) for one in verdict.confirmed]
    shut = [state.closed for state in states]
    current = {state.current.node if state.current else None for state in states}
    return {
        "algorithm": str(verdict.algorithm),
        "status": verdict.status,
        "step": min(state.expansions for state in states),
        "current": current.pop() if len(current) == 1 else None,
        "open": sorted(_shared(live, known, machine), key=lambda one: name_order(one["node"])),
        "closed": _shared(shut, known, machine),
        "path": next((list(step.path) for step in verdict.trace.steps[: verdict.right_steps] if step.path), None),
        "undetermined": any(len({frozenset(e.node for e in one) for one in lists}) > 1 for lists in (live, shut)),
    }


def _written(verdict: TraceVerdict) -> dict[str, Facts]:
    """Return what the learner wrote of each node in the right steps."""
    known: dict[str, Facts] = {}
    for step in verdict.trace.steps[: verdict.right_steps]:
        for mention in step_mentions(step):
            for name in ("g", "h", "f", "parent"):
                value: Fraction | str | None = getattr(mention, name)
                if value is not None:
                    known.setdefault(mention.node, set()).add((name, value))
        for node, cost in step.distances.items():
            if cost is not None:
                known.setdefault(node, set()).add(("g", cost))
    return known


def _shared(
    lists: Sequence[Sequence[Entry]], known: Mapping[str, Facts], machine: SearchMachine
) -> list[dict[str, Any]]:
    """Return the entries of the first list whose node is in all of them, with the written values that all have."""
    held = [_by_node(entries, machine) for entries in lists]
    return [
        _entry(entry, known.get(entry.node, set()).intersection(*(one[entry.node] for one in held)), machine)
        for entry in lists[0]
        if all(entry.node in one for one in held)
    ]


def _by_node(entries: Sequence[Entry], machine: SearchMachine) -> dict[str, Facts]:
    found: dict[str, Facts] = {}
    for entry in entries:
        found.setdefault(entry.node, set()).update(
            _values(entry, machine).items(), (("parent", one) for one in entry.parents)
        )
    return found


def _values(entry: Entry, machine: SearchMachine) -> dict[str, Fraction | None]:
    return {"g": entry.g, "h": machine.problem.h(entry.node), "f": machine.f(entry.node, entry.g)}


def _entry(entry: Entry, sure: Facts, machine: SearchMachine) -> dict[str, Any]:
    values = _values(entry, machine)
    shown = {name: str(value) if (name, value) in sure else None for name, value in values.items()}
    parent = next((one for one in sorted(entry.parents) if ("parent", one) in sure), None)
    return {"node": entry.node, **shown, "parent": parent}
