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
from preceptor.memory.growing_array import GrowingArray
from preceptor.stores.memory import MemoryState, MemoryStore, StoredEntry

NEAR = ((-1, 0.5), (1, 0.5), (-2, 0.3), (2, 0.3), (-3, 0.2), (3, 0.2))
"""(distance in the dialogue, weight) of the neighbours whose words count for an episode. (calibrated on LoCoMo 0-2)"""

NOWHERE = -1
"""No row: an array with one more, empty row at its end gives that one."""
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
    """Shape (n_rows, n_near): rows beside each row in its dialogue; `NOWHERE` where there is none."""
    dialogues: Ints
    """Number of each row's dialogue, from 0 in the order in which they came up."""
    lengths: Floats
    """Words of each row."""
    near_lengths: Floats
    """Words of each row and, down-weighted, its neighbours."""
    recallable: Mask
    """False for questions about the record and the tutor's answers to them."""
    common_count: int
    """A word that occurs more often than this is not distinctive: the median over running words."""
    actors: frozenset[int]
    """Who speaks in any row, as numbers."""
    languages: frozenset[int]
    """Numbers of the languages of all rows."""
    vectors: Floats = field(default_factory=lambda: np.zeros((0, 1), dtype=np.float32))
    """Shape (n_vectors, n_dims), float32."""
    vector_rows: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Row of each vector."""

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.sequences)


class _Rows:
    """The rows of one scope while they grow. An index that was made of them before is not changed by what follows."""

    def __init__(self, entries: Sequence[StoredEntry]) -> None:
        """Take the first entries, given by sequence."""
        headers, words, word_rows, concepts, concept_rows = unpack_entries([entry.content for entry in entries])
        self._episode_ids = tuple(entry.episode_id for entry in entries)
        self._sequences = GrowingArray(_sequences_of(entries))
        self._headers = GrowingArray(headers)
        self._words = GrowingArray(words)
        self._word_rows = GrowingArray(word_rows)
        self._concepts = GrowingArray(concepts)
        self._concept_rows = GrowingArray(concept_rows)
        self._lengths = GrowingArray(_lengths_of(word_rows, len(entries)))
        self._recallable = GrowingArray((headers["flags"] & NARRATION) == 0)
        self._dialogues: GrowingArray[np.int64] = GrowingArray(np.zeros(0, dtype=np.int64))
        self._neighbours: Ints = np.zeros((0, len(NEAR)), dtype=np.int64)
        self._near_lengths: Floats = np.zeros(0, dtype=np.float32)
        self._actors: frozenset[int] = frozenset()
        self._languages: frozenset[int] = frozenset()
        self._common_count = _median_count(words)
        self._counted_words = len(words)
        self._n_dialogues = 0
        self._tie(0)

    @property
    def last_sequence(self) -> int:
        """Of the last row; 0: there is none."""
        return int(self._sequences.rows[-1]) if len(self._sequences) else 0

    def extend(self, entries: Sequence[StoredEntry]) -> None:
        """Add entries that follow."""
        if not entries:
            return
        headers, words, word_rows, concepts, concept_rows = unpack_entries([entry.content for entry in entries])
        size = len(self._sequences)
        self._episode_ids += tuple(entry.episode_id for entry in entries)
        self._sequences.extend(_sequences_of(entries))
        self._headers.extend(headers)
        self._words.extend(words)
        self._word_rows.extend(word_rows + size)
        self._concepts.extend(concepts)
        self._concept_rows.extend(concept_rows + size)
        self._lengths.extend(_lengths_of(word_rows, len(entries)))
        self._recallable.extend((headers["flags"] & NARRATION) == 0)
        if len(self._words) > self._counted_words * RECOUNT:
            self._common_count, self._counted_words = _median_count(self._words.rows), len(self._words)
        self._tie(size)

    def index(self) -> ScopeIndex:
        """Return the rows as they are now, without vectors."""
        return ScopeIndex(
            episode_ids=self._episode_ids,
            sequences=self._sequences.rows,
            headers=self._headers.rows,
            words=self._words.rows,
            word_rows=self._word_rows.rows,
            concepts=self._concepts.rows,
            concept_rows=self._concept_rows.rows,
            neighbours=self._neighbours,
            dialogues=self._dialogues.rows,
            lengths=self._lengths.rows,
            near_lengths=self._near_lengths,
            recallable=self._recallable.rows,
            common_count=self._common_count,
            actors=self._actors,
            languages=self._languages,
        )

    def _tie(self, old: int) -> None:
        """Find dialogues and neighbours of the rows from `old` on, and of those their dialogues had before."""
        headers = self._headers.rows
        new = headers[old:]
        self._actors |= frozenset(np.unique(new["actor"]).tolist())
        self._languages |= frozenset(np.unique(new["language"]).tolist())
        touched = np.flatnonzero(np.isin(headers["dialogue"], np.unique(new["dialogue"])))
        dialogue = headers["dialogue"][touched]
        self._dialogues.extend(self._numbers(dialogue, touched, old))
        beside = _neighbours(dialogue)
        lengths = self._lengths.rows
        neighbours = np.full((len(headers), len(NEAR)), NOWHERE, dtype=np.int64)
        neighbours[:old] = self._neighbours
        neighbours[touched] = np.where(beside == NOWHERE, NOWHERE, touched[beside])
        near_lengths = np.concatenate((self._near_lengths, lengths[old:]))
        near_lengths[touched] = _near_lengths(lengths, neighbours[touched], touched)
        self._neighbours, self._near_lengths = neighbours, near_lengths

    def _numbers(self, dialogue: NDArray[np.uint64], touched: Ints, old: int) -> Ints:
        """Return the numbers of the new rows' dialogues: in the order in which dialogues came up."""
        _, first, inverse = np.unique(dialogue, return_index=True, return_inverse=True)
        known = self._dialogues.rows
        first_rows = touched[first]
        numbers = np.zeros(len(first), dtype=np.int64)
        is_known = first_rows < old
        numbers[is_known] = known[first_rows[is_known]]
        begun = np.flatnonzero(~is_known)
        begun = begun[np.argsort(first_rows[begun], kind="stable")]
        numbers[begun] = self._n_dialogues + np.arange(len(begun))
        self._n_dialogues += len(begun)
        found: Ints = numbers[inverse][touched >= old]
        return found


