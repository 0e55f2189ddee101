"""An answer made of the course's own sentences: the best few of the retrieved passages, each a span that can be cited.

Deterministic and without a model. Nothing is said that does not stand in a file; what orders the tutor about comes last
and is never more than a quotation, what only sets a task comes late; on procedural routes worked calculations, code
and results are not quoted at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

import numpy as np

from preceptor.course.linear_head import LinearHead, Rows, parse_head
from preceptor.course.retrieved import RetrievedPassage
from preceptor.course.sentence_features import (
    SENTENCE_FEATURES,
    SENTENCE_HEADS,
    SentenceHeadName,
    sentence_features,
    text_in_place,
)
from preceptor.course.sentences import CourseSentence, sentences_of_passage
from preceptor.course.terms import text_terms

NEAR_CANDIDATES = 12
"""Sentences whose nearness is asked for: the first by words and passage. (chosen: 8 ms each; 8, 12 and 16 put a
sentence of the span first in .508, .508 and .518 of our own questions, by folds over topics)"""
ENOUGH = 0.5
"""Chance, over the sentences already chosen, from which no further one is said. (chosen: more only fills space)"""
REPEATED = 0.7
"""Share of words in common from which two sentences say the same: passages overlap. (chosen)"""

Nearness = Callable[[str, Sequence[str]], Sequence[float] | None]
"""Cosines of a question to texts; `None`: the embedder does not speak their language, or there is none."""


@dataclass(frozen=True, kw_only=True)
class ExtractedSentence:
    """A sentence chosen for an answer."""

    sentence: CourseSentence
    chance: float
    """That it answers, if one of the candidates does, in [0, 1]."""


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
        (rank, one.score, sentence)
        for rank, one in enumerate(passages)
        for sentence in sentences_of_passage(one.passage)
        if worked or not sentence.worked
    ]
    return _chosen(ranked_sentences(question, found, nearness), limit, allowed) if found else ()


def ranked_sentences(
    question: str, found: Sequence[tuple[int, float, CourseSentence]], nearness: Nearness | None
) -> list[ExtractedSentence]:
    """Return sentences by how likely they answer, best first; with nearness only the `NEAR_CANDIDATES` first by words.

    Args:
        question: In the learner's words.
        found: (rank of its passage from 0, score of its passage, sentence), at least one.
        nearness: Compares by meaning.
    """
    rows = sentence_features(question, found)
    logits = head_logits(shipped_sentence_heads()["words"], rows)
    sentences = [sentence for _, _, sentence in found]
    if nearness is not None:
        near = first_by_words(logits)
        cosines = nearness(question, [text_in_place(sentences[place]) for place in near])
        if cosines is not None:
            rows = rows[near]
            rows[:, -1] = cosines
            logits = head_logits(shipped_sentence_heads()["meaning"], rows)
            sentences = [sentences[place] for place in near]
    chances = np.exp(logits - logits.max())
    chances /= chances.sum()
    order = sorted(
        range(len(sentences)), key=lambda place: (sentences[place].orders, sentences[place].exercise, -chances[place])
    )
    return [ExtractedSentence(sentence=sentences[place], chance=float(chances[place])) for place in order]


def first_by_words(logits: Rows) -> list[int]:
    """Return the places of the sentences that are compared by meaning."""
    return [int(place) for place in np.argsort(-logits, kind="stable")[:NEAR_CANDIDATES]]


def head_logits(head: LinearHead, rows: Rows) -> Rows:
    """Return the logit of each row of `sentence_features` by a head that reads some of the columns, (n,)."""
    return head.logits(rows[:, [SENTENCE_FEATURES.index(name) for name in head.features]])


@lru_cache(maxsize=1)
def shipped_sentence_heads() -> dict[SentenceHeadName, LinearHead]:
    """Return the heads of the package."""
    text = resources.files("preceptor.course").joinpath("sentence_weights.json").read_text(encoding="utf-8")
    raw = json.loads(text)
    return {name: parse_head(raw[name]) for name in SENTENCE_HEADS}


def _chosen(
    ranked: Sequence[ExtractedSentence], limit: int, allowed: Callable[[str], bool]
) -> tuple[ExtractedSentence, ...]:
    chosen: list[ExtractedSentence] = []
    for one in ranked:
        if len(chosen) == limit or (chosen and sum(other.chance for other in chosen) >= ENOUGH):
            break
        if any(_same(one.sentence, other.sentence) for other in chosen):
            continue
        if allowed(one.sentence.text):
            chosen.append(one)
    return tuple(chosen)


def _same(one: CourseSentence, other: CourseSentence) -> bool:
    first, second = set(text_terms(one.text)), set(text_terms(other.text))
    return len(first & second) >= REPEATED * max(1, min(len(first), len(second)))
