"""The one list of what a reply rests on: spans of course files first, then dated episodes of the learner's record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from preceptor.domain.reply import Reply


@dataclass(frozen=True, kw_only=True)
class SourceView:
    """One source that a reply rests on: a span of a course file, or a dated episode of the learner's own record."""

    kind: Literal["course", "memory"]
    marker: int | None = None
    """Number in the reply, as in "[1]"; `None`: the reply has no mark for it."""
    title: str = ""
    """The document's name; of an episode, its headline."""
    document_id: str = ""
    page: int | None = None
    """1-based."""
    start: int = 0
    """Span of the quotation in the page's stored text, end exclusive."""
    end: int = 0
    quote: str = ""
    official: bool = False
    episode_id: str = ""
    on: str = ""
    """Date of the episode in the learner's time zone, ISO 8601."""


def course_sources(reply: Reply) -> tuple[SourceView, ...]:
    """Return the spans of files that a reply cites, in the order of their markers."""
    cited = reply.grounding.citations if reply.grounding else ()
    return tuple(
        SourceView(
            kind="course",
            marker=one.marker,
            title=one.document_name,
            document_id=one.document_id,
            page=one.page,
            start=one.start,
            end=one.end,
            quote=one.quote,
            official=one.official,
        )
        for one in cited
    )
