"""An answer made of the course's own sentences: the best few of the retrieved passages, each a span that can be cited.

Deterministic and without a model. Nothing is said that does not stand in a file; what orders the tutor about comes last
and is never more than a quotation; on procedural routes worked calculations, code and results are not quoted at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from preceptor.course.sentences import CourseSentence, sentences_of_passage
from preceptor.course.terms import text_terms
from preceptor.domain.passage import Passage

LEAST_COVERAGE = 0.34
"""Share of the question's words, weighted by rarity, that a sentence and its headings must hold. (chosen)"""
LEAST_OF_BEST = 0.6
"""A further sentence must score at least this share of the best one. (chosen: weaker ones only fill space)"""
RANK_SHARE = 0.25
"""What the passage's place adds to a sentence of the first passage; it falls to 0 over the list. (chosen)"""
HEADING_SHARE = 0.5
"""What a word counts that stands in the sentence's headings only. (chosen)"""
CUE_SHARE = 0.3
"""What a sentence gains that has the form asked for: a definition, a reason. (chosen)"""
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


@dataclass(frozen=True, kw_only=True)
class ExtractedSentence:
    """A sentence chosen for an answer."""

    sentence: CourseSentence
    score: float
    coverage: float
    """Share of the question's words, weighted by rarity, that it holds, its headings counted in part."""


def best_sentences(
    question: str,
    passages: Sequence[Passage],
    *,
    limit: int,
    worked: bool = True,
    allowed: Callable[[str], bool] = lambda sentence: True,
) -> tuple[ExtractedSentence, ...]:
    """Return the sentences that best answer a question, best first; none where no sentence holds enough of its words.

    Args:
        question: In the learner's words.
        passages: Retrieved for it, best first.
        limit: At most so many.
        worked: Worked calculations, code and results may be among them.
        allowed: Whether a sentence may be said: the guard.
    """
    asked = list(dict.fromkeys(text_terms(question)))
    if not asked or limit < 1:
        return ()
    found = [
        (place, one, set(text_terms(one.text)), set(text_terms(" ".join(one.passage.heading_path))))
        for place, passage in enumerate(passages)
        for one in sentences_of_passage(passage)
        if worked or not one.worked
    ]
    held = Counter(term for _, _, terms, _ in found for term in terms)
    weights = {term: 1.0 / (1.0 + held[term] / max(1, len(found)) * 8) for term in asked}
    ranked: list[ExtractedSentence] = []
    for place, one, terms, headings in found:
        coverage = _coverage(weights, terms, headings)
        score = _score(question, one, coverage, RANK_SHARE * (1 - place / max(1, len(passages))))
        ranked.append(ExtractedSentence(sentence=one, score=score, coverage=coverage))
    ranked.sort(key=lambda one: -one.score)
    return _chosen(ranked, limit, allowed)


def _coverage(weights: dict[str, float], terms: set[str], headings: set[str]) -> float:
    total = sum(weights.values())
    got = sum(w if term in terms else HEADING_SHARE * w if term in headings else 0.0 for term, w in weights.items())
    return got / total if total else 0.0


def _score(question: str, one: CourseSentence, coverage: float, rank: float) -> float:
    score = coverage + rank
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
        if one.coverage < LEAST_COVERAGE or any(_same(one.sentence, other.sentence) for other in chosen):
            continue
        if allowed(one.sentence.text):
            chosen.append(one)
    return tuple(chosen)


def _same(one: CourseSentence, other: CourseSentence) -> bool:
    first, second = set(text_terms(one.text)), set(text_terms(other.text))
    return len(first & second) >= REPEATED * max(1, min(len(first), len(second)))
