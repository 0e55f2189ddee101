"""Running nights inside a server: once at its start, then every night, in a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from preceptor.errors import PreceptorError
from preceptor.memory.learner_memory import LearnerMemory
from preceptor.memory.nightly import Nightly
from preceptor.record.record import Record
from preceptor.settings import Settings

CLOSE_WITHIN_S = 5.0
"""Seconds that closing waits for the scope under way; the next run takes up the rest. (chosen)"""
logger = logging.getLogger("preceptor.memory")


def seconds_until(hour: int, now: datetime) -> float:
    """Return the seconds from `now` to the next time the clock of its zone shows this hour; never 0."""
    due = now.replace(hour=hour, minute=0, second=0, microsecond=0)
    if due <= now:
        due += timedelta(days=1)
    return (due - now).total_seconds()


class NightlySchedule:
    """Runs `Nightly.run` when it is due. A night that was missed, or cut off, is made up at the start."""

    def __init__(
        self, nightly: Nightly, *, hour: int, clock: Callable[[], datetime], wait: Callable[[float], bool] | None = None
    ) -> None:
        """Take the loop; nothing runs yet.

        Args:
            nightly: The loop.
            hour: Of this machine's clock at which a night is run, 0-23.
            clock: The time, timezone-aware.
            wait: Waits so many seconds and returns whether the end was asked for; `None`: really waits.
        """
        self._nightly = nightly
        self._hour = hour
        self._clock = clock
        self._stopped = threading.Event()
        self._wait = wait or self._stopped.wait
        self._thread = threading.Thread(target=self._work, name="memory nights", daemon=True)

    def start(self) -> None:
        """Run the night that is due, then wait for the next, in the background."""
        self._thread.start()

    def close(self, *, within_s: float = CLOSE_WITHIN_S) -> None:
        """End after the scope under way."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join(within_s)

    def _work(self) -> None:
        while not self._stopped.is_set():
            try:
                self._nightly.run(stop=self._stopped.is_set)
            except PreceptorError as error:
                logger.warning("a night was not finished: %s", type(error).__name__)
            if self._wait(seconds_until(self._hour, self._clock().astimezone())):
                return


def open_nights(record: Record, settings: Settings) -> NightlySchedule:
    """Return the nights of an installation over its open record; nothing is started yet."""
    memory = LearnerMemory(record, settings.memory)
    return NightlySchedule(memory.nightly, hour=settings.memory.nightly_hour, clock=record.clock)
