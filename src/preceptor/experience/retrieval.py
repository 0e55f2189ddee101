"""State-aware retrieval: which experience, if any, helps in this turn (REAT, equations 10 and 11, Algorithm 1)."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Literal

from anyio import to_thread

from preceptor.domain.experience import Experience
from preceptor.domain.learner_state import LearnerState
from preceptor.experience.abstract_sentence import AbstractSentence, BuiltinRewriter, Rewriter, abstract_sentence
from preceptor.experience.abstract_text import NOWHERE, Surroundings
from preceptor.experience.difficulty_head import NEAREST, KindOrder
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.repository_index import Search, SentenceIndex
from preceptor.experience.state_relatedness import Level

Nothing = Literal["", "no_difficulty", "cannot_be_compared", "no_candidates", "below_threshold"]


@dataclass(frozen=True, kw_only=True)
class RetrievalRule:
    """How entries are chosen; a lab run may switch parts off (the ablations of REAT)."""

    k: int = 1
    """Entries told to the tutor, at most. (seed: Figure 2 and equation 11; Algorithm 1 says top-k)"""
    tau: float | None = None
    """Least similarity; `None`: the repository's for its embedder."""
    rewrites: bool = True
    """`False`: ask with the diagnostic text as it is."""
    filters_state: bool = True
    """`False`: search the whole repository."""
    choice: Literal["nearest", "random"] = "nearest"
    """`random`: any entry of the filtered states, whatever its similarity."""
    seed: int = 0
    """For the random choice."""

    def __post_init__(self) -> None:
        """Refuse a k that asks for nothing."""
        if self.k < 1:
            raise ValueError(f"k must be 1 or more, got {self.k}")


@dataclass(frozen=True, kw_only=True)
class Retrieved:
    """What was asked, what there was and what was chosen; kept with the turn (A30)."""

    query: AbstractSentence
    level: Level | None
    """State filter that was used; `None`: none, or nothing was searched."""
    n_candidates: int
    """Entries that passed the state filter."""
    best_similarity: float | None
    """Of the most similar candidate, chosen or not; `None`: there was none."""
    threshold: float
    chosen: tuple[Experience, ...] = ()
    """Best first; empty: the tutor runs without experience."""
    similarities: tuple[float, ...] = ()
    """One a chosen entry."""
    nothing_because: Nothing = ""
    """Why nothing was chosen; empty where something was."""
    embedder: str = ""
    duration_ms: float = 0.0

    @property
    def experience_ids(self) -> tuple[str, ...]:
        """The chosen ids; empty: none."""
        return tuple(experience.experience_id for experience in self.chosen)


class ExperienceRetrieval:
    """Finds experience for an observed turn."""

    def __init__(
        self,
        repository: ExperienceRepository,
        *,
        rewriter: Rewriter | None = None,
        rule: RetrievalRule | None = None,
        by_kind: KindOrder | None = None,
    ) -> None:
        """Keep the repository.

        Args:
            repository: What is searched.
            rewriter: `None`: the builtin one.
            rule: `None`: top-1, with state filter and threshold.
            by_kind: Orders what passes the threshold by the kind of mistake; `None`: by similarity alone.

        Raises:
            ValueError: The head of `by_kind` was fitted for another embedder than the repository's.
        """
        if by_kind is not None and by_kind.head.embedder != repository.fingerprint:
            raise ValueError(f"head is for {by_kind.head.embedder}, the repository for {repository.fingerprint}")
        self._by_kind = by_kind
        self._repository = repository
        self._rule = rule or RetrievalRule()
        self._rewriter: Rewriter | None = (rewriter or BuiltinRewriter()) if self._rule.rewrites else None

    async def find(
        self, state: LearnerState, *, error_detail: str, struggle_reason: str, around: Surroundings = NOWHERE
    ) -> Retrieved:
        """Return the experience for a turn's observation, or none.

        Args:
            state: The four tags.
            error_detail: The observer's words for the mistake; may be empty.
            struggle_reason: The observer's words for why the learner is stuck; may be empty.
            around: The dialogue, for checking a rewriter's sentence.
        """
        started = time.perf_counter()
        query = await abstract_sentence(error_detail, struggle_reason, rewriter=self._rewriter, around=around)
        return await to_thread.run_sync(self._find, state, query, started)

    def _find(self, state: LearnerState, query: AbstractSentence, started: float) -> Retrieved:
        repository, rule = self._repository, self._rule
        threshold = repository.thresholds.tau if rule.tau is None else rule.tau
        search, why = self._search(state, query)
        hits = search.hits if search else ()
        passed = tuple(hit for hit in hits if rule.choice == "random" or hit.similarity >= threshold)
        if self._by_kind is not None and rule.choice == "nearest":
            ids = [hit.experience_id for hit in passed]
            stored = repository.stored_form(query.text) if ids else None
            order = self._by_kind.order_entries(query.text, ids, repository.store.get, stored=stored)
            passed = tuple(passed[place] for place in order[: rule.k])
        chosen = tuple(repository.store.get(hit.experience_id) for hit in passed)
        return Retrieved(
            query=query,
            level=search.level if search else None,
            n_candidates=search.n_candidates if search else 0,
            best_similarity=hits[0].similarity if hits else None,
            threshold=threshold,
            chosen=chosen,
            similarities=tuple(hit.similarity for hit in passed),
            nothing_because="" if chosen else why if why else "below_threshold" if hits else "no_candidates",
            embedder=repository.fingerprint,
            duration_ms=(time.perf_counter() - started) * 1000,
        )

    def _search(self, state: LearnerState, query: AbstractSentence) -> tuple[Search | None, Nothing]:
        repository, rule = self._repository, self._rule
        if not query.text:
            return None, "no_difficulty"
        if not repository.can_read(query.text):
            return None, "cannot_be_compared"
        with repository.reading() as index:
            if rule.choice == "nearest":
                k = rule.k if self._by_kind is None else max(rule.k, NEAREST)
                return index.search(state, query.text, k=k, filtered=rule.filters_state), ""
            return _random(index, state, query.text, rule), ""


def _random(index: SentenceIndex, state: LearnerState, sentence: str, rule: RetrievalRule) -> Search:
    """Return any entries of the filtered states; the same question gets the same ones."""
    keys = index.candidates(state, filtered=rule.filters_state)
    drawn = random.Random(f"{rule.seed} {sentence}").sample(keys, min(rule.k, len(keys)))
    measured = index.search(state, sentence, k=max(1, len(keys)), filtered=rule.filters_state)
    known = {hit.experience_id: hit for hit in measured.hits}
    return Search(level=measured.level, n_candidates=len(keys), hits=tuple(known[key] for key in drawn))
