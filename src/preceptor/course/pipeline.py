"""The stages over one index: dense and words, fusion, MMR, reranking, tokens, boost. Pure functions of arrays."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from preceptor.course.fusion import best_rows, fuse, min_max, reciprocal_rank
from preceptor.course.late_heads import late_scores, shipped_late_heads
from preceptor.course.late_interaction import LateNearness
from preceptor.course.linear_head import LinearHead
from preceptor.course.mmr import maximal_marginal_relevance
from preceptor.course.passage_index import PassageIndex
from preceptor.course.reranker import Candidates, Reranker, Scores, official_boost
from preceptor.course.retrieval_profile import RetrievalProfile
from preceptor.course.retrieved import StageScores
from preceptor.course.terms import text_words
from preceptor.course.word_meanings import WordMeanings

Rows = NDArray[np.int64]
NO_ROWS: Rows = np.zeros(0, dtype=np.int64)


class StageClock:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        """Start with none."""
        self.timings_ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time inside for this stage."""
        began = time.perf_counter()
        yield
        self.timings_ms[name] = self.timings_ms.get(name, 0.0) + (time.perf_counter() - began) * 1000


@dataclass(frozen=True, kw_only=True)
class Found:
    """What stands before the reranker."""

    candidates: Candidates
    mmr: tuple[float, ...] | None
    """Marginal scores of the kept candidates; `None`: the stage was off."""
    concepts: dict[int, float] | None
    """Row → sum of reciprocal ranks; `None`: the stage was off or named nothing."""


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """Rows in their last order."""

    rows: Rows
    scores: Scores
    stages: tuple[StageScores, ...]
    found: Found
    rerank: Scores | None
    """In the order of `found.candidates`; `None`: the stage was off."""
    late: LateNearness | None = None
    """Of `found.candidates`; `None`: the stage was off."""
    off: dict[str, str] = field(default_factory=dict)


def find_candidates(
    index: PassageIndex,
    query: str,
    query_vector: NDArray[np.float32] | None,
    profile: RetrievalProfile,
    *,
    concept_rows: Sequence[int] = (),
    meanings: WordMeanings | None = None,
    clock: StageClock | None = None,
) -> Found:
    """Return what the reranker is to see.

    Args:
        index: The course.
        query: As typed.
        query_vector: Unit vector, (n_dims,); `None`: words only.
        profile: Numbers and switches.
        meanings: Makes vectors of the query's words; used where the index has those of the course.
        concept_rows: Ranking by the second index, best first.
        clock: Counts the stages.
    """
    clock = clock or StageClock()
    with clock.stage("words"):
        terms = tuple(index.words.query_terms(text_words(query)))
        words = index.words.scores(terms)
    with clock.stage("dense"):
        dense = index.cosines(query_vector) if index.vectors is not None and query_vector is not None else None
    with clock.stage("fusion"):
        pool, fused = _pool(dense, words, profile)
        concepts = None
        if "concepts" not in profile.off and concept_rows:
            pool, fused, concepts = _with_concepts(pool, fused, concept_rows)
    with clock.stage("mmr"):
        if "mmr" in profile.off or not len(pool):
            kept, marginal = list(range(min(profile.keep, len(pool)))), None
        else:
            kept, marginal = maximal_marginal_relevance(
                fused, index.likeness_vectors(pool), lambda_=profile.mmr_lambda, keep=profile.keep
            )
    rows = pool[kept]
    with clock.stage("embed"):
        compares = meanings is not None and index.meanings is not None and query_vector is not None and len(terms)
        term_vectors = meanings.query_vectors([term.word for term in terms]) if meanings and compares else None
    candidates = Candidates(
        query=query,
        terms=terms,
        rows=rows,
        dense=None if dense is None else dense[rows],
        words=words[rows],
        fused=fused[kept],
        pool_rows=pool,
        pool_fused=fused,
        term_vectors=term_vectors,
        query_vector=query_vector,
    )
    return Found(candidates=candidates, mmr=None if marginal is None else tuple(marginal), concepts=concepts)


