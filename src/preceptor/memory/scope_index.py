"""Everything recall needs of one scope as arrays: read once, then extended by what was appended since."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock, RLock

import numpy as np
from numpy.typing import NDArray

from preceptor.domain.scope import Scope
from preceptor.memory.entry import NARRATION, unpack_entries
from preceptor.stores.memory import MemoryState, MemoryStore, StoredEntry

NEAR = ((-1, 0.5), (1, 0.5), (-2, 0.3), (2, 0.3), (-3, 0.2), (3, 0.2))
"""(distance in the dialogue, weight) of the neighbours whose words count for an episode. (calibrated on LoCoMo 0-2)"""

RECOUNT = 1.05
"""The median count of words is found anew when a scope has so many times the words it was found for. (chosen)"""
Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class ScopeIndex:
    """The episodes of one learner and subject that can be recalled; rows in the order of their sequence."""

    episode_ids: tuple[str, ...]
    sequences: Ints
    headers: NDArray[np.void]
    words: NDArray[np.uint32]
    """All words of all rows, as numbers."""
    word_rows: Ints
    """Row of each word."""
    concepts: NDArray[np.uint32]
    concept_rows: Ints
    neighbours: Ints
    """Shape (n_rows, n_near): rows beside each row in its dialogue; n_rows where there is none."""
    dialogues: Ints
    """Number of each row's dialogue, from 0."""
    lengths: Floats
    """Words of each row."""
    near_lengths: Floats
    """Words of each row and, down-weighted, its neighbours."""
    recallable: Mask
    """False for questions about the record and the tutor's answers to them."""
    common_count: int
    """A word that occurs more often than this is not distinctive: the median over running words."""
    vectors: Floats = field(default_factory=lambda: np.zeros((0, 1), dtype=np.float32))
    """Shape (n_vectors, n_dims), float32."""
    vector_rows: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Row of each vector."""

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.sequences)


@dataclass(frozen=True, kw_only=True)
class _Parts:
    """What is read from entries and only grows."""

    episode_ids: tuple[str, ...]
    sequences: Ints
    headers: NDArray[np.void]
    words: NDArray[np.uint32]
    word_rows: Ints
    concepts: NDArray[np.uint32]
    concept_rows: Ints
    common_count: int
    counted_words: int
    """How many words there were when `common_count` was found."""


def _parts_of(entries: Sequence[StoredEntry]) -> _Parts:
    headers, words, word_rows, concepts, concept_rows = unpack_entries([entry.content for entry in entries])
    return _Parts(
        episode_ids=tuple(entry.episode_id for entry in entries),
        sequences=np.fromiter((entry.sequence for entry in entries), dtype=np.int64, count=len(entries)),
        headers=headers,
        words=words,
        word_rows=word_rows,
        concepts=concepts,
        concept_rows=concept_rows,
        common_count=_median_count(words),
        counted_words=len(words),
    )


def _joined(parts: _Parts, entries: Sequence[StoredEntry]) -> _Parts:
    if not entries:
        return parts
    new = _parts_of(entries)
    size = len(parts.sequences)
    words = np.concatenate((parts.words, new.words))
    stale = len(words) > parts.counted_words * RECOUNT
    return _Parts(
        episode_ids=parts.episode_ids + new.episode_ids,
        sequences=np.concatenate((parts.sequences, new.sequences)),
        headers=np.concatenate((parts.headers, new.headers)),
        words=words,
        word_rows=np.concatenate((parts.word_rows, new.word_rows + size)),
        concepts=np.concatenate((parts.concepts, new.concepts)),
        concept_rows=np.concatenate((parts.concept_rows, new.concept_rows + size)),
        common_count=_median_count(words) if stale else parts.common_count,
        counted_words=len(words) if stale else parts.counted_words,
    )


def build_index(entries: Sequence[StoredEntry]) -> ScopeIndex:
    """Return the arrays of a scope's entries, given by sequence, without vectors."""
    return _index_of(_parts_of(entries))


def _index_of(parts: _Parts) -> ScopeIndex:
    size = len(parts.sequences)
    lengths = np.bincount(parts.word_rows, minlength=size).astype(np.float32)
    neighbours = _neighbours(parts.headers["dialogue"])
    padded = np.append(lengths, 0).astype(np.float32)
    weights = np.array([weight for _, weight in NEAR], dtype=np.float32)
    _, dialogues = np.unique(parts.headers["dialogue"], return_inverse=True)
    return ScopeIndex(
        episode_ids=parts.episode_ids,
        sequences=parts.sequences,
        headers=parts.headers,
        words=parts.words,
        word_rows=parts.word_rows,
        concepts=parts.concepts,
        concept_rows=parts.concept_rows,
        neighbours=neighbours,
        dialogues=dialogues.astype(np.int64),
        lengths=lengths,
        near_lengths=lengths + padded[neighbours] @ weights,
        recallable=(parts.headers["flags"] & NARRATION) == 0,
        common_count=parts.common_count,
    )


def _median_count(words: NDArray[np.uint32]) -> int:
    if not len(words):
        return 0
    _, counts = np.unique(words, return_counts=True)
    counts.sort()
    running = np.cumsum(counts)
    return int(counts[np.searchsorted(running, running[-1] / 2)])


