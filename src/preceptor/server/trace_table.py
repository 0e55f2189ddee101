"""OPEN and CLOSED beside the conversation, from the state that `tracing.state_view` confirmed, and nothing more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from preceptor.tutoring.views import DialogueView

ALGORITHM_WORDS = {
    "bfs": "Breadth-first search",
    "dfs": "Depth-first search",
    "ucs": "Uniform-cost search",
    "greedy": "Greedy best-first search",
    "astar": "A*",
    "dijkstra": "Dijkstra's algorithm",
}
_VALUES = (("g", "g"), ("h", "h"), ("f", "f"), ("parent", "from"))


@dataclass(frozen=True, kw_only=True)
class ShownList:
    """OPEN or CLOSED."""

    name: str
    rows: tuple[tuple[str, ...], ...]
    """The node, then its values in the order of the columns; "" where the learner wrote none."""


@dataclass(frozen=True, kw_only=True)
class ShownTrace:
    """The confirmed state of a learner's trace."""

    algorithm: str
    step: int
    """Expansions that were right."""
    current: str
    columns: tuple[str, ...]
    lists: tuple[ShownList, ...]
    path: str
    undetermined: bool
    """Several states are legal, and only what they share is shown."""


def shown_trace(dialogue: DialogueView) -> ShownTrace | None:
    """Return the latest confirmed state of a dialogue; `None`: it holds no trace."""
    states = [turn.trace_state for turn in dialogue.turns if turn.trace_state is not None]
    if not states:
        return None
    state = states[-1]
    entries = [*state["open"], *state["closed"]]
    kept = [(key, words) for key, words in _VALUES if any(entry.get(key) is not None for entry in entries)]
    keys = [key for key, _ in kept]
    return ShownTrace(
        algorithm=ALGORITHM_WORDS.get(state["algorithm"], state["algorithm"]),
        step=state["step"],
        current=state["current"] or "",
        columns=tuple(words for _, words in kept),
        lists=(
            ShownList(name="OPEN", rows=_rows(state["open"], keys)),
            ShownList(name="CLOSED", rows=_rows(state["closed"], keys)),
        ),
        path=" → ".join(state["path"] or ()),
        undetermined=state["undetermined"],
    )


def _rows(entries: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple((str(entry["node"]), *(str(entry.get(key) or "") for key in keys)) for entry in entries)
