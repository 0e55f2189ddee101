"""Times as both databases store them: UTC text of one fixed width, so that it sorts and hashes alike."""

from __future__ import annotations

from datetime import UTC, datetime


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
    """Return the time that `instant_text` wrote."""
    return datetime.fromisoformat(text)
