"""From how well episodes fit to which are shown, in which order: pools, gate, score, repeats.

    r     = (relevance / best relevance) ^ contrast          touched concepts alone: concept / relevance weight of it
    score = r · (0.55 + 0.15 · recency + 0.20 · salience + 0.10 · concepts)

The article adds 0.15 · recency beside 0.55 · match; added, recency outranked relevance (docs/design/memory_recall.md).
As a factor of the match it decides between equals, and what does not match scores 0 at any weights. The gate says the
same once more: when the question is about something and anything matches, what matches nothing is dropped. Its two
exemptions: nothing is asked for, and nothing matched; then the recent past is the honest best offer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from preceptor.memory.entry import KINDS
from preceptor.memory.matching import Match, Question
from preceptor.memory.scope_index import Floats, Ints, Mask, ScopeIndex
from preceptor.settings import MemorySettings

UNSCORED_SALIENCE = 0.35
"""Salience of an episode that has none: as little as the least that has. (chosen)"""
_DAY_US = 86_400_000_000


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The rows to show, best first, one of each group of repeats."""

    rows: Ints
    scores: Floats
    relevance: Floats
    counts: Ints
    """How many identical episodes each stands for, itself included."""
    matched: bool
    """Whether anything matched; false where the recent past is offered instead."""
    pools: dict[str, Mask]
    """Candidates by the pool that found them."""
    considered: int
    """Candidates after widening."""
    kept: int
    """Candidates that passed the gate."""


def rank(
    index: ScopeIndex,
    question: Question,
    found: Match,
    allowed: Mask,
    settings: MemorySettings,
    *,
    now_us: int,
    in_window: bool,
    limit: int,
) -> Ranking:
    """Return what is recalled.

    Args:
        index: The scope.
        question: What is asked.
        found: How well each row fits.
        allowed: Rows that may be recalled at all: inside the window, of the wanted kinds.
        settings: Weights and pool sizes.
        now_us: The moment of asking, microseconds since 1970.
        in_window: Whether a window of time was asked for: without words to match, what is salient in it comes first.
        limit: Most rows.
    """
    pools = _pools(index, found, allowed, settings)
    candidates = pools["recent"] | pools["words"] | pools["concepts"] | pools["vectors"]
    if question.is_empty and in_window:
        candidates = allowed
    matching = candidates & (found.by_words | found.by_concept | found.by_vector)
    matched = bool(matching.any())
    kept = matching if matched else candidates
    recency = recency_of(index, now_us, settings)
    if matched:
        score = _score(found, index, recency, kept, settings)
    elif in_window:
        score = settings.recency_weight * recency + settings.salience_weight * salience_of(index)
    else:
        score = recency
    rows = np.flatnonzero(kept)
    rows = rows[np.lexsort((-index.sequences[rows], -score[rows]))]
    rows, counts = _collapse(index, rows)
    rows, counts = _keep_best_word_hit(rows, counts, found, limit)
    return Ranking(
        rows=rows,
        scores=score[rows],
        relevance=found.relevance[rows],
        counts=counts,
        matched=matched,
        pools=pools,
        considered=int(candidates.sum()),
        kept=int(kept.sum()),
    )


def recency_of(index: ScopeIndex, now_us: int, settings: MemorySettings) -> Floats:
    """Return 0.5 ^ (age / half-life) of each row; what lies in the future counts as now."""
    days = np.maximum(now_us - index.headers["occurred_us"], 0) / _DAY_US
    return np.asarray(np.exp2(-days / settings.recency_half_life_days), dtype=np.float32)


def salience_of(index: ScopeIndex) -> Floats:
    """Return each row's salience."""
    salience = index.headers["salience"]
    return np.where(np.isnan(salience), np.float32(UNSCORED_SALIENCE), salience).astype(np.float32)


def _pools(index: ScopeIndex, found: Match, allowed: Mask, settings: MemorySettings) -> dict[str, Mask]:
    recent = np.zeros(index.size, dtype=np.bool_)
    recent[np.flatnonzero(allowed)[-settings.recent_pool :]] = True
    vectors = np.zeros(index.size, dtype=np.bool_)
    vectors[found.near_vectors] = True
    return {
        "recent": recent,
        "words": found.by_words & allowed,
        "concepts": found.by_concept & allowed,
        "vectors": vectors & allowed,
    }


def _score(found: Match, index: ScopeIndex, recency: Floats, kept: Mask, settings: MemorySettings) -> Floats:
    best = float(found.relevance[kept].max()) or 1.0
    strength = np.clip(found.relevance / best, 0, 1) ** settings.contrast
    concept_alone = settings.concept_weight / max(settings.relevance_weight, settings.concept_weight, 1e-9)
    strength = np.maximum(strength, concept_alone * found.concept_share)
    worth = (
        settings.relevance_weight
        + settings.recency_weight * recency
        + settings.salience_weight * salience_of(index)
        + settings.concept_weight * found.concept_share
    )
    return np.asarray(strength * worth, dtype=np.float32)


def _collapse(index: ScopeIndex, rows: Ints) -> tuple[Ints, Ints]:
    """Return the first row of each group of identical episodes, and the groups' sizes."""
    if not len(rows):
        return rows, rows
    digests = index.headers["repeat"][rows]
    _, first, group_counts = np.unique(digests, return_index=True, return_counts=True)
    order = np.argsort(first, kind="stable")
    return rows[first[order]], group_counts[order].astype(np.int64)


def _keep_best_word_hit(rows: Ints, counts: Ints, found: Match, limit: int) -> tuple[Ints, Ints]:
    """Return the first `limit` rows; where none of them holds the rarest word that any holds, the last gives way."""
    chosen = np.arange(min(limit, len(rows)))
    holders = np.flatnonzero(found.by_rarest_word[rows])
    if len(holders) and len(chosen) and holders[0] >= len(chosen):
        chosen = np.append(chosen[:-1], holders[0])
    return rows[chosen], counts[chosen]


def kind_mask(index: ScopeIndex, kinds: frozenset[str]) -> Mask:
    """Return the rows whose kind is one of these."""
    wanted: Mask = np.zeros(256, dtype=np.bool_)
    wanted[[number for number, kind in enumerate(KINDS) if kind in kinds]] = True
    found: Mask = wanted[index.headers["kind"]]
    return found
