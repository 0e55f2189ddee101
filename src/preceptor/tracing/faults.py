"""Comparing one learner step with one legal transition: every way in which they differ, by kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Literal

from preceptor.tracing.learner_trace import LearnerStep, Listing, Mention
from preceptor.tracing.problem import Algorithm
from preceptor.tracing.search import Entry, SearchMachine, SearchState

Shown = Literal["after", "before"]
"""Whether OPEN and CLOSED in a step show the state after its expansion or before it."""
ClosedShown = Literal["with_current", "without_current", "with_open"]
"""Whether the node expanded in a step stands in its CLOSED; `with_open`: visited means reached."""


class TraceFault(StrEnum):
    """Kinds of a wrong step."""

    WRONG_NODE_EXPANDED = "wrong_node_expanded"
    """It is in OPEN, and another has to be taken first."""
    EXPANDED_UNREACHED = "expanded_unreached"
    """It has not been reached."""
    REEXPANDED_CLOSED = "reexpanded_closed"
    LEFT_IN_OPEN = "left_in_open"
    """An expanded node still stands in OPEN."""
    CLOSED_READDED = "closed_readded"
    """A node closed earlier was put back into OPEN."""
    MISSING_FROM_OPEN = "missing_from_open"
    WRONG_NEIGHBOUR_ADDED = "wrong_neighbour_added"
    """It stands in OPEN and has not been reached."""
    MISSED_G_UPDATE = "missed_g_update"
    """The old value stands although a cheaper path was found."""
    WRONG_G = "wrong_g"
    WRONG_H = "wrong_h"
    WRONG_F = "wrong_f"
    WRONG_PARENT = "wrong_parent"
    MISSING_FROM_CLOSED = "missing_from_closed"
    WRONG_CLOSED = "wrong_closed"
    """It stands in CLOSED and has not been expanded."""
    GOAL_TEST_EARLY = "goal_test_early"
    GOAL_TEST_LATE = "goal_test_late"
    STOPPED_EARLY = "stopped_early"
    WENT_ON = "went_on"
    WRONG_PATH = "wrong_path"
    WRONG_COST = "wrong_cost"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One difference."""

    kind: TraceFault
    node: str | None
    """The node it is about; may be one that the learner has not written."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a learner lays a step out; the same through a whole trace."""

    shown: Shown = "after"
    closed: ClosedShown = "with_current"
    bare_is_g: bool = False
    """In A*, a value without its name is the cost so far."""


@dataclass(frozen=True, kw_only=True)
class Transition:
    """One legal expansion."""

    machine: SearchMachine
    before: SearchState
    entry: Entry | None
    """The node expanded; `None`: nothing was, the state is only shown."""
    after: SearchState
    end: SearchState | None = None
    """The state after one more expansion that is not written: the goal's own, before a path or "done"."""


def step_faults(step: LearnerStep, move: Transition, layout: Layout) -> list[Fault]:
    """Return every difference between a step and a transition; empty: the step is right."""
    found: list[Fault] = []
    if step.expanded is not None and move.entry is not None:
        found += _value_faults(step.expanded, [move.entry], move)
    state = move.before if layout.shown == "before" else move.after
    if step.opened is not None:
        found += _open_faults(step.opened, state, move, layout)
    if step.closed is not None:
        found += _closed_faults(step.closed, state, move, layout)
    if step.added is not None:
        updated = {mention.node for mention in step.updated.mentions} if step.updated is not None else set()
        found += _added_faults(step.added, updated, move)
    if step.updated is not None:
        for mention in step.updated.mentions:
            found += _held_faults(mention, move.after, move)
    found += _distance_faults(step, move)
    found += _end_faults(step, move)
    return found


