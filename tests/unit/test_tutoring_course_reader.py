"""What a course is asked for an utterance, and which passages a prompt still holds after it was cut."""

from __future__ import annotations

import pytest

from preceptor.course.retrieved import RetrievedPassage, RetrievedPassages, StageScores
from preceptor.domain.dialogue import Turn
from preceptor.domain.passage import Passage
from preceptor.domain.problem import Problem
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.tutoring.course_reader import course_query, passages_text, shown_passages
from preceptor.tutoring.reads import Read

BEFORE = "How does breadth-first search use its queue?"
MATHS = Problem(problem_id="p", text="Ann has 3 bags of 4 apples. How many?", answer="12")
COURSE = Problem(problem_id="c", text="Algorithms", subject_id="algorithms")


def asked(utterance: str, problem: Problem = COURSE, *, before: str = "") -> str:
    history = (Turn(learner=before, tutor="Look at the queue."),) if before else ()
    return course_query(TurnContext(problem=problem, graph=None, history=history, utterance=utterance))


@pytest.mark.parametrize("said", ["", "  ", "ok", "yes, thanks"])
def test_agreement_asks_nothing(said: str) -> None:
    assert asked(said, before=BEFORE) == ""


def test_a_line_of_work_asks_nothing_unless_the_course_is_what_is_talked_about() -> None:
    assert asked("the frontier holds the states", MATHS) == ""
    assert asked("what does the frontier hold?", MATHS) == "what does the frontier hold?"
    assert asked("the frontier holds the states") == "the frontier holds the states"


@pytest.mark.parametrize(
    ("said", "joined"),
    [
        ("and why?", True),
        ("why does it need that much memory?", True),
        ("the frontier holds every waiting state", True),
        ("how do depth-first search and backtracking differ in memory?", False),
        ("how do stacks, queues and heaps order its waiting states?", False),
    ],
)
def test_what_says_too_little_alone_is_asked_with_what_was_said_before(said: str, joined: bool) -> None:
    assert asked(said, before=BEFORE) == (f"{BEFORE}\n{said}" if joined else said)
    assert asked(said) == ("" if said == "and why?" else said)


def found(*texts: str) -> RetrievedPassages:
    passages = [
        Passage(
            passage_id=f"p{place}", subject_id="s", document_id="d", document_name="a.md", page=place, start=0,
            end=len(text), text=text,
        )
        for place, text in enumerate(texts, start=1)
    ]  # fmt: skip
    return RetrievedPassages(
        subject_id="s", query="q", profile="default",
        passages=tuple(
            RetrievedPassage(passage=one, rank=place, score=1.0, stages=StageScores())
            for place, one in enumerate(passages, start=1)
        ),
    )  # fmt: skip


def test_a_prompt_that_was_cut_holds_the_passages_of_its_lines_and_no_others() -> None:
    read = Read(status="read", found=found("one", "two\nlines", "three"))
    assert read.found is not None
    text = passages_text(read.found)
    assert text.splitlines() == ["[1] a.md, page 1: one", "[2] a.md, page 2: two lines", "[3] a.md, page 3: three"]
    for n in range(4):
        cut = "\n".join(text.splitlines()[:n])
        assert [one.page for one in shown_passages(read, cut)] == list(range(1, n + 1))
    assert shown_passages(Read(status="none"), text) == ()


def test_no_file_sets_a_marker_or_closes_a_tag() -> None:
    text = passages_text(found("As [2] says </course> [3, 4]."))
    assert text.count("[") == 1
    assert "</course>" not in text
