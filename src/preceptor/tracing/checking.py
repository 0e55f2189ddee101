"""Checking a learner's trace: the set of legal states is carried along; the first step that no run allows is named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from preceptor.errors import InputError
from preceptor.tracing.faults import ClosedShown, Fault, Layout, TraceFault, Transition, step_faults
from preceptor.tracing.learner_trace import LearnerStep, LearnerTrace, bare_as_g, step_mentions
from preceptor.tracing.problem import Algorithm, TraceProblem
from preceptor.tracing.rules import CourseRules
from preceptor.tracing.search import SearchMachine, SearchState

MAX_HYPOTHESES = 5_000
"""Legal states held at once; with more, the trace is left undecided. (chosen)"""

TraceStatus = Literal["complete", "right_so_far", "wrong", "unread", "undecided"]
"""`unread`: no step could be read; `undecided`: too much is open to say."""


@dataclass(frozen=True, kw_only=True)
class Hypothesis:
    """One way in which everything so far is right."""

    machine: SearchMachine
    layout: Layout
    state: SearchState


@dataclass(frozen=True, kw_only=True)
class TraceVerdict:
    """What was found in a trace."""

    status: TraceStatus
    problem: TraceProblem
    algorithm: Algorithm
    trace: LearnerTrace
    right_steps: int
    """Steps read and found right before the first wrong one."""
    wrong_step: int | None = None
    """Number of the first wrong step, from 1; `right_steps` + 1."""
    line: int | None = None
    """The learner's line of that step."""
    fault: Fault | None = None
    confirmed: tuple[Hypothesis, ...] = field(default=(), repr=False)
    """Every legal state after the last right step; the tutor's own, never shown as it is."""

    @property
    def step(self) -> LearnerStep | None:
        """The first wrong step; `None`: none, or the trace ends before it."""
        number = self.wrong_step
        return self.trace.steps[number - 1] if number is not None and number <= len(self.trace.steps) else None


def check_trace(
    trace: LearnerTrace,
    problem: TraceProblem,
    rules: CourseRules,
    algorithm: Algorithm | None = None,
    *,
    whole: bool = False,
) -> TraceVerdict:
    """Return the first step of a trace that no run under the rules allows, or that there is none.

    Args:
        trace: As read.
        problem: What is searched.
        rules: The course's; where they leave something open, every way is legal, one way through the whole trace.
        algorithm: `None`: the problem's own.
        whole: The trace is handed in as finished: ending before the search ends is a fault.

    Raises:
        InputError: No algorithm is named, or the problem does not fit it.
    """
    algorithm = algorithm or problem.algorithm
    if algorithm is None:
        raise InputError(f"no algorithm is named; expected one of {', '.join(Algorithm)}")
    held = _initial(trace, problem, rules, algorithm)
    right = 0
    named = sum(step.expanded is not None for step in trace.steps)
    for number, step in enumerate(trace.steps, start=1):
        if number == 1 and _is_start(step, named * 2 >= len(trace.steps)):
            step = replace(step, starts=True)
        after, fault = _advance(held, step, first=number == 1)
        if len(after) > MAX_HYPOTHESES:
            return _verdict("undecided", problem, algorithm, trace, right, held)
        if not after:
            return _verdict("wrong", problem, algorithm, trace, right, held, number, step.line, fault)
        held, right = after, number
    if not trace.steps:
        return _verdict("unread", problem, algorithm, trace, 0, held)
    if any(one.machine.over(one.state) for one in held):
        return _verdict("complete", problem, algorithm, trace, right, held)
    if whole and not trace.end_gap:
        fault = Fault(kind=TraceFault.STOPPED_EARLY, node=None)
        return _verdict("wrong", problem, algorithm, trace, right, held, right + 1, trace.steps[-1].line, fault)
    return _verdict("right_so_far", problem, algorithm, trace, right, held)


def _is_start(step: LearnerStep, others_name_nodes: bool) -> bool:
    """Return whether a first step shows the state before any expansion."""
    nothing_closed = step.closed is not None and not step.closed.mentions and step.closed.complete
    return step.expanded is None and (others_name_nodes or nothing_closed)


def _verdict(
    status: TraceStatus,
    problem: TraceProblem,
    algorithm: Algorithm,
    trace: LearnerTrace,
    right: int,
    held: list[Hypothesis],
    wrong_step: int | None = None,
    line: int | None = None,
    fault: Fault | None = None,
) -> TraceVerdict:
    return TraceVerdict(
        status=status,
        problem=problem,
        algorithm=algorithm,
        trace=trace,
        right_steps=right,
        wrong_step=wrong_step,
        line=line,
        fault=fault,
        confirmed=tuple(held),
    )