def _open_faults(listing: Listing, state: SearchState, move: Transition, layout: Layout) -> Iterator[Fault]:
    live = move.machine.live(state)
    held = {entry.node for entry in live}
    shut = [entry.node for entry in state.closed]
    for mention in listing.mentions:
        entries = [entry for entry in state.opened if entry.node == mention.node]
        if mention.unreached:
            if mention.node in held:
                yield Fault(kind=TraceFault.MISSING_FROM_OPEN, node=mention.node)
        elif mention.node in held:
            counting = [entry for entry in live if entry.node == mention.node]
            others = [one for one in listing.mentions if one.node == mention.node and one is not mention]
            if any(not _value_faults(one, counting, move) for one in others):
                counting += entries
            yield from _value_faults(mention, counting, move)
        elif mention.node in shut and move.machine.rules.search == "graph":
            if entries and move.machine.rules.duplicates == "allow" and not _value_faults(mention, entries, move):
                continue
            before = {entry.node for entry in move.before.closed}
            kind = TraceFault.CLOSED_READDED if mention.node in before else TraceFault.LEFT_IN_OPEN
            yield Fault(kind=kind, node=mention.node)
        elif mention.node in shut:
            yield Fault(kind=TraceFault.LEFT_IN_OPEN, node=mention.node)
        else:
            yield Fault(kind=TraceFault.WRONG_NEIGHBOUR_ADDED, node=mention.node)
    if listing.complete:
        listed = {mention.node for mention in listing.mentions if not mention.unreached}
        optional = _not_generated(state, move) if layout.shown == "after" else set()
        for node in sorted(held - listed - optional):
            yield Fault(kind=TraceFault.MISSING_FROM_OPEN, node=node)
        if move.machine.rules.search == "tree" and not held - listed:
            yield from _counted_faults(listing, live, optional)


def _counted_faults(listing: Listing, live: tuple[Entry, ...], optional: set[str]) -> Iterator[Fault]:
    """In a tree search a node stands in OPEN as often as it was reached."""
    for node in sorted({entry.node for entry in live} - optional):
        times = sum(entry.node == node for entry in live)
        written = sum(mention.node == node for mention in listing.mentions)
        if written > times:
            yield Fault(kind=TraceFault.LEFT_IN_OPEN, node=node)
        elif written < times:
            yield Fault(kind=TraceFault.MISSING_FROM_OPEN, node=node)


def _not_generated(state: SearchState, move: Transition) -> set[str]:
    """Return nodes that need not be listed: once the goal is generated, the rest of its siblings and itself."""
    if state.found is None or not state.found_on_generation:
        return set()
    return {one.node for one in move.machine.live(state) if one.batch == state.expansions} | {state.found.node}


def _closed_faults(listing: Listing, state: SearchState, move: Transition, layout: Layout) -> Iterator[Fault]:
    shut = {entry.node for entry in state.closed}
    optional: set[str] = set()
    if move.after.found is not None and move.entry is not None and layout.shown == "after":
        optional = {move.after.found.node}
    if layout.closed == "without_current" and move.entry is not None and layout.shown == "after":
        if move.entry.node not in {entry.node for entry in move.before.closed}:
            shut.discard(move.entry.node)
    if layout.closed == "with_open":
        shut |= {entry.node for entry in state.opened}
        optional |= _not_generated(state, move)
    listed = {mention.node for mention in listing.mentions}
    for node in sorted(listed - shut - optional):
        yield Fault(kind=TraceFault.WRONG_CLOSED, node=node)
    if listing.complete:
        for node in sorted(shut - listed - optional):
            yield Fault(kind=TraceFault.MISSING_FROM_CLOSED, node=node)


def _added_faults(listing: Listing, updated: set[str], move: Transition) -> Iterator[Fault]:
    fresh = {entry.node for entry in move.after.opened if entry not in move.before.opened}
    known = {entry.node for entry in move.before.opened} | {entry.node for entry in move.before.closed}
    for mention in listing.mentions:
        if mention.node in fresh:
            entries = [entry for entry in move.machine.live(move.after) if entry.node == mention.node]
            entries += [entry for entry in move.after.opened if entry.node == mention.node and entry not in entries]
            yield from _value_faults(mention, [one for one in entries if one not in move.before.opened], move)
        elif mention.node in {entry.node for entry in move.after.closed}:
            yield Fault(kind=TraceFault.CLOSED_READDED, node=mention.node)
        else:
            yield Fault(kind=TraceFault.WRONG_NEIGHBOUR_ADDED, node=mention.node)
    if listing.complete:
        listed = {mention.node for mention in listing.mentions}
        excused = listed | _not_generated(move.after, move)
        for node in sorted((fresh - known) - excused):
            yield Fault(kind=TraceFault.MISSING_FROM_OPEN, node=node)
        again = fresh & known if move.machine.algorithm in {Algorithm.BFS, Algorithm.DFS} else set()
        # Without costs no rule tells the nodes that already wait apart: all are added again, or none is.
        if again & listed and move.after.found is None:
            for node in sorted(again - excused - updated):
                yield Fault(kind=TraceFault.MISSING_FROM_OPEN, node=node)


