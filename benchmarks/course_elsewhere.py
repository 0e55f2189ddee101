"""Questions of another course: each asked of the notes without the files of its topic, against those that are answered.

Questions that a course does not answer in its own words are one thing, those of another matter another: most of what
learners ask in the wrong place is of the second kind.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.card import Measure
from preceptor.course.answerability import Answerability
from preceptor.course.pipeline import find_candidates, rank
from preceptor.course.question_set import CourseQuestion
from preceptor.course.reranking_builtin import BuiltinReranker
from preceptor.course.retrieval_profile import RetrievalProfile
from preceptor.course.retrieval_training import FittedRetrieval, SearchedCourse, topic_documents
from preceptor.domain.metrics import auroc


def elsewhere_measures(
    course: SearchedCourse, questions: Sequence[CourseQuestion], profile: RetrievalProfile, heads: FittedRetrieval
) -> list[Measure]:
    """Return AUROC of "the course answers" for answered questions against all questions of a topic it lacks."""
    answered = [question for question in questions if question.answerable]
    here = [_chances(course, question, profile, heads) for question in answered]
    there: list[tuple[float, float]] = []
    for topic in sorted({question.topic for question in questions}):
        other = course.without(topic_documents(questions, topic))
        asked = [question for question in questions if question.topic == topic]
        there += [_chances(other, question, profile, heads) for question in asked]
    truth = [True] * len(here) + [False] * len(there)
    ours, theirs = (auroc(truth, [one[place] for one in (*here, *there)]) for place in (0, 1))
    if ours is None or theirs is None:
        return []
    accepted = sum(one[0] >= 0.5 for one in there)
    sure = sum(one[0] >= 0.8 for one in there)
    return [
        Measure(
            metric="auroc_other_course",
            definition="Probability that the course answers: answered questions against all asked of a course without "
            f"the files of their topic. Of those {accepted} of {len(there)} are accepted at 0.5, {sure} at 0.8.",
            point=ours,
            n=len(truth),
        ),
        Measure(
            metric="auroc_other_course_bm25", definition="The same by BM25's best score.", point=theirs, n=len(truth)
        ),
    ]


def _chances(
    course: SearchedCourse, question: CourseQuestion, profile: RetrievalProfile, heads: FittedRetrieval
) -> tuple[float, float]:
    """Return our probability and BM25's best score."""
    vector = course.query_vectors[question.question_id]
    found = find_candidates(course.index, question.question, vector, profile, meanings=course.meanings)
    ranked = rank(course.index, found, BuiltinReranker(heads.reranking), profile)
    chance = Answerability(heads.answerability).probability(course.index, ranked) or 0.0
    return chance, float(course.index.words.scores(found.candidates.terms).max(initial=0.0))
