"""The repository's sentences compared by their words, where no embedder is installed: shared rare words count most."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator

from preceptor.domain.experience import Experience
from preceptor.domain.learner_state import LearnerState
from preceptor.experience.abstract_text import content_words
from preceptor.experience.repository_index import Hit, Search
from preceptor.experience.state_relatedness import (
    LEVELS,
    Level,
    closely_related,
    first_sufficient_level,
    matches_at,
)
from preceptor.stores.experiences import ExperienceQuery, ExperienceStore

LEXICAL = "words:1"
"""Fingerprint of this comparison."""
_LETTER = re.compile(r"[^\W\d_]")


def canonical_key(sentence: str) -> frozenset[str]:
    """Return what makes two sentences the same in words: their content words without endings, in any order."""
    return frozenset(content_words(sentence))


class WordIndex:
    """`SentenceIndex` by words: the weight of shared words over the weight of all words of both sentences.

    A word weighs `log(1 + n / entries with it)`; equal canonical keys are 1.0 alike, disjoint ones 0.0.
    """

    def __init__(self) -> None:
        """Make it empty."""
        self._entries: dict[str, tuple[LearnerState, frozenset[str]]] = {}
        self._n_with: Counter[str] = Counter()

    @property
    def fingerprint(self) -> str:
        """`words:1`."""
        return LEXICAL

    def load(self, store: ExperienceStore) -> int:
        """See `SentenceIndex.load`."""
        revision = store.revision()
        self._entries.clear()
        self._n_with.clear()
        for experience in store.find(ExperienceQuery()):
            self.put(experience)
        return revision

    def can_read(self, sentence: str) -> bool:
        """See `SentenceIndex.can_read`."""
        return bool(canonical_key(sentence)) and bool(_LETTER.search(sentence))

    def stored_form(self, sentence: str) -> bytes | None:
        """See `SentenceIndex.stored_form`: words need nothing stored."""
        return None

    def put(self, experience: Experience) -> None:
        """See `SentenceIndex.put`."""
        self.remove(experience.experience_id)
        words = canonical_key(experience.sentence)
        self._entries[experience.experience_id] = (experience.state, words)
        self._n_with.update(words)

    def remove(self, experience_id: str) -> None:
        """See `SentenceIndex.remove`."""
        entry = self._entries.pop(experience_id, None)
        if entry is not None:
            self._n_with.subtract(entry[1])

    def search(self, state: LearnerState, sentence: str, *, k: int, filtered: bool = True) -> Search:
        """See `SentenceIndex.search`."""
        level, chosen = self._level(state, filtered=filtered)
        hits = self._rank(chosen, canonical_key(sentence))
        return Search(level=level, n_candidates=len(hits), hits=tuple(hits[:k]))

    def nearest(self, state: LearnerState, sentence: str) -> Hit | None:
        """See `SentenceIndex.nearest`."""
        hits = self._rank(lambda other: closely_related(state, other), canonical_key(sentence))
        return hits[0] if hits else None

    def candidates(self, state: LearnerState, *, filtered: bool = True) -> tuple[str, ...]:
        """See `SentenceIndex.candidates`."""
        _, chosen = self._level(state, filtered=filtered)
        return tuple(sorted(key for key, (other, _) in self._entries.items() if chosen(other)))

    def mean_similarity(self) -> float | None:
        """See `SentenceIndex.mean_similarity`."""
        keys = [words for _, words in self._entries.values()]
        if len(keys) < 2:
            return None
        total = math.fsum(self._similarity(one, other) for place, one in enumerate(keys) for other in keys[:place])
        return total / (len(keys) * (len(keys) - 1) / 2)

    def state_counts(self) -> dict[LearnerState, int]:
        """See `SentenceIndex.state_counts`."""
        return dict(Counter(state for state, _ in self._entries.values()))

    def _level(self, state: LearnerState, *, filtered: bool) -> tuple[Level | None, Callable[[LearnerState], bool]]:
        if not filtered:
            return None, lambda _: True
        counts = [sum(matches_at(level, state, other) for other in self._states()) for level in LEVELS]
        level = first_sufficient_level(counts)
        return level, lambda other: matches_at(level, state, other)

    def _states(self) -> Iterator[LearnerState]:
        return (state for state, _ in self._entries.values())

    def _rank(self, chosen: Callable[[LearnerState], bool], words: frozenset[str]) -> list[Hit]:
        hits = [
            Hit(experience_id=key, similarity=self._similarity(words, others))
            for key, (other, others) in self._entries.items()
            if chosen(other)
        ]
        return sorted(hits, key=lambda hit: (-hit.similarity, hit.experience_id))

    def _similarity(self, one: frozenset[str], other: frozenset[str]) -> float:
        if one == other:
            return 1.0
        whole = math.fsum(map(self._weight, one | other))
        return math.fsum(map(self._weight, one & other)) / whole if whole else 0.0

    def _weight(self, word: str) -> float:
        return math.log1p((len(self._entries) + 1) / max(1, self._n_with[word]))
