"""Whether the course holds the answer at all: a calibrated probability from what the search saw.

A best passage there always is; that it answers is another matter. The heads lie in `answerability_weights.json`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from preceptor.course.answerability_focus import FOCUS_FEATURES, focus_features
from preceptor.course.linear_head import LinearHead, Rows, centre_and_scale, fit_logistic, parse_head, standardise
from preceptor.course.passage_index import PassageIndex
from preceptor.course.pipeline import Ranked
from preceptor.course.reranker import HeadName, head_name, sigmoid
from preceptor.course.reranking_features import QueryWeights, query_weights

RIDGE: dict[HeadName, float] = {"meaning": 5.0, "vectors": 12.0, "words": 12.0}
"""Penalty on the squared weights. (chosen on folds over topics of our own questions: for `meaning` 3 to 12 order alike,
ECE .054 at 5 and .071 at 12; for the others 4 to 40 are alike)"""
COVERING_PASSAGES = 3
"""Passages in which the query's words are looked for. (chosen)"""
NEAR_PASSAGES = 8
"""Passages whose words are compared with the query's: those told to the tutor."""
ANSWERED_SHARE = 2 / 3
"""Share of questions that a course answers, as a head takes it; of the others half are in the course's words and half
belong to another course. (chosen: told wrongly that the course lacks it, a learner looks no further)"""
THRESHOLD = 0.5
"""Probability from which a course is said to hold the answer. (chosen: the more likely of the two is said)"""
FEATURES = (
    "dense_best", "dense_wide", "dense_lift", "dense_margin", "words_best", "words_margin", "known", "rarest_known",
    "covered", "covered_together", "rerank_margin", *FOCUS_FEATURES,
)  # fmt: skip
"""Names of the columns of `answer_features`. The query's length is none of them: it tells who wrote it."""
HEAD_FEATURES: dict[HeadName, tuple[str, ...]] = {
    "meaning": (
        "dense_best", "dense_wide", "dense_lift", "dense_margin", "words_best", "known", "rarest_known", "covered",
        "covered_together", "rerank_margin", *FOCUS_FEATURES,
    ),
    "vectors": (
        "dense_best", "dense_wide", "dense_lift", "dense_margin", "words_best", "known", "rarest_known", "covered",
        "covered_together", "rerank_margin",
    ),
    "words": ("words_best", "words_margin", "known", "rarest_known", "covered", "covered_together", "rerank_margin"),
}  # fmt: skip
"""What each head reads. (chosen on folds over topics: the last three tell best what a course lacks in its own words,
the cosines what is not its matter at all)"""


@dataclass(frozen=True, kw_only=True)
class AnswerExample:
    """One query with whether the course holds its answer."""

    features: Rows
    """(len(FEATURES),)."""
    answerable: bool
    elsewhere: bool = False
    """The question belongs to another course."""


def answer_features(index: PassageIndex, ranked: Ranked) -> Rows:
    """Return what speaks for an answer, shape (len(FEATURES),); finite, 0 where there is nothing to see.

    Args:
        index: The course.
        ranked: The last order; its candidates are looked at too.
    """
    values = dict.fromkeys(FEATURES, 0.0)
    candidates = ranked.found.candidates
    weights = query_weights(index.words, candidates.terms)
    if len(weights.weight):
        has = np.isin(np.arange(len(weights.weight)), weights.owner)
        values["known"] = float(weights.weight[has].sum())
        values["rarest_known"] = float(has[int(np.argmax(weights.weight))])
        tokens = [index.words.passage_tokens(int(row)) for row in ranked.rows[:COVERING_PASSAGES]]
        if tokens:
            values["covered"] = max(_share(one, weights) for one in tokens)
            values["covered_together"] = _share(np.concatenate(tokens), weights)
    if len(candidates.rows):
        share = np.sort(candidates.words / index.words.best_possible(candidates.terms))[::-1]
        values["words_best"], values["words_margin"] = float(share[0]), float(share[0] - _at(share, 3))
    if candidates.dense is not None and len(candidates.dense):
        dense = np.sort(candidates.dense)[::-1]
        values["dense_best"], values["dense_wide"] = float(dense[0]), float(dense[:NEAR_PASSAGES].mean())
        if index.mean_vector is not None and candidates.query_vector is not None:
            values["dense_lift"] = float(dense[0] - index.mean_vector @ candidates.query_vector)
        values["dense_margin"] = float(dense[0] - _at(dense, 9))
    if ranked.rerank is not None and len(ranked.rerank):
        chances = np.sort(np.clip(ranked.rerank, 1e-4, 1 - 1e-4))[::-1].astype(np.float64)
        logits = np.log(chances / (1 - chances))
        values["rerank_margin"] = float(logits[0] - _at(logits, 1))
    values |= focus_features(index, candidates, ranked.rows[:NEAR_PASSAGES].tolist())
    return np.array([values[name] for name in FEATURES])


