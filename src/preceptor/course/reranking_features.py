"""What the builtin reranker looks at: how much of the query a passage holds, how close, under which heading."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from preceptor.course.bm25 import QueryTerm, WordIndex, rarest
from preceptor.course.passage_index import PassageIndex
from preceptor.course.reranker import Candidates, HeadName
from preceptor.course.word_nearness import FLOOR, word_nearness

WINDOW_TERMS = 14
"""Terms of about one sentence and a half: what stands within it is said together. (chosen)"""
FEATURES = (
    "dense", "dense_gap", "words", "words_gap", "fused", "coverage", "closeness", "pairs", "heading_coverage",
    "document_support", "neighbour", "definition", "number", "reason", "how_to", "short", "meaning", "meaning_least",
    "meaning_log",
)  # fmt: skip
"""Names of the columns of `candidate_features`."""
_OF_WORD_VECTORS = ("meaning", "meaning_least", "meaning_log")
LEFT_OUT: dict[HeadName, tuple[str, ...]] = {
    "meaning": (),
    "vectors": _OF_WORD_VECTORS,
    "words": ("dense", "dense_gap", *_OF_WORD_VECTORS),
}
"""What a head cannot see."""

_ASKS_DEFINITION = re.compile(
    r"\b(?:what(?:'?s| is| are| does)?|whats|define|definition|meaning|means?|called|name|stand for)\b", re.I
)
_DEFINES = re.compile(r"\b(?:is called|are called|is named|means|is an? |are the|is the|stands for|we call)\b", re.I)
_ASKS_NUMBER = re.compile(
    r"\b(?:how (?:many|much|long|far|big|hot|cold|often|high|deep|fast|old)|when|percent)\b|%", re.I
)
_HAS_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million|half|quarter)\b", re.I
)
_ASKS_REASON = re.compile(r"\b(?:why|how come|reason|what for|cause[sd]?)\b", re.I)
_GIVES_REASON = re.compile(
    r"\b(?:because|since|therefore|thus|hence|that is why|so that|this is why|for (?:the|it|its|their))\b|, so ", re.I
)
_ASKS_HOW_TO = re.compile(r"\b(?:how (?:do|can|to|should|could|would)|can i|should i|do i|way to|steps?)\b", re.I)
_INSTRUCTS = re.compile(
    r"(?:^|[.:;!?]\s+)(?:then |first |always |never )?(?:add|ask|build|change|check|choose|compare|convert|count|cut|"
    r"divide|find|give|keep|look|make|mark|multiply|name|note|press|put|read|rename|round|run|set|swap|take|test|turn|"
    r"use|weight|write|draw|say|bring|do not|don't)\b",
    re.I | re.M,
)


@dataclass(frozen=True, kw_only=True)
class QueryWeights:
    """A query's terms as arrays."""

    numbers: NDArray[np.int32]
    """Every term number that stands for a word of the query."""
    owner: NDArray[np.int64]
    """Which word each stands for."""
    weight: NDArray[np.float64]
    """Share of each word in the query's whole rarity, unknown words included; sums to 1 or is empty."""
    rarity: NDArray[np.float64]
    """Of each word in the course, in [0, 1]: 1 for a word that it does not have."""


def query_weights(words: WordIndex, terms: tuple[QueryTerm, ...]) -> QueryWeights:
    """Return the terms of a query with their shares."""
    rarity = np.array([words.term_idf(term) for term in terms])
    return QueryWeights(
        numbers=np.array([number for term in terms for number in term.numbers], dtype=np.int32),
        owner=np.array([place for place, term in enumerate(terms) for _ in term.numbers], dtype=np.int64),
        weight=rarity / rarity.sum() if rarity.sum() > 0 else rarity,
        rarity=rarity / rarest(words.n_passages),
    )


