"""The head that tells which kind of mistake an abstract sentence speaks of, to order what retrieval found.

A multinomial logistic regression over the words of our own lists and the sentence's vector. The file holds words of
those lists, numbers and a data card; no word of any learner that is not on them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from preceptor.domain.experience import Experience
from preceptor.experience.abstract_text import listed_stem
from preceptor.models.embedder import Embedder, Vector

Rows = NDArray[np.float64]
NEAREST = 300
"""Most similar entries that are ordered by the kind of mistake. (on three fivefold-repeated splits the observer's own
sentences reach .33 with 20 to 50, .36 with 100, .39 from 200 on; teachers' descriptions do not tell them apart)"""
WARM_AT_MOST = 2000
"""Sentences that are looked at before the first turn; a larger repository is not ordered by kind. (chosen: some ten
seconds of vectors)"""
FILE = "difficulty_head.json"
_WORD = re.compile(r"[a-z']+")


@dataclass(frozen=True, kw_only=True)
class DifficultyHead:
    """Weights of each kind of mistake."""

    kinds: tuple[str, ...]
    words: tuple[str, ...]
    """Stems of listed words."""
    weight_of_word: tuple[float, ...]
    """Inverse document frequency of each word."""
    weights: tuple[tuple[float, ...], ...]
    """Per feature (words, then the vector's dimensions, then the intercept) one weight a kind."""
    embedder: str
    """Fingerprint of what made the vectors."""
    card: Mapping[str, object] = field(default_factory=dict)
    fitted_on: frozenset[str] = frozenset()
    """Ids of the rows it was fitted on; empty when read from a file."""

    @cached_property
    def _table(self) -> Rows:
        return np.array(self.weights)

    def probabilities(self, sentences: Sequence[str], vectors: Sequence[Vector | None]) -> Rows:
        """Return how likely each kind is, (n_sentences, n_kinds); even where a sentence has no vector."""
        rows = np.column_stack([feature_rows(sentences, vectors, self), np.ones(len(sentences))])
        scores = rows @ self._table
        chance = np.exp(scores - scores.max(axis=1, keepdims=True))
        found: Rows = chance / chance.sum(axis=1, keepdims=True)
        return found


@dataclass(frozen=True, kw_only=True)
class KindOrder:
    """Orders what retrieval found by how likely it is of the same kind of mistake; looks at each sentence once."""

    head: DifficultyHead
    embedder: Embedder
    _known: dict[str, Rows] = field(default_factory=dict, repr=False, compare=False)
    _sentences: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    def warm(self, sentences: Iterable[str]) -> None:
        """Look at sentences before they are asked for."""
        new = list(dict.fromkeys(sentence for sentence in sentences if sentence not in self._known))
        if new:
            self._known.update(zip(new, self._chances(new), strict=True))

    def order(self, sentence: str, found: Sequence[str], *, vector: Vector | None = None) -> list[int]:
        """Return the places of `found`: the very same sentence first, then the likeliest; equal ones keep their order.

        Args:
            sentence: What is asked with; it is not remembered.
            found: The sentences that were found, most similar first.
            vector: Of `sentence`; `None`: it is made here.
        """
        if len(found) < 2:
            return list(range(len(found)))
        alike = self.likeness(sentence, found, vector=vector)
        return sorted(range(len(found)), key=lambda at: (-alike[at], at))

    def likeness(self, sentence: str, found: Sequence[str], *, vector: Vector | None = None) -> list[float]:
        """Return how likely each found sentence is of the same kind; 1 more for the very same sentence."""
        self.warm(found)
        asked = (self._chances([sentence]) if vector is None else self.head.probabilities([sentence], [vector]))[0]
        same = np.array([self._known[one] for one in found]) @ asked
        return [round(float(value), 9) + (one == sentence) for value, one in zip(same, found, strict=True)]

    def order_entries(
        self, sentence: str, ids: Sequence[str], read: Callable[[str], Experience], *, stored: bytes | None = None
    ) -> list[int]:
        """Return the places of entries, the likeliest first.

        Args:
            sentence: What is asked with.
            ids: The entries that were found, most similar first.
            read: Gives an entry; asked for each one once.
            stored: The sentence's vector as the repository keeps it; `None`: it is made here.
        """
        for experience_id in ids:
            if experience_id not in self._sentences:
                self._sentences[experience_id] = read(experience_id).sentence
        vector = np.frombuffer(stored, dtype="<f2").astype(np.float32) if stored else None
        return self.order(sentence, [self._sentences[experience_id] for experience_id in ids], vector=vector)

    def warm_entries(self, entries: Sequence[Experience]) -> None:
        """Look at entries before a turn finds them."""
        self._sentences.update((entry.experience_id, entry.sentence) for entry in entries)
        self.warm(entry.sentence for entry in entries)

    def _chances(self, sentences: Sequence[str]) -> Rows:
        return self.head.probabilities(sentences, self.embedder.embed(sentences, language="en"))


def words_of(sentence: str) -> set[str]:
    """Return the stems of a sentence's words that are on our lists."""
    return {stem for word in _WORD.findall(sentence.casefold()) if (stem := listed_stem(word))}


def feature_rows(sentences: Sequence[str], vectors: Sequence[Vector | None], head: DifficultyHead) -> Rows:
    """Return features, (n_sentences, n_words + n_dims): weighted words of length 1, then the vector."""
    place = {word: at for at, word in enumerate(head.words)}
    dims = len(head.weights) - 1 - len(head.words)
    rows = np.zeros((len(sentences), len(head.words) + dims))
    for row, sentence, vector in zip(rows, sentences, vectors, strict=True):
        for word in words_of(sentence):
            if word in place:
                row[place[word]] = head.weight_of_word[place[word]]
        length = float(np.linalg.norm(row))
        if length:
            row /= length
        if vector is not None:
            row[len(head.words) :] = vector
    return rows


def dump_difficulty_head(head: DifficultyHead) -> str:
    """Return the head as JSON text."""
    content = {
        "card": dict(head.card),
        "embedder": head.embedder,
        "kinds": list(head.kinds),
        "words": list(head.words),
        "weight_of_word": list(head.weight_of_word),
        "weights": [list(row) for row in head.weights],
    }
    return json.dumps(content)


def parse_difficulty_head(text: str) -> DifficultyHead:
    """Return the head that `dump_difficulty_head` wrote.

    Raises:
        ValueError: Words, weights and kinds do not fit each other.
    """
    raw = json.loads(text)
    kinds, words, weights = tuple(raw["kinds"]), tuple(raw["words"]), tuple(map(tuple, raw["weights"]))
    if len(words) != len(raw["weight_of_word"]) or len(weights) <= len(words):
        raise ValueError(f"{len(words)} words need as many frequencies and more weights, got {len(weights)} weights")
    if any(len(row) != len(kinds) for row in weights):
        raise ValueError(f"each feature must have {len(kinds)} weights, one a kind")
    return DifficultyHead(
        kinds=kinds,
        words=words,
        weight_of_word=tuple(raw["weight_of_word"]),
        weights=weights,
        embedder=raw["embedder"],
        card=raw["card"],
    )


@lru_cache(maxsize=1)
def shipped_difficulty_head() -> DifficultyHead:
    """Return the head of the package, fitted on the builtin observer's own sentences."""
    return parse_difficulty_head(files("preceptor.experience").joinpath(FILE).read_text(encoding="utf-8"))
