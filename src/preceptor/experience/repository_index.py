"""How sentences of the repository are compared: what both comparers, by vectors and by words, promise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from preceptor.domain.experience import Experience
from preceptor.domain.learner_state import LearnerState
from preceptor.experience.state_relatedness import Level
from preceptor.stores.experiences import ExperienceStore

Matches = Callable[[LearnerState, LearnerState], bool]
"""Whether two states belong together."""


@dataclass(frozen=True, kw_only=True)
class Hit:
    """One entry and how similar its sentence is."""

    experience_id: str
    similarity: float


@dataclass(frozen=True, kw_only=True)
class Search:
    """What a search among entries of related states found."""

    level: Level | None
    """The first level with enough candidates; `None`: no state filter was asked for."""
    n_candidates: int
    """Entries at that level."""
    hits: tuple[Hit, ...]
    """The most similar ones, best first, whatever their similarity; ties by id."""


class SentenceIndex(Protocol):
    """The active entries' sentences in memory."""

    @property
    def fingerprint(self) -> str:
        """What similarities must share to be compared."""
        ...

    def load(self, store: ExperienceStore) -> int:
        """Read every active entry; return the revision they were read at."""
        ...

    def can_read(self, sentence: str) -> bool:
        """Whether a sentence can be compared at all."""
        ...

    def stored_form(self, sentence: str) -> bytes | None:
        """Return what is stored beside an entry: float16, little endian; `None`: words need nothing."""
        ...

    def put(self, experience: Experience) -> None:
        """Take in an active entry, or replace it."""
        ...

    def remove(self, experience_id: str) -> None:
        """Leave an entry out from now on; nothing happens if it is not there."""
        ...

    def search(self, state: LearnerState, sentence: str, *, k: int, filtered: bool = True) -> Search:
        """Return the k most similar entries at the first level with enough candidates."""
        ...

    def nearest(self, state: LearnerState, sentence: str) -> Hit | None:
        """Return the most similar entry of a same or closely related state; `None`: there is none."""
        ...

    def candidates(self, state: LearnerState, *, filtered: bool = True) -> tuple[str, ...]:
        """Return the ids at the first level with enough candidates, sorted."""
        ...

    def mean_similarity(self) -> float | None:
        """Return the mean similarity over all pairs of entries; `None`: fewer than two."""
        ...

    def state_counts(self) -> dict[LearnerState, int]:
        """Return how many entries each state has."""
        ...
