"""How many turns are being answered: work behind a reply waits for a moment without any."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class RunningTurns:
    """A count of turns of one process; safe to use from several threads."""

    def __init__(self) -> None:
        """Begin with none."""
        self._changed = threading.Condition()
        self._running = 0
        self._quiet_since = time.monotonic()
        self._is_over = False

    def begins(self) -> None:
        """Count a turn; `ends` must follow."""
        with self._changed:
            self._running += 1

    def ends(self) -> None:
        """Count it no more."""
        with self._changed:
            self._running -= 1
            self._quiet_since = time.monotonic()
            self._changed.notify_all()

    def ended(self, task: object) -> None:
        """`ends`, for the task that answered."""
        self.ends()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Count a turn inside the block."""
        self.begins()
        try:
            yield
        finally:
            self.ends()

    def over(self) -> None:
        """Let everyone who waits go on, now and from now on: the program ends."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def wait_for_quiet(self, *, quiet_s: float, at_most_s: float) -> bool:
        """Wait until no turn has run for `quiet_s` seconds, at most `at_most_s`; return whether it is quiet."""
        deadline = time.monotonic() + at_most_s
        with self._changed:
            while not self._is_over:
                now = time.monotonic()
                left = quiet_s - (now - self._quiet_since)
                if not self._running and left <= 0:
                    return True
                if now >= deadline:
                    return False
                self._changed.wait(min(deadline - now, left if not self._running else deadline - now))
        return False
