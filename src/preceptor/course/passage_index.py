"""One course in memory, ready to be searched: passages, their words, their vectors.

Built anew whenever the course changed; a passage that was there before keeps what was worked out for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from preceptor.course.bm25 import TermTable, WordIndex, build_word_index
from preceptor.course.terms import text_words
from preceptor.course.word_meanings import WordMeanings
from preceptor.domain.passage import Passage

SKETCH_DIMENSIONS = 256
"""Length of a passage's word sketch, which stands in for a vector where passages are compared without one. (chosen)"""
LEARNT_AT_ONCE = 64
"""New words whose vectors are made while an index is built, so that a changed page is soon whole. (chosen: 60 ms)"""

Vectors = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class PassageIndex:
    """What is searched."""

    passages: tuple[Passage, ...]
    words: WordIndex
    headings: tuple[frozenset[int], ...]
    """Per passage the terms of its headings and of the file's name; they stand in `words` too."""
    n_heading_tokens: NDArray[np.int32]
    """Per passage how many of its tokens come before its text."""
    vectors: Vectors | None
    """Unit rows, (n_passages, n_dims); zero rows where a passage has none; `None`: no passage has one."""
    meanings: Vectors | None = None
    """Vectors of words, (n_words, n_dims), unit or zero rows; `None`: not every word of the course has its own yet."""
    meaning_rows: NDArray[np.int32] | None = None
    """Per term its row in `meanings`."""
    revision: int | None = None

    @cached_property
    def documents(self) -> NDArray[np.int64]:
        """Return per passage the number of its document."""
        numbers: dict[str, int] = {}
        return np.array(
            [numbers.setdefault(passage.document_id, len(numbers)) for passage in self.passages], dtype=np.int64
        )

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Return the row of each passage by its id."""
        return {passage.passage_id: row for row, passage in enumerate(self.passages)}

    @cached_property
    def official(self) -> NDArray[np.bool_]:
        """Whether each passage is of an official document."""
        return np.array([passage.official for passage in self.passages], dtype=bool)

    @cached_property
    def mean_vector(self) -> NDArray[np.float32] | None:
        """Return the mean of the passages' vectors, (n_dims,): what every text of this course is near to."""
        return None if self.vectors is None else np.asarray(self.vectors.mean(axis=0), dtype=np.float32)

    def likeness_vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return what passages are compared by, unit or zero rows: their vectors, else sketches of their words."""
        return self.vectors[rows] if self.vectors is not None else self._sketches(rows)

    def cosines(self, query_vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the cosine of every passage to a query, (n_passages,); the course must have vectors.

        On one thread: a threaded product is 1 ms faster on an idle machine and 20 ms slower on a busy one.
        """
        if self.vectors is None:
            raise ValueError("this course has no vectors")
        return np.asarray(np.einsum("ij,j->i", self.vectors, query_vector), dtype=np.float32)

    def _sketches(self, rows: NDArray[np.int64]) -> Vectors:
        sketches = np.zeros((len(rows), SKETCH_DIMENSIONS), dtype=np.float32)
        for place, row in enumerate(rows):
            terms = np.unique(self.words.passage_tokens(int(row)))
            signs = np.where((terms.astype(np.int64) * 2_654_435_761 >> 16) & 1, 1.0, -1.0)
            np.add.at(sketches[place], terms % SKETCH_DIMENSIONS, signs * self.words.idf[terms])
        lengths = np.linalg.norm(sketches, axis=1, keepdims=True)
        return np.asarray(sketches / np.where(lengths > 0, lengths, 1), dtype=np.float32)


class PassageIndexer:
    """Builds the index of one course and remembers the passages it has read."""

    def __init__(self, meanings: WordMeanings | None = None) -> None:
        """Start with no passage read.

        Args:
            meanings: Vectors of words; `None`: words are compared as they are spelt.
        """
        self._meanings = meanings
        self._table = TermTable()
        self._read: dict[str, tuple[NDArray[np.int32], int]] = {}

    def build(
        self, passages: Sequence[Passage], vectors: Vectors | None = None, *, revision: int | None = None
    ) -> PassageIndex:
        """Return an index.

        Args:
            passages: All of the course, each document in reading order.
            vectors: Unit rows or zero rows, (n_passages, n_dims); `None`: there are none.
            revision: Of the course.

        Raises:
            ValueError: Passages and vectors differ in number.
        """
        if vectors is not None and len(vectors) != len(passages):
            raise ValueError(f"need one row a passage, got {len(vectors)} for {len(passages)}")
        held = {passage.passage_id: self._tokens(passage) for passage in passages}
        self._read = held
        tokens = [held[passage.passage_id] for passage in passages]
        meanings, meaning_rows = self._known_meanings()
        return PassageIndex(
            passages=tuple(passages),
            words=build_word_index(self._table, [numbers for numbers, _ in tokens]),
            headings=tuple(frozenset(numbers[:n].tolist()) for numbers, n in tokens),
            n_heading_tokens=np.array([n for _, n in tokens], dtype=np.int32),
            vectors=vectors if vectors is not None and vectors.any() else None,
            meanings=meanings,
            meaning_rows=meaning_rows,
            revision=revision,
        )

    def learn_meanings(self) -> int:
        """Make the vectors of all words read so far; return how many were new. Build again to use them."""
        return self._meanings.learn(self._table.spellings) if self._meanings is not None else 0

    def _known_meanings(self) -> tuple[Vectors | None, NDArray[np.int32] | None]:
        if self._meanings is None:
            return None, None
        spellings = self._table.spellings
        rows = self._meanings.rows(spellings)
        missing = np.flatnonzero(rows < 0)
        if 0 < len(missing) <= LEARNT_AT_ONCE:
            self._meanings.learn([spellings[place] for place in missing])
            rows = self._meanings.rows(spellings)
        return (None, None) if (rows < 0).any() else (self._meanings.table, rows)

    def _tokens(self, passage: Passage) -> tuple[NDArray[np.int32], int]:
        known = self._read.get(passage.passage_id)
        if known is None:
            headings = text_words(" ".join((PurePosixPath(passage.document_name).stem, *passage.heading_path)))
            words = headings + text_words(passage.text)
            known = (np.array([self._table.number(*pair) for pair in words], dtype=np.int32), len(headings))
        return known
