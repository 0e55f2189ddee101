"""An answer made of the course's own sentences: the best few of the retrieved passages, each a span that can be cited.

Deterministic and without a model. Nothing is said that does not stand in a file; what orders the tutor about comes last
and is never more than a quotation; on procedural routes worked calculations, code and results are not quoted at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from preceptor.course.retrieved import RetrievedPassage
from preceptor.course.sentences import CourseSentence, sentences_of_passage
from preceptor.course.terms import text_terms

LEAST_OF_BEST = 0.75
"""A further sentence must score at least this share of the best one. (chosen: weaker ones only fill space)"""
WORDS_FIRST = (1.0, 1.0)
"""Weights of the question's words and of the passage's score where no nearness is known, and for the first cut.
(calibrated on the tuning topics of benchmarks/course_questions.jsonl, as are the numbers below)"""
WITH_NEARNESS = (0.5, 0.5, 1.0)
"""The same, and of the cosine of sentence and question."""
NEAR_CANDIDATES = 8
"""Sentences whose nearness is asked for: the first by words and passage. (chosen: 8 ms each)"""
HEADING_SHARE = 0.5
"""What a word counts that stands in the sentence's headings only. (chosen)"""
CUE_SHARE = 0.1
"""What a sentence gains that has the form asked for: a definition, a reason."""
ORDERS_SHARE = 0.25
"""What is left of the score of a sentence that gives the tutor orders. (chosen)"""
UNENDED_SHARE = 0.6
"""What is left of the score of a line that does not end as a sentence does. (chosen)"""
REPEATED = 0.7
"""Share of words in common from which two sentences say the same: passages overlap. (chosen)"""

_ASKS_DEFINITION = re.compile(
    r"\b(?:what(?:'s| is| are| does)|define|definition|meaning)\b|\bqué (?:es|son|significa)|qu'est-ce"
    r"|\bwas (?:ist|sind)|ما (?:هو|هي|معنى)|什么是|是什么|定义",
    re.IGNORECASE,
)
_ASKS_REASON = re.compile(
    r"\b(?:why|how come|reason)\b|\bpor qué\b|\bpourquoi\b|\b(?:warum|wieso)\b|لماذا|为什么", re.IGNORECASE
)
_DEFINES = re.compile(
    r"\b(?:is|are|means?|denotes?|is called|are called|refers? to|consists? of)\b|\b(?:es|son|significa|se llama)\b"
    r"|\b(?:est|sont|signifie|s'appelle)\b|\b(?:ist|sind|heißt|bedeutet|bezeichnet)\b|(?:هو|هي|يعني)|是|称为|指的是",
    re.IGNORECASE,
)
_REASONS = re.compile(
    r"\b(?:because|since|so that|therefore|hence|thus|due to|as a result|which means|otherwise)\b"
    r"|\b(?:porque|ya que|por eso)\b|\b(?:parce que|car|puisque|donc)\b|\b(?:weil|denn|deshalb|daher|dadurch)\b"
    r"|(?:لأن|بسبب|لذلك)|因为|所以|因此|由于",
    re.IGNORECASE,
)


Nearness = Callable[[str, Sequence[str]], Sequence[float] | None]
"""Cosines of a question to sentences; `None`: the embedder does not speak their language, or there is none."""


@dataclass(frozen=True, kw_only=True)
class ExtractedSentence:
    """A sentence chosen for an answer."""

    sentence: CourseSentence
    score: float


def best_sentences(
    question: str,
    passages: Sequence[RetrievedPassage],
    *,
    limit: int,
    worked: bool = True,
    allowed: Callable[[str], bool] = lambda sentence: True,
    nearness: Nearness | None = None,
) -> tuple[ExtractedSentence, ...]:
    """Return the sentences that best answer a question, best first; none where no passage has one that may be said.

    That the course answers at all was decided before, by calibration: here only the order is.

    Args:
        question: In the learner's words.
        passages: Retrieved for it, best first.
        limit: At most so many.
        worked: Worked calculations, code and results may be among them.
        allowed: Whether a sentence may be said: the guard.
        nearness: Compares by meaning; `None`: by words and the passages' scores.
    """
    if limit < 1:
        return ()
    found = [
        (one.score, sentence)
        for one in passages
        for sentence in sentences_of_passage(one.passage)
        if worked or not sentence.worked
    ]
    coverage = _coverages(question, [sentence for _, sentence in found])
    by_words, by_passage = WORDS_FIRST
    first = sorted(
        (
            ExtractedSentence(
                sentence=one, score=_shaped(question, one, by_words * share + by_passage * max(0.0, score))
            )
            for (score, one), share in zip(found, coverage, strict=True)
        ),
        key=lambda one: -one.score,
    )
    near = first[:NEAR_CANDIDATES]
    cosines = nearness(question, [one.sentence.text for one in near]) if nearness is not None and near else None
    if cosines is None:
        return _chosen(first, limit, allowed)
    shares = {id(one): (share, score) for (score, one), share in zip(found, coverage, strict=True)}
    by_words, by_passage, by_nearness = WITH_NEARNESS
    again = []
    for one, cosine in zip(near, cosines, strict=True):
        share, score = shares[id(one.sentence)]
        total = by_words * share + by_passage * max(0.0, score) + by_nearness * cosine
        again.append(ExtractedSentence(sentence=one.sentence, score=_shaped(question, one.sentence, total)))
    again.sort(key=lambda one: -one.score)
    return _chosen(again, limit, allowed)


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


def _shaped(question: str, one: CourseSentence, score: float) -> float:
    """Return a score with what the sentence's form adds or takes."""
    if (_ASKS_DEFINITION.search(question) and _DEFINES.search(one.text)) or (
        _ASKS_REASON.search(question) and _REASONS.search(one.text)
    ):
        score += CUE_SHARE
    if not one.ends:
        score *= UNENDED_SHARE
    return score * ORDERS_SHARE if one.orders else score


def _chosen(
    ranked: Sequence[ExtractedSentence], limit: int, allowed: Callable[[str], bool]
) -> tuple[ExtractedSentence, ...]:
    chosen: list[ExtractedSentence] = []
    for one in ranked:
        if len(chosen) == limit or (chosen and one.score < LEAST_OF_BEST * chosen[0].score):
            break
        if any(_same(one.sentence, other.sentence) for other in chosen):
            continue
        if allowed(one.sentence.text):
            chosen.append(one)
    return tuple(chosen)


def _same(one: CourseSentence, other: CourseSentence) -> bool:
    first, second = set(text_terms(one.text)), set(text_terms(other.text))
    return len(first & second) >= REPEATED * max(1, min(len(first), len(second)))
