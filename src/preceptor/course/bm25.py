"""Words to passages: BM25 over an inverted index of numpy arrays, with what learners' spelling needs.

It knows terms and rows; nothing of passages, vectors or stores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from preceptor.course.stemming import stem

K1 = 1.2
"""How soon repetition of a term stops counting. (chosen: the customary value; 0.9 to 1.5 tell nothing apart here)"""
B = 0.6
"""How far long passages are marked down; below the customary 0.75, since passages are of like length. (chosen)"""
SPELLING_MIN_LETTERS = 5
"""Shorter words are not taken for misspelt ones. (chosen)"""
SPELLING_WEIGHT = 0.7
"""What a corrected word counts against one spelt as in the course. (chosen)"""
PART_MIN_LETTERS = 4
"""Least length of each part of a compound. (chosen)"""

Scores = NDArray[np.float32]
Rows = NDArray[np.int64]


class TermTable:
    """Terms and their numbers; grows and never forgets, so that a changed course keeps what was counted."""

    def __init__(self) -> None:
        """Start empty."""
        self.numbers: dict[str, int] = {}
        self.spellings: list[str] = []
        """Per term the word it was first met as."""
        self._by_shape: dict[tuple[str, int], list[str]] = {}

    def number(self, term: str, word: str) -> int:
        """Return a term's number, giving it one if it is new; `word` is what it came from."""
        known = self.numbers.get(term)
        if known is None:
            known = self.numbers[term] = len(self.numbers)
            self.spellings.append(word)
            self._by_shape.setdefault((term[0], len(term)), []).append(term)
        return known

    def near(self, term: str) -> list[str]:
        """Return terms with the same first letter, one letter more, fewer, other or swapped."""
        found = []
        for length in (len(term) - 1, len(term), len(term) + 1):
            found += [other for other in self._by_shape.get((term[0], length), ()) if is_one_slip(term, other)]
        return found


@dataclass(frozen=True, kw_only=True)
class QueryTerm:
    """One word of a query with the terms of the course that stand for it."""

    word: str
    """As typed, in small letters."""
    numbers: tuple[int, ...]
    """Empty: the course does not have it."""
    weight: float
    """In (0, 1]: below 1 for a corrected spelling."""


@dataclass(frozen=True, kw_only=True)
class WordIndex:
    """Which passages hold which terms, and how much that counts."""

    table: TermTable
    tokens: NDArray[np.int32]
    """Term numbers of all passages in reading order, one after another."""
    bounds: Rows
    """Passage i holds tokens bounds[i] to bounds[i + 1]; shape (n_passages + 1,)."""
    starts: Rows
    """Term t holds postings starts[t] to starts[t + 1]; shape (n_terms + 1,)."""
    rows: NDArray[np.int32]
    weights: Scores
    """What a posting adds to its row's score."""
    idf: Scores
    """Per term; a term that no passage holds has the greatest."""

    @property
    def n_passages(self) -> int:
        """Number of passages."""
        return len(self.bounds) - 1

    @cached_property
    def document_frequency(self) -> Rows:
        """Passages that hold each term, shape (n_terms,)."""
        return np.diff(self.starts)

    def query_terms(self, words: Sequence[tuple[str, str]]) -> list[QueryTerm]:
        """Return a query's distinct terms as the course spells them: as they are, in parts, joined, or corrected.

        Args:
            words: (term, word) pairs in the order they stand.
        """
        found: dict[str, QueryTerm] = {}
        for place, (term, word) in enumerate(words):
            if term not in found:
                found[term] = self._resolve(term, word)
            joined = _joined(word, words[place + 1][1]) if place + 1 < len(words) else ""
            if joined not in found and (number := self._held(joined)) is not None:
                found[joined] = QueryTerm(word=joined, numbers=(number,), weight=1.0)
        return list(found.values())

    def scores(self, query: Sequence[QueryTerm]) -> Scores:
        """Return the BM25 score of every passage, shape (n_passages,); 0 where no term is shared."""
        total = np.zeros(self.n_passages, dtype=np.float32)
        for term in query:
            for number in term.numbers:
                part = slice(self.starts[number], self.starts[number + 1])
                total[self.rows[part]] += self.weights[part] * np.float32(term.weight)
        return total

    def best_possible(self, query: Sequence[QueryTerm]) -> float:
        """Return about the score of a passage that holds every term once, greater than 0."""
        return max(1e-6, sum(self.term_idf(term) for term in query))

    def term_idf(self, term: QueryTerm) -> float:
        """Return how rare a query's term is in the course."""
        if not term.numbers:
            return rarest(self.n_passages)
        return float(max(self.idf[number] for number in term.numbers))

    def passage_tokens(self, row: int) -> NDArray[np.int32]:
        """Return a passage's term numbers in reading order."""
        return self.tokens[self.bounds[row] : self.bounds[row + 1]]

    def _resolve(self, term: str, word: str) -> QueryTerm:
        number = self._held(term)
        if number is not None:
            return QueryTerm(word=word, numbers=(number,), weight=1.0)
        if parts := self._parts(term):
            return QueryTerm(word=word, numbers=parts, weight=1.0)
        if len(term) >= SPELLING_MIN_LETTERS and term.isalpha():
            near = [self.table.numbers[other] for other in self.table.near(term)]
            if held := [number for number in near if self._is_held(number)]:
                best = max(held, key=lambda number: int(self.document_frequency[number]))
                return QueryTerm(word=word, numbers=(best,), weight=SPELLING_WEIGHT)
        return QueryTerm(word=word, numbers=(), weight=1.0)

    def _held(self, term: str) -> int | None:
        number = self.table.numbers.get(term)
        return number if number is not None and self._is_held(number) else None

    def _is_held(self, number: int) -> bool:
        return number + 1 < len(self.starts) and bool(self.starts[number + 1] > self.starts[number])

    def _parts(self, term: str) -> tuple[int, ...]:
        """Return the two terms of the course that a compound is made of, or none."""
        for cut in range(len(term) - PART_MIN_LETTERS, PART_MIN_LETTERS - 1, -1):
            first, second = self._held(term[:cut]), self._held(term[cut:])
            if first is not None and second is not None:
                return (first, second)
        return ()


