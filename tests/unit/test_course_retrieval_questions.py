"""The question set keeps what it promises: spans that stand in the notes, little overlap, a part held out."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from tests.unit.course_retrieval_doubles import passages

from preceptor.course.question_set import CourseQuestion, evidence_rows, plain_text, read_questions
from preceptor.course.terms import text_terms
from preceptor.domain.metrics import expected_calibration_error
from preceptor.errors import InputError

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
QUESTIONS = read_questions(BENCHMARKS / "course_questions.jsonl")
ANSWERABLE = [question for question in QUESTIONS if question.answerable]


def visible_text(file: Path) -> str:
    text = file.read_text("utf-8")
    return unescape(re.sub(r"<[^>]+>", "", text)) if file.suffix == ".html" else text


def test_every_span_stands_once_in_the_file_it_names() -> None:
    notes = {file.name: plain_text(visible_text(file)) for file in (BENCHMARKS / "course_notes").iterdir()}
    wrong = [
        question.question_id
        for question in ANSWERABLE
        if notes[str(question.document)].count(plain_text(str(question.quote))) != 1
    ]
    assert not wrong


def test_there_are_enough_questions_of_both_kinds_and_no_question_twice() -> None:
    assert len(ANSWERABLE) >= 200
    assert len(QUESTIONS) - len(ANSWERABLE) >= 60
    assert len({question.question_id for question in QUESTIONS}) == len(QUESTIONS)
    assert len({question.question for question in QUESTIONS}) == len(QUESTIONS)


def test_at_least_half_share_at_most_two_fifths_of_their_words_with_the_span() -> None:
    shares = []
    for question in ANSWERABLE:
        words = set(text_terms(question.question))
        if words:
            shares.append(len(words & set(text_terms(str(question.quote)))) / len(words))
    assert sum(share <= 0.4 for share in shares) >= len(ANSWERABLE) / 2


def test_a_third_is_held_out_by_topic() -> None:
    held_out = [question for question in QUESTIONS if question.part == "held_out"]
    assert 3 * len(held_out) >= len(QUESTIONS)
    tune = {question.topic for question in QUESTIONS if question.part == "tune"}
    assert not tune & {question.topic for question in held_out}


def test_evidence_is_the_passage_that_holds_the_whole_span_whatever_its_spacing() -> None:
    question = CourseQuestion(
        question_id="q", topic="t", part="tune", question="?", document="bfs.md", quote="memory  gives out\nlong before"
    )
    assert evidence_rows(question, passages()) == [1]


def test_a_line_that_is_no_question_is_named(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question_id": "q", "topic": "t", "part": "tune", "question": "?", "document": "a.md"}\n')
    with pytest.raises(InputError, match="line 1"):
        read_questions(file)


def test_calibration_error_by_hand() -> None:
    assert expected_calibration_error([True, False, True], [0.9, 0.9, 0.25], n_buckets=2) == pytest.approx(
        (abs(1.8 - 1) + abs(0.25 - 1)) / 3
    )
    assert expected_calibration_error([], []) is None
    with pytest.raises(ValueError, match=r"probabilities in \[0, 1\]"):
        expected_calibration_error([True], [1.2])
