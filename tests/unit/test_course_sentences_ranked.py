"""How sentences of a course are ordered as answers: what is looked at, how the heads are fitted, how text is shown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.course.extractive_answer import NEAR_CANDIDATES, ranked_sentences, shipped_sentence_heads
from preceptor.course.question_kind import asked_kinds, has_form, main_kind
from preceptor.course.question_set import is_about_span, read_questions
from preceptor.course.sentence_features import SENTENCE_FEATURES, sentence_features, text_in_place
from preceptor.course.sentence_training import SentenceExample, fit_sentences, sentence_example
from preceptor.course.sentences import CourseSentence, sentences_of_passage
from preceptor.course.shown_text import shown_text
from preceptor.domain.passage import Passage

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def sentences(text: str, *, name: str = "notes.md", headings: tuple[str, ...] = ()) -> list[CourseSentence]:
    passage = Passage(
        passage_id="p", subject_id="s", document_id="d", document_name=name, page=1, start=0, end=len(text), text=text,
        heading_path=headings,
    )  # fmt: skip
    return list(sentences_of_passage(passage))


def found(*texts: str, headings: tuple[str, ...] = ()) -> list[tuple[int, float, CourseSentence]]:
    return [(rank, 0.5, one) for rank, text in enumerate(texts) for one in sentences(text, headings=headings)]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("why does the queue grow", "reason"),
        ("how do i turn a percent into a decimal", "how_to"),
        ("how many bits has a byte?", "number"),
        ("what's a queue", "definition"),
        ("Warum wächst die Schlange?", "reason"),
        ("¿Cuántos bits tiene un byte?", "number"),
        ("Comment convertir une fraction ?", "how_to"),
        ("ما هو الطابور؟", "definition"),
        ("为什么队列会变长？", "reason"),
        ("the queue, please", None),
    ],
)
def test_the_form_a_question_asks_for_is_read_in_six_languages(question: str, kind: str | None) -> None:
    assert main_kind(question) == kind


def test_a_question_may_ask_for_two_forms_and_a_reason_comes_first() -> None:
    assert {"reason", "definition"} <= asked_kinds("what is a queue and why is it there")
    assert main_kind("what is a queue and why is it there") == "reason"


def test_a_text_has_the_form_of_an_answer_or_not() -> None:
    assert has_form("Because it keeps the order.", "reason")
    assert not has_form("It keeps the order.", "reason")
    assert has_form("A byte has eight bits.", "number")
    assert not has_form("A byte has many bits.", "number")
    assert has_form("First divide by the lower number.", "how_to")
    assert not has_form("The lower number divides.", "how_to")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "To **evaluate an expression** means to find its *value*",
            "To evaluate an expression means to find its value",
        ),
        ("Uniform\\-cost search", "Uniform-cost search"),
        ("see [the page on queues](queues.md) and ![a picture](q.png)", "see the page on queues and a picture"),
        ("call `len(queue)` first", "call len(queue) first"),
        ("2*3*4 and snake_case_name and __init__", "2*3*4 and snake_case_name and __init__"),
        ("a * b * c stays", "a * b * c stays"),
        ("an _old_ word\n  over two lines", "an old word over two lines"),
    ],
)
def test_marks_of_markdown_are_not_shown_and_calculations_stay(text: str, shown: str) -> None:
    assert shown_text(text, "notes/page.md") == shown
    assert shown_text(text, "notes/page.txt") == " ".join(text.split())


@given(st.text(alphabet="ab12 *_`\\[]()-\n", max_size=60))
def test_showing_a_text_loses_no_letter_and_no_digit_but_an_address(text: str) -> None:
    kept = [sign for sign in shown_text(text, "a.md") if sign.isalnum()]
    whole = [sign for sign in text if sign.isalnum()]
    if "](" not in text:
        assert kept == whole
    assert shown_text(text, "a.pdf") == " ".join(text.split())


def test_a_word_in_the_heading_counts_half() -> None:
    rows = sentence_features("queue", found("It keeps the oldest one at the front.", headings=("Queue",)))
    bare = sentence_features("queue", found("A queue keeps the oldest one at the front."))
    column = SENTENCE_FEATURES.index("coverage")
    assert rows[0, column] == pytest.approx(bare[0, column] / 2)


def test_a_sentence_is_compared_behind_its_heading() -> None:
    (one,) = sentences("It keeps the **oldest** one at the front.", headings=("Lists", "Queue"))
    assert text_in_place(one) == "Queue: It keeps the oldest one at the front"


def test_only_the_first_by_words_are_compared_by_meaning() -> None:
    asked: list[int] = []

    def nearness(_question: str, texts: Sequence[str]) -> list[float]:
        asked.append(len(texts))
        return [float("wanted" in text) for text in texts]

    many = found(*(f"This sentence number {place} says something about a queue." for place in range(30)))
    many += found("This wanted sentence about a queue is the one.")
    ranked = ranked_sentences("tell me about the wanted queue", many, nearness)
    assert asked == [NEAR_CANDIDATES]
    assert "wanted" in ranked[0].sentence.text
    assert sum(one.chance for one in ranked) == pytest.approx(1.0)
    assert [one.chance for one in ranked] == sorted((one.chance for one in ranked), reverse=True)


def test_fitting_finds_the_feature_that_tells_the_right_sentence() -> None:
    rng = np.random.default_rng(3)
    examples = []
    for _ in range(40):
        rows = rng.normal(size=(6, len(SENTENCE_FEATURES)))
        right = np.zeros(6, dtype=np.bool_)
        right[int(rows[:, SENTENCE_FEATURES.index("coverage")].argmax())] = True
        examples.append(SentenceExample(rows=rows, right=right))
    head = fit_sentences(examples)["words"]
    weights = dict(zip(head.features, head.weights, strict=True))
    assert max(weights, key=lambda name: abs(weights[name])) == "coverage"
    assert weights["coverage"] > 0


def test_nothing_is_fitted_where_no_sentence_is_right() -> None:
    rows = np.zeros((3, len(SENTENCE_FEATURES)))
    with pytest.raises(ValueError, match="right sentence"):
        fit_sentences([SentenceExample(rows=rows, right=np.zeros(3, dtype=np.bool_))])


def test_an_example_has_the_cosines_of_all_its_sentences() -> None:
    many = found("A queue keeps the oldest at the front.", "A stack keeps the newest at the front.")
    made = sentence_example("queue", many, [True, False], lambda _question, texts: [0.25] * len(texts))
    assert made.rows[:, -1].tolist() == [0.25, 0.25]
    assert made.right.tolist() == [True, False]
    assert sentence_example("queue", many, [True, False], None).rows[:, -1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("quoted", "name", "about"),
    [
        ("the oldest one", "course/queues.md", True),
        ("It keeps the oldest one at the very front of the line", "queues.md", True),
        ("the oldest one", "stacks.md", False),
        ("the newest is taken first", "queues.md", False),
        ("", "queues.md", False),
    ],
)
def test_a_quotation_is_about_a_span_where_file_and_words_are_the_same(quoted: str, name: str, about: bool) -> None:
    assert is_about_span(quoted, name, document="queues.md", quote="keeps the oldest one at the front") == about


def test_the_shipped_heads_were_fitted_on_the_present_tuning_questions_only() -> None:
    raw = json.loads(resources.files("preceptor.course").joinpath("sentence_weights.json").read_text("utf-8"))
    questions = read_questions(BENCHMARKS / "course_questions.jsonl")
    held_out = {question.topic for question in questions if question.part == "held_out"}
    for name in shipped_sentence_heads():
        assert raw[name]["card"]["topics"] == sorted({one.topic for one in questions if one.part == "tune"})
        assert not held_out & set(raw[name]["card"]["topics"])
