"""Fits reranker, answerability and the order of sentences on questions with known evidence, and writes the numbers.

`python -m preceptor.course.retrieval_training --data DIR`: DIR holds `course_notes/` and
`course_questions.jsonl`; only questions of the part `tune` are read.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from preceptor.course.answerability import AnswerExample, answer_features, fit_answerability
from preceptor.course.extractive_answer import Nearness
from preceptor.course.library import open_library
from preceptor.course.linear_head import LinearHead
from preceptor.course.passage_index import PassageIndex, PassageIndexer
from preceptor.course.pipeline import Found, find_candidates, rank
from preceptor.course.question_set import CourseQuestion, evidence_rows, is_about_span, read_questions
from preceptor.course.reranker import HeadName
from preceptor.course.reranking_builtin import BuiltinReranker
from preceptor.course.reranking_features import LEFT_OUT, candidate_features
from preceptor.course.reranking_training import RankingExample, fit_reranker
from preceptor.course.retrieval_profile import PROFILES, RetrievalProfile
from preceptor.course.sentence_features import SentenceHeadName, text_in_place
from preceptor.course.sentence_training import SentenceExample, fit_sentences, sentence_example
from preceptor.course.sentences import CourseSentence, sentences_of_passage
from preceptor.course.word_meanings import WordMeanings
from preceptor.domain.passage import Passage
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.errors import ModelError
from preceptor.models.embedder import Embedder, Vector, open_embedder
from preceptor.settings import Settings, load_settings

HEADS: tuple[HeadName, ...] = tuple(LEFT_OUT)
QUESTIONS, NOTES = "course_questions.jsonl", "course_notes"
Heads = Mapping[HeadName, LinearHead]


@dataclass(frozen=True, kw_only=True)
class SearchedCourse:
    """A course as it is searched with all there is to see, and with words alone."""

    index: PassageIndex
    words_index: PassageIndex
    meanings: WordMeanings | None
    query_vectors: Mapping[str, Vector | None]
    """question_id → vector."""

    def find(self, question: CourseQuestion, name: HeadName, profile: RetrievalProfile) -> Found:
        """Return the candidates that a head would see."""
        if name == "words":
            return find_candidates(self.words_index, question.question, None, profile)
        vector = self.query_vectors[question.question_id]
        meanings = self.meanings if name == "meaning" else None
        return find_candidates(self.index, question.question, vector, profile, meanings=meanings)

    def without(self, documents: Collection[str]) -> SearchedCourse:
        """Return the course as it would be without some files."""
        kept = [row for row, one in enumerate(self.index.passages) if one.document_name not in documents]
        passages = [self.index.passages[row] for row in kept]
        vectors = None if self.index.vectors is None else self.index.vectors[kept]
        return SearchedCourse(
            index=PassageIndexer(self.meanings).build(passages, vectors),
            words_index=PassageIndexer().build(passages),
            meanings=self.meanings,
            query_vectors=self.query_vectors,
        )

    def index_for(self, name: HeadName) -> PassageIndex:
        """Return the index that a head searches."""
        return self.words_index if name == "words" else self.index


@dataclass(frozen=True, kw_only=True)
class FittedRetrieval:
    """What was fitted on some questions."""

    reranking: Heads
    answerability: Heads


def read_notes(folder: Path, *, is_official: Callable[[str], bool] = lambda _: False) -> list[Passage]:
    """Return the passages of a folder of course files, read and cut as the product does, in a store of its own."""
    with tempfile.TemporaryDirectory() as home, open_library(Settings(home=Path(home))) as library:
        library.create(LOCAL_OWNER, "notes", "Notes")
        library.add(LOCAL_OWNER, "notes", sorted(folder.iterdir()))
        for document in library.store.documents("notes"):
            if is_official(document.name):
                library.mark_official(LOCAL_OWNER, "notes", document.name, True)
        return library.store.passages("notes")


def open_course(passages: Sequence[Passage], questions: Sequence[CourseQuestion], embedder: Embedder) -> SearchedCourse:
    """Return a course with the vectors of its passages, its words and these questions."""
    made = embedder.embed([passage.text for passage in passages])
    nothing = np.zeros(embedder.dimensions, dtype=np.float32)
    vectors: NDArray[np.float32] = np.stack([nothing if vector is None else vector for vector in made])
    meanings = WordMeanings(embedder)
    indexer = PassageIndexer(meanings)
    indexer.build(passages, vectors)
    indexer.learn_meanings()
    asked = embedder.embed([question.question for question in questions])
    return SearchedCourse(
        index=indexer.build(passages, vectors),
        words_index=PassageIndexer().build(passages),
        meanings=meanings,
        query_vectors={question.question_id: vector for question, vector in zip(questions, asked, strict=True)},
    )


def fit_retrieval(
    course: SearchedCourse,
    questions: Sequence[CourseQuestion],
    profile: RetrievalProfile,
    *,
    card: Mapping[str, object] | None = None,
) -> FittedRetrieval:
    """Return heads fitted on exactly these questions, of at least two topics.

    The answerability heads see rerankers that were fitted without the topic of the question they judge, as they will
    with a new course; and each question once more, asked of the course without the files of its topic.
    """
    reranking, answerability = {}, {}
    topics = sorted({question.topic for question in questions})
    others_course = {topic: course.without(topic_documents(questions, topic)) for topic in topics}
    for name in HEADS:
        index = course.index_for(name)
        found = {question.question_id: course.find(question, name, profile) for question in questions}
        ranking = {
            question.question_id: _ranking_example(index, question, found[question.question_id])
            for question in questions
        }
        reranking[name] = fit_reranker(list(ranking.values()), name, card=card)
        answers = []
        for topic in topics:
            others = [ranking[question.question_id] for question in questions if question.topic != topic]
            head = fit_reranker(others, name)
            reranker = BuiltinReranker(dict.fromkeys(HEADS, head))
            other = others_course[topic]
            for question in (one for one in questions if one.topic == topic):
                ranked = rank(index, found[question.question_id], reranker, profile)
                answers.append(AnswerExample(features=answer_features(index, ranked), answerable=question.answerable))
                index_elsewhere = other.index_for(name)
                ranked = rank(index_elsewhere, other.find(question, name, profile), reranker, profile)
                features = answer_features(index_elsewhere, ranked)
                answers.append(AnswerExample(features=features, answerable=False, elsewhere=True))
        answerability[name] = fit_answerability(answers, name, card=card)
    return FittedRetrieval(reranking=reranking, answerability=answerability)


def topic_documents(questions: Sequence[CourseQuestion], topic: str) -> set[str]:
    """Return the files that the answerable questions of a topic name."""
    return {one.document for one in questions if one.topic == topic and one.document is not None}


def sentence_examples(
    course: SearchedCourse, questions: Sequence[CourseQuestion], profile: RetrievalProfile, embedder: Embedder
) -> dict[str, SentenceExample]:
    """Return the sentences of what is found for each answerable question, by question_id.

    Passages come from rerankers that were fitted without the question's topic, as with a new course.
    """
    lists: dict[str, list[tuple[int, float, CourseSentence]]] = {}
    found = {question.question_id: course.find(question, "meaning", profile) for question in questions}
    ranking = {one.question_id: _ranking_example(course.index, one, found[one.question_id]) for one in questions}
    for topic in sorted({question.topic for question in questions}):
        others = [ranking[one.question_id] for one in questions if one.topic != topic]
        reranker = BuiltinReranker(dict.fromkeys(HEADS, fit_reranker(others, "meaning")))
        for question in (one for one in questions if one.topic == topic and one.answerable):
            ranked = rank(course.index, found[question.question_id], reranker, profile)
            lists[question.question_id] = [
                (place, float(score), sentence)
                for place, (row, score) in enumerate(zip(ranked.rows.tolist(), ranked.scores, strict=True))
                for sentence in sentences_of_passage(course.index.passages[row])
            ]
    texts = sorted({text_in_place(one) for sentences in lists.values() for _, _, one in sentences})
    vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    return {
        question.question_id: sentence_example(
            question.question,
            lists[question.question_id],
            [
                is_about_span(one.text, one.passage.document_name, document=question.document, quote=question.quote)
                for _, _, one in lists[question.question_id]
            ],
            _nearness(course.query_vectors[question.question_id], vectors),
        )
        for question in questions
        if lists.get(question.question_id)
    }


def _nearness(asked: Vector | None, vectors: Mapping[str, Vector | None]) -> Nearness:
    def cosines(_question: str, texts: Sequence[str]) -> list[float]:
        return [0.0 if asked is None or (made := vectors[text]) is None else float(made @ asked) for text in texts]

    return cosines


def _ranking_example(index: PassageIndex, question: CourseQuestion, found: Found) -> RankingExample:
    holds = np.isin(found.candidates.rows, evidence_rows(question, index.passages))
    return RankingExample(features=candidate_features(index, found.candidates), relevant=holds)


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """What a trainer starts from."""

    course: SearchedCourse
    questions: list[CourseQuestion]
    """Of the part `tune`."""
    embedder: Embedder
    card: Mapping[str, object]
    """Where the numbers come from; goes into every head."""
    out: Path
    """Folder to write to."""


def open_tuning(module: str, arguments: Sequence[str] | None = None) -> Tuning:
    """Return what a trainer's command line names.

    Args:
        module: Of the trainer, for its usage line.
        arguments: `None`: those of the process.

    Raises:
        ModelError: There is no embedder.
        InputError: The questions cannot be read.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}")
    parser.add_argument("--data", type=Path, required=True, help=f"folder with {NOTES}/ and {QUESTIONS}")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder to write to")
    parsed = parser.parse_args(arguments)
    embedder = open_embedder(load_settings())
    if embedder is None:
        raise ModelError("no embedder: run `preceptor model fetch` first")
    file = parsed.data / QUESTIONS
    questions = [question for question in read_questions(file) if question.part == "tune"]
    return Tuning(
        course=open_course(read_notes(parsed.data / NOTES), questions, embedder),
        questions=questions,
        embedder=embedder,
        card={
            "what": "sigmoid(intercept + sum of weight * standardised feature)",
            "fitted_on": "our own course notes and questions (this project's licence), part tune",
            "topics": sorted({question.topic for question in questions}),
            "questions_sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
            "embedder": embedder.fingerprint,
        },
        out=parsed.out,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit on the questions of the part `tune` and write the package's three files."""
    tuning = open_tuning("preceptor.course.retrieval_training", arguments)
    profile = PROFILES["default"]
    fitted = fit_retrieval(tuning.course, tuning.questions, profile, card=tuning.card)
    examples = sentence_examples(tuning.course, tuning.questions, profile, tuning.embedder)
    made: dict[str, Mapping[HeadName, LinearHead] | Mapping[SentenceHeadName, LinearHead]] = {
        "reranking": fitted.reranking,
        "answerability": fitted.answerability,
        "sentence": fit_sentences(list(examples.values()), card=tuning.card),
    }
    for name, heads in made.items():
        raw = {head: one.dump() for head, one in heads.items()}
        (tuning.out / f"{name}_weights.json").write_text(json.dumps(raw, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
