"""OPEN and CLOSED for the screen: the learner's own state after the last right step, never one step further."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from preceptor.tracing.checking import TraceVerdict
from preceptor.tracing.learner_trace import step_mentions
from preceptor.tracing.problem import name_order
from preceptor.tracing.search import Entry


def state_view(verdict: TraceVerdict) -> dict[str, Any]:
    """Return the confirmed state as JSON values.

    Returns:
        `algorithm`, `status`, `step` (expansions confirmed), `current`, `open` and `closed`: lists of {node, g, h, f,
        parent}, by the course's rules; `path` to the goal, if the learner wrote it; `undetermined`: more than one state
        is legal, and only what they share is shown. A value stands only where the learner wrote it and it still holds;
        else it is null. All numbers are strings such as "7" or "7/2".
    """
    states = [one.state for one in verdict.confirmed]
    first = verdict.confirmed[0]
    known = _written(verdict)
    live = [{entry.node for entry in one.machine.live(one.state)} for one in verdict.confirmed]
    shut = [{entry.node for entry in state.closed} for state in states]
    opened = [entry for entry in first.machine.live(first.state) if all(entry.node in one for one in live)]
    closed = [entry for entry in first.state.closed if all(entry.node in one for one in shut)]
    current = {state.current.node if state.current else None for state in states}
    return {
        "algorithm": str(verdict.algorithm),
        "status": verdict.status,
        "step": min(state.expansions for state in states),
        "current": current.pop() if len(current) == 1 else None,
        "open": [_entry(entry, known, verdict) for entry in sorted(opened, key=lambda one: name_order(one.node))],
        "closed": [_entry(entry, known, verdict) for entry in closed],
        "path": next((list(step.path) for step in verdict.trace.steps[: verdict.right_steps] if step.path), None),
        "undetermined": len({frozenset(one) for one in live}) > 1 or len({frozenset(one) for one in shut}) > 1,
    }


def _written(verdict: TraceVerdict) -> dict[str, set[tuple[str, Fraction | str]]]:
    """Return what the learner wrote of each node in the right steps."""
    known: dict[str, set[tuple[str, Fraction | str]]] = {}
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


def _entry(entry: Entry, known: dict[str, set[tuple[str, Fraction | str]]], verdict: TraceVerdict) -> dict[str, Any]:
    machine = verdict.confirmed[0].machine
    written = known.get(entry.node, set())
    values: dict[str, Fraction | None] = {
        "g": entry.g,
        "h": machine.problem.h(entry.node),
        "f": machine.f(entry.node, entry.g),
    }
    shown = {name: str(value) if (name, value) in written else None for name, value in values.items()}
    parent = next((one for one in sorted(entry.parents) if ("parent", one) in written), None)
    return {"node": entry.node, **shown, "parent": parent}