def rank(
    index: PassageIndex,
    found: Found,
    reranker: Reranker | None,
    profile: RetrievalProfile,
    *,
    late: LateNearness | None = None,
    late_head: LinearHead | None = None,
    clock: StageClock | None = None,
) -> Ranked:
    """Return candidates in their last order, at most the profile's `top`.

    Args:
        index: The course.
        found: The candidates.
        reranker: Judges them; `None`: the stage is off.
        profile: Numbers and switches.
        late: How near the question's tokens come to each; used where a reranker judged. `None`: the stage is off.
        late_head: Adds both up; `None`: the shipped one.
        clock: Counts the stages.
    """
    clock = clock or StageClock()
    candidates = found.candidates
    rerank = None
    if reranker is not None and "rerank" not in profile.off:
        with clock.stage("rerank"):
            rerank = reranker.rerank(index, candidates)
    judged = rerank
    if rerank is not None and late is not None:
        with clock.stage("late"):
            judged = late_scores(late_head or shipped_late_heads().order, rerank, late)
    with clock.stage("boost"):
        added = np.zeros(len(candidates.rows), dtype=np.float32)
        if judged is not None and "boost" not in profile.off:
            added = official_boost(
                judged, index.official[candidates.rows], above=profile.boost_above, boost=profile.boost
            )
        # What MMR chose first stays first where nothing reranks it.
        last = _last_scores(found) if judged is None else judged + added
        order = np.argsort(-last, kind="stable")[: profile.top]
    return Ranked(
        rows=candidates.rows[order],
        scores=last[order],
        stages=tuple(
            _stage_scores(found, rerank, None if late is None else judged, added, int(place)) for place in order
        ),
        found=found,
        rerank=rerank,
        late=late if rerank is not None else None,
    )


def _last_scores(found: Found) -> Scores:
    if found.mmr is None:
        return found.candidates.fused
    return np.asarray(found.mmr, dtype=np.float32)


def _pool(dense: Scores | None, words: Scores, profile: RetrievalProfile) -> tuple[Rows, Scores]:
    """Return the union of the best by vector and by words with fused scores, best first."""
    by_vector = best_rows(dense, profile.dense_top) if dense is not None and "dense" not in profile.off else NO_ROWS
    by_words = best_rows(words, profile.words_top, least=0.0) if "words" not in profile.off else NO_ROWS
    pool = np.unique(np.concatenate([by_vector, by_words]))
    if dense is None or "dense" in profile.off:
        fused = min_max(words[pool])
    elif "words" in profile.off:
        fused = min_max(dense[pool])
    else:
        fused = fuse(dense[pool], words[pool], dense_weight=profile.dense_weight)
    order = np.argsort(-fused, kind="stable")
    return pool[order], fused[order]


def _with_concepts(
    pool: Rows, fused: Scores, concept_rows: Sequence[int]
) -> tuple[Rows, Scores, dict[int, float] | None]:
    by_rank = reciprocal_rank([pool.tolist(), concept_rows])
    rows = np.array(sorted(by_rank, key=lambda row: -by_rank[row]), dtype=np.int64)
    scores = np.array([by_rank[int(row)] for row in rows], dtype=np.float32)
    return rows, min_max(scores), by_rank


def _stage_scores(found: Found, rerank: Scores | None, late: Scores | None, added: Scores, place: int) -> StageScores:
    candidates = found.candidates
    return StageScores(
        dense=None if candidates.dense is None else float(candidates.dense[place]),
        words=float(candidates.words[place]),
        fused=float(candidates.fused[place]),
        mmr=None if found.mmr is None else found.mmr[place],
        concepts=None if found.concepts is None else found.concepts[int(candidates.rows[place])],
        rerank=None if rerank is None else float(rerank[place]),
        late=None if late is None else float(late[place]),
        boost=float(added[place]),
    )
