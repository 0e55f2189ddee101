"""Fits the heads that order a course's sentences as answers, on questions with the span that answers them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from preceptor.course.extractive_answer import Nearness, first_by_words, head_logits
from preceptor.course.linear_head import LinearHead, Rows, centre_and_scale, standardise
from preceptor.course.reranking_training import fit_order
from preceptor.course.sentence_features import (
    SENTENCE_FEATURES,
    SENTENCE_HEADS,
    SentenceHeadName,
    sentence_features,
    text_in_place,
)
from preceptor.course.sentences import CourseSentence

RIDGE = 20.0
"""Penalty on the squared weights. (chosen on folds over topics of our own questions; 3 to 20 are alike)"""


@dataclass(frozen=True, kw_only=True)
class SentenceExample:
    """One question's sentences, and which of them say what answers it."""

    rows: Rows
    """Of `sentence_features`, nearness filled where it is known, (n, len(SENTENCE_FEATURES))."""
    right: NDArray[np.bool_]
    """(n,)."""


def sentence_example(
    question: str,
    found: Sequence[tuple[int, float, CourseSentence]],
    right: Sequence[bool],
    nearness: Nearness | None,
) -> SentenceExample:
    """Return a question's sentences as an example; every one of them is compared by meaning."""
    rows = sentence_features(question, found)
    cosines = nearness(question, [text_in_place(one) for _, _, one in found]) if nearness is not None else None
    if cosines is not None:
        rows[:, -1] = cosines
    return SentenceExample(rows=rows, right=np.array(right, dtype=np.bool_))


def fit_sentences(
    examples: Sequence[SentenceExample], *, card: Mapping[str, object] | None = None
) -> dict[SentenceHeadName, LinearHead]:
    """Return both heads: by words over all sentences, by meaning over those that come first by words.

    Raises:
        ValueError: No question has both a right and another sentence.
    """
    by_words = _fit(examples, "words", card)
    first = [
        SentenceExample(rows=one.rows[near], right=one.right[near])
        for one in examples
        for near in [first_by_words(head_logits(by_words, one.rows))]
    ]
    return {"words": by_words, "meaning": _fit(first, "meaning", card)}


def _fit(examples: Sequence[SentenceExample], name: SentenceHeadName, card: Mapping[str, object] | None) -> LinearHead:
    used = [SENTENCE_FEATURES.index(feature) for feature in SENTENCE_HEADS[name]]
    lists = [one for one in examples if one.right.any() and not one.right.all()]
    if not lists:
        raise ValueError("need a question with a right sentence and another one, got none")
    centre, scale = centre_and_scale(np.vstack([one.rows[:, used] for one in lists]))
    weights = fit_order([(standardise(one.rows[:, used], centre, scale), one.right) for one in lists], RIDGE)
    return LinearHead(
        features=SENTENCE_HEADS[name],
        centre=tuple(centre.tolist()),
        scale=tuple(scale.tolist()),
        weights=tuple(weights.tolist()),
        intercept=0.0,
        card={
            **(card or {}),
            "questions": len(examples),
            "questions_with_a_right_sentence": len(lists),
            "ridge": RIDGE,
        },
    )
