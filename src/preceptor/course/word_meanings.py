"""One vector a word, out of any sentence: how near a learner's word comes to the course's own words.

`ram` is near `memory`; a word that comes near nothing in a passage speaks against it. Vectors of a course's words are
made once for all courses and kept in a file; a learner's words are kept in memory only, and only the latest.
"""

from __future__ import annotations

import os
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from preceptor.models.embedder import Embedder

REMEMBERED = 2_000
"""Words of queries whose vectors are remembered. (chosen)"""
_BATCH = 256

Vectors = NDArray[np.float32]


class WordMeanings:
    """Word vectors of one embedder; safe to use from several threads."""

    def __init__(self, embedder: Embedder, *, folder: Path | None = None) -> None:
        """Load what was kept.

        Args:
            embedder: Makes the vectors.
            folder: Where they are kept between runs; `None`: they are not.
        """
        self._embedder = embedder
        self._lock = threading.Lock()
        name = re.sub(r"[^A-Za-z0-9.-]", "_", embedder.fingerprint)
        self._file = None if folder is None else folder / f"{name}.npz"
        self._rows: dict[str, int] = {}
        self._table: Vectors = np.zeros((0, embedder.dimensions), dtype=np.float32)
        self._asked: OrderedDict[str, Vectors] = OrderedDict()
        self._load()

    @property
    def table(self) -> Vectors:
        """All kept vectors, unit rows or zero rows, (n_words, n_dims); rows are only ever added."""
        return self._table

    def rows(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Return each word's row in the table; -1 where it is not kept yet."""
        return np.array([self._rows.get(word, -1) for word in words], dtype=np.int32)

    def learn(self, words: Sequence[str]) -> int:
        """Make and keep the vectors of words of a course; return how many were new."""
        with self._lock:
            new = [word for word in dict.fromkeys(words) if word not in self._rows]
            for start in range(0, len(new), _BATCH):
                part = new[start : start + _BATCH]
                first = len(self._table)
                self._table = np.vstack([self._table, self._embedded(part)])
                self._rows.update({word: first + place for place, word in enumerate(part)})
            if new:
                self._save()
        return len(new)

    def query_vectors(self, words: Sequence[str]) -> Vectors:
        """Return one unit or zero row a word, (n_words, n_dims); nothing is written down."""
        with self._lock:
            new = [word for word in dict.fromkeys(words) if word not in self._rows and word not in self._asked]
            if new:
                self._asked.update(zip(new, self._embedded(new), strict=True))
            found = [self._table[self._rows[word]] if word in self._rows else self._asked[word] for word in words]
            while len(self._asked) > REMEMBERED:
                self._asked.popitem(last=False)
        return np.stack(found) if found else np.zeros((0, self._embedder.dimensions), dtype=np.float32)

    def _embedded(self, words: Sequence[str]) -> Vectors:
        nothing = np.zeros(self._embedder.dimensions, dtype=np.float32)
        return np.stack([nothing if vector is None else vector for vector in self._embedder.embed(words)])

    def _load(self) -> None:
        if self._file is None or not self._file.is_file():
            return
        try:
            with self._file.open("rb") as stream, np.load(stream, allow_pickle=False) as kept:
                words, table = kept["words"].tolist(), kept["vectors"].astype(np.float32)
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return  # a cache that cannot be read is made again
        if table.shape == (len(words), self._embedder.dimensions):
            self._rows, self._table = {word: place for place, word in enumerate(words)}, table

    def _save(self) -> None:
        if self._file is None:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        part = self._file.with_name(f"{self._file.name}.{os.getpid()}.part")
        with part.open("wb") as stream:
            np.savez(stream, words=np.array(list(self._rows)), vectors=self._table.astype(np.float16))
        part.replace(self._file)
