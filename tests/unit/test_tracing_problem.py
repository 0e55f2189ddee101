"""Search problems from text, and one clear line for what cannot be one."""

from __future__ import annotations

from fractions import Fraction

import pytest

from preceptor.errors import InputError
from preceptor.tracing.dialogue_trace import find_trace_problem
from preceptor.tracing.problem import MAX_NODES, Algorithm
from preceptor.tracing.problem_reader import find_algorithm, parse_problem


def edges(text: str) -> dict[str, dict[str, int]]:
    problem = parse_problem(text)
    return {node: {other: int(cost) for other, cost in listed} for node, listed in problem.neighbours.items()}


@pytest.mark.parametrize(
    "text",
    [
        "start: A\nA -> B 4\nB -> C 2\n",
        "start: A\nA: B 4\nB: C 2\n",
        "start: A\nA: B(4)\nB: (C, 2)\nC:\n",
        "start: A\ndirected: yes\nA-B 4\nB-C: 2\n",
        "start: A\ndirected: yes\nedges: (A, B, 4), (B, C, 2)\n",
        "start: A\ndirected: yes\nA,B,4\nB C 2\n",
        "start: A\nA → B (4)\nB => C cost 2\n",
    ],
)
def test_each_way_to_write_edges_is_read(text: str) -> None:
    assert edges(text) == {"A": {"B": 4}, "B": {"C": 2}, "C": {}}


def test_edges_without_arrow_go_both_ways() -> None:
    assert edges("start: A\nA-B 3\n") == {"A": {"B": 3}, "B": {"A": 3}}


@pytest.mark.parametrize(
    "text",
    [
        "h: A=3, B=0",
        "h: A=3 B=0",
        "h(A)=3, h(B) = 0",
        "Heuristic:\nA 3\nB 0\n",
        "Heuristic:\n| node | h |\n|---|---|\n| A | 3 |\n| B | 0 |\n",
    ],
)
def test_each_way_to_write_a_heuristic_is_read(text: str) -> None:
    problem = parse_problem(f"start: A\nA-B 1\n{text}")
    assert problem.heuristic == {"A": Fraction(3), "B": Fraction(0)}


def test_grid_has_walls_costs_and_distances() -> None:
    problem = parse_problem("algorithm: A*\nheuristic: manhattan\ngrid:\nS.#\n.2G\n")
    assert problem.start == "(0,0)"
    assert problem.goals == {"(1,2)"}
    assert dict(problem.neighbours["(0,1)"]) == {"(1,1)": 2, "(0,0)": 1}
    assert problem.h("(0,0)") == 3


def test_grid_with_eight_neighbours_has_dearer_diagonals() -> None:
    problem = parse_problem("connectivity: 8\ndiagonal: 1.5\nheuristic: chebyshev\ngrid:\nS.\n.G\n")
    assert dict(problem.neighbours["(0,0)"])["(1,1)"] == Fraction(3, 2)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("start: A\nA -> B four\n", "line 2: cost of A-B.*'four'"),
        ("start: Q\nA-B 1\n", "line 1: start.*'Q'"),
        ("start: A\nA-B 1\nA-B 2\n", "line 3: edge A-B costs 1 above and 2"),
        ("start: A\nwhat is this thing\nA-B 1\n", "line 2: expected an edge.*what is this thing"),
        ("algorithm: hill climbing\n", "line 1: expected one of bfs.*hill climbing"),
        ("start: A\nA-B 1\nh: A=x\n", "line 3: h of A.*'x'"),
        ("start: A\nA-B 1\nh: Z=1\n", "'Z', which is no node"),
        ("grid:\nS.\n.?\n", r"line 3: expected a row.*\.\?"),
        ("grid:\nS.\n...\n", "line 3: expected 2 cells"),
        ("grid:\nSS\n", "line 2: expected one start"),
        ("connectivity: 6\n", "line 1: connectivity.*'6'"),
        ("directed: maybe\n", "line 1: directed.*'maybe'"),
        ("start: A\nA-A 1\n", "line 2: expected an edge between two nodes"),
        ("A-B 1\n", "no start"),
        ("start: A\n", "no edge"),
        ("start: A\nA-B 1/0\n", "line 2: cost of A-B.*'1/0'"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        parse_problem(text, source="file.txt")


def test_a_row_of_a_grid_may_begin_with_a_wall_and_a_remark_with_the_same_sign() -> None:
    problem = parse_problem("# the maze\nheuristic: manhattan\ngrid:\n# S .\n# # .\n. G .\n\n# the end\n")
    assert (problem.start, problem.goals) == ("(0,1)", frozenset({"(2,1)"}))
    assert set(problem.neighbours) == {"(0,1)", "(0,2)", "(1,2)", "(2,0)", "(2,1)", "(2,2)"}


def test_a_graph_of_more_nodes_than_are_read_is_refused() -> None:
    edges = "".join(f"n{place}-n{place + 1} 1\n" for place in range(MAX_NODES - 1))
    assert len(parse_problem(f"start: n0\n{edges}").neighbours) == MAX_NODES
    with pytest.raises(InputError, match=f"at most {MAX_NODES} nodes, got {MAX_NODES + 1}"):
        parse_problem(f"start: n0\n{edges}n0-more 1\n")


@pytest.mark.parametrize(
    ("text", "algorithm"),
    [
        ("Use breadth-first search", Algorithm.BFS),
        ("Tiefensuche", Algorithm.DFS),
        ("búsqueda de costo uniforme", Algorithm.UCS),
        ("greedy best-first", Algorithm.GREEDY),
        ("run A* on it", Algorithm.ASTAR),
        ("Dijkstra's algorithm", Algorithm.DIJKSTRA),
        ("广度优先搜索", Algorithm.BFS),
        ("Add 3 and 4", None),
    ],
)
def test_algorithms_are_found_by_name(text: str, algorithm: Algorithm | None) -> None:
    assert find_algorithm(text) is algorithm


EXERCISE = """Exercise 3. Trace A* from S to G on the graph below and show OPEN and CLOSED after each step.

S: A 2, B 5
A: B 1, C 6
B: C 2, G 9
C: G 3
Heuristic: S=7, A=6, B=5, C=3, G=0

Hand in on Friday.
"""


def test_a_problem_is_found_in_an_exercise() -> None:
    problem = find_trace_problem(EXERCISE)
    assert problem is not None
    assert (problem.algorithm, problem.start, problem.goals) == (Algorithm.ASTAR, "S", frozenset("G"))
    assert len(problem.neighbours) == 5


@pytest.mark.parametrize(
    "text",
    [
        "Tom has 4 crates with 12 jars. He breaks 5 jars. How many whole jars are left?",
        "What is the difference between BFS and DFS?",
        "Is A* optimal if h is admissible? Start with the definition.",
        "Trace A* from S to G.\nS-A 1\nA-G 2\n",
        "",
    ],
)
def test_no_problem_is_found_where_there_is_none_to_run(text: str) -> None:
    assert find_trace_problem(text) is None
