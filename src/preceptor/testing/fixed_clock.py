"""A clock that stands still until it is told to go on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class FixedClock:
    """Called, it returns the time it was set to, UTC."""

    def __init__(self, now: datetime = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)) -> None:
        if now.utcoffset() is None:
            raise ValueError("now must be timezone-aware")
        self._now = now

    def __call__(self) -> datetime:
        """Return the time."""
        return self._now

    def advance(self, elapsed: timedelta) -> None:
        """Go on by `elapsed`."""
        self._now += elapsed
