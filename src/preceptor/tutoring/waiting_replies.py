"""Stored replies that memory has not taken up yet, in the order they were stored; safe to use from several threads."""

from __future__ import annotations

import threading
from collections import deque
from typing import Generic, TypeVar

Item = TypeVar("Item")


class WaitingReplies(Generic[Item]):
    """A queue whose items can be taken by whoever needs them done now, and that can be closed."""

    def __init__(self) -> None:
        """Begin empty and open."""
        self._changed = threading.Condition()
        self._items: deque[Item] = deque()
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """Whether nothing more is to come."""
        return self._is_closed

    def put(self, item: Item) -> None:
        """Add an item."""
        with self._changed:
            self._items.append(item)
            self._changed.notify_all()

    def take(self) -> Item | None:
        """Return the first item, out of the queue; `None`: nothing waits."""
        with self._changed:
            return self._items.popleft() if self._items else None

    def wait(self) -> bool:
        """Wait until something is there or the queue is closed; return whether something is there. Nothing is taken."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._items) or self._is_closed)
            return bool(self._items)

    def close(self) -> None:
        """Say that nothing more is to come; what is there can still be taken."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
