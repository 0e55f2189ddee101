"""The six algorithms against runs worked by hand, and the laws they keep on any graph."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.tracing_messy import ASTAR, BFS, DFS, DIJKSTRA, GREEDY, UCS

from preceptor.errors import InputError
from preceptor.tracing.problem import Algorithm, TraceProblem, name_order
from preceptor.tracing.problem_reader import parse_problem
from preceptor.tracing.rules import CourseRules, RunRules, parse_rules
from preceptor.tracing.search import SearchMachine, SearchState

REOPENING = """algorithm: A*
start: S
goal: G
S -> A 1
S -> B 2
A -> C 3
B -> C 1
C -> G 5
h: S=1, A=0, B=4, C=1, G=0
"""
"""C is closed at g = 4 through A, and B with f = 6 then reaches it at g = 3."""


def run(text: str, **rules: object) -> tuple[SearchMachine, list[SearchState]]:
    problem = parse_problem(text)
    assert problem.algorithm is not None
    course = CourseRules.model_validate({"ties": "alphabetical", "neighbours": "alphabetical", **rules})
    machine = SearchMachine(problem, problem.algorithm, course.variants(problem.algorithm)[0])
    return machine, machine.runs()


def order(states: list[SearchState]) -> str:
    return "".join(state.current.node for state in states if state.current)


def opened(machine: SearchMachine, state: SearchState) -> dict[str, int]:
    return {entry.node: int(machine.f(entry.node, entry.g)) for entry in machine.live(state)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [(BFS, "ABCDEFG"), (DFS, "ABDEG"), (UCS, "ABCDE"), (GREEDY, "SAG"), (ASTAR, "SABCG"), (DIJKSTRA, "ACBD")],
)
def test_order_of_expansion_is_the_one_worked_by_hand(text: str, expected: str) -> None:
    assert order(run(text)[1]) == expected


def test_astar_lists_are_those_worked_by_hand() -> None:
    machine, states = run(ASTAR)
    assert [opened(machine, state) for state in states] == [
        {"S": 7},
        {"A": 8, "B": 10},
        {"B": 8, "C": 11},
        {"C": 8, "G": 12},
        {"G": 8},
        {},
    ]
    assert machine.goal_paths(states[-1]) == {("S", "A", "B", "C", "G")}


def test_uniform_cost_lists_and_cost_are_those_worked_by_hand() -> None:
    machine, states = run(UCS)
    costs = [{entry.node: int(entry.g) for entry in machine.live(state)} for state in states]
    assert costs == [{"A": 0}, {"B": 1, "C": 4}, {"C": 3, "D": 8}, {"D": 6}, {"E": 7}, {}]
    assert states[-1].found is not None
    assert states[-1].found.g == 7


def test_breadth_first_on_generation_stops_when_the_goal_enters_the_queue() -> None:
    assert order(run(BFS, goal_test="generation")[1]) == "ABCDE"


def test_depth_first_in_reverse_order_goes_right_first() -> None:
    assert order(run(DFS, neighbours="reverse")[1]) == "ACFG"


@pytest.mark.parametrize(("reopen", "expected", "cost"), [(True, "SACBCG", 8), (False, "SACBG", 9)])
def test_a_closed_node_is_opened_again_only_where_the_course_says_so(reopen: bool, expected: str, cost: int) -> None:
    _, states = run(REOPENING, reopen=reopen)
    assert order(states) == expected
    assert states[-1].found is not None
    assert states[-1].found.g == cost


def test_breadth_first_opens_no_closed_node_again_however_cheap_the_way() -> None:
    text = "algorithm: bfs\nstart: A\ngoal: Z\nA -> B 9\nA -> C 1\nC -> B 1\nB -> D 1\nD -> Z 1\n"
    problem = parse_problem(text)
    states = SearchMachine(problem, Algorithm.BFS, RunRules(neighbours="alphabetical", reopen=True)).runs()
    assert order(states) == "ABCDZ"


def test_open_ties_leave_every_legal_choice() -> None:
    problem = parse_problem("algorithm: ucs\nstart: A\ngoal: D\nA-B 2\nA-C 2\nB-D 1\nC-D 1\n")
    machine = SearchMachine(problem, Algorithm.UCS, RunRules())
    first = machine.expand(machine.initial(), machine.choices(machine.initial())[0])
    assert {entry.node for entry in machine.choices(first)} == {"B", "C"}


@pytest.mark.parametrize(
    ("ties", "expected"),
    [("alphabetical", "B"), ("insertion", "C"), ("last_in", "B"), ("lowest_h", "C"), ("highest_g", "C")],
)
def test_each_tie_rule_picks_its_node(ties: str, expected: str) -> None:
    text = "algorithm: A*\nstart: A\ngoal: D\nA -> C 3\nA -> B 1\nB -> D 9\nC -> D 9\nh: A=0, B=4, C=2, D=0\n"
    assert order(run(text, ties=ties, neighbours="as_written")[1])[1] == expected


def test_duplicates_allowed_make_depth_first_take_the_newer_entry() -> None:
    text = "algorithm: dfs\nstart: A\ngoal: Z\nA: B, C\nB: D\nD: C\nC: Z\nZ:\n"
    assert order(run(text, duplicates="forbid")[1]) == "ABDCZ"
    both = "algorithm: dfs\nstart: A\ngoal: Z\nA: B, C, E\nB: E, D\nC:\nD: Z\nE:\nZ:\n"
    assert order(run(both, duplicates="forbid")[1]) == "ABDZ"
    assert order(run(both, duplicates="forbid", neighbours="as_written")[1]) == "ABDZ"
    assert order(run(both, duplicates="allow", neighbours="as_written")[1]) == "ABEDZ"


def test_tree_search_adds_a_node_once_for_each_way_to_it() -> None:
    machine, states = run("algorithm: bfs\nstart: A\ngoal: D\nA-B\nA-C\nB-D\nC-D\n", search="tree")
    entries = [entry.node for entry in machine.live(states[3])]
    assert entries.count("D") == 2


def test_negative_cost_and_missing_heuristic_are_named() -> None:
    with pytest.raises(InputError, match="edge A-B costs -1"):
        run("algorithm: ucs\nstart: A\ngoal: B\nA -> B -1\n")
    with pytest.raises(InputError, match="none for B"):
        run("algorithm: A*\nstart: A\ngoal: B\nA -> B 1\nh: A=1\n")
    with pytest.raises(InputError, match="needs a goal"):
        run("algorithm: bfs\nstart: A\nA -> B\n")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("tie = 'x'", "tie: no such rule.*rules are search"),
        ("ties = 'coin'", "ties.*coin"),
        ("goal_test = 'never'", "goal_test"),
        ("search = [", "not TOML"),
    ],
)
def test_a_wrong_rule_is_named(text: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        parse_rules(text, "course.toml")


def test_one_tie_rule_may_stand_without_a_list() -> None:
    assert parse_rules('ties = "lowest_h"').ties == ("lowest_h",)
    assert parse_rules('ties = ["lowest_h", "last_in"]').ties == ("lowest_h", "last_in")
    assert parse_rules('ties = "any"').ties == "any"


def test_names_sort_by_the_size_of_their_numbers() -> None:
    assert sorted(["n10", "n2", "b", "A"], key=name_order) == ["A", "b", "n2", "n10"]


@st.composite
def graphs(draw: st.DrawFn) -> TraceProblem:
    names = "ABCDEF"[: draw(st.integers(3, 6))]
    pairs = [(a, b) for a in names for b in names if a != b]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, min_size=2, max_size=12))
    costs = draw(st.lists(st.integers(0, 5), min_size=len(chosen), max_size=len(chosen)))
    edges: dict[str, list[tuple[str, Fraction]]] = {name: [] for name in names}
    for (a, b), cost in zip(chosen, costs, strict=True):
        edges[a].append((b, Fraction(cost)))
    return TraceProblem(
        neighbours={name: tuple(listed) for name, listed in edges.items()},
        start=names[0],
        goals=frozenset(names[-1]),
        heuristic=dict.fromkeys(names, Fraction(0)),
    )


def cheapest(problem: TraceProblem) -> Fraction | None:
    """The cost of the best path, by relaxing every edge often enough."""
    best = {problem.start: Fraction(0)}
    for _ in problem.neighbours:
        for node, edges in problem.neighbours.items():
            for other, cost in edges:
                if node in best and best[node] + cost < best.get(other, Fraction(10**9)):
                    best[other] = best[node] + cost
    return best.get(next(iter(problem.goals)))


@settings(max_examples=150, deadline=None)
@given(graphs(), st.sampled_from([Algorithm.UCS, Algorithm.ASTAR, Algorithm.DIJKSTRA]), st.booleans())
def test_algorithms_with_costs_find_the_cheapest_path(problem: TraceProblem, algorithm: Algorithm, allow: bool) -> None:
    rules = RunRules(duplicates="allow" if allow else "forbid")
    machine = SearchMachine(problem, algorithm, rules)
    final = machine.runs()[-1]
    assert (None if final.found is None else final.found.g) == cheapest(problem)


@settings(max_examples=150, deadline=None)
@given(graphs(), st.sampled_from(list(Algorithm)), st.sampled_from(["generation", "expansion"]))
def test_every_algorithm_finds_the_goal_exactly_where_there_is_a_path(
    problem: TraceProblem, algorithm: Algorithm, goal_test: str
) -> None:
    for variant in CourseRules.model_validate({"goal_test": goal_test}).variants(algorithm):
        states = SearchMachine(problem, algorithm, variant).runs()
        assert (states[-1].found is not None) == (cheapest(problem) is not None)
        for state in states:
            closed = [entry.node for entry in state.closed]
            assert len(closed) == len(set(closed))
