"""Tracing in a dialogue: four calls for the live turn.

    problem = find_trace_problem(text)                       # None: no search problem in the text
    trace = read_trace(utterance, problem, rules)
    verdict = check(trace, problem, rules)
    reply = feedback(verdict, Rung.LOCATE, "en")             # text, move, rung and frame

A photographed trace goes through `transcriber.Transcriber` first, and the learner confirms its text.
"""

from __future__ import annotations

from preceptor.domain.reply import Reply, Rung
from preceptor.errors import InputError
from preceptor.tracing.checking import TraceVerdict, check_trace
from preceptor.tracing.feedback import trace_feedback
from preceptor.tracing.learner_trace import LearnerTrace
from preceptor.tracing.problem import TraceProblem
from preceptor.tracing.problem_reader import parse_problem
from preceptor.tracing.rules import CourseRules
from preceptor.tracing.search import SearchMachine
from preceptor.tracing.trace_reader import read_trace as read_text

MIN_EDGES = 2
"""A text with fewer edges holds no graph to search. (chosen)"""


def find_trace_problem(text: str) -> TraceProblem | None:
    """Return the search problem in a problem's or exercise's text.

    Returns:
        `None` where the text names no algorithm, holds no graph with `MIN_EDGES` edges or no start, contradicts
        itself, or where the algorithm cannot run on it (no goal, no heuristic).
    """
    try:
        problem = parse_problem(text, strict=False)
        if problem.algorithm is None or sum(len(edges) for edges in problem.neighbours.values()) < MIN_EDGES:
            return None
        for variant in CourseRules().variants(problem.algorithm):
            SearchMachine(problem, problem.algorithm, variant)
    except InputError:
        return None
    return problem


def read_trace(utterance: str, problem: TraceProblem, rules: CourseRules | None = None) -> LearnerTrace:
    """Return the trace in an utterance; a trace without steps: the utterance holds none.

    Args:
        utterance: What the learner wrote.
        problem: Of `find_trace_problem`; it names an algorithm.
        rules: Not needed to read; taken so that the calls look alike.

    Raises:
        InputError: The problem names no algorithm, or the utterance is too long.
    """
    del rules
    if problem.algorithm is None:
        raise InputError("the problem names no algorithm, so its traces cannot be read")
    return read_text(utterance, problem, problem.algorithm)


def check(
    trace: LearnerTrace, problem: TraceProblem, rules: CourseRules | None = None, *, whole: bool = False
) -> TraceVerdict:
    """Return the verdict on a trace; `rules=None`: the textbook defaults; `whole`: it is handed in as finished.

    Raises:
        InputError: The problem names no algorithm.
    """
    return check_trace(trace, problem, rules or CourseRules(), whole=whole)


def feedback(verdict: TraceVerdict, tier: Rung, language: str = "en") -> Reply:
    """Return the reply to a verdict: text, move, rung and frame; it never holds the rest of the trace."""
    return trace_feedback(verdict, tier, language)
