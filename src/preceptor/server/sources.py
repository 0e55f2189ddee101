"""What a reply rests on, as chips under it: the word on each, and the address it opens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from preceptor.server.course_labels import GROUNDING_WORDS, place_words
from preceptor.server.memory_labels import iso_day_words
from preceptor.tutoring.sources import SourceView

MEMORY_WORDS = {
    "dropped": "Your record took too long to open (the limit is 2.5 seconds), so this reply was made without it.",
    "failed": "Your record could not be opened, so this reply was made without it.",
}
"""By the status of a turn's read of memory."""


@dataclass(frozen=True, kw_only=True)
class ShownSource:
    """One chip."""

    kind: str
    """"course" or "memory"."""
    marker: str
    """As in the reply; empty: the reply has no mark for it."""
    words: str
    quote: str
    official: bool
    address: str
    """Page of its own, and with `?part=yes` what stands beside the conversation; empty: it opens nothing."""


def shown_sources(sources: Sequence[SourceView], dialogue_id: str, turn: int) -> tuple[ShownSource, ...]:
    """Return the chips of one turn."""
    return tuple(
        _course_chip(source, f"/learn/{dialogue_id}/turns/{turn}/sources/{place}")
        if source.kind == "course"
        else _memory_chip(source)
        for place, source in enumerate(sources, start=1)
    )


def grounding_words(status: str) -> str:
    """Return what is said where a reply does not come from the files; "" where there is nothing to say."""
    return GROUNDING_WORDS.get(status, "")


def memory_words(status: str) -> str:
    """Return what is said where the learner's record was to be read and was not; "" everywhere else (U10)."""
    return MEMORY_WORDS.get(status, "")


def _course_chip(source: SourceView, address: str) -> ShownSource:
    return ShownSource(
        kind="course",
        marker=str(source.marker or ""),
        words=place_words(source.title, source.page),
        quote=source.quote,
        official=source.official,
        address=address,
    )


def _memory_chip(source: SourceView) -> ShownSource:
    return ShownSource(
        kind="memory",
        marker=str(source.marker or ""),
        words=iso_day_words(source.on) or source.title,
        quote=source.title,
        official=False,
        address=f"/memory/episodes/{source.episode_id}" if source.episode_id else "",
    )