def candidate_features(index: PassageIndex, candidates: Candidates) -> NDArray[np.float64]:
    """Return one row a candidate, shape (n, len(FEATURES)); missing vectors give 0."""
    n = len(candidates.rows)
    rows = np.zeros((n, len(FEATURES)))
    if not n:
        return rows
    column = {name: place for place, name in enumerate(FEATURES)}
    weights = query_weights(index.words, candidates.terms)
    if candidates.dense is not None:
        rows[:, column["dense"]] = candidates.dense
        rows[:, column["dense_gap"]] = candidates.dense - candidates.dense.max()
    share = candidates.words / index.words.best_possible(candidates.terms)
    rows[:, column["words"]] = share
    rows[:, column["words_gap"]] = share - share.max()
    rows[:, column["fused"]] = candidates.fused
    asks = [bool(pattern.search(candidates.query)) for pattern, _ in _CUES.values()]
    support, neighbour = _surroundings(index, candidates)
    rows[:, column["document_support"]], rows[:, column["neighbour"]] = support, neighbour
    for place, row in enumerate(candidates.rows):
        tokens = index.words.passage_tokens(int(row))
        rows[place, column["coverage"] : column["heading_coverage"]] = _term_features(
            tokens[index.n_heading_tokens[row] :], weights
        )
        rows[place, column["heading_coverage"]] = _share(index.headings[row], weights)
        text = index.passages[row].text
        for asked, (name, (_, cue)) in zip(asks, _CUES.items(), strict=True):
            rows[place, column[name]] = float(asked and bool(cue.search(text)))
        rows[place, column["short"]] = -np.log1p(len(tokens))
    rows[:, column["meaning"] :] = _meaning_features(index, candidates, weights)
    return rows


_CUES = {
    "definition": (_ASKS_DEFINITION, _DEFINES),
    "number": (_ASKS_NUMBER, _HAS_NUMBER),
    "reason": (_ASKS_REASON, _GIVES_REASON),
    "how_to": (_ASKS_HOW_TO, _INSTRUCTS),
}
"""Feature → (what a query asks, what a passage then should have)."""


def _meaning_features(index: PassageIndex, candidates: Candidates, weights: QueryWeights) -> NDArray[np.float64]:
    """Return the mean nearness of the query's words by rarity, the least, and the mean logarithm, (n, 3)."""
    nearness = None
    if candidates.term_vectors is not None:
        nearness = word_nearness(index, candidates.term_vectors, candidates.rows.tolist())
    if nearness is None:
        return np.zeros((len(candidates.rows), 3))
    return np.stack(
        [weights.weight @ nearness, nearness.min(axis=0), weights.weight @ np.log(np.maximum(nearness, FLOOR))], axis=1
    )


def _term_features(tokens: NDArray[np.int32], weights: QueryWeights) -> tuple[float, float, float]:
    """Return the query's share in the text, the greatest within a window, and the share of neighbouring pairs."""
    if not len(weights.numbers):
        return 0.0, 0.0, 0.0
    places, which = np.nonzero(tokens[:, None] == weights.numbers[None, :])
    if not len(places):
        return 0.0, 0.0, 0.0
    owners = weights.owner[which]
    coverage = float(weights.weight[np.unique(owners)].sum())
    closest, pairs = 0.0, set()
    for start, place in enumerate(places):
        within = owners[start:][places[start:] < place + WINDOW_TERMS]
        closest = max(closest, float(weights.weight[list(set(within.tolist()))].sum()))
        if start + 1 < len(places) and places[start + 1] - place <= 2 and owners[start + 1] != owners[start]:
            pairs.add((min(owners[start], owners[start + 1]), max(owners[start], owners[start + 1])))
    possible = max(1, len(weights.weight) - 1)
    return coverage, closest, min(1.0, len(pairs) / possible)


def _share(held: frozenset[int], weights: QueryWeights) -> float:
    owners = {
        int(owner) for number, owner in zip(weights.numbers.tolist(), weights.owner, strict=True) if number in held
    }
    return float(weights.weight[list(owners)].sum()) if owners else 0.0


def _surroundings(index: PassageIndex, candidates: Candidates) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return, for each candidate, its document's share of what was found, and the best score right beside it."""
    found = {int(row): float(score) for row, score in zip(candidates.pool_rows, candidates.pool_fused, strict=True)}
    mass: dict[int, float] = {}
    for row, score in found.items():
        document = int(index.documents[row])
        mass[document] = mass.get(document, 0.0) + score**2
    total = sum(mass.values()) or 1.0
    support, neighbour = np.zeros(len(candidates.rows)), np.zeros(len(candidates.rows))
    for place, row in enumerate(candidates.rows.tolist()):
        document = int(index.documents[row])
        support[place] = (mass.get(document, 0.0) - found.get(row, 0.0) ** 2) / total
        beside = [other for other in (row - 1, row + 1) if other in found and index.documents[other] == document]
        neighbour[place] = max((found[other] for other in beside), default=0.0)
    return support, neighbour
