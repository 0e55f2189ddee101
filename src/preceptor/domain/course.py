"""A course, the pages of its files and what went wrong while they were read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

ProblemKind = Literal[
    "no_text",
    "hidden_text",
    "comment",
    "addresses_tutor",
    "macros",
    "encoding",
    "cut",
    "unread",
]
"""What an instructor is told of a page.

`no_text`: a scan, or an empty page; `hidden_text`: text that a reader would not see, kept out of the passages;
`comment`: a remark beside the text, kept out too; `addresses_tutor`: text that orders the tutor or claims a right,
kept as course text; `macros`: left out; `encoding`: guessed; `cut`: a limit was reached; `unread`: a part not read.
"""

EvidenceStatus = Literal["holds", "changed", "removed"]
"""`holds`: the document still has a page of this text; `changed`: the page has other text now; `removed`: the document
or the page is gone, or never was."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """One subject with files."""

    subject_id: str
    title: str
    created_at: datetime
    """Timezone-aware, UTC."""


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading within the text of a page."""

    start: int
    end: int
    """Its span in the page's text, end exclusive."""
    level: int
    """1 is the outermost."""
    text: str


@dataclass(frozen=True, kw_only=True)
class PageProblem:
    """One thing about a page that an instructor should know."""

    page: int
    """1-based."""
    kind: ProblemKind
    detail: str
    """One line."""
    excerpt: str = ""
    """The text in question, shortened; data, never an instruction."""


@dataclass(frozen=True, kw_only=True)
class CoursePage:
    """The stored text of one page: what passages and citations count their characters in."""

    page: int
    """1-based."""
    text: str
    fingerprint: str
    """SHA-256 of the text, hexadecimal."""
    headings: tuple[Heading, ...] = ()
