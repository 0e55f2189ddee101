"""Search problems from text: adjacency lines, edge lists, heuristic tables, grids, and the sentences around them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

from preceptor.errors import InputError
from preceptor.tracing.grid import GridHeuristic, cell_name, read_grid
from preceptor.tracing.lexicon import NUMBER, read_number
from preceptor.tracing.problem import MAX_NODES, Algorithm, TraceProblem

_NAME = r"(?:\(\s*\d+\s*,\s*\d+\s*\)|[^\W_][\w']{0,23})"
_NUMBER = rf"[-+]?{NUMBER}"
_EDGE = re.compile(
    rf"^[(\[{{]?\s*(?P<a>{_NAME})\s*(?P<arrow><->|<-->|-+>|=+>|→|↔|--+|[-–—]|,|\s)\s*(?P<b>{_NAME})"
    rf"(?:\s*[:=,(\[]?\s*(?:(?:cost|weight|w|c|kosten|coste|gewicht)\s*[:=]?\s*)?(?P<w>\S*?)\s*[)\]]?)?\s*[)\]}}]?\s*[;.,]?$",
    re.IGNORECASE,
)
_ADJACENCY = re.compile(rf"^(?P<a>{_NAME})\s*(?::|->|→|=)\s*(?P<rest>.*)$")
_ITEM = re.compile(
    rf"^(?:(?P<b>{_NAME})\s*(?:[(:=\s]\s*(?P<w>[^\s()]+)\s*\)?)?|\(\s*(?P<b2>{_NAME})\s*,\s*(?P<w2>[^\s()]+)\s*\))$"
)
_H_CALL = re.compile(rf"\bh\s*\(\s*(?P<a>{_NAME})\s*\)\s*[=:]\s*(?P<w>[^\s,;|]+)", re.IGNORECASE)
_H_LINE = re.compile(
    r"^(?:h|heuristics?|heuristic values?|heuristik|heurística|启发(?:式|值|函数)?)\s*(?:\(n\))?\s*[:=：]"
    r"\s*(?P<rest>.*)$",
    re.I,
)
_H_ITEM = re.compile(rf"^\|?\s*(?P<a>{_NAME})\s*(?:[:=|,(\s]\s*|->)(?P<w>[^\s|()]+)\s*[)|]?\s*$")
_H_SPACED = re.compile(rf"(?:{_NAME}\s*[:=]\s*[\d.]+\s+)+{_NAME}\s*[:=]\s*[\d.]+")
"""Values with nothing but blanks between them, "A=3 B=2"."""
_KEY = re.compile(
    r"^(?P<key>algorithm|start(?: node| state)?|goals?(?: nodes?| states?)?|directed|undirected|connectivity|diagonal|"
    r"edges|graph|adjacency(?: list)?|grid|algorithmus|ziel|kanten|algoritmo|inicio|meta|aristas|"
    r"算法|起点|终点|目标|边)"
    r"\s*[:=：]\s*(?P<value>.*)$",
    re.IGNORECASE,
)
_KEYS = {
    "algorithmus": "algorithm", "algoritmo": "algorithm", "算法": "algorithm", "ziel": "goal", "meta": "goal",
    "终点": "goal", "目标": "goal", "inicio": "start", "起点": "start", "kanten": "edges", "aristas": "edges",
    "边": "edges", "adjacency": "edges", "graph": "edges",
}  # fmt: skip
_YES = {"yes": True, "true": True, "no": False, "false": False, "": True}
_ALGORITHMS = (
    (Algorithm.ASTAR, r"\ba\s?\*|\ba-?star\b|\bastern\b|a星"),
    (Algorithm.UCS, r"\bucs\b|uniform[- ]cost|uniforme kosten|costo? uniforme|一致代价|等代价"),
    (Algorithm.GREEDY, r"\bgreedy\b|\bgbfs\b|gierig|voraz|avara|贪婪|贪心"),
    (Algorithm.DIJKSTRA, r"\bdijkstra|迪杰斯特拉"),
    (Algorithm.BFS, r"\bbfs\b|breadth[- ]first|breitensuche|búsqueda en anchura|广度优先|宽度优先"),
    (Algorithm.DFS, r"\bdfs\b|depth[- ]first|tiefensuche|búsqueda en profundidad|深度优先"),
)  # fmt: skip
_FROM_TO = re.compile(
    rf"\b(?:from|von|desde|de|从)\s*(?:node|state|knoten|nodo)?\s*(?P<a>{_NAME})\s*(?:to|nach|bis|hasta|a|到)\s*(?:node|goal|state|knoten|nodo)?\s*(?P<b>{_NAME})",
    re.I,
)
_START = re.compile(
    rf"\b(?:start(?:s|ing|ed)?(?: node| state| at| from| with| in| is)*|source(?: node)?(?: is)?)\s*[:=]?"
    rf"\s*(?P<a>{_NAME})",
    re.I,
)
_GOAL = re.compile(
    rf"\b(?:goal(?: node| state| is)*|target(?: node| is)*|ziel(?:knoten)?(?: ist)?|meta(?: es)?)\s*[:=]?"
    rf"\s*(?P<a>{_NAME})",
    re.I,
)


@dataclass(kw_only=True)
class _Draft:
    strict: bool
    algorithm: Algorithm | None = None
    start: str | None = None
    goals: list[str] = field(default_factory=list)
    directed: bool | None = None
    edges: list[tuple[str, str, Fraction, bool | None, int]] = field(default_factory=list)
    """From, to, cost, directed (`None`: as the problem says), line."""
    nodes: dict[str, int] = field(default_factory=dict)
    """Node → line of its first mention."""
    adjacency: bool = False
    heuristic: dict[str, Fraction] = field(default_factory=dict)
    h_kind: GridHeuristic | None = None
    section: str = ""
    grid: list[tuple[int, str]] = field(default_factory=list)
    eight: bool = False
    diagonal: Fraction = Fraction(1)
    said: list[tuple[str, str, int]] = field(default_factory=list)
    """(start or goal, node, line): checked when the nodes are known."""


def parse_problem(text: str, *, strict: bool = True, source: str = "problem") -> TraceProblem:
    """Return the problem in a text; what may stand in it is in docs/design/tracing.md.

    Args:
        text: One statement a line.
        strict: A line that says nothing known is an error; else it is passed over, as in an exercise's prose.
        source: Name of the text in messages.

    Raises:
        InputError: A line is not understood, a value is not a number, or start or graph is missing.
    """
    draft = _Draft(strict=strict)
    try:
        for number, line in enumerate(text.splitlines(), start=1):
            _read_line(draft, number, line.strip().lstrip("*").strip())
        return _problem(draft)
    except InputError as error:
        raise InputError(f"{source}: {error}") from error


def find_algorithm(text: str) -> Algorithm | None:
    """Return the algorithm a text names; `None`: none."""
    return next((one for one, pattern in _ALGORITHMS if re.search(pattern, text, re.IGNORECASE)), None)


def _read_line(draft: _Draft, number: int, line: str) -> None:
    if (
        not line
        or line.startswith("//")
        or (line.startswith("# ") and draft.section != "grid")
        or line.startswith("```")
    ):
        draft.section = "" if not line and draft.section in {"grid", "h"} else draft.section
        return
    heading = re.sub(r"[:：]\s*$", "", line.lstrip("#").strip()).casefold()
    if draft.section == "grid" and re.fullmatch(r"[#XxSsGg._█1-9\s]+", line):
        draft.grid.append((number, line))
        return
    if heading in {"h", "heuristic", "heuristics", "heuristic values", "heuristik", "heurística", "h(n)", "启发值"}:
        draft.section = "h"
        return
    if _h_values(draft, number, line):
        return
    if key := _KEY.match(line):
        _set(draft, number, key["key"].casefold(), key["value"].strip())
        return
    if heading in {"edges", "graph", "adjacency", "adjacency list", "grid", "kanten", "aristas", "边"}:
        draft.section = "grid" if heading == "grid" else "edges"
        return
    if draft.section == "grid" and draft.strict:
        raise InputError(f"line {number}: expected a row of the grid (# . S G 1 to 9), got {line!r:.60}")
    if (
        not (_edge(draft, number, line) or _adjacency(draft, number, line) or _sentence(draft, number, line))
        and draft.strict
    ):
        raise InputError(
            f"line {number}: expected an edge (A B 4, A -> B 4), neighbours (A: B 4, C 2), h values (h: A=3) "
            f"or algorithm, start, goal; got {line!r:.60}"
        )


def _set(draft: _Draft, number: int, key: str, value: str) -> None:
    key = _KEYS.get(key, key).split()[0].removesuffix("s" if key.startswith("goal") else "")
    if key == "goal":
        draft.said += [("goal", one, number) for one in _split(value)]
    elif key == "start":
        draft.said.append(("start", value.rstrip("."), number))
    elif key == "algorithm":
        draft.algorithm = find_algorithm(value)
        if draft.algorithm is None:
            raise InputError(f"line {number}: expected one of {', '.join(Algorithm)}, got {value!r:.60}")
    elif key in {"directed", "undirected"}:
        said = _YES.get(value.casefold())
        if said is None:
            raise InputError(f"line {number}: {key}: expected yes or no, got {value!r:.60}")
        draft.directed = said == (key == "directed")
    elif key == "connectivity":
        if value not in {"4", "8"}:
            raise InputError(f"line {number}: connectivity: expected 4 or 8, got {value!r:.60}")
        draft.eight = value == "8"
    elif key == "diagonal":
        draft.diagonal = _number(value, number, "diagonal")
    elif key == "grid":
        draft.section = "grid"
    else:
        draft.section = "edges"
        for part in _split(value):
            if not _edge(draft, number, part):
                raise InputError(f"line {number}: expected an edge like A-B 4, got {part!r:.60}")


def _h_values(draft: _Draft, number: int, line: str) -> bool:
    if calls := list(_H_CALL.finditer(line)):
        for call in calls:
            draft.heuristic[_clean(call["a"])] = _number(call["w"].rstrip(".)"), number, f"h({call['a']})")
        return True
    if named := _H_LINE.match(line):
        rest = named["rest"].strip()
        if rest.casefold() in {"manhattan", "chebyshev", "zero"}:
            draft.h_kind = rest.casefold()  # type: ignore[assignment]
            return True
        spaced = _H_SPACED.fullmatch(rest)
        parts = re.split(r"(?<=[\d.])\s+", rest) if spaced else _split(rest)
        for part in parts:
            item = _H_ITEM.match(part)
            if item is None:
                raise InputError(f"line {number}: expected h values like A=3, got {part!r:.60}")
            draft.heuristic[_clean(item["a"])] = _number(item["w"], number, f"h of {item['a']}")
        return True
    if draft.section != "h":
        return False
    if re.fullmatch(r"[|\s:+-]+", line) or re.fullmatch(
        r"\|?\s*(?:node|state|n|knoten|nodo|节点)\s*[|\s,]\s*h.*", line, re.I
    ):
        return True
    if _KEY.match(line):
        draft.section = ""
        return False
    for part in [line] if "|" in line or "," not in line else _split(line):
        item = _H_ITEM.match(part)
        if item is None:
            if draft.strict:
                raise InputError(f"line {number}: expected a node and its h value, got {part!r:.60}")
            return False
        draft.heuristic[_clean(item["a"])] = _number(item["w"], number, f"h of {item['a']}")
    return True


def _edge(draft: _Draft, number: int, line: str) -> bool:
    line = line.lstrip("-• ").strip()
    found = _EDGE.match(line)
    if found is None:
        return False
    arrow, said = found["arrow"].strip(), (found["w"] or "").strip("()[],; ")
    bare = arrow in {"", ","}
    if bare and not re.fullmatch(_NUMBER, said):
        if said or draft.section != "edges":
            return False
    if not draft.strict and arrow == "-" and not said and draft.section != "edges" and len(found["a"]) > 3:
        return False
    cost = _number(said, number, f"cost of {found['a']}-{found['b']}") if said else Fraction(1)
    directed = True if arrow in {"→"} or arrow.endswith(">") and not arrow.startswith("<") else None
    _add(draft, _clean(found["a"]), _clean(found["b"]), cost, directed, number)
    return True


def _adjacency(draft: _Draft, number: int, line: str) -> bool:
    found = _ADJACENCY.match(line)
    if found is None:
        return False
    rest = _unwrapped(found["rest"].strip())
    items = [_ITEM.match(part) for part in _split(rest)]
    if any(item is None for item in items):
        if draft.strict and len(found["a"]) <= 3:
            bad = next(part for part, item in zip(_split(rest), items, strict=True) if item is None)
            raise InputError(f"line {number}: expected neighbours like B 4 or B(4), got {bad!r:.60}")
        return False
    if not draft.strict and len(found["a"]) > 3 and not any(item and (item["w"] or item["w2"]) for item in items):
        return False
    node = _clean(found["a"])
    draft.nodes.setdefault(node, number)
    for item in items:
        assert item is not None
        other, said = item["b"] or item["b2"], item["w"] or item["w2"]
        cost = _number(said, number, f"cost of {node}-{other}") if said else Fraction(1)
        draft.adjacency = True
        _add(draft, node, _clean(other), cost, True, number)
    return True


def _sentence(draft: _Draft, number: int, line: str) -> bool:
    """Read algorithm, start and goal from a sentence; return whether it said any of them."""
    algorithm = find_algorithm(line)
    draft.algorithm = draft.algorithm or algorithm
    known = len(draft.said)
    if route := _FROM_TO.search(line):
        draft.said += [("start?", route["a"], number), ("goal?", route["b"], number)]
    draft.said += [("start?", found["a"], number) for found in _START.finditer(line)]
    draft.said += [("goal?", found["a"], number) for found in _GOAL.finditer(line)]
    lowered = line.casefold()
    if re.search(r"\bundirected\b|ungerichtet|no dirigido|无向", lowered):
        draft.directed = False
    elif re.search(r"\bdirected\b|gerichtet|dirigido|有向", lowered):
        draft.directed = True
    return algorithm is not None or len(draft.said) > known


def _add(draft: _Draft, a: str, b: str, cost: Fraction, directed: bool | None, number: int) -> None:
    draft.nodes.setdefault(a, number)
    draft.nodes.setdefault(b, number)
    if len(draft.nodes) > MAX_NODES:
        raise InputError(f"line {number}: expected at most {MAX_NODES} nodes, got {len(draft.nodes)}")
    if a == b:
        raise InputError(f"line {number}: expected an edge between two nodes, got {a}-{b}")
    draft.edges.append((a, b, cost, directed, number))


def _split(text: str) -> list[str]:
    """Return the parts between commas, semicolons or "and" that stand in no bracket."""
    parts = re.split(r"\s*[,;，、；](?![^()\[\]]*[)\]])\s*|\s+(?:and|und|y|or)\s+", text.strip().rstrip("."))
    return [part.strip() for part in parts if part.strip()]


def _unwrapped(text: str) -> str:
    """Return a list without its own brackets: [B 4, C 2], {B, C}, (B(4), C(2))."""
    if text[:1] in {"[", "{"} and text[-1:] in {"]", "}"}:
        return text[1:-1].strip()
    nested = text.startswith("(") and text.endswith("))")
    return text[1:-1].strip() if nested else text


def _clean(name: str) -> str:
    return re.sub(r"\s+", "", name)


def _number(text: str, line: int, what: str) -> Fraction:
    value = read_number(text) if re.fullmatch(_NUMBER, text) and len(text) <= 20 else None
    if value is None:
        raise InputError(f"line {line}: {what}: expected a number, got {text!r:.60}")
    return value


def _problem(draft: _Draft) -> TraceProblem:
    graph: dict[str, list[tuple[str, Fraction]]] = {node: [] for node in draft.nodes}
    if draft.grid:
        graph = _grid_graph(draft)
    _connect(draft, graph)
    if not graph:
        raise InputError("no edge, no neighbours and no grid found")
    _place_ends(draft, graph)
    if draft.start is None:
        raise InputError("no start found; expected a line like start: S")
    unknown = [node for node in draft.heuristic if node not in graph]
    if unknown and draft.strict:
        raise InputError(f"h is given for {unknown[0]!r}, which is no node of the graph")
    return TraceProblem(
        neighbours={node: tuple(edges) for node, edges in graph.items()},
        start=draft.start,
        goals=frozenset(draft.goals),
        heuristic={node: value for node, value in draft.heuristic.items() if node in graph},
        algorithm=draft.algorithm,
    )


def _grid_graph(draft: _Draft) -> dict[str, list[tuple[str, Fraction]]]:
    grid = read_grid(draft.grid)
    draft.start = None if grid.start is None else cell_name(grid.start)
    draft.goals = [cell_name(cell) for cell in grid.goals]
    if draft.h_kind:
        draft.heuristic = {**grid.heuristic(draft.h_kind, grid.goals), **draft.heuristic}
    cells = grid.neighbours(eight=draft.eight, diagonal=draft.diagonal)
    return {node: list(edges) for node, edges in cells.items()}


def _connect(draft: _Draft, graph: dict[str, list[tuple[str, Fraction]]]) -> None:
    for a, b, cost, directed, line in draft.edges:
        one_way = directed if directed is not None else bool(draft.directed)
        for source, target in ((a, b),) if one_way else ((a, b), (b, a)):
            held = dict(graph[source]).get(target)
            if held is None:
                graph[source].append((target, cost))
            elif held != cost:
                raise InputError(f"line {line}: edge {source}-{target} costs {held} above and {cost} here")


def _place_ends(draft: _Draft, graph: dict[str, list[tuple[str, Fraction]]]) -> None:
    """Set start and goals; what a sentence only seems to name (marked ?) counts where it is a node."""
    names = {node.casefold(): node for node in graph}
    for what, said, line in draft.said:
        node = said if said in graph else names.get(_clean(said).casefold())
        if node is None:
            if what.endswith("?"):
                continue
            raise InputError(f"line {line}: {what}: expected a node of the graph, got {said!r:.60}")
        if what.startswith("start"):
            draft.start = draft.start if draft.start and what.endswith("?") else node
        elif node not in draft.goals:
            draft.goals.append(node)
