"""Times as both databases store them: UTC text of one fixed width, so that it sorts and hashes alike."""

from __future__ import annotations

from datetime import UTC, datetime

_WIDTH = 27


def instant_text(at: datetime) -> str:
    """Return an aware time as UTC text, microseconds included: 2026-01-31T09:05:00.000000Z.

    Raises:
        ValueError: The time is naive.
    """
    if at.tzinfo is not UTC:
        if at.utcoffset() is None:
            raise ValueError(f"a time must be timezone-aware, got {at!r}")
        at = at.astimezone(UTC)
    return at.isoformat(timespec="microseconds")[:26] + "Z"


def instant_from(text: str) -> datetime:
    """Return the time that `instant_text` wrote.

    Raises:
        ValueError: It is written in another way, which no program of ours does.
    """
    if len(text) != _WIDTH or text[10] != "T" or text[19] != "." or text[26] != "Z":
        raise ValueError(f"a stored time must be written as 2026-01-31T09:05:00.000000Z, got {text!r}")
    return datetime.fromisoformat(text)
