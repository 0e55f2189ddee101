"""The repository's sentences compared by their vectors: sorted rows, and the few that came since."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from preceptor.domain.experience import Experience
from preceptor.domain.learner_state import LearnerState
from preceptor.errors import ModelError
from preceptor.experience.repository_index import Hit, Search
from preceptor.experience.repository_rows import SortedRows
from preceptor.experience.state_relatedness import (
    LEVELS,
    Level,
    closely_related,
    first_sufficient_level,
    matches_at,
)
from preceptor.models.embedder import Embedder, Vector
from preceptor.stores.experiences import ExperienceStore

TAIL_LIMIT = 2048
"""So many new rows are compared in full before all are sorted anew; 1/64 of the rows where that is more. (chosen)"""
_REMEMBERED = 4096


class VectorIndex:
    """`SentenceIndex` by an embedder's vectors, exact."""

    def __init__(self, embedder: Embedder, *, folder: Path | None = None) -> None:
        """Make it empty; `folder`: where a file mapped into memory may lie."""
        self._embedder = embedder
        self._folder = folder
        self._rows = SortedRows(embedder.dimensions, folder)
        self._tail: dict[str, tuple[LearnerState, Vector]] = {}
        self._vectors: OrderedDict[str, Vector | None] = OrderedDict()
        self._vectors_lock = threading.Lock()
        self._ranges: dict[tuple[LearnerState, int], list[tuple[int, int]]] = {}

    @property
    def fingerprint(self) -> str:
        """The embedder's."""
        return self._embedder.fingerprint

    @property
    def n_bytes(self) -> int:
        """Memory of vectors, heads and ids, bytes; what is mapped from a file is left out."""
        rows = self._rows
        parts = [rows.head, rows.ids, rows.alive]
        return sum(part.nbytes for part in parts) + (0 if rows.mapped else rows.full.nbytes)

    @property
    def is_mapped(self) -> bool:
        """Whether whole vectors lie in a memory-mapped file."""
        return self._rows.mapped

    def load(self, store: ExperienceStore) -> int:
        """See `SentenceIndex.load`."""
        rows = SortedRows(self._embedder.dimensions, self._folder)
        with store.open_vectors(self.fingerprint) as reading:
            rows.fill(reading.keys, reading.n, reading.vectors)
            revision = reading.revision
        self._rows, self._tail = rows, {}
        self._ranges.clear()
        return revision

    def can_read(self, sentence: str) -> bool:
        """See `SentenceIndex.can_read`."""
        return self._vector(sentence) is not None

    def stored_form(self, sentence: str) -> bytes | None:
        """See `SentenceIndex.stored_form`."""
        vector = self._vector(sentence)
        return None if vector is None else vector.astype("<f2").tobytes()

    def put(self, experience: Experience) -> None:
        """See `SentenceIndex.put`."""
        self.remove(experience.experience_id)
        self._tail[experience.experience_id] = (experience.state, self._known(experience.sentence))
        if len(self._tail) > max(TAIL_LIMIT, len(self._rows.ids) // 64):
            self._sort_anew()

    def remove(self, experience_id: str) -> None:
        """See `SentenceIndex.remove`."""
        if self._tail.pop(experience_id, None) is None:
            self._rows.remove(experience_id)

    def search(self, state: LearnerState, sentence: str, *, k: int, filtered: bool = True) -> Search:
        """See `SentenceIndex.search`."""
        level, count = self._level(state, filtered=filtered)
        hits = self._best(state, -1 if level is None else level, self._known(sentence), k)
        return Search(level=level, n_candidates=count, hits=hits)

    def search_level(self, state: LearnerState, sentence: str, level: Level, *, k: int) -> tuple[Hit, ...]:
        """Return the k most similar entries at one level, however many it has."""
        return self._best(state, level, self._known(sentence), k)

    def nearest(self, state: LearnerState, sentence: str) -> Hit | None:
        """See `SentenceIndex.nearest`."""
        found = self._best(state, _RELATED, self._known(sentence), 1)
        return found[0] if found else None

    def candidates(self, state: LearnerState, *, filtered: bool = True) -> tuple[str, ...]:
        """See `SentenceIndex.candidates`."""
        level, _ = self._level(state, filtered=filtered)
        chosen = _matcher(state, -1 if level is None else level)
        found = [key for key, (other, _) in self._tail.items() if chosen(other)]
        for start, stop in self._ranges_of(state, -1 if level is None else level):
            found += [key.decode() for key in self._rows.ids[start:stop][self._rows.alive[start:stop]]]
        return tuple(sorted(found))

    def mean_similarity(self) -> float | None:
        """See `SentenceIndex.mean_similarity`: by the length of the sum, not pair by pair."""
        total, squares, n = np.zeros(self._embedder.dimensions), 0.0, 0
        for block in self._blocks():
            total += block.sum(axis=0, dtype=np.float64)
            squares += float(np.einsum("ij,ij->", block, block, dtype=np.float64))
            n += len(block)
        return None if n < 2 else (float(total @ total) - squares) / (n * (n - 1))

    def state_counts(self) -> dict[LearnerState, int]:
        """See `SentenceIndex.state_counts`."""
        counts = {state: self._rows.count([(start, stop)]) for state, start, stop in self._rows.cells}
        for state, _ in self._tail.values():
            counts[state] = counts.get(state, 0) + 1
        return {state: n for state, n in counts.items() if n}

    def _blocks(self) -> list[NDArray[np.float32]]:
        rows = self._rows
        places = np.flatnonzero(rows.alive)
        blocks = [rows.full[places[start : start + 4096]].astype(np.float32) for start in range(0, len(places), 4096)]
        return [*blocks, *(vector[None, :] for _, vector in self._tail.values())]

    def _level(self, state: LearnerState, *, filtered: bool) -> tuple[Level | None, int]:
        if not filtered:
            return None, int(self._rows.alive.sum()) + len(self._tail)
        counts = [self.count_at(state, level) for level in LEVELS]
        level = first_sufficient_level(counts)
        return level, counts[level]

    def count_at(self, state: LearnerState, level: Level) -> int:
        """Return how many entries match a state at one level."""
        chosen = _matcher(state, level)
        return self._rows.count(self._ranges_of(state, level)) + sum(chosen(other) for other, _ in self._tail.values())

    def _best(self, state: LearnerState, level: int, query: Vector, k: int) -> tuple[Hit, ...]:
        found = self._rows.best(self._ranges_of(state, level), query, k)
        chosen = _matcher(state, level)
        near = [(key, vector) for key, (other, vector) in self._tail.items() if chosen(other)]
        if near:
            scores = np.stack([vector for _, vector in near]) @ query
            found += [(key, float(score)) for (key, _), score in zip(near, scores, strict=True)]
        found.sort(key=lambda pair: (-pair[1], pair[0]))
        return tuple(Hit(experience_id=key, similarity=score) for key, score in found[:k])

    def _ranges_of(self, state: LearnerState, level: int) -> list[tuple[int, int]]:
        key = (state, level)
        if key not in self._ranges:
            self._ranges[key] = self._rows.ranges(_matcher(state, level))
        return self._ranges[key]

    def _sort_anew(self) -> None:
        """Sort rows and tail together; memory for both exists for a moment."""
        rows, old = SortedRows(self._embedder.dimensions, self._folder), self._rows
        states = np.repeat(np.arange(len(old.cells)), [stop - start for _, start, stop in old.cells])
        living = np.flatnonzero(old.alive)
        keys = [(old.ids[row].decode(), old.cells[states[row]][0]) for row in living]
        keys += [(key, state) for key, (state, _) in self._tail.items()]
        stored = (old.full[row].tobytes() for row in living)
        added = (vector.astype("<f2").tobytes() for _, vector in self._tail.values())
        rows.fill(keys, len(keys), (one for part in (stored, added) for one in part))
        self._rows, self._tail = rows, {}
        self._ranges.clear()

    def _known(self, sentence: str) -> Vector:
        vector = self._vector(sentence)
        if vector is None:
            raise ModelError(f"the embedder gives {sentence[:60]!r} no vector; ask `can_read` first")
        return vector

    def _vector(self, sentence: str) -> Vector | None:
        """Return a sentence's vector as it is stored, so that a search compares what a later load will."""
        with self._vectors_lock:
            if sentence in self._vectors:
                self._vectors.move_to_end(sentence)
                return self._vectors[sentence]
        made = self._embedder.embed([sentence])[0]  # outside the lock: it takes ten times as long as a search
        vector = None if made is None else made.astype("<f2").astype(np.float32)
        with self._vectors_lock:
            self._vectors[sentence] = vector
            if len(self._vectors) > _REMEMBERED:
                self._vectors.popitem(last=False)
        return vector


_RELATED = 3
"""Beside the levels: same or closely related in every tag."""


def _matcher(state: LearnerState, level: int) -> Callable[[LearnerState], bool]:
    if level < 0:
        return lambda _: True
    if level == _RELATED:
        return lambda other: closely_related(state, other)
    chosen = LEVELS[level]
    return lambda other: matches_at(chosen, state, other)
