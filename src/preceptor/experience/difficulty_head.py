"""The head that tells which kind of mistake an abstract sentence speaks of, to order what retrieval found.

A multinomial logistic regression over the words of our own lists and the sentence's vector. The file holds words of
those lists, numbers and a data card; no word of any learner that is not on them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from preceptor.experience.abstract_text import listed_stem
from preceptor.models.embedder import Embedder, Vector

Rows = NDArray[np.float64]
NEAREST = 50
"""Most similar entries that are ordered by the kind of mistake. (chosen on folds: 20 to all do not differ)"""
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

    def probabilities(self, sentences: Sequence[str], vectors: Sequence[Vector | None]) -> Rows:
        """Return how likely each kind is, (n_sentences, n_kinds); even where a sentence has no vector."""
        rows = np.column_stack([feature_rows(sentences, vectors, self), np.ones(len(sentences))])
        scores = rows @ np.array(self.weights)
        chance = np.exp(scores - scores.max(axis=1, keepdims=True))
        found: Rows = chance / chance.sum(axis=1, keepdims=True)
        return found


@dataclass(frozen=True, kw_only=True)
class KindOrder:
    """Orders what retrieval found by how likely it is of the same kind of mistake."""

    head: DifficultyHead
    embedder: Embedder

    def order(self, sentence: str, found: Sequence[str]) -> list[int]:
        """Return the places of `found`, the likeliest first; equal likelihoods keep their order.

        Args:
            sentence: What is asked with.
            found: The sentences that were found, most similar first.
        """
        if len(found) < 2:
            return list(range(len(found)))
        said = [sentence, *found]
        chances = self.head.probabilities(said, self.embedder.embed(said, language="en"))
        same = chances[1:] @ chances[0]
        return sorted(range(len(found)), key=lambda place: (-round(float(same[place]), 9), place))


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
