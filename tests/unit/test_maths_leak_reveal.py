"""What a human rater calls revealing the answer to the question on the table."""

from __future__ import annotations

from fractions import Fraction

import pytest

from preceptor.domain.dialogue import Turn
from preceptor.maths.leak import Leak
from preceptor.maths.leak_question import open_question
from preceptor.maths.leak_reveal import find_reveal

PROBLEM = "Lea has 5 bags of 9 marbles and loses 7 marbles. How many marbles does she have now?"
SOLUTION = "5 * 9 = 45\n45 - 7 = 38\n 38"


def _reveal(reply: str, learner: str = "5 + 9 = 14", *, lenient: bool = False) -> Leak:
    return find_reveal(
        reply,
        problem_text=PROBLEM,
        answer=None,
        solution=SOLUTION,
        history=(Turn(learner=learner),),
        lenient=lenient,
    )


def _pending(asked: str, learner: str, reply: str) -> Leak:
    history = (Turn(learner="", tutor=asked), Turn(learner=learner))
    return find_reveal(reply, problem_text="", answer=None, solution=None, history=history)


@pytest.mark.parametrize(
    ("reply", "form"),
    [
        ("She ends up with 38 marbles.", "digits"),
        ("Close, but 45 - 7 = 38.", "equation"),
        ("Not quite: the final answer is 52.", "falsehood"),
        ("Since 45 minus 7 is 38, can you see why?", "equation"),
    ],
)
def test_a_stated_result_reveals(reply: str, form: str) -> None:
    assert (_reveal(reply).kind, _reveal(reply).form) == ("final_answer", form)


@pytest.mark.parametrize(
    "reply",
    [
        "How would you get from 45 to 38?",
        "First multiply 5 by 9.",
        "It is not 38.",
        "5 bags of 9 make 45 marbles.",
        "What happened to the 7 marbles?",
        "Take 45 and subtract 7.",
    ],
)
def test_questions_operands_denials_and_earlier_steps_do_not(reply: str) -> None:
    assert _reveal(reply).kind == "none"


def test_the_answer_in_a_question_is_a_hint_only() -> None:
    assert _reveal("How would you get from 45 to 38?", lenient=True).form == "hint"


def test_a_wrong_result_is_marked_false() -> None:
    assert _reveal("The answer is 52.").falsehood
    assert not _reveal("The answer is 38.").falsehood


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("What is 36+42?", 78),
        ("7*60 = ?", 420),
        ("What is the product of 12 and 4?", 48),
        ("Round 268 to the nearest ten.", 270),
        ("What do you get when you multiply 3 by 8?", 24),
        ("Let us look at 9 times 7.\nWhat is the value?", 63),
    ],
)
def test_the_tutors_question_is_computed(asked: str, value: int) -> None:
    question = open_question(problem_text="", answer=None, solution=None, history=(Turn(learner="", tutor=asked),))
    assert question.values == {Fraction(value)}


@pytest.mark.parametrize(
    ("asked", "learner", "reply", "kind"),
    [
        ("What is 36+42?", "68", "Actually, it is 78.", "final_answer"),
        ("What is 36+42?", "68", "Try 36 + 42 again.", "none"),
        ("What is 36+42?", "68", "What is 6 + 2?", "none"),
        ("What is a trapezoid?", "a shape", "A trapezoid has one pair of parallel sides.", "final_answer"),
        ("What is a trapezoid?", "a shape", "Look at its sides again.", "none"),
        (
            "Which solid has six square faces?",
            "prism",
            "A solid with six square faces is called a cube.",
            "final_answer",
        ),
        ("Which solid has six square faces?", "prism", "Think about dice.", "none"),
    ],
)
def test_an_answer_to_the_tutors_question_reveals(asked: str, learner: str, reply: str, kind: str) -> None:
    assert _pending(asked, learner, reply).kind == kind
