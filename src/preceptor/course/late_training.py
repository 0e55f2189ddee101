"""Fits the heads of late interaction on questions with known evidence, and writes `late_weights.json`.

`python -m preceptor.course.late_training --data DIR`: DIR holds `course_notes/` and `course_questions.jsonl`; only
questions of the part `tune` are read. Fit it after the reranker: it is fitted over rerankers that did not see the topic
of the question they judge.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from preceptor.course.answerability import HEAD_FEATURES, RIDGE, AnswerExample, answer_features, fit_answer_head
from preceptor.course.late_answerability import ALL_FEATURES, late_answer_features
from preceptor.course.late_heads import ORDER_FEATURES, LateHeads, order_rows
from preceptor.course.late_interaction import (
    LATE_FEATURES,
    LateNearness,
    QuestionTokens,
    late_nearness,
    question_tokens,
)
from preceptor.course.linear_head import LinearHead, centre_and_scale, fit_logistic, standardise
from preceptor.course.passage_index import PassageIndex
from preceptor.course.pipeline import Found, rank
from preceptor.course.question_set import CourseQuestion, evidence_rows
from preceptor.course.reranker import Scores
from preceptor.course.reranking_builtin import BuiltinReranker
from preceptor.course.reranking_features import candidate_features
from preceptor.course.reranking_training import RankingExample, fit_order, fit_reranker
from preceptor.course.retrieval_profile import PROFILES, RetrievalProfile
from preceptor.course.retrieval_training import HEADS, SearchedCourse, open_tuning
from preceptor.course.token_codes import TokenCoder
from preceptor.models.token_embedder import TokenEmbedder, require_token_embedder

ANSWER_FEATURES = (*HEAD_FEATURES["meaning"], *LATE_FEATURES)
"""What the head for "the course answers" reads."""
ORDER_RIDGE = 8.0
"""Penalty on the squared weights of the order. (chosen: the reranker's)"""


@dataclass(frozen=True, kw_only=True)
class ComparedQuestion:
    """One question with its candidates and how near its tokens come to them."""

    question: CourseQuestion
    index: PassageIndex
    """In which it was asked."""
    found: Found
    late: LateNearness
    example: RankingExample
    elsewhere: bool = False
    """Asked of the course without the files of its topic."""


class TokenCourse:
    """A course with the codes of its tokens as they are stored."""

    def __init__(self, course: SearchedCourse, embedder: TokenEmbedder) -> None:
        """Make the codes."""
        self.course = course
        self._embedder, self._coder = embedder, TokenCoder(embedder.dimensions)
        passages = course.index.passages
        made = embedder.embed_tokens([passage.text for passage in passages])
        self._codes = {
            passage.passage_id: None if one is None else self._coder.encode(one.vectors)
            for passage, one in zip(passages, made, strict=True)
        }
        self._asked: dict[str, QuestionTokens | None] = {}

    def compare(
        self, questions: Sequence[CourseQuestion], profile: RetrievalProfile, *, without: Collection[str] = ()
    ) -> list[ComparedQuestion]:
        """Return each question that the embedder reads, asked of the course or of it without some files."""
        course = self.course.without(without) if without else self.course
        compared = []
        for question in questions:
            asked = self._tokens(question.question)
            if asked is None:
                continue
            found = course.find(question, "meaning", profile)
            rows = found.candidates.rows
            codes = [self._codes[course.index.passages[row].passage_id] for row in rows.tolist()]
            holds = np.isin(rows, evidence_rows(question, course.index.passages))
            compared.append(
                ComparedQuestion(
                    question=question,
                    index=course.index,
                    found=found,
                    late=late_nearness(self._coder, asked, codes),
                    example=RankingExample(features=candidate_features(course.index, found.candidates), relevant=holds),
                    elsewhere=bool(without),
                )
            )
        return compared

    def _tokens(self, text: str) -> QuestionTokens | None:
        if text not in self._asked:
            found = self._embedder.embed_tokens([text])[0]
            self._asked[text] = None if found is None else question_tokens(self._coder, text, found)
        return self._asked[text]


def compare_questions(
    tokens: TokenCourse, questions: Sequence[CourseQuestion], profile: RetrievalProfile
) -> list[ComparedQuestion]:
    """Return each question asked of the whole course, and once more of it without the files of its topic."""
    compared = tokens.compare(questions, profile)
    for topic in sorted({question.topic for question in questions}):
        own = [question for question in questions if question.topic == topic]
        files = {question.document for question in own if question.document is not None}
        compared += tokens.compare(own, profile, without=files)
    return compared


@dataclass(frozen=True, kw_only=True)
class JudgedQuestions:
    """Questions judged by rerankers that were fitted without their topic."""

    compared: tuple[ComparedQuestion, ...]
    rerankers: Mapping[str, BuiltinReranker]
    """By the topic that each was fitted without."""
    scores: Mapping[str, Scores]
    """question_id → probability of each candidate of the whole course."""

    @property
    def here(self) -> list[ComparedQuestion]:
        """The questions as asked of the whole course."""
        return [one for one in self.compared if not one.elsewhere]


def judge_questions(compared: Sequence[ComparedQuestion]) -> JudgedQuestions:
    """Return questions of at least two topics with what rerankers fitted on the other topics say."""
    here = [one for one in compared if not one.elsewhere]
    rerankers, scores = {}, {}
    for topic in sorted({one.question.topic for one in here}):
        head = fit_reranker([one.example for one in here if one.question.topic != topic], "meaning")
        rerankers[topic] = BuiltinReranker(dict.fromkeys(HEADS, head))
        for one in here:
            if one.question.topic == topic:
                scores[one.question.question_id] = rerankers[topic].rerank(one.index, one.found.candidates)
    return JudgedQuestions(compared=tuple(compared), rerankers=rerankers, scores=scores)


def answer_examples(judged: JudgedQuestions, profile: RetrievalProfile, *, late: bool) -> list[AnswerExample]:
    """Return what speaks for an answer to each question, by heads fitted without its topic.

    Args:
        judged: Of at least three topics.
        profile: Numbers and switches.
        late: Whether tokens count, in the order and in `ALL_FEATURES`; else the columns are `FEATURES`.
    """
    examples = []
    for topic, reranker in judged.rerankers.items():
        others = [one for one in judged.here if one.question.topic != topic]
        order = fit_late_order(others, judged.scores) if late else None
        for one in judged.compared:
            if one.question.topic == topic and len(one.found.candidates.rows):
                nearness = one.late if late else None
                ranked = rank(one.index, one.found, reranker, profile, late=nearness, late_head=order)
                features = late_answer_features if late else answer_features
                examples.append(
                    AnswerExample(
                        features=features(one.index, ranked),
                        answerable=one.question.answerable and not one.elsewhere,
                        elsewhere=one.elsewhere,
                    )
                )
    return examples


def fit_late(
    compared: Sequence[ComparedQuestion], profile: RetrievalProfile, card: Mapping[str, object] | None = None
) -> LateHeads:
    """Return heads fitted on exactly these questions, of at least three topics; `card` goes into them."""
    judged = judge_questions(compared)
    return LateHeads(
        order=fit_late_order(judged.here, judged.scores, card),
        answerability=fit_late_answer(answer_examples(judged, profile, late=True), card=card),
    )


def fit_late_order(
    compared: Sequence[ComparedQuestion], judged: Mapping[str, Scores], card: Mapping[str, object] | None = None
) -> LinearHead:
    """Return a head over the reranker's logit and the tokens: list-wise order, then scaled to a probability.

    Args:
        compared: At least one with a relevant and another candidate.
        judged: question_id → the reranker's probability of each candidate.
        card: Goes into the head, with the counts added.
    """
    filled = [one for one in compared if len(one.example.relevant)]
    rows = {one.question.question_id: order_rows(judged[one.question.question_id], one.late) for one in filled}
    everything = np.vstack(list(rows.values()))
    centre, scale = centre_and_scale(everything)
    lists = [
        (standardise(rows[one.question.question_id], centre, scale), one.example.relevant)
        for one in filled
        if one.example.relevant.any() and not one.example.relevant.all()
    ]
    weights = fit_order(lists, ORDER_RIDGE)
    relevant = np.concatenate([one.example.relevant for one in filled])
    slope, intercept = fit_logistic((standardise(everything, centre, scale) @ weights)[:, None], relevant, ridge=1e-3)
    return LinearHead(
        features=ORDER_FEATURES,
        centre=tuple(centre.tolist()),
        scale=tuple(scale.tolist()),
        weights=tuple((weights * slope[0]).tolist()),
        intercept=intercept,
        card={**(card or {}), "queries": len(filled), "queries_with_evidence": len(lists), "ridge": ORDER_RIDGE},
    )


def fit_late_answer(
    examples: Sequence[AnswerExample],
    *,
    features: Sequence[str] = ANSWER_FEATURES,
    card: Mapping[str, object] | None = None,
) -> LinearHead:
    """Return a head for "the course answers"; each kind of question weighs what it does in `fit_answerability`.

    Args:
        examples: With `ALL_FEATURES`, or with `FEATURES` where no other is named; of both kinds.
        features: What the head reads.
        card: Goes into the head, with the counts added.
    """
    rows = np.array([one.features[[ALL_FEATURES.index(name) for name in features]] for one in examples])
    return fit_answer_head(rows, examples, features, ridge=RIDGE["meaning"], card=card)


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit on the questions of the part `tune` and write the package's file."""
    tuning = open_tuning("preceptor.course.late_training", arguments)
    profile = PROFILES["default"]
    compared = compare_questions(
        TokenCourse(tuning.course, require_token_embedder(tuning.embedder)), tuning.questions, profile
    )
    heads = fit_late(compared, profile, tuning.card)
    (tuning.out / "late_weights.json").write_text(json.dumps(heads.dump(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
