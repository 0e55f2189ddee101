"""Filling the block: which lines fit the budget, and in which order they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from preceptor.domain.token_estimate import estimate_tokens
from preceptor.memory.block_lines import BELIEFS, CLOSING, EPISODES, HOW_TO_USE, OPENING, RECORD_QUESTION

MAP_SHARE = 0.30
"""Of what beliefs leave, kept for the map on an ordinary question; unused, episodes have it. (chosen)"""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Everything that could stand in a block, each list the most telling first."""

    is_record_question: bool
    told: tuple[str, ...]
    """Lines on time and checks: always there."""
    beliefs: tuple[str, ...]
    episodes: tuple[str, ...]
    episode_order: tuple[tuple[datetime, int], ...]
    """When each was, as long as `episodes`."""
    map_header: str
    """Empty: there is no map."""
    map_lines: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Written:
    """A block's text and which of the lines it holds."""

    text: str
    tokens: int
    beliefs: tuple[int, ...] = ()
    episodes: tuple[int, ...] = ()


def write(layout: Layout, budget: int) -> Written:
    """Return the block within the budget; empty where not even its fixed lines fit.

    Beliefs come first into the budget, then episodes, with a share kept for the map on an ordinary question. On the
    page an ordinary question has the map first, a question about the record has it last.
    """
    head = [OPENING, *([RECORD_QUESTION] if layout.is_record_question else []), *layout.told]
    foot = [HOW_TO_USE, CLOSING]
    left = budget - sum(map(_cost, (*head, *foot)))
    if left < 0:
        return Written(text="", tokens=0)
    beliefs, left = _fill(BELIEFS, layout.beliefs, left)
    kept_for_map = 0
    if not layout.is_record_question and layout.map_lines:
        kept_for_map = min(int(left * MAP_SHARE), sum(map(_cost, (layout.map_header, *layout.map_lines))))
    episodes, left_over = _fill(EPISODES, layout.episodes, left - kept_for_map)
    concepts, left_over = _fill(layout.map_header, layout.map_lines, left_over + kept_for_map)
    by_time = sorted(episodes, key=lambda place: layout.episode_order[place])
    earlier = [*_section(BELIEFS, layout.beliefs, beliefs), *_section(EPISODES, layout.episodes, by_time)]
    subject = _section(layout.map_header, layout.map_lines, concepts)
    middle = [*earlier, *subject] if layout.is_record_question else [*subject, *earlier]
    lines = [*head, *middle, *foot]
    return Written(
        text="\n".join(lines), tokens=sum(map(_cost, lines)), beliefs=tuple(beliefs), episodes=tuple(episodes)
    )


def _fill(header: str, lines: Sequence[str], left: int) -> tuple[list[int], int]:
    """Return the places of the lines that fit behind their header, in order, and what is left."""
    taken: list[int] = []
    spare = left - _cost(header)
    for place, line in enumerate(lines):
        cost = _cost(line)
        if cost <= spare:
            taken.append(place)
            spare -= cost
    return (taken, spare) if taken else (taken, left)


def _section(header: str, lines: Sequence[str], places: Sequence[int]) -> list[str]:
    return [header, *(lines[place] for place in places)] if places else []


def _cost(line: str) -> int:
    return estimate_tokens(line + "\n")
