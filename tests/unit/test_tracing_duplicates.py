"""Nodes that stand in OPEN more than once: what may be left there, and what a step may list as added again."""

from __future__ import annotations

import pytest

from preceptor.tracing.checking import TraceVerdict, check_trace
from preceptor.tracing.problem_reader import parse_problem
from preceptor.tracing.rules import CourseRules
from preceptor.tracing.trace_reader import read_trace

UCS = "algorithm: ucs\nstart: A\ngoal: G\nA: B 2, V 10, W 9\nB: V 5, W 12\nV: G 5\nW:\nG:\n"
ASTAR = UCS.replace("ucs", "A*") + "h: A=1, B=1, V=1, W=1, G=0\n"
DFS = "algorithm: dfs\nstart: S\ngoal: G\nS: A, B, C\nA: C, D\nB: G\nC: B, D\nD:\nG:\n"
BFS = "algorithm: bfs\nstart: S\ngoal: G\nS: A, B, C\nA: B, G, C, D\nB:\nC:\nD:\nG:\n"


def checked(problem_text: str, text: str, **rules: object) -> TraceVerdict:
    problem = parse_problem(problem_text)
    assert problem.algorithm is not None
    return check_trace(read_trace(text, problem, problem.algorithm), problem, CourseRules.model_validate(rules))


def found(verdict: TraceVerdict) -> tuple[str, int | None, str | None]:
    return verdict.status, verdict.wrong_step, verdict.fault.kind.value if verdict.fault else None


@pytest.mark.parametrize("duplicates", ["any", "allow"])
@pytest.mark.parametrize("value", ["7", "8", "9"])
def test_an_expanded_node_may_not_stay_in_open_with_a_value_that_no_duplicate_has(duplicates: str, value: str) -> None:
    text = f"expand A, OPEN: B(2), V(10), W(9)\nexpand B, OPEN: V(7), W(9)\nexpand V, OPEN: V({value}), W(9), G(12)\n"
    assert found(checked(UCS, text, duplicates=duplicates)) == ("wrong", 3, "left_in_open")


def test_the_costlier_duplicate_of_an_expanded_node_may_wait_on() -> None:
    head = "expand A, OPEN: B(2), V(10), W(9)\nexpand B, OPEN: V(7), V(10), W(9)\n"
    for left in ("V(10), ", "V, ", ""):
        text = f"{head}expand V, OPEN: {left}W(9), G(12)\nexpand W, OPEN: {left}G(12)\n"
        assert found(checked(UCS, text)) == ("right_so_far", None, None), left
    text = f"{head}expand V, OPEN: V(10), W(9), G(12)\n".replace("V(7), V(10)", "V(7)")
    assert found(checked(UCS, text, duplicates="forbid")) == ("wrong", 3, "left_in_open")


def test_a_node_closed_earlier_comes_back_only_with_the_duplicates_value() -> None:
    text = (
        "expand A, OPEN: B(2), V(10), W(9)\nexpand B, OPEN: V(7), W(9)\n"
        "expand V, OPEN: W(9), G(12)\nexpand W, OPEN: V(7), G(12)\n"
    )
    assert found(checked(UCS, text)) == ("wrong", 4, "closed_readded")


@pytest.mark.parametrize("value", ["11", "g=10", "10+1=11", "10"])
def test_the_duplicate_in_a_star_may_be_written_as_f_or_as_g(value: str) -> None:
    """A bare number is g or f, the same through the trace."""
    as_g = value == "10"
    head = "expand A, OPEN: B(2), V(10), W(9)" if as_g else "expand A, OPEN: B(3), V(11), W(10)"
    then = "expand B, OPEN: V(7), W(9)" if as_g else "expand B, OPEN: V(8), W(10)"
    last = "W(9), G(12)" if as_g else "W(10), G(12)"
    assert found(checked(ASTAR, f"{head}\n{then}\nexpand V, OPEN: V({value}), {last}\n"))[0] == "right_so_far"
    old = "7" if as_g else "8"
    assert found(checked(ASTAR, f"{head}\n{then}\nexpand V, OPEN: V({old}), {last}\n"))[1:] == (3, "left_in_open")


@pytest.mark.parametrize("said", ["", "; add B, D", "; add D; update B"])
def test_depth_first_adds_every_waiting_neighbour_again_or_none(said: str) -> None:
    text = f"Expand S; add A, B, C.\nExpand A; add D.\nExpand C{said}.\n"
    assert found(checked(DFS, text)) == ("right_so_far", None, None)


def test_depth_first_does_not_add_one_waiting_neighbour_again_and_another_not() -> None:
    text = "Expand S; add A, B, C.\nExpand A; add D.\nExpand C; add D.\nExpand D.\n"
    assert found(checked(DFS, text)) == ("wrong", 3, "missing_from_open")


def test_breadth_first_adds_every_waiting_neighbour_again_or_none() -> None:
    for said in ("D, G", "B, C, D, G"):
        text = f"Expand S; add A, B, C.\nExpand A; add {said}.\n"
        assert found(checked(BFS, text, goal_test="expansion"))[0] == "right_so_far", said
    text = "Expand S; add A, B, C.\nExpand A; add B, D, G.\n"
    assert found(checked(BFS, text, goal_test="expansion", duplicates="allow")) == ("wrong", 2, "missing_from_open")
    assert found(checked(BFS, text, goal_test="expansion"))[:2] == ("wrong", 2)


def test_what_comes_after_the_goal_need_not_be_added_again() -> None:
    text = "Expand S; add A, B, C.\nExpand A; add B, G.\nPath: S-A-G\n"
    assert found(checked(BFS, text, goal_test="generation", neighbours="as_written"))[0] == "complete"


def test_with_costs_a_worse_duplicate_need_not_be_listed_beside_a_better_one() -> None:
    for duplicates in ("any", "allow", "forbid"):
        text = "Expand A; add B(2), V(10), W(9).\nExpand B; add V(7).\n"
        assert found(checked(UCS, text, duplicates=duplicates))[0] == "right_so_far", duplicates
