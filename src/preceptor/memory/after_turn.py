"""Updating beliefs after a turn, in the background: one thread, one turn after another, no request waits for it."""

from __future__ import annotations

import logging
import queue
import threading
from dataclasses import dataclass

from preceptor.domain.scope import Scope
from preceptor.errors import PreceptorError
from preceptor.memory.beliefs import Beliefs

CLOSE_WITHIN_S = 5.0
"""Seconds that closing waits for what is queued; the night takes up the rest. (chosen)"""
logger = logging.getLogger("preceptor.memory")


@dataclass(frozen=True, kw_only=True)
class FinishedTurn:
    """A turn whose reply is on record."""

    scope: Scope
    dialogue_id: str
    turn: int


class BeliefUpdates:
    """Takes finished turns and updates what is believed. Started by `start`."""

    def __init__(self, beliefs: Beliefs) -> None:
        """Keep the beliefs; nothing runs yet."""
        self._beliefs = beliefs
        self._waiting: queue.SimpleQueue[FinishedTurn | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="belief updates", daemon=True)

    def start(self) -> None:
        """Wait for turns, in the background."""
        self._thread.start()

    def put(self, turn: FinishedTurn) -> None:
        """Have a turn's checks taken up; returns at once."""
        self._waiting.put(turn)

    def close(self, *, within_s: float = CLOSE_WITHIN_S) -> None:
        """Take up what is queued, then end; what is not done in so many seconds, the night takes up."""
        if self._thread.ident is None:
            return
        self._waiting.put(None)
        self._thread.join(within_s)

    def _work(self) -> None:
        while (turn := self._waiting.get()) is not None:
            try:
                self._beliefs.update_after_turn(turn.scope, turn.dialogue_id, turn.turn)
            except PreceptorError as error:
                logger.warning("beliefs were not updated after a turn: %s", type(error).__name__)
