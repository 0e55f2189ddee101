"""Exact cosine search inside related states, for up to a million entries in memory.

Rows lie sorted by state, so that each filter level is a handful of contiguous ranges. A range is not scanned in full:
each vector is split by an orthonormal basis into a short head (float32) and the length of what remains, which bounds
its cosine from above: `q·x <= head(q)·head(x) + |rest(q)| |rest(x)|` (Cauchy-Schwarz). Heads are scanned, and only
rows whose bound reaches the best cosine found so far are compared in full, block by block. The result is that
of a full scan, whatever the data; only the time depends on how much of a vector its head holds.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from preceptor.domain.learner_state import LearnerState
from preceptor.errors import StoreError
from preceptor.experience.state_relatedness import STRUGGLE_GROUP
from preceptor.models.embedder import Vector

Halves = NDArray[np.float16]
Rows = NDArray[np.int64]

HEAD_DIMENSIONS = 48
"""Length of a head. (chosen: of 32, 48 and 64 the fastest by a little on 400,000 clustered vectors)"""
MEMORY_LIMIT_BYTES = 1_200_000_000
"""Whole vectors above this lie in a memory-mapped file; with heads and ids the index stays under 1.7 GB. (chosen)"""
_BLOCK = 4096
_GROUP = 256
_SLACK = 2e-5
"""Rounding of float32 sums over 384 products; bounds are loosened by it."""
_LOWEST = -2.0
"""Below every cosine."""
_SAMPLE = 20_000
_ROUNDS = 6


class SortedRows:
    """The bulk of the entries, sorted by state; only shrinks, until the whole is sorted anew."""

    def __init__(self, dimensions: int, folder: Path | None = None) -> None:
        """Make it empty; a file mapped into memory lies in `folder`, or in the system's place for such files."""
        self.full: Halves = np.zeros((0, dimensions), np.float16)
        self.basis: NDArray[np.float32] = np.zeros((dimensions, 0), np.float32)
        self.head: NDArray[np.float32] = np.zeros((0, 0), np.float32)
        self.ids: NDArray[np.bytes_] = np.zeros(0, "S21")
        self.alive: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.cells: list[tuple[LearnerState, int, int]] = []
        self.n_removed = 0
        self.mapped = False
        self._dimensions = dimensions
        self._folder = folder

    def fill(self, keys: Iterable[tuple[str, LearnerState]], n: int, vectors: Iterator[bytes]) -> None:
        """Take in `n` entries: ids and states, then their stored vectors in the same order."""
        states: dict[LearnerState, int] = {}
        codes = np.zeros(n, np.int32)
        ids: NDArray[np.bytes_] = np.zeros(n, "S21")
        for place, (key, state) in enumerate(keys):
            codes[place] = states.setdefault(state, len(states))
            ids[place] = key.encode()
        by_rank = sorted(states, key=_rank)
        rank = np.zeros(len(states), np.int32)
        for place, state in enumerate(by_rank):
            rank[states[state]] = place
        order = np.argsort(rank[codes], kind="stable") if n else np.zeros(0, np.int64)
        self.ids = ids[order]
        target = np.empty(n, np.int64)
        target[order] = np.arange(n)
        self._read(vectors, target)
        sizes = np.bincount(rank[codes], minlength=len(by_rank)) if n else np.zeros(0, np.int64)
        stops = np.cumsum(sizes)
        self.cells = [
            (state, int(stop - size), int(stop)) for state, size, stop in zip(by_rank, sizes, stops, strict=True)
        ]
        self.alive = np.ones(n, np.bool_)
        self.n_removed = 0
        self._split()

    def _read(self, vectors: Iterator[bytes], target: Rows) -> None:
        shape = (len(target), self._dimensions)
        self.mapped = shape[0] * shape[1] * 2 > MEMORY_LIMIT_BYTES
        if self.mapped:
            with tempfile.TemporaryFile(dir=self._folder) as file:  # the map keeps it
                self.full = np.memmap(file, np.float16, "w+", shape=shape)
        else:
            self.full = np.empty(shape, np.float16)
        start = 0
        while some := list(islice(vectors, _BLOCK)):
            block = np.frombuffer(b"".join(some), "<f2")
            if block.size != len(some) * self._dimensions:
                raise StoreError(f"a stored vector has not {self._dimensions} dimensions: run `experience reembed`")
            self.full[target[start : start + len(some)]] = block.reshape(len(some), -1)
            start += len(some)

    def _split(self) -> None:
        """Choose the directions that hold most of a sample, and split every row by them."""
        n = len(self.full)
        length = min(HEAD_DIMENSIONS, self._dimensions)
        self.head = np.empty((n, length + 1), np.float32)  # the last column is the length of the rest
        if not n:
            return
        sample = self.full[:: max(1, n // _SAMPLE)].astype(np.float32)
        self.basis = _main_directions(sample.T @ sample, length)
        for start in range(0, n, _BLOCK):
            block = self.full[start : start + _BLOCK].astype(np.float32)
            head = block @ self.basis
            self.head[start : start + _BLOCK, :length] = head
            square = np.einsum("ij,ij->i", block, block) - np.einsum("ij,ij->i", head, head)
            self.head[start : start + _BLOCK, length] = np.sqrt(np.maximum(square, 0)) + _SLACK

    def ranges(self, chosen: Callable[[LearnerState], bool]) -> list[tuple[int, int]]:
        """Return the rows of the chosen states as few contiguous ranges."""
        found: list[tuple[int, int]] = []
        for state, start, stop in self.cells:
            if not chosen(state):
                continue
            if found and found[-1][1] == start:
                found[-1] = (found[-1][0], stop)
            else:
                found.append((start, stop))
        return found

    def best(self, ranges: Sequence[tuple[int, int]], query: Vector, k: int) -> list[tuple[str, float]]:
        """Return the k best living rows of the ranges by exact cosine, best first, ties by id."""
        if not ranges:
            return []
        starts = np.array([start for start, _ in ranges])
        offsets = np.concatenate([[0], np.cumsum([stop - start for start, stop in ranges])])
        bounds = self._bounds(ranges, query)
        scores, rows = np.zeros(0, np.float32), np.zeros(0, np.int64)
        floor = _LOWEST
        places = _promising(bounds, k)
        while places.size:
            chosen = places[:_BLOCK]
            part = np.searchsorted(offsets, chosen, "right") - 1
            new = starts[part] + chosen - offsets[part]
            scores = np.concatenate([scores, self.full[new].astype(np.float32) @ query])
            rows = np.concatenate([rows, new])
            bounds[chosen] = -np.inf  # compared
            best = np.lexsort((self.ids[rows], -scores))[:k]
            scores, rows = scores[best], rows[best]
            first_time = floor == _LOWEST
            floor = float(scores[-1]) if len(scores) == k else _LOWEST
            if first_time and floor > _LOWEST:
                places = np.flatnonzero(bounds >= floor - _SLACK)
                places = places[np.argsort(-bounds[places])]
            else:
                places = places[_BLOCK:]
                places = places[bounds[places] >= floor - _SLACK]
        return [(self.ids[row].decode(), float(score)) for row, score in zip(rows, scores, strict=True)]

    def _bounds(self, ranges: Sequence[tuple[int, int]], query: Vector) -> NDArray[np.float32]:
        """Return an upper bound of each row's cosine; -inf for a row that was removed."""
        short = query @ self.basis
        beyond = np.sqrt(max(0.0, float(query @ query) - float(short @ short))) + _SLACK
        asked = np.append(short, np.float32(beyond)).astype(np.float32)
        bounds = np.empty(sum(stop - start for start, stop in ranges), np.float32)
        place = 0
        for start, stop in ranges:
            part = bounds[place : place + stop - start]
            np.dot(self.head[start:stop], asked, out=part)
            if self.n_removed:
                part[~self.alive[start:stop]] = -np.inf
            place += stop - start
        return bounds

    def remove(self, experience_id: str) -> bool:
        """Leave a row out from now on; `False` where there is none."""
        found = np.flatnonzero((self.ids == experience_id.encode()) & self.alive)
        self.alive[found] = False
        self.n_removed += len(found)
        return bool(len(found))

    def count(self, ranges: Sequence[tuple[int, int]]) -> int:
        """Return how many living rows the ranges hold."""
        if not self.n_removed:
            return sum(stop - start for start, stop in ranges)
        return sum(int(np.count_nonzero(self.alive[start:stop])) for start, stop in ranges)


def _main_directions(products: NDArray[np.float32], n: int) -> NDArray[np.float32]:
    """Return n orthonormal columns that nearly span the strongest directions, by subspace iteration.

    Bounds hold for any orthonormal columns; a full decomposition took seconds on a busy machine and gains nothing.
    """
    matrix = products.astype(np.float64)
    columns = _orthonormal(np.random.default_rng(0).standard_normal((len(matrix), n)))
    for _ in range(_ROUNDS):
        columns = _orthonormal(matrix @ columns)
    return np.ascontiguousarray(columns.astype(np.float32))


def _orthonormal(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return orthonormal columns by Gram-Schmidt, twice: small products wait for no other thread, LAPACK's do."""
    found = columns.copy()
    for place in range(found.shape[1]):
        before = found[:, :place]
        given = float(np.linalg.norm(found[:, place]))
        for _ in range(2):
            found[:, place] -= before @ (before.T @ found[:, place])
        length = float(np.linalg.norm(found[:, place]))
        # What the columns before span already leaves rounding errors only, which are orthogonal to nothing.
        found[:, place] = found[:, place] / length if length > 1e-7 * given else 0.0
    return found


def _promising(bounds: NDArray[np.float32], k: int) -> Rows:
    """Return places that are likely to hold the best rows: enough living ones for k where there are so many."""
    starts = np.arange(0, len(bounds), _GROUP)
    highest = np.maximum.reduceat(bounds, starts)
    wanted = min(len(starts), max(2, k))
    tops = np.argpartition(highest, -wanted)[-wanted:]
    near = np.concatenate([np.arange(starts[top], min(starts[top] + _GROUP, len(bounds))) for top in tops])
    near = near[bounds[near] > -np.inf]
    near = near[np.argsort(-bounds[near])]
    return near[: max(64, 4 * k)] if near.size >= k else np.flatnonzero(bounds > -np.inf)


def _rank(state: LearnerState) -> tuple[str, int, str, str, str]:
    """Sort so that each filter level of one error type is one stretch."""
    group = STRUGGLE_GROUP[state.struggle_status]
    return state.error_type.value, group, state.struggle_status.value, state.emotion.value, state.intent.value