def build_word_index(table: TermTable, passages: Sequence[NDArray[np.int32]]) -> WordIndex:
    """Return the index of passages given as term numbers of `table`, in reading order."""
    n, n_terms = len(passages), len(table.numbers)
    lengths = np.array([len(tokens) for tokens in passages], dtype=np.int64)
    bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    tokens = np.concatenate(passages).astype(np.int32) if n else np.zeros(0, dtype=np.int32)
    owners = np.repeat(np.arange(n, dtype=np.int64), lengths)
    keys, counts = np.unique(tokens.astype(np.int64) * max(n, 1) + owners, return_counts=True)
    terms, rows = np.divmod(keys, max(n, 1))
    frequency = np.bincount(terms, minlength=n_terms)
    idf = np.log1p((n - frequency + 0.5) / (frequency + 0.5))
    mean = lengths.mean() if n and lengths.sum() else 1.0
    bent = counts + K1 * (1 - B + B * lengths[rows] / mean)
    return WordIndex(
        table=table,
        tokens=tokens,
        bounds=bounds,
        starts=np.concatenate([[0], np.cumsum(frequency)]).astype(np.int64),
        rows=rows.astype(np.int32),
        weights=(idf[terms] * counts * (K1 + 1) / bent).astype(np.float32),
        idf=idf.astype(np.float32),
    )


def _joined(first: str, second: str) -> str:
    """Return the term of two words written as one."""
    whole = first + second
    return stem(whole) if whole.isascii() and whole.isalpha() else whole


def rarest(n_passages: int) -> float:
    """Return the weight of a term that none of n passages holds."""
    return float(np.log1p((n_passages + 0.5) / 0.5))


def is_one_slip(first: str, second: str) -> bool:
    """Whether two different words are one letter apart: added, left out, changed, or two neighbours swapped."""
    if len(first) > len(second):
        first, second = second, first
    start = 0
    while start < len(first) and first[start] == second[start]:
        start += 1
    if len(first) < len(second):
        return len(second) - len(first) == 1 and first[start:] == second[start + 1 :]
    rest = first[start + 1 :] == second[start + 1 :]
    swapped = first[start : start + 2] == second[start : start + 2][::-1] and first[start + 2 :] == second[start + 2 :]
    return start < len(first) and (rest or swapped)
