"""A conversation about a course: what stands in place of a problem, and how it begins."""

from __future__ import annotations

import uuid

from preceptor.course.answer_phrases import phrase, spoken_language
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Move, Reply
from preceptor.errors import InputError
from preceptor.stores.courses import CourseStore
from preceptor.tutoring.tracing_tutor import states_problem

PROBLEM_SUBJECT = "maths"
"""The subject of problems that belong to no course."""
COURSE_SOURCE = "course"
"""Source of what stands in place of a problem in a conversation about a course."""


def is_course_conversation(problem: Problem) -> bool:
    """Return whether a dialogue is about a course and no problem."""
    return problem.source == COURSE_SOURCE


def is_about_course(problem: Problem) -> bool:
    """Return whether the course's files are what is talked about: itself, or an exercise of it without a solution."""
    own = problem.subject_id != PROBLEM_SUBJECT and problem.solution is None and problem.answer is None
    return own or is_course_conversation(problem)


def course_problem(courses: CourseStore, subject_id: str, text: str | None, *, language: str, limit: int) -> Problem:
    """Return what a conversation about a course is about: an exercise of the learner's, or the course itself.

    Args:
        courses: Where courses lie.
        subject_id: The course; `maths` may be one or not.
        text: The exercise; `None`: the course itself.
        language: Tag.
        limit: Longest text, characters.

    Raises:
        NotFoundError: There is no such course.
        InputError: The text is empty or too long.
    """
    course = courses.course(subject_id)
    if text is None:
        return Problem(
            problem_id=f"course:{subject_id}",
            text=course.title,
            source=COURSE_SOURCE,
            subject_id=subject_id,
            language=language,
        )
    if not text.strip() or len(text) > limit:
        raise InputError(f"an exercise must have 1 to {limit} characters, got {len(text.strip())}")
    return Problem(
        problem_id=f"own:{uuid.uuid4().hex}",
        text=text.strip(),
        source="learner",
        subject_id=subject_id,
        language=language,
    )


def course_opening(problem: Problem, language: str) -> Reply | None:
    """Return the tutor's first words on a course or a trace; `None`: a problem is opened as always."""
    if states_problem(problem):
        text, kind = phrase(language, "trace_opening"), FrameKind.EXPLAIN
    elif is_course_conversation(problem):
        text, kind = phrase(language, "opening", title=problem.text), FrameKind.OPEN
    else:
        return None
    return Reply(text=text, move=Move.GREET, frame=Frame(kind=kind), language=spoken_language(language))
