"""What of a solution must not be said about a trace, and whether a text says it. Rules only; knows no phrases."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from fractions import Fraction

from preceptor.tracing.checking import Hypothesis, TraceVerdict
from preceptor.tracing.learner_trace import step_mentions
from preceptor.tracing.lexicon import NUMBER, read_number
from preceptor.tracing.search import SearchMachine, SearchState

MAX_STATES = 1_000
"""States looked at ahead of the learner. (chosen: every run of an exercise; of a large grid the first part)"""

_LABELS = re.compile(r"\b(?:steps?|lines?)\s+\d+(?:\s*,\s*\d+)*|第\s*\d+(?:[\s,、]+\d+)*\s*[步行]", re.IGNORECASE)
_NUMBER = re.compile(NUMBER)
_LETTERS = frozenset("fgh")
"""Names that every sentence about values holds: a node called so is not told apart from them."""


@dataclass(frozen=True, kw_only=True)
class TraceSecrets:
    """What the learner has to find."""

    nodes: frozenset[str]
    """Every name of a node: none may be said but the one that is asked about."""
    numbers: frozenset[Fraction]
    """Values of the rest of the trace that the learner has not written."""
    written: frozenset[str]
    """Nodes the learner has written up to the step asked about."""


def trace_secrets(verdict: TraceVerdict) -> TraceSecrets:
    """Return what must not be said after a verdict."""
    until = verdict.wrong_step or len(verdict.trace.steps)
    mentions = [mention for step in verdict.trace.steps[:until] for mention in step_mentions(step)]
    known = {value for mention in mentions for value in (mention.g, mention.h, mention.f) if value is not None}
    for step in verdict.trace.steps[:until]:
        known |= {value for value in step.distances.values() if value is not None}
        known |= {step.path_cost} if step.path_cost is not None else set()
    return TraceSecrets(
        nodes=frozenset(verdict.problem.neighbours),
        numbers=frozenset(_values(verdict) - known),
        written=frozenset(mention.node for mention in mentions),
    )


def find_trace_leak(text: str, secrets: TraceSecrets, *, asked: str | None = None) -> str | None:
    """Return what a text gives away: the name of a node or a number; `None`: nothing.

    Args:
        text: A reply.
        secrets: Of the verdict that it answers.
        asked: The node that it asks about; it counts only if the learner wrote it.
    """
    plain = _LABELS.sub(" ", text)
    for node in sorted(secrets.nodes - _LETTERS):
        if node == asked and node in secrets.written:
            continue
        if re.search(rf"(?<![A-Za-z0-9_]){re.escape(node)}(?![A-Za-z0-9_])", plain):
            return node
    for said in _NUMBER.findall(plain):
        if read_number(said) in secrets.numbers:
            return str(said)
    return None


def _values(verdict: TraceVerdict) -> set[Fraction]:
    """Return every g and f, and each path's cost, in the states ahead, up to `MAX_STATES` of them."""
    found: set[Fraction] = set()
    queue: deque[tuple[Hypothesis, SearchState]] = deque((one, one.state) for one in verdict.confirmed)
    seen: set[tuple[SearchMachine, SearchState]] = set()
    while queue and len(seen) < MAX_STATES:
        one, state = queue.popleft()
        if (one.machine, state) in seen:
            continue
        seen.add((one.machine, state))
        for entry in (*state.opened, *state.closed):
            found |= {entry.g, one.machine.f(entry.node, entry.g), Fraction(entry.depth)}
        queue.extend((one, one.machine.expand(state, entry)) for entry in one.machine.choices(state))
    return found
