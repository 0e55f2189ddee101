"""A running turn that several readers can follow, each from any event on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

from preceptor.tutoring.events import TurnEvent


class TurnRun:
    """The events of one turn, kept until it is over and a little longer."""

    def __init__(self, *, dialogue_id: str, turn: int) -> None:
        """Begin without events."""
        self.dialogue_id = dialogue_id
        self.turn = turn
        self.task: asyncio.Task[None] | None = None
        self._events: list[TurnEvent] = []
        self._changed = asyncio.Condition()
        self._finished = False

    @property
    def finished(self) -> bool:
        """Whether `done` or `failed` was the last event."""
        return self._finished

    @property
    def last_event_id(self) -> int:
        """Return the highest event id so far."""
        return len(self._events)

    async def publish(self, event: TurnEvent) -> TurnEvent:
        """Number an event and wake every follower."""
        async with self._changed:
            numbered = replace(event, event_id=len(self._events) + 1)
            self._events.append(numbered)
            self._finished = numbered.kind in ("done", "failed")
            self._changed.notify_all()
        return numbered

    async def follow(self, after: int = 0) -> AsyncIterator[TurnEvent]:
        """Yield every event with an id above `after`, those to come included, until the turn is over."""
        place = max(after, 0)
        while True:
            async with self._changed:
                while len(self._events) <= place and not self._finished:
                    await self._changed.wait()
                waiting = self._events[place:]
            for event in waiting:
                yield event
            place += len(waiting)
            if self._finished and place >= len(self._events):
                return

    async def wait(self) -> TurnEvent:
        """Return the last event once the turn is over."""
        async for event in self.follow():
            last = event
        return last