def _sequences_of(entries: Sequence[StoredEntry]) -> Ints:
    return np.fromiter((entry.sequence for entry in entries), dtype=np.int64, count=len(entries))


def _lengths_of(word_rows: Ints, size: int) -> Floats:
    return np.bincount(word_rows, minlength=size).astype(np.float32)


def _near_lengths(lengths: Floats, neighbours: Ints, rows: Ints) -> Floats:
    """Return the lengths of rows with their neighbours'; added one by one, so that it matters not what came when."""
    padded = np.append(lengths, np.float32(0))
    found: Floats = lengths[rows]
    for column, (_, weight) in enumerate(NEAR):
        found = found + padded[neighbours[:, column]] * np.float32(weight)
    return found


def build_index(entries: Sequence[StoredEntry]) -> ScopeIndex:
    """Return the arrays of a scope's entries, given by sequence, without vectors."""
    return _Rows(entries).index()


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
    found = np.full((size, len(NEAR)), NOWHERE, dtype=np.int64)
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


class _Vectors:
    """The vectors of one embedder, in a matrix that has room to grow."""

    def __init__(self, embedder: str = "") -> None:
        """Begin without any."""
        self.embedder = embedder
        self.writes = -1
        """Count of vector writes that was seen; -1: there is something left to read."""
        self.last = 0
        """Highest sequence read, declined ones included."""
        self._matrix: GrowingArray[np.float32] | None = None
        self._rows: GrowingArray[np.int64] = GrowingArray(np.zeros(0, dtype=np.int64))

    def add(self, found: Sequence[tuple[int, bytes]], writes: int, sequences: Ints) -> None:
        """Add vectors by sequence, as far as the index's own sequences go; what lies beyond is read later."""
        last = int(sequences[-1]) if len(sequences) else 0
        within = [one for one in found if one[0] <= last]
        self.writes = writes if len(within) == len(found) else -1
        self.last = within[-1][0] if within else self.last
        full = [one for one in within if one[1]]
        if not full:
            return
        asked = np.array([sequence for sequence, _ in full], dtype=np.int64)
        rows = np.searchsorted(sequences, asked)
        is_held = sequences[rows] == asked
        new = np.frombuffer(b"".join(content for _, content in full), dtype="<f2").reshape(len(full), -1)
        held = new[is_held].astype(np.float32)
        if self._matrix is None:
            self._matrix = GrowingArray(held)
        else:
            self._matrix.extend(held)
        self._rows.extend(rows[is_held])

    def beside(self, index: ScopeIndex) -> ScopeIndex:
        """Return the index with these vectors."""
        if self._matrix is None or (
            len(index.vector_rows) == len(self._rows) and index.vectors.base is self._matrix.rows.base
        ):
            return index
        return replace(index, vectors=self._matrix.rows, vector_rows=self._rows.rows)


@dataclass
class _Cached:
    lock: RLock = field(default_factory=RLock)
    revision: int = -1
    sequence: int = -1
    rows: _Rows | None = None
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
            if embedder is not None:
                index = self._with_vectors(cached, scope, index, embedder, state.vector_writes)
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
        if cached.rows is None or not same or cached.sequence > state.indexed_sequence:
            cached.rows = _Rows(self._store.entries(scope))
            cached.vectors = _Vectors()
        else:
            cached.rows.extend(self._store.entries(scope, after_sequence=cached.rows.last_sequence))
        cached.revision, cached.sequence = state.revision, state.indexed_sequence
        return cached.vectors.beside(cached.rows.index())  # rows only grow at the end, so vectors keep theirs

    def _with_vectors(self, cached: _Cached, scope: Scope, index: ScopeIndex, embedder: str, writes: int) -> ScopeIndex:
        if cached.vectors.embedder != embedder:
            cached.vectors = _Vectors(embedder)
        vectors = cached.vectors
        if vectors.writes != writes:
            vectors.add(self._store.vectors(scope, embedder, after_sequence=vectors.last), writes, index.sequences)
        return vectors.beside(index)
