"""Vectors of passages, written after the passages: words find a passage until then. The newest are made first."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import numpy as np

from preceptor.errors import PreceptorError
from preceptor.models.embedder import Embedder
from preceptor.stores.courses import CourseStore

BATCH = 4
"""Passages embedded and stored at a time. (chosen: a changed page goes first and waits for one batch at most,
0.1 s on an idle core)"""
IDLE_S = 5.0
"""How often the background looks for passages that another process added, seconds. (chosen)"""
_LOG = logging.getLogger(__name__)


class PassageVectorWriter:
    """Makes the vectors that one embedder owes; on demand, or in a background thread between `start` and `stop`."""

    def __init__(self, store: CourseStore, embedder: Embedder) -> None:
        """Keep store and embedder."""
        self._store, self._embedder = store, embedder
        self._wake = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def write_some(self, subject_id: str | None = None) -> int:
        """Make one batch of vectors; return how many passages that settled, 0 when nothing is owed."""
        owed = self._store.without_vectors(self._embedder.fingerprint, BATCH, subject_id=subject_id)
        if not owed:
            return 0
        made = self._embedder.embed([passage.text for passage in owed])
        rows = {
            passage.passage_id: None if vector is None else vector.astype("<f2").tobytes()
            for passage, vector in zip(owed, made, strict=True)
        }
        self._store.put_vectors(self._embedder.fingerprint, rows)
        return len(owed)

    def write_all(self, subject_id: str, *, progress: Callable[[int], None] | None = None) -> int:
        """Make every vector that a subject lacks; return how many passages that were."""
        done = 0
        while n := self.write_some(subject_id):
            done += n
            if progress:
                progress(done)
        return done

    def start(self) -> None:
        """Begin working in the background."""
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="passage-vectors", daemon=True)
        self._thread.start()

    def notify(self) -> None:
        """Say that passages were added."""
        self._wake.set()

    def stop(self) -> None:
        """End the background work after its present batch."""
        self._stopping = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while not self._stopping:
            self._wake.clear()
            try:
                while not self._stopping and self.write_some():
                    pass
            except PreceptorError as error:
                _LOG.warning("passage vectors wait: %s", error)
            self._wake.wait(IDLE_S)


def unit_vectors(content: bytes, dimensions: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Return stored vectors as float32, shape (n_passages, n_dims)."""
    rows = np.frombuffer(content, dtype="<f2").reshape(-1, dimensions)
    return rows.astype(np.float32)
