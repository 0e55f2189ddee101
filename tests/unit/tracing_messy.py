"""Traces as learners scribble them, with the verdicts decided by hand from the six graphs before any was run."""

from __future__ import annotations

from dataclasses import dataclass

ASTAR = """algorithm: A*
start: S
goal: G
S -> A 2
S -> B 5
A -> B 1
A -> C 6
B -> C 2
B -> G 9
C -> G 3
h: S=7, A=6, B=5, C=3, G=0
"""
UCS = "Uniform-cost search from A to E\nA-B 1\nA-C 4\nB-C 2\nB-D 7\nC-D 3\nD-E 1\n"
BFS = "algorithm: BFS\nstart: A\ngoal: G\nA: B, C\nB: D, E\nC: F\nD:\nE: G\nF: G\nG:\n"
DFS = BFS.replace("BFS", "DFS")
GREEDY = """algorithm: greedy
start: S
goal: G
S: A(3), B(1)
A: G(5), C(1)
B: C(2)
C: G(2)
h: S=6, A=2, B=4, C=1, G=0
"""
DIJKSTRA = "algorithm: Dijkstra\nstart: A\nA-B 4\nA-C 1\nC-B 2\nB-D 5\nC-D 8\n"


@dataclass(frozen=True, kw_only=True)
class Messy:
    """One trace and its verdict."""

    name: str
    problem: str
    text: str
    form: str
    status: str
    step: int | None = None
    kind: str | None = None
    unread: tuple[int, ...] = ()


