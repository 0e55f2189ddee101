"""The stored text of a course page as HTML: escaped, its headings set off, a quoted span marked."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from markupsafe import Markup

from preceptor.domain.course import CoursePage

WINDOW_CHARS = 8000
"""Longer pages (a whole text file is one) are shown in parts of about this length. (chosen: a few screens)"""


@dataclass(frozen=True, kw_only=True)
class ShownText:
    """A part of a page."""

    html: Markup
    marked: bool
    """The span stands in this part, with id "quoted"."""
    before: int | None
    """Where the part before this one begins; `None`: this is the first."""
    after: int | None
    """Where the next part begins; `None`: this is the last."""


def shown_text(page: CoursePage, *, start: int = 0, end: int = 0, begin: int | None = None) -> ShownText:
    """Return a page's text around a span, or from `begin` on.

    Args:
        page: As it is stored.
        start: The span's first character; nothing is marked unless 0 <= start < end <= length of the text.
        end: One past its last.
        begin: Where the part begins; `None`: so that the span lies in it.
    """
    text = page.text
    spanned = 0 <= start < end <= len(text)
    first = _first(text, start if spanned else 0) if begin is None else min(max(begin, 0), len(text))
    last = _last(text, max(first + WINDOW_CHARS, end if spanned and begin is None else 0))
    marked = spanned and start < last and end > first
    cuts = {first, last}
    if marked:
        cuts |= {max(start, first), min(end, last)}
    for heading in page.headings:
        cuts |= {min(max(heading.start, first), last), min(max(heading.end, first), last)}
    places = sorted(cuts)
    pieces, named = [], False
    for left, right in zip(places, places[1:], strict=False):
        piece = escape(text[left:right])
        if any(heading.start <= left < heading.end for heading in page.headings):
            piece = f'<strong class="course-heading">{piece}</strong>'
        if marked and start <= left < end:
            piece = f"<mark{'' if named else _QUOTED}>{piece}</mark>"
            named = True
        pieces.append(piece)
    return ShownText(
        html=Markup("".join(pieces)),
        marked=marked,
        before=max(0, first - WINDOW_CHARS) if first > 0 else None,
        after=last if last < len(text) else None,
    )


_QUOTED = ' id="quoted" tabindex="-1"'


def _first(text: str, start: int) -> int:
    """Return where a part begins that shows a span with some text before it."""
    if start < WINDOW_CHARS // 2:
        return 0
    at_line = text.rfind("\n", 0, start - WINDOW_CHARS // 4)
    return max(at_line + 1, start - WINDOW_CHARS // 2)


def _last(text: str, wanted: int) -> int:
    """Return where a part ends: at the line's end after `wanted`, where that is near."""
    if wanted >= len(text):
        return len(text)
    at_line = text.find("\n", wanted, wanted + WINDOW_CHARS // 8)
    return at_line + 1 if at_line >= 0 else wanted