def _neighbours(dialogue: NDArray[np.uint64]) -> Ints:
    """Return the rows beside each row in its dialogue; an episode outside any dialogue has none."""
    size = len(dialogue)
    order = np.argsort(dialogue, kind="stable")
    sorted_dialogue = dialogue[order]
    found = np.full((size, len(NEAR)), size, dtype=np.int64)
    for column, (distance, _) in enumerate(NEAR):
        step = abs(distance)
        if step >= size:
            continue
        same = (sorted_dialogue[step:] == sorted_dialogue[:-step]) & (sorted_dialogue[step:] != 0)
        earlier, later = order[:-step][same], order[step:][same]
        if distance < 0:
            found[later, column] = earlier
        else:
            found[earlier, column] = later
    return found


@dataclass
class _Vectors:
    """The vectors of one embedder, in a matrix that has room to grow."""

    embedder: str = ""
    writes: int = -1
    matrix: Floats = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))
    sequences: list[int] = field(default_factory=list)
    """Sequence of each row of the matrix in use."""
    last: int = 0
    """Highest sequence read, declined ones included."""

    def clear(self) -> None:
        """Begin anew; a matrix that an index still reads is left alone."""
        self.matrix, self.sequences, self.last = np.zeros((0, 0), dtype=np.float32), [], 0

    def add(self, rows: Sequence[tuple[int, bytes]]) -> None:
        full = [(sequence, content) for sequence, content in rows if content]
        self.last = max(self.last, rows[-1][0] if rows else 0)
        if not full:
            return
        new = np.frombuffer(b"".join(content for _, content in full), dtype="<f2").reshape(len(full), -1)
        used = len(self.sequences)
        if used + len(full) > len(self.matrix):
            room = np.zeros((max(1024, used + len(full), int(used * 1.5)), new.shape[1]), dtype=np.float32)
            if used:
                room[:used] = self.matrix[:used]
            self.matrix = room
        self.matrix[used : used + len(full)] = new
        self.sequences += [sequence for sequence, _ in full]


@dataclass
class _Cached:
    lock: RLock = field(default_factory=RLock)
    revision: int = -1
    sequence: int = -1
    parts: _Parts | None = None
    index: ScopeIndex | None = None
    vectors: _Vectors = field(default_factory=_Vectors)


class ScopeIndexes:
    """The indexes in memory, the least used dropped first. Safe to use from several threads."""

    def __init__(self, store: MemoryStore, *, limit: int) -> None:
        """Keep the store; `limit` scopes stay in memory."""
        self._store = store
        self._limit = limit
        self._lock = Lock()
        self._cached: OrderedDict[Scope, _Cached] = OrderedDict()

    def index(self, scope: Scope, state: MemoryState, embedder: str | None) -> ScopeIndex:
        """Return a scope's index as far as `state` says it goes, with the vectors of one embedder.

        Args:
            scope: Whose.
            state: As read now: an erasure since raises its revision, and everything is read anew.
            embedder: Fingerprint; `None`: vectors are not needed.
        """
        cached = self._of(scope)
        with cached.lock:
            index = self._words(cached, scope, state)
            if embedder is not None and self._read_vectors(cached.vectors, scope, embedder, state.vector_writes):
                used = len(cached.vectors.sequences)
                rows = np.searchsorted(index.sequences, np.array(cached.vectors.sequences, dtype=np.int64))
                index = replace(index, vectors=cached.vectors.matrix[:used], vector_rows=rows)
            cached.index = index
            return index

    def forget(self, scope: Scope | None = None) -> None:
        """Drop one scope's index from memory, or all."""
        with self._lock:
            if scope is None:
                self._cached.clear()
            else:
                self._cached.pop(scope, None)

    def _of(self, scope: Scope) -> _Cached:
        with self._lock:
            cached = self._cached.setdefault(scope, _Cached())
            self._cached.move_to_end(scope)
            while len(self._cached) > self._limit:
                self._cached.popitem(last=False)
            return cached

    def _words(self, cached: _Cached, scope: Scope, state: MemoryState) -> ScopeIndex:
        same = cached.revision == state.revision
        if cached.index is not None and same and cached.sequence == state.indexed_sequence:
            return cached.index
        if cached.parts is None or not same or cached.sequence > state.indexed_sequence:
            cached.parts = _parts_of(self._store.entries(scope))
            cached.vectors = _Vectors()
            index = _index_of(cached.parts)
        else:
            last = int(cached.parts.sequences[-1]) if len(cached.parts.sequences) else 0
            cached.parts = _joined(cached.parts, self._store.entries(scope, after_sequence=last))
            old = cached.index
            index = _index_of(cached.parts)
            if old is not None:  # rows only grow at the end, so vectors keep theirs
                index = replace(index, vectors=old.vectors, vector_rows=old.vector_rows)
        cached.revision, cached.sequence = state.revision, state.indexed_sequence
        return index

    def _read_vectors(self, vectors: _Vectors, scope: Scope, embedder: str, writes: int) -> bool:
        """Read what is new; return whether anything is."""
        if (vectors.embedder, vectors.writes) == (embedder, writes):
            return False
        if vectors.embedder != embedder:
            vectors.clear()
        vectors.embedder, vectors.writes = embedder, writes
        vectors.add(self._store.vectors(scope, embedder, after_sequence=vectors.last))
        return True