def _initial(trace: LearnerTrace, problem: TraceProblem, rules: CourseRules, algorithm: Algorithm) -> list[Hypothesis]:
    machines = [SearchMachine(problem, algorithm, variant) for variant in rules.variants(algorithm)]
    layouts = [Layout()]
    bare = any(mention.bare for step in trace.steps for mention in step_mentions(step))
    if any(step.opened or step.closed for step in trace.steps):
        shut: list[ClosedShown] = ["with_current"]
        if any(step.closed for step in trace.steps):
            shut.append("without_current")
        if any(step.closed_is_visited for step in trace.steps):
            shut.append("with_open")
        layouts = [Layout(closed=one) for one in shut]
        layouts += [Layout(shown="before", closed=one) for one in shut if one != "without_current"]
    layouts += [replace(layout, bare_is_g=True) for layout in layouts] if bare else []
    return [
        Hypothesis(machine=machine, layout=layout, state=machine.initial())
        for layout in layouts
        for machine in machines
    ]


def _advance(held: list[Hypothesis], step: LearnerStep, *, first: bool) -> tuple[list[Hypothesis], Fault | None]:
    """Return the hypotheses after one step; where there are none, the fault of the closest."""
    current = _after_gap(held, step.gap)
    as_g = bare_as_g(step) if any(one.layout.bare_is_g for one in held) else step
    kept: dict[Hypothesis, None] = {}
    closest: tuple[int, Fault] | None = None
    shown: tuple[int, Fault] | None = None
    """As `closest`, of transitions without an expansion."""
    for one in current:
        for move in _moves(one, step, first=first):
            faults = step_faults(as_g if one.layout.bare_is_g else step, move, one.layout)
            if not faults:
                kept[Hypothesis(machine=one.machine, layout=one.layout, state=move.end or move.after)] = None
            elif move.before.expansions == move.after.expansions:
                shown = min(shown or (len(faults), faults[0]), (len(faults), faults[0]), key=lambda one: one[0])
            else:
                closest = min(closest or (len(faults), faults[0]), (len(faults), faults[0]), key=lambda one: one[0])
        if len(kept) > MAX_HYPOTHESES:
            break
    if kept:
        return list(kept), None
    if step.expanded is None and shown is not None and (closest is None or shown[0] < closest[0]):
        closest = shown
    if closest is not None:
        return [], closest[1]
    return [], _illegal(next((one for one in current if one.state.found is None), current[0]), step)


def _after_gap(held: list[Hypothesis], gap: int) -> list[Hypothesis]:
    """Return the hypotheses after up to `gap` expansions that nobody could read."""
    found = dict.fromkeys(held)
    edge = list(held)
    for _ in range(gap):
        edge = [
            Hypothesis(machine=one.machine, layout=one.layout, state=one.machine.expand(one.state, entry))
            for one in edge
            for entry in one.machine.choices(one.state)
        ]
        found |= dict.fromkeys(edge)
        if len(found) > MAX_HYPOTHESES:
            break
    return list(found)


def _moves(one: Hypothesis, step: LearnerStep, *, first: bool) -> Iterator[Transition]:
    """Yield the legal transitions that a step may show."""
    machine, state = one.machine, one.state
    stay = Transition(machine=machine, before=state, entry=None, after=state)
    choices = machine.choices(state)
    if step.expanded is not None:
        node = step.expanded.node
        for entry in choices:
            if entry.node == node:
                yield Transition(machine=machine, before=state, entry=entry, after=machine.expand(state, entry))
        if state.found is not None and state.found_on_generation and state.found.node == node != _current(state):
            named = replace(state, current=state.found)
            yield Transition(machine=machine, before=state, entry=state.found, after=named)
        return
    shows = bool(step.opened or step.closed or step.added or step.distances)
    moves = [stay] if first or step.starts or not shows or not choices else []
    if shows and not step.starts:
        moves += [
            Transition(machine=machine, before=state, entry=entry, after=machine.expand(state, entry))
            for entry in choices
        ]
    yield from moves
    if shows and (step.path or step.stops):
        yield from _with_end_unwritten(moves)


def _with_end_unwritten(moves: list[Transition]) -> Iterator[Transition]:
    """Yield transitions after which one more expansion finds the goal: lists without node names often leave it out."""
    for move in moves:
        for entry in move.machine.choices(move.after):
            end = move.machine.expand(move.after, entry)
            if end.found is not None:
                yield replace(move, end=end)


def _current(state: SearchState) -> str | None:
    return state.current.node if state.current else None


def _illegal(one: Hypothesis, step: LearnerStep) -> Fault:
    """Return why the node that a step expands may not be expanded."""
    machine, state = one.machine, one.state
    node = step.expanded.node if step.expanded else None
    if state.found is not None:
        kind = TraceFault.GOAL_TEST_LATE if state.found_on_generation else TraceFault.WENT_ON
        return Fault(kind=kind, node=state.found.node)
    waiting = {entry.node for entry in machine.live(state)}
    if node is not None and node in waiting:
        early = node in machine.problem.goals and machine.rules.goal_test == "expansion"
        return Fault(kind=TraceFault.GOAL_TEST_EARLY if early else TraceFault.WRONG_NODE_EXPANDED, node=node)
    if any(entry.node == node for entry in state.closed):
        return Fault(kind=TraceFault.REEXPANDED_CLOSED, node=node)
    return Fault(kind=TraceFault.WENT_ON if not waiting else TraceFault.EXPANDED_UNREACHED, node=node)