def _held_faults(mention: Mention, state: SearchState, move: Transition) -> Iterator[Fault]:
    """Compare a mention with the entries of its node, wherever it stands."""
    live = [entry for entry in move.machine.live(state) if entry.node == mention.node]
    entries = live or [entry for entry in state.closed if entry.node == mention.node]
    if entries:
        yield from _value_faults(mention, entries, move)
    else:
        yield Fault(kind=TraceFault.WRONG_NEIGHBOUR_ADDED, node=mention.node)


def _value_faults(mention: Mention, entries: list[Entry], move: Transition) -> list[Fault]:
    """Return the faults against the entry that fits best; the first entry is the one that counts."""
    faults: list[Fault] = []
    for entry in entries:
        found = _entry_faults(mention, entry, move)
        if not found:
            return []
        faults = faults or found
    return faults


def _entry_faults(mention: Mention, entry: Entry, move: Transition) -> list[Fault]:
    machine, node = move.machine, mention.node
    h = machine.problem.h(node)
    if mention.h is not None and h is not None and mention.h != h:
        return [Fault(kind=TraceFault.WRONG_H, node=node)]
    costs = {entry.g}
    if machine.algorithm in {Algorithm.BFS, Algorithm.DFS, Algorithm.GREEDY}:
        costs.add(Fraction(entry.depth))
    if mention.g is not None and mention.g not in costs:
        kind = TraceFault.MISSED_G_UPDATE if mention.g in _old_costs(node, entry, move) else TraceFault.WRONG_G
        return [Fault(kind=kind, node=node)]
    if mention.f is not None and mention.f != machine.f(node, entry.g):
        old = {machine.f(node, cost) for cost in _old_costs(node, entry, move)}
        missed = mention.g is None and mention.f in old
        return [Fault(kind=TraceFault.MISSED_G_UPDATE if missed else TraceFault.WRONG_F, node=node)]
    if mention.path and mention.path not in entry.paths:
        return [Fault(kind=TraceFault.WRONG_PATH, node=node)]
    if mention.parent is not None and mention.parent not in entry.parents:
        return [Fault(kind=TraceFault.WRONG_PARENT, node=node)]
    return []


def _old_costs(node: str, entry: Entry, move: Transition) -> set[Fraction]:
    """Return the costs that a node had earlier and that a cheaper path has replaced."""
    before = {one.g for one in (*move.before.opened, *move.before.closed) if one.node == node}
    return {cost for cost in before | move.machine.earlier_costs(node, move.after) if cost > entry.g}


def _distance_faults(step: LearnerStep, move: Transition) -> Iterator[Fault]:
    for node, value in step.distances.items():
        entries = [one for one in (*move.machine.live(move.after), *move.after.closed) if one.node == node]
        if value is None and entries:
            yield Fault(kind=TraceFault.MISSING_FROM_OPEN, node=node)
        elif value is not None and not entries:
            yield Fault(kind=TraceFault.WRONG_NEIGHBOUR_ADDED, node=node)
        elif value is not None:
            yield from _value_faults(Mention(node=node, g=value), entries, move)


def _end_faults(step: LearnerStep, move: Transition) -> Iterator[Fault]:
    machine, state = move.machine, move.end or move.after
    goals = machine.problem.goals
    to_goal = bool(step.path) and step.path[-1] in goals
    if step.path and not to_goal and move.entry is not None and step.path[-1] == move.entry.node:
        if step.path not in move.entry.paths:
            yield Fault(kind=TraceFault.WRONG_PATH, node=move.entry.node)
    if (to_goal or step.stops) and state.found is None and (goals or not machine.over(state)):
        reached = [entry.node for entry in machine.live(state) if entry.node in goals]
        if reached:
            yield Fault(kind=TraceFault.GOAL_TEST_EARLY, node=reached[0])
        else:
            yield Fault(kind=TraceFault.STOPPED_EARLY, node=None)
        return
    if step.fails and not (machine.over(state) and state.found is None):
        yield Fault(kind=TraceFault.STOPPED_EARLY, node=None)
    if to_goal and state.found is not None:
        if step.path not in machine.goal_paths(state):
            yield Fault(kind=TraceFault.WRONG_PATH, node=step.path[-1])
        elif step.path_cost is not None and step.path_cost not in {state.found.g, Fraction(state.found.depth)}:
            yield Fault(kind=TraceFault.WRONG_COST, node=step.path[-1])
