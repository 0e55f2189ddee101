"""What a reply takes from the course's files, span by span, and how much of it does not come from there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

GroundingStatus = Literal["grounded", "mostly_ungrounded", "not_in_course", "none_needed"]
"""`grounded`: at least half of the statements carry a citation that holds; `mostly_ungrounded`: fewer do;
`not_in_course`: the files do not answer, and the reply says so; `none_needed`: the reply states nothing."""


@dataclass(frozen=True, kw_only=True)
class Citation:
    """One statement of a reply and the span of a file that it is taken from; checked against the stored passage."""

    marker: int
    """Number that stands in the reply, as in "[1]"; from 1."""
    passage_id: str
    document_id: str
    document_name: str
    page: int
    """1-based."""
    page_fingerprint: str
    """SHA-256 of the page's text when it was cited."""
    start: int
    """First character of the span, counted in the page's stored text."""
    end: int
    """One past the last: the page's text from start to end is `quote`."""
    quote: str
    statement: str = ""
    """The reply's sentence that rests on it."""
    official: bool = False


@dataclass(frozen=True, kw_only=True)
class Grounding:
    """What holds up one reply."""

    status: GroundingStatus
    citations: tuple[Citation, ...] = ()
    """Those that hold, in the order of the reply; a passage that is not cited is no source."""
    removed: int = 0
    """Citations that were taken out of the reply because their span did not hold."""
    n_statements: int = 0
    """Sentences of the reply that state something."""
    n_grounded: int = 0
    """Of them, those with a citation that holds."""
