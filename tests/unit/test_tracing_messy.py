"""Messy traces get the verdict that was decided by hand."""

from __future__ import annotations

import pytest
from tests.unit.tracing_messy import MESSY, Messy

from preceptor.tracing.checking import check_trace
from preceptor.tracing.feedback import step_number
from preceptor.tracing.problem_reader import parse_problem
from preceptor.tracing.rules import CourseRules
from preceptor.tracing.trace_reader import read_trace


@pytest.mark.parametrize("messy", MESSY, ids=lambda messy: messy.name)
def test_messy_trace_gets_the_verdict_decided_by_hand(messy: Messy) -> None:
    problem = parse_problem(messy.problem)
    assert problem.algorithm is not None
    trace = read_trace(messy.text, problem, problem.algorithm)
    verdict = check_trace(trace, problem, CourseRules())
    kind = verdict.fault.kind.value if verdict.fault else None
    step = step_number(verdict) if verdict.fault else None
    assert (verdict.status, step, kind) == (messy.status, messy.step, messy.kind)
    assert trace.form == messy.form
    assert trace.unread_lines == messy.unread


def test_there_are_at_least_forty_in_all_five_forms() -> None:
    assert len(MESSY) >= 40
    assert {messy.form for messy in MESSY} == {"table", "list", "prose", "open_closed", "order"}
