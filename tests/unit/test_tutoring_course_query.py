"""What a course is asked: the utterance, with what was asked before where it points back or says too little alone."""

from __future__ import annotations

import pytest

from preceptor.domain.dialogue import Turn
from preceptor.domain.problem import Problem
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.tutoring.course_dialogue import COURSE_SOURCE
from preceptor.tutoring.course_reader import course_query

BEFORE = "what is a heuristic in a search?"
COURSE = Problem(problem_id="course:search", text="Search", source=COURSE_SOURCE, subject_id="search")


def query(utterance: str) -> str:
    history = (Turn(learner=BEFORE, tutor="It estimates what is left. Where would you use that?"),)
    return course_query(TurnContext(problem=COURSE, graph=None, history=history, utterance=utterance))


@pytest.mark.parametrize(
    "utterance",
    [
        "why does A* need it to be admissible",
        "and how are they made?",
        "why does the search need it to be admissible",
        "what happens if this is not admissible?",
        "why is that?",
        "why?",
        "and a stack?",
        "¿y por qué sirve eso en A*?",
        "pourquoi est-ce que cela aide A* ?",
        "为什么它要可采纳？",
    ],
)
def test_a_question_that_points_back_is_searched_with_what_was_asked_before(utterance: str) -> None:
    assert query(utterance) == f"{BEFORE}\n{utterance}"


@pytest.mark.parametrize(
    "utterance",
    [
        "how does uniform cost search order the frontier?",
        "when the frontier holds two nodes with equal cost and equal depth, does it matter which one comes first?",
        "what does this course say about breadth-first search and its memory?",
        "how does binary search work",
        "What is a queue?",
        "who won the world cup 2010",
        "ok and where do people use depth first search",
        "wie funktioniert die binäre Suche",
        "为什么二分查找很快",
    ],
)
def test_a_question_that_says_what_it_is_about_is_searched_alone(utterance: str) -> None:
    assert query(utterance) == utterance


def test_a_statement_is_searched_with_what_was_asked_before() -> None:
    said = "I think the frontier only holds the goal node"
    assert query(said) == f"{BEFORE}\n{said}"


@pytest.mark.parametrize("utterance", ["thanks", "ok", "  "])
def test_agreement_asks_nothing(utterance: str) -> None:
    assert query(utterance) == ""