MESSY = (
    Messy(
        name="markdown table, all right",
        problem=ASTAR,
        form="table",
        status="complete",
        text="""| Step | Expanded | OPEN | CLOSED |
|:--|:--|:--|:--|
| 0 | - | S(7) | {} |
| 1 | S | A(2+6=8), B(5+5=10) | S |
| 2 | A | B(3+5=8); C(8+3=11) | S, A |
| 3 | B | C(5+3=8), G(12) | S A B |
| 4 | C | G(8) | S A B C |
| 5 | G | - | S A B C G |
""",
    ),
    Messy(
        name="markdown table, B keeps its old f",
        problem=ASTAR,
        form="table",
        status="wrong",
        step=2,
        kind="missed_g_update",
        text="""| expanded | open list (f) | closed list |
|---|---|---|
| S | A:8, B:10 | S |
| A | B:10, C:11 | S,A |
| B | C:10, G:12 | S,A,B |
""",
    ),
    Messy(
        name="columns apart by blanks, missing columns",
        problem=ASTAR,
        form="table",
        status="right_so_far",
        text="node   g   h   f\nS      0   7   7\nA      2   6   8\nB      3   5   8\n",
    ),
    Messy(
        name="numbered list, sum wrong",
        problem=ASTAR,
        form="list",
        status="wrong",
        step=2,
        kind="wrong_f",
        text="""1) Expand S, OPEN = {A f=2+6=8, B f=5+5=10}, CLOSED = {S}
2) Expand A, OPEN = {B f=3+5=8, C f=8+3=12}, CLOSED = {S, A}
3) Expand B, OPEN = {C f=8, G f=12}, CLOSED = {S, A, B}
""",
    ),
    Messy(
        name="prose, right so far",
        problem=ASTAR,
        form="prose",
        status="right_so_far",
        text="""First I expand S and add A with f = 2+6 = 8 and B with f=5+5=10.
Next I expand A, update B to f=8, and add C with f=11. The goal is not reached yet.
""",
    ),
    Messy(
        name="prose, wrong node",
        problem=ASTAR,
        form="prose",
        status="wrong",
        step=2,
        kind="wrong_node_expanded",
        text="expand S, add A (8) and B (10). Then expand B because it is closer to G, add C with f=10.",
    ),
    Messy(
        name="lower case, open and closed lines",
        problem=ASTAR,
        form="open_closed",
        status="right_so_far",
        text="open: s\nclosed: {}\n\nopen: a 8, b 10\nclosed: s\n\nopen: b 8, c 11\nclosed: s, a\n",
    ),
    Messy(name="bare order", problem=ASTAR, form="order", status="complete", text="S A B C G"),
    Messy(
        name="order with arrows, wrong second",
        problem=ASTAR,
        form="order",
        status="wrong",
        step=2,
        kind="wrong_node_expanded",
        text="S -> B -> A -> C -> G",
    ),
    Messy(
        name="order down the page",
        problem=ASTAR,
        form="order",
        status="wrong",
        step=3,
        kind="wrong_node_expanded",
        text="S\nA\nC\nG\n",
    ),
    Messy(
        name="frontier keeps the expanded node",
        problem=ASTAR,
        form="open_closed",
        status="wrong",
        step=2,
        kind="left_in_open",
        text="Frontier: A:8 B:10   Explored: S\nFrontier: A:8 B:8 C:11   Explored: S A\n",
    ),
    Messy(
        name="lists as in a program",
        problem=ASTAR,
        form="open_closed",
        status="right_so_far",
        text="OPEN = [('S', 7)]\nCLOSED = []\n"
        "OPEN = [('A', 8), ('B', 10)]\nCLOSED = ['S']\nOPEN = [('B', 8), ('C', 11)]\n"
        "CLOSED = ['S', 'A']\n",
    ),
    Messy(
        name="German table",
        problem=ASTAR,
        form="table",
        status="right_so_far",
        text="Schritt | Knoten | Offen | Geschlossen\n1 | S | A(8), B(10) | S\n2 | A | B(8), C(11) | S, A\n",
    ),
    Messy(
        name="Spanish list, g wrong",
        problem=ASTAR,
        form="list",
        status="wrong",
        step=2,
        kind="wrong_g",
        text="""1. expando S; abiertos: A(g=2,h=6,f=8), B(g=5,h=5,f=10); cerrados: S
2. expando A; abiertos: B(g=4,h=5,f=9), C(g=8,h=3,f=11); cerrados: S, A
""",
    ),
    Messy(
        name="Chinese prose",
        problem=ASTAR,
        form="prose",
        status="right_so_far",
        text="扩展 S，加入 A(f=8)、B(f=10)。\n扩展 A，更新 B(f=8)，加入 C(f=11)。\n",
    ),
    Messy(
        name="stops as soon as the goal is in OPEN",
        problem=ASTAR,
        form="list",
        status="wrong",
        step=3,
        kind="goal_test_early",
        text="1. expand S: open A 8, B 10\n2. expand A: open B 8, C 11\n"
        "3. expand B: open C 8, G 12, goal reached! path S-A-B-G\n",
    ),
    Messy(
        name="a line that nobody can read",
        problem=ASTAR,
        form="list",
        status="right_so_far",
        unread=(2,),
        text="1. S (f=7)\n2. ~~~ smudge ~~~\n3. B (f=8)\n",
    ),
    Messy(
        name="right order, wrong path",
        problem=ASTAR,
        form="prose",
        status="wrong",
        step=5,
        kind="wrong_path",
        text="Order: S, A, B, C, G\nPath: S - B - C - G\n",
    ),
    Messy(
        name="pipes without edges",
        problem=UCS,
        form="table",
        status="complete",
        text="""pop | frontier | explored
A | B 1, C 4 | A
B | C 3, D 8 | A, B
C | D 6 | A, B, C
D | E 7 | A, B, C, D
E | empty | A, B, C, D, E
""",
    ),
    Messy(
        name="D keeps its old cost",
        problem=UCS,
        form="list",
        status="wrong",
        step=3,
        kind="missed_g_update",
        text="1: A; PQ: B(1) C(4)\n2: B; PQ: C(3) D(8)\n3: C; PQ: D(8)\n4: D; PQ: E(9)\n",
    ),
    Messy(
        name="pop and push",
        problem=UCS,
        form="prose",
        status="right_so_far",
        text="pop A (0), push B 1, push C 4\npop B (1), push D with cost 8, update C to 3\n",
    ),
    Messy(
        name="a neighbour forgotten",
        problem=UCS,
        form="list",
        status="wrong",
        step=2,
        kind="missing_from_open",
        text="Step 1: expand A. OPEN: B=1, C=4\nStep 2: expand B. OPEN: C=3\nStep 3: expand C. OPEN: D=6\n",
    ),
    Messy(
        name="done too soon",
        problem=UCS,
        form="prose",
        status="wrong",
        step=4,
        kind="goal_test_early",
        text="We expand A, then B is expanded.\nExpand C.\nExpand D and add E, done.\n",
    ),
    Messy(
        name="OPEN as paths",
        problem=UCS,
        form="open_closed",
        status="right_so_far",
        text="fringe: A (0)\nfringe: A-B (1), A-C (4)\nfringe: A-B-C (3), A-B-D (8)\n",
    ),
    Messy(
        name="value glued to the name",
        problem=UCS,
        form="open_closed",
        status="right_so_far",
        text="queue B1 C4 / visited A\nqueue C3 D8 / visited A B\n",
    ),
    Messy(
        name="cost of the path wrong",
        problem=UCS,
        form="prose",
        status="wrong",
        step=5,
        kind="wrong_cost",
        text="order of expansion: A B C D E\nfinal path A->B->C->D->E with cost 8\n",
    ),
    Messy(
        name="goes back to a closed node",
        problem=UCS,
        form="order",
        status="wrong",
        step=3,
        kind="reexpanded_closed",
        text="A, B, A, C, D, E",
    ),
    Messy(
        name="jumps to a node not reached",
        problem=UCS,
        form="order",
        status="wrong",
        step=2,
        kind="expanded_unreached",
        text="A; D; E",
    ),
    Messy(
        name="other neighbour order is legal",
        problem=BFS,
        form="list",
        status="right_so_far",
        text="1. expand A, queue: C, B\n2. expand C, queue: B, F\n3. expand B, queue: F, D, E\n",
    ),
    Messy(name="siblings swapped is legal", problem=BFS, form="order", status="complete", text="A B C E D F G"),
    Messy(
        name="depth first by mistake",
        problem=BFS,
        form="order",
        status="wrong",
        step=3,
        kind="wrong_node_expanded",
        text="ABDEG",
    ),
    Messy(
        name="a grandchild in the queue",
        problem=BFS,
        form="table",
        status="wrong",
        step=1,
        kind="wrong_neighbour_added",
        text="Node\tQueue\tVisited\nA\tB, C, D\tA\nB\tC, D, E\tA, B\n",
    ),
    Messy(
        name="visit and enqueue",
        problem=BFS,
        form="prose",
        status="right_so_far",
        text="Visit A, enqueue B and C. Visit B, enqueue D, E.\nvisit C, enqueue F\n",
    ),
    Messy(
        name="parent put back",
        problem=BFS,
        form="open_closed",
        status="wrong",
        step=2,
        kind="closed_readded",
        text="Queue: B, C\nClosed: A\nQueue: C, D, E, A\nClosed: A, B\n",
    ),
    Messy(name="depth first", problem=DFS, form="order", status="complete", text="A,B,D,E,G"),
    Messy(
        name="breadth first by mistake",
        problem=DFS,
        form="order",
        status="wrong",
        step=3,
        kind="wrong_node_expanded",
        text="a - b - c - f - g",
    ),
    Messy(
        name="stack lines",
        problem=DFS,
        form="list",
        status="right_so_far",
        text="* pop A, stack: C B\n* pop B, stack: C E D\n* pop D, stack: C E\n",
    ),
    Messy(
        name="greedy order and path",
        problem=GREEDY,
        form="prose",
        status="complete",
        text="Expanded: S, A, G\nSolution: S -> A -> G\n",
    ),
    Messy(
        name="greedy takes the cheap edge",
        problem=GREEDY,
        form="list",
        status="wrong",
        step=2,
        kind="wrong_node_expanded",
        text="1) S h=6\n2) B h=4\n3) C h=1\n",
    ),
    Messy(
        name="h copied wrongly",
        problem=GREEDY,
        form="list",
        status="wrong",
        step=1,
        kind="wrong_h",
        text="1. S | open: A(2), B(3) | closed: S\n2. A | open: G(0), C(1), B(3) | closed: S, A\n",
    ),
    Messy(
        name="distance table",
        problem=DIJKSTRA,
        form="table",
        status="complete",
        text="""| step | node | A | B | C | D |
|---|---|---|---|---|---|
| 1 | A | 0 | 4 | 1 | ∞ |
| 2 | C | 0 | 3 | 1 | 9 |
| 3 | B | 0 | 3 | 1 | 8 |
| 4 | D | 0 | 3 | 1 | 8 |
""",
    ),
    Messy(
        name="distance table, B keeps its old value",
        problem=DIJKSTRA,
        form="table",
        status="wrong",
        step=2,
        kind="missed_g_update",
        text="node  A  B  C  D\nA     0  4,A  1,A  inf\nC     0  4,A  1,A  9,C\n",
    ),
)
