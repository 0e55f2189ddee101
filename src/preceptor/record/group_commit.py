"""Appends that arrive while a commit is being flushed to disk share the next one.

A flush costs milliseconds, a row microseconds: alone, appends reach a few hundred a second; together, thousands.
Nobody waits for company: an append that finds no commit running starts one at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Generic, TypeVar

from preceptor.errors import PreceptorError, StoreError

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass
class _Entry(Generic[Item, Result]):
    items: Sequence[Item]
    woken: Event = field(default_factory=Event)
    leads: bool = False
    results: Sequence[Result] | None = None
    error: PreceptorError | None = None


class GroupCommit(Generic[Item, Result]):
    """Joins the writes of several threads. Each caller's items stay together, in order, all or none."""

    def __init__(self, write: Callable[[Sequence[Item]], Sequence[Result]]) -> None:
        """Keep the function that writes items in one transaction and returns as many results."""
        self._write = write
        self._lock = Lock()
        self._waiting: list[_Entry[Item, Result]] = []
        self._running = False

    def submit(self, items: Sequence[Item]) -> Sequence[Result]:
        """Write the items and return their results once they are on disk.

        Raises:
            PreceptorError: What writing these items alone raises; another caller's failure is never passed on.
        """
        entry: _Entry[Item, Result] = _Entry(items=items)
        with self._lock:
            self._waiting.append(entry)
            if not self._running:
                self._running = entry.leads = True
        if not entry.leads:
            entry.woken.wait()
        if entry.leads:
            self._lead()
        if entry.error is not None:
            raise entry.error
        assert entry.results is not None
        return entry.results

    def _lead(self) -> None:
        """Write for everyone who waits, then hand over to the first who came meanwhile."""
        with self._lock:
            batch, self._waiting = self._waiting, []
        try:
            self._write_batch(batch)
        finally:
            with self._lock:
                successor = self._waiting[0] if self._waiting else None
                self._running = successor is not None
            if successor is not None:
                successor.leads = True
                successor.woken.set()
            for entry in batch:
                if entry.results is None and entry.error is None:
                    entry.error = StoreError("the write was interrupted")
                if not entry.leads:
                    entry.woken.set()

    def _write_batch(self, batch: Sequence[_Entry[Item, Result]]) -> None:
        if len(batch) > 1:
            try:
                results = self._write([item for entry in batch for item in entry.items])
            except PreceptorError:
                pass  # nothing was written; each alone finds out whose fault it was
            else:
                start = 0
                for entry in batch:
                    entry.results = results[start : start + len(entry.items)]
                    start += len(entry.items)
                return
        for entry in batch:
            try:
                entry.results = self._write(entry.items)
            except PreceptorError as error:
                entry.error = error
