"""Vectors of passages, written after the passages: words find a passage until then. The newest are made first.

Where late interaction is on, the codes of a passage's tokens come from the same pass; passages that lack only them get
them when no vector is owed.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

import numpy as np

from preceptor.course.late_interaction import PassageTokens
from preceptor.domain.passage import Passage
from preceptor.errors import PreceptorError
from preceptor.models.embedder import Embedder, Vector
from preceptor.stores.courses import CourseStore

BATCH = 4
"""Passages embedded and stored at a time. (chosen: a changed page goes first and waits for one batch at most,
0.1 s on an idle core)"""
IDLE_S = 5.0
"""How often the background looks for passages that another process added, seconds. (chosen)"""
_LOG = logging.getLogger(__name__)


class PassageVectorWriter:
    """Makes the vectors that one embedder owes; on demand, or in a background thread between `start` and `stop`."""

    def __init__(self, store: CourseStore, embedder: Embedder, *, tokens: bool = False) -> None:
        """Keep store and embedder.

        Args:
            store: Where passages lie.
            embedder: Makes the vectors.
            tokens: Also keep what late interaction compares.

        Raises:
            ModelError: `tokens`, and the embedder gives no vector a token.
        """
        self._store, self._embedder = store, embedder
        self._tokens = PassageTokens(store, embedder) if tokens else None
        self._wake = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None

    def write_some(self, subject_id: str | None = None) -> int:
        """Make one batch of vectors; return how many passages that settled, 0 when nothing is owed."""
        owed = self._store.without_vectors(self._embedder.fingerprint, BATCH, subject_id=subject_id)
        if not owed:
            return 0 if self._tokens is None else self._write_tokens(self._tokens, subject_id)
        rows = {
            passage.passage_id: None if vector is None else vector.astype("<f2").tobytes()
            for passage, vector in zip(owed, self._vectors(owed), strict=True)
        }
        self._store.put_vectors(self._embedder.fingerprint, rows)
        return len(owed)

    def _vectors(self, owed: Sequence[Passage]) -> Sequence[Vector | None]:
        if self._tokens is None:
            return self._embedder.embed([passage.text for passage in owed])
        return self._tokens.write(owed)

    def _write_tokens(self, tokens: PassageTokens, subject_id: str | None) -> int:
        owed = self._store.without_vectors(tokens.fingerprint, BATCH, subject_id=subject_id)
        if owed:
            tokens.write(owed)
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
