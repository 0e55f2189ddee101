"""A learner's trace as read: only what was written; what could not be read is named by line and never judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction


class TraceForm(StrEnum):
    """The surface form of a trace."""

    TABLE = "table"
    LIST = "list"
    PROSE = "prose"
    OPEN_CLOSED = "open_closed"
    ORDER = "order"


@dataclass(frozen=True, kw_only=True)
class Mention:
    """One node as the learner wrote it; `None`: not written."""

    node: str
    g: Fraction | None = None
    h: Fraction | None = None
    f: Fraction | None = None
    parent: str | None = None
    path: tuple[str, ...] = ()
    """The path written for it, start first; empty: none."""
    bare: bool = False
    """`f` was written without its name, so that it may as well be g."""
    unreached: bool = False
    """Written with an infinite value."""


@dataclass(frozen=True, kw_only=True)
class Listing:
    """A list of nodes."""

    mentions: tuple[Mention, ...] = ()
    complete: bool = True
    """False where part of it could not be read: then nothing is called missing."""


@dataclass(frozen=True, kw_only=True)
class LearnerStep:
    """One step of a trace."""

    line: int
    """1-based line of the learner's text where the step begins."""
    expanded: Mention | None = None
    opened: Listing | None = None
    closed: Listing | None = None
    closed_is_visited: bool = False
    """The learner's word for it (visited, reached) may include OPEN."""
    added: Listing | None = None
    updated: Listing | None = None
    """Nodes written with new values; nothing is called missing from it."""
    distances: Mapping[str, Fraction | None] = field(default_factory=dict)
    """Node → cost so far, as in a Dijkstra table; `None`: infinite."""
    path: tuple[str, ...] = ()
    path_cost: Fraction | None = None
    stops: bool = False
    """The learner says that the goal is reached or the search is over."""
    fails: bool = False
    """The learner says that there is no path."""
    starts: bool = False
    """Shows the state before the first expansion."""
    gap: int = 0
    """Steps that may stand in unread lines between the step before and this one: one for each node they name."""


@dataclass(frozen=True, kw_only=True)
class LearnerTrace:
    """A whole trace."""

    form: TraceForm | None
    """`None`: nothing could be read."""
    steps: tuple[LearnerStep, ...]
    unread_lines: tuple[int, ...] = ()
    open_lines: tuple[int, ...] = ()
    """Lines of which a part could not be read."""
    end_gap: int = 0
    """As `LearnerStep.gap`, after the last step."""


def step_mentions(step: LearnerStep) -> Iterator[Mention]:
    """Yield every node that a step names, with its values."""
    if step.expanded is not None:
        yield step.expanded
    for listing in (step.opened, step.closed, step.added, step.updated):
        yield from listing.mentions if listing is not None else ()
    for node in (*step.path, *step.distances):
        yield Mention(node=node)


def bare_as_g(step: LearnerStep) -> LearnerStep:
    """Return a step in which every value without a name is the cost so far."""

    def listing(one: Listing | None) -> Listing | None:
        return None if one is None else replace(one, mentions=tuple(_bare_as_g(mention) for mention in one.mentions))

    return replace(
        step,
        expanded=None if step.expanded is None else _bare_as_g(step.expanded),
        opened=listing(step.opened),
        added=listing(step.added),
        updated=listing(step.updated),
    )


def _bare_as_g(mention: Mention) -> Mention:
    if not mention.bare:
        return mention
    return replace(mention, g=mention.f, f=None)