class Answerability:
    """Decides with the shipped heads, or with others."""

    def __init__(self, heads: Mapping[HeadName, LinearHead] | None = None) -> None:
        """Keep the heads; `None`: the shipped ones."""
        self._heads = heads if heads is not None else shipped_heads()

    def probability(self, index: PassageIndex, ranked: Ranked) -> float | None:
        """Return the probability that the course holds the answer; `None` where the query has no word to search by."""
        candidates = ranked.found.candidates
        if not candidates.terms and candidates.dense is None:
            return None
        head = self._heads[head_name(candidates)]
        row = answer_features(index, ranked)[[FEATURES.index(name) for name in head.features]]
        return float(sigmoid(head.logits(row[None, :]))[0])


def fit_answerability(
    examples: Sequence[AnswerExample], name: HeadName, *, card: Mapping[str, object] | None = None
) -> LinearHead:
    """Return a head fitted on exactly these queries, each kind weighing what `ANSWERED_SHARE` says.

    Raises:
        ValueError: Only one kind of query.
    """
    used = [FEATURES.index(feature) for feature in HEAD_FEATURES[name]]
    rows = np.array([example.features[used] for example in examples])
    return fit_answer_head(rows, examples, HEAD_FEATURES[name], ridge=RIDGE[name], card=card)


def fit_answer_head(
    rows: Rows,
    examples: Sequence[AnswerExample],
    features: Sequence[str],
    *,
    ridge: float,
    card: Mapping[str, object] | None = None,
) -> LinearHead:
    """Return a head fitted on one row an example, each kind of question weighing what `ANSWERED_SHARE` says.

    Args:
        rows: What the head sees, (n_examples, n_features).
        examples: Tell the kinds.
        features: Names of the columns.
        ridge: Penalty on the squared weights.
        card: Goes into the head, with the counts added.

    Raises:
        ValueError: Only one kind of query.
    """
    labels: NDArray[np.bool_] = np.array([example.answerable for example in examples], dtype=bool)
    counts = _counts(examples)
    centre, scale = centre_and_scale(rows, counts)
    weights, intercept = fit_logistic(standardise(rows, centre, scale), labels, ridge=ridge, counts=counts)
    return LinearHead(
        features=tuple(features),
        centre=tuple(centre.tolist()),
        scale=tuple(scale.tolist()),
        weights=tuple(weights.tolist()),
        intercept=intercept,
        card={
            **(card or {}),
            "queries": len(examples),
            "answerable": int(labels.sum()),
            "of_another_course": sum(example.elsewhere for example in examples),
            "ridge": ridge,
        },
    )


def _counts(examples: Sequence[AnswerExample]) -> Rows:
    """Return how often each example counts: answerable ones once, the others by the share of their kind."""
    n_answered = sum(example.answerable for example in examples)
    kinds = [example.elsewhere for example in examples if not example.answerable]
    n_kinds = len(set(kinds))
    counts = []
    for example in examples:
        share = (1 - ANSWERED_SHARE) / ANSWERED_SHARE / max(1, n_kinds)
        counts.append(1.0 if example.answerable else share * n_answered / kinds.count(example.elsewhere))
    return np.array(counts)


@lru_cache(maxsize=1)
def shipped_heads() -> dict[HeadName, LinearHead]:
    """Return the heads of the package."""
    text = resources.files("preceptor.course").joinpath("answerability_weights.json").read_text(encoding="utf-8")
    raw = json.loads(text)
    return {name: parse_head(raw[name]) for name in HEAD_FEATURES}


def _at(values: NDArray[np.floating], place: int) -> float:
    return float(values[min(place, len(values) - 1)])


def _share(tokens: NDArray[np.int32], weights: QueryWeights) -> float:
    """Return the share of a query's rarity that these tokens hold."""
    owners = np.unique(weights.owner[np.isin(weights.numbers, tokens)])
    return float(weights.weight[owners].sum())
