"""Verdicts: kinds of faults, legal alternatives, gaps, and the state shown."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from tests.unit.tracing_messy import ASTAR, BFS, DFS, DIJKSTRA, UCS

from preceptor.errors import InputError
from preceptor.tracing.checking import TraceVerdict, check_trace
from preceptor.tracing.problem import Algorithm
from preceptor.tracing.problem_reader import parse_problem
from preceptor.tracing.rules import CourseRules
from preceptor.tracing.state_view import state_view
from preceptor.tracing.trace_reader import MAX_CHARS, read_trace

TIES = "algorithm: ucs\nstart: A\ngoal: D\nA-B 2\nA-C 2\nB-D 1\nC-D 1\n"


def checked(problem_text: str, text: str, *, whole: bool = False, **rules: object) -> TraceVerdict:
    problem = parse_problem(problem_text)
    assert problem.algorithm is not None
    trace = read_trace(text, problem, problem.algorithm)
    return check_trace(trace, problem, CourseRules.model_validate(rules), whole=whole)


def kind(verdict: TraceVerdict) -> str | None:
    return verdict.fault.kind.value if verdict.fault else None


@pytest.mark.parametrize("text", ["A B C D", "A C B D", "A B C D path A B D cost 3", "A B C D path A C D cost 3"])
def test_either_side_of_an_open_tie_is_legal(text: str) -> None:
    assert checked(TIES, text).status == "complete"


def test_a_tie_rule_makes_one_side_wrong() -> None:
    verdict = checked(TIES, "A C B D", ties="alphabetical")
    assert (verdict.wrong_step, kind(verdict)) == (2, "wrong_node_expanded")


def test_either_time_of_the_goal_test_is_legal_where_it_is_open_but_not_both_in_one_trace() -> None:
    assert checked(BFS, "A B C D E G").status == "complete"
    assert checked(BFS, "A B C D E F G").status == "complete"
    late = checked(BFS, "A B C D E F G", goal_test="generation")
    assert kind(late) == "goal_test_late"


def test_a_course_that_tests_on_expansion_refuses_the_early_stop() -> None:
    verdict = checked(BFS, "A B C D E G", goal_test="expansion")
    assert (verdict.wrong_step, kind(verdict)) == (6, "goal_test_early")


def test_lists_before_the_expansion_are_read_as_such() -> None:
    text = (
        "current S OPEN: S(7) CLOSED: {}\ncurrent A OPEN: A 8, B 10 CLOSED: S\ncurrent B OPEN: B 8, C 11 CLOSED: S A\n"
    )
    assert checked(ASTAR, text).status == "right_so_far"


def test_closed_without_the_current_node_is_one_habit_through_the_trace() -> None:
    text = "1. A; queue: B, C; closed: {}\n2. B; queue: C, D, E; closed: A\n3. C; queue: D, E, F; closed: {}\n"
    verdict = checked(BFS, text)
    assert (verdict.wrong_step, kind(verdict)) == (3, "missing_from_closed")


def test_visited_may_hold_what_is_in_the_queue() -> None:
    text = "1. A; queue: B, C; visited: A, B, C\n2. B; queue: C, D, E; visited: A, B, C, D, E\n"
    assert checked(BFS, text).status == "right_so_far"


def test_unread_line_leaves_room_for_the_step_it_may_hold() -> None:
    verdict = checked(ASTAR, "1. S\n2. then it goes somewhere dark\n3. B\n4. A\n")
    assert verdict.trace.unread_lines == (2,)
    assert (verdict.wrong_step, kind(verdict)) == (3, "reexpanded_closed")


def test_nothing_readable_is_unread_and_not_wrong() -> None:
    verdict = checked(ASTAR, "no idea how this works\nsorry\n")
    assert (verdict.status, verdict.trace.unread_lines) == ("unread", (1, 2))


def test_a_trace_handed_in_as_whole_must_reach_the_end() -> None:
    assert checked(ASTAR, "S A B").status == "right_so_far"
    verdict = checked(ASTAR, "S A B", whole=True)
    assert (verdict.status, verdict.wrong_step, kind(verdict)) == ("wrong", 4, "stopped_early")


def test_going_on_after_the_goal_is_named() -> None:
    assert kind(checked(UCS, "A B C D E C")) == "went_on"


def test_no_path_is_right_only_where_open_is_empty() -> None:
    blocked = "algorithm: bfs\nstart: A\ngoal: C\nA: B\nB:\nC:\n"
    assert checked(blocked, "expand A\nexpand B\nno path").status == "complete"
    assert kind(checked(blocked, "expand A\nno path")) == "stopped_early"


def test_wrong_parent_is_named() -> None:
    verdict = checked(UCS, "1. A: open B(1, from A), C(4, from A)\n2. B: open C(3, from A), D(8, from B)\n")
    assert (verdict.wrong_step, kind(verdict)) == (2, "wrong_parent")


def test_equal_paths_leave_the_parent_open() -> None:
    for parent in "BC":
        text = f"1. A: open B(2), C(2)\n2. B: open C(2), D(3)\n3. C: open D(3, from {parent})\n"
        assert checked(TIES, text).status == "right_so_far", parent


@pytest.mark.parametrize(
    "listed",
    ["(B, C)", "[B, C]", "(2, B), (2, C)", "(B, 2, A), (C, 2, A)", "((B, 2), (C, 2))", "(B), (C)", "{(B:2), (C:2)}"],
)
def test_brackets_hold_entries_or_a_list(listed: str) -> None:
    verdict = checked(TIES, f"1. A; OPEN: {listed}\n2. B; OPEN: (C, 2), (D, 3)\n")
    assert (verdict.status, verdict.trace.unread_lines) == ("right_so_far", ())
    wrong = checked(TIES, f"1. A; OPEN: {listed.replace('C', 'D')}\n")
    assert wrong.status == "wrong"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("1. S; OPEN: A(2), B(g=5, f=10)\n2. A; OPEN: B(g=3, f=8), C(8)\n", "right_so_far"),
        ("1. S; OPEN: A(8), B(g=5, f=10)\n2. A; OPEN: B(8), C(g=8, f=11)\n", "right_so_far"),
        ("1. S; OPEN: A(2), B(g=5, f=10)\n2. A; OPEN: B(8), C(11)\n", "wrong"),
    ],
)
def test_a_bare_number_in_a_star_is_g_or_f_through_the_trace_and_a_named_one_what_it_says(
    text: str, status: str
) -> None:
    assert checked(ASTAR, text).status == status


@pytest.mark.parametrize("mark", [" ->", ":", " =", " →"])
def test_a_node_is_followed_by_its_list_also_where_it_is_the_start(mark: str) -> None:
    verdict = checked(UCS, f"expand A{mark} B(1), C(4)\nexpand B{mark} C(3), D(8)\nexpand C{mark} D(6), E\n")
    assert (verdict.status, len(verdict.trace.steps)) == ("right_so_far", 3)
    wrong = checked(UCS, f"expand A{mark} B(1), C(4)\nexpand B{mark} C(9), D(8)\n")
    assert (wrong.wrong_step, kind(wrong)) == (2, "wrong_g")
    assert checked(UCS, "expand: A -> B -> C -> D -> E\n").status == "complete"


def test_infinite_distance_of_a_reached_node_is_named() -> None:
    verdict = checked(DIJKSTRA, "node | A | B | C | D\nA | 0 | ∞ | 1 | ∞\n")
    assert (verdict.wrong_step, kind(verdict)) == (1, "missing_from_open")


HALVES = "algorithm: {}\nstart: A\ngoal: C\nA-B 7/2\nB-C 1\n"


@pytest.mark.parametrize(("b", "c"), [("3.5", "4.5"), ("7/2", "9/2"), ("3,5", "4,5"), ("3.5", "3.5+1=4.5")])
def test_a_table_may_hold_halves_however_they_are_written(b: str, c: str) -> None:
    distances = f"node | A | B | C\nA | 0 | {b} | ∞\nB | 0 | {b} | {c.split('=')[-1]}\n"
    columns = f"expand | g | parent\nA | 0 | -\nB | {b} | A\nC | {c} | B\n"
    assert checked(HALVES.format("dijkstra"), distances).status == "right_so_far"
    assert checked(HALVES.format("ucs"), columns).status == "complete"
    assert kind(checked(HALVES.format("ucs"), columns.replace(b, "3"))) == "wrong_g"
    assert kind(checked(HALVES.format("dijkstra"), distances.replace(b, "3"))) == "wrong_g"


def test_a_number_behind_a_comma_may_be_the_node_it_comes_from() -> None:
    problem = "algorithm: dijkstra\nstart: 1\n1-2 3\n2-3 4\n1-3 9\n"
    rows = "node | 1 | 2 | 3\n1 | 0 | 3,1 | 9,1\n2 | 0 | 3,1 | {}\n"
    assert checked(problem, rows.format("7,2")).status == "right_so_far"
    assert kind(checked(problem, rows.format("8,2"))) == "wrong_g"


@pytest.mark.parametrize("number", ["3.5/2", "7/0", "9" * 5000, "0/3"])
def test_no_number_breaks_the_reading(number: str) -> None:
    lines = f"1. A; OPEN: B(g={number})\n2. B; OPEN: C(4.5)\n"
    table = f"node | A | B | C\nA | 0 | {number} | ∞\n"
    assert checked(HALVES.format("ucs"), lines).status in {"wrong", "right_so_far"}
    assert checked(HALVES.format("dijkstra"), table).status in {"wrong", "right_so_far", "unread"}
    with pytest.raises(InputError, match="expected a number"):
        parse_problem(HALVES.format("ucs").replace("7/2", "7/0"))
    assert parse_problem(HALVES.format("ucs").replace("7/2", "3.5/2")).neighbours["A"] == (("B", Fraction(7, 4)),)


def test_grid_cells_are_names() -> None:
    grid = "algorithm: A*\nheuristic: manhattan\nties: x\ngrid:\nS.\n.G\n".replace("ties: x\n", "")
    assert checked(grid, "(0,0) -> (0, 1) -> (1,1)").status == "complete"
    assert checked(grid, "1. expand (0,0), open: (0,1) f=2, (1,0) f=1+1=2\n").status == "right_so_far"
    assert kind(checked(grid, "(0,0), (1,1)")) == "expanded_unreached"


def test_depth_first_pushed_alphabetically_is_the_reverse_rule() -> None:
    assert checked(DFS, "A C F G", neighbours="reverse").status == "complete"
    assert checked(DFS, "A B D E G", neighbours="reverse").status == "wrong"


def test_tree_search_counts_entries() -> None:
    tree = "algorithm: bfs\nstart: A\ngoal: Z\nA: B, C\nB: D\nC: D\nD: Z\nZ:\n"
    lines = "1. A; open: B, C\n2. B; open: C, D\n3. C; open: D{}\n"
    assert checked(tree, lines.format(", D"), search="tree").status == "right_so_far"
    assert kind(checked(tree, lines.format(""), search="tree")) == "missing_from_open"


def test_a_trace_that_leaves_too_much_open_is_undecided_not_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("preceptor.tracing.checking.MAX_HYPOTHESES", 1)
    assert checked(TIES, "1. A\n2. ???\n3. D\n").status == "undecided"


def test_too_long_a_trace_and_no_algorithm_are_refused() -> None:
    problem = parse_problem("start: A\ngoal: B\nA-B 1\n")
    with pytest.raises(InputError, match=f"{MAX_CHARS} characters"):
        read_trace("A" * (MAX_CHARS + 1), problem, Algorithm.BFS)
    with pytest.raises(InputError, match="no algorithm"):
        check_trace(read_trace("A", problem, Algorithm.BFS), problem, CourseRules())


def test_state_on_screen_is_that_of_the_last_right_step_with_the_learners_own_values() -> None:
    verdict = checked(ASTAR, "1. S: open A(8), B(10)\n2. A: open B(10), C(11)\n")
    view = json.loads(json.dumps(state_view(verdict)))
    assert (view["status"], view["step"], view["current"]) == ("wrong", 1, "S")
    assert [(entry["node"], entry["g"], entry["f"]) for entry in view["open"]] == [("A", None, "8"), ("B", None, "10")]
    assert [entry["node"] for entry in view["closed"]] == ["S"]
    assert view["path"] is None


def test_state_on_screen_of_a_bare_order_shows_no_value() -> None:
    view = state_view(checked(ASTAR, "S A"))
    assert {entry["node"] for entry in view["open"]} == {"B", "C"}
    assert {entry[name] for entry in view["open"] for name in ("g", "h", "f", "parent")} == {None}


def test_state_on_screen_shows_the_distances_of_a_table() -> None:
    view = state_view(checked(DIJKSTRA, "node | A | B | C | D\nA | 0 | 4 | 1 | ∞\n"))
    assert {entry["node"]: entry["g"] for entry in (*view["open"], *view["closed"])} == {"A": "0", "B": "4", "C": "1"}


def test_state_on_screen_shows_only_what_all_legal_states_share() -> None:
    view = state_view(checked(TIES, "1. A; OPEN: B, C\n2. add D\n"))
    assert [entry["node"] for entry in view["open"]] == ["D"], "B or C was expanded, and the other waits"
    assert [entry["node"] for entry in view["closed"]] == ["A"]
    assert (view["step"], view["current"], view["undetermined"]) == (2, None, True)


def test_state_on_screen_of_one_legal_state_is_determined() -> None:
    view = state_view(checked(TIES, "1. A; OPEN: B, C\n2. B; OPEN: C, D\n"))
    assert ([entry["node"] for entry in view["open"]], view["current"]) == (["C", "D"], "B")
    assert not view["undetermined"]


def test_state_on_screen_counts_the_expansions_that_every_legal_state_has() -> None:
    view = state_view(checked(TIES, "1. A; OPEN: B, C\n2. ??? B or so\n3. add D\n"))
    assert (view["step"], view["undetermined"]) == (2, True), "the unread line may be a third expansion"


def test_state_on_screen_shows_a_node_once_with_the_value_that_counts() -> None:
    problem = "algorithm: ucs\nstart: A\ngoal: G\nA: B 2, V 10\nB: V 5\nV: G 5\nG:\n"
    view = state_view(checked(problem, "A; OPEN: B(2), V(10)\nB; OPEN: V(7), V(10)\n", duplicates="allow"))
    assert [(one["node"], one["g"]) for one in view["open"]] == [("V", "7")]


def test_state_on_screen_shows_no_value_that_only_some_legal_states_hold() -> None:
    problem = "algorithm: ucs\nstart: A\ngoal: G\nA: B 2, C 2, D 9\nB: E 1\nC: D 1, E 1\nD: G 9\nE:\nG:\n"
    for text in (problem, problem.replace("B 2, C 2", "C 2, B 2")):
        view = state_view(checked(text, "1. A; OPEN: B(2), C(2), D(9)\n2. add E\n"))
        assert [(one["node"], one["g"]) for one in view["open"]] == [("D", None), ("E", None)], "9 by B and 3 by C"
