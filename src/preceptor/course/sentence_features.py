"""What a sentence of a course is judged by as an answer: its passage, the question's words, meaning and form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np

from preceptor.course.linear_head import Rows
from preceptor.course.question_kind import KINDS, asked_kinds, defines_any, has_form
from preceptor.course.sentences import CourseSentence
from preceptor.course.shown_text import shown_text
from preceptor.course.terms import text_terms

SentenceHeadName = Literal["words", "meaning"]
HEADING_SHARE = 0.5
"""What a word counts that stands in the sentence's headings only. (chosen)"""
SHORT_CHARS = 50
"""Characters below which a sentence counts as short: labels and cut lines. (chosen)"""
SENTENCE_FEATURES = (
    "passage", "place", "coverage", "ends", "worked", "length", "short", "defines", *KINDS, "nearness",
)  # fmt: skip
"""Names of the columns of `sentence_features`."""
SENTENCE_HEADS: dict[SentenceHeadName, tuple[str, ...]] = {
    "words": SENTENCE_FEATURES[:-1],
    "meaning": SENTENCE_FEATURES,
}
"""What each head reads. (chosen on folds over topics of our own questions: word vectors of the sentence, its place in
the passage and its cosine without the heading gained nothing)"""


def sentence_features(question: str, found: Sequence[tuple[int, float, CourseSentence]]) -> Rows:
    """Return one row a sentence, (n, len(SENTENCE_FEATURES)); the last, nearness, is 0: the caller fills it.

    Args:
        question: In the learner's words.
        found: (rank of its passage from 0, score of its passage, sentence).
    """
    rows = np.zeros((len(found), len(SENTENCE_FEATURES)))
    asked, terms = asked_kinds(question), frozenset(text_terms(question))
    coverages = _coverages(question, [sentence for _, _, sentence in found])
    for row, (rank, score, one), coverage in zip(rows, found, coverages, strict=True):
        row[:8] = (
            max(0.0, score),
            -np.log1p(rank),
            coverage,
            float(one.ends),
            float(one.worked),
            np.log(max(1, len(one.text))),
            float(len(one.text) < SHORT_CHARS),
            float("definition" in asked and defines_any(one.text, terms)),
        )
        row[8 : 8 + len(KINDS)] = [float(kind in asked and has_form(one.text, kind)) for kind in KINDS]
    return rows


def text_in_place(sentence: CourseSentence) -> str:
    """Return a sentence behind its nearest heading, as it is compared with a question by meaning."""
    headings = sentence.passage.heading_path
    said = shown_text(sentence.text, sentence.passage.document_name)
    return f"{headings[-1]}: {said}" if headings else said


def _coverages(question: str, sentences: Sequence[CourseSentence]) -> list[float]:
    """Return for each sentence the share of the question's words, weighted by rarity, that it or its headings hold."""
    asked = list(dict.fromkeys(text_terms(question)))
    terms = [set(text_terms(one.text)) for one in sentences]
    held = Counter(term for one in terms for term in one)
    weights = {term: 1.0 / (1.0 + 8 * held[term] / max(1, len(sentences))) for term in asked}
    total = sum(weights.values()) or 1.0
    return [
        sum(
            weight if term in own else HEADING_SHARE * weight if term in headings else 0.0
            for term, weight in weights.items()
        )
        / total
        for own, headings in zip(
            terms, (set(text_terms(" ".join(one.passage.heading_path))) for one in sentences), strict=True
        )
    ]
