"""Grids with walls as search problems: cells are named (row,column), counted from 0 at the top left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from preceptor.errors import InputError
from preceptor.tracing.problem import MAX_NODES

GridHeuristic = Literal["manhattan", "chebyshev", "zero"]

_STRAIGHT = ((-1, 0), (0, 1), (1, 0), (0, -1))
_DIAGONAL = ((-1, 1), (1, 1), (1, -1), (-1, -1))
"""As written, neighbours go up, right, down, left; then up-right, down-right, down-left, up-left."""


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A grid as read."""

    costs: dict[tuple[int, int], Fraction]
    """Free cell → cost of entering it."""
    start: tuple[int, int] | None
    goals: tuple[tuple[int, int], ...]

    def neighbours(self, *, eight: bool, diagonal: Fraction) -> dict[str, tuple[tuple[str, Fraction], ...]]:
        """Return the graph of the grid; a diagonal step costs `diagonal` times the cell's cost."""
        graph: dict[str, tuple[tuple[str, Fraction], ...]] = {}
        for row, column in self.costs:
            edges: list[tuple[str, Fraction]] = []
            for moves, factor in ((_STRAIGHT, Fraction(1)), (_DIAGONAL if eight else (), diagonal)):
                for down, right in moves:
                    cell = (row + down, column + right)
                    if cell in self.costs:
                        edges.append((cell_name(cell), self.costs[cell] * factor))
            graph[cell_name((row, column))] = tuple(edges)
        return graph

    def heuristic(self, kind: GridHeuristic, goals: Sequence[tuple[int, int]]) -> dict[str, Fraction]:
        """Return h of each cell: the distance to the nearest goal."""
        values: dict[str, Fraction] = {}
        for row, column in self.costs:
            away = [(abs(row - down), abs(column - right)) for down, right in goals]
            nearest = min((sum(one) if kind == "manhattan" else max(one) for one in away), default=0)
            values[cell_name((row, column))] = Fraction(0 if kind == "zero" else nearest)
        return values


def cell_name(cell: tuple[int, int]) -> str:
    """Return a cell's name."""
    return f"({cell[0]},{cell[1]})"


def read_grid(rows: Sequence[tuple[int, str]]) -> Grid:
    """Return a grid from its rows.

    Args:
        rows: (Line number, text); `#` or `X` a wall, `.` or `_` a free cell, `S` start, `G` goal, 1 to 9 a free cell
            that costs so much to enter. Spaces between cells are allowed.

    Raises:
        InputError: A sign is none of these, rows differ in length or the grid is too large; the line is named.
    """
    costs: dict[tuple[int, int], Fraction] = {}
    start: tuple[int, int] | None = None
    goals: list[tuple[int, int]] = []
    width: int | None = None
    for row, (line, text) in enumerate(rows):
        cells = "".join(text.split())
        width = len(cells) if width is None else width
        if len(cells) != width:
            raise InputError(
                f"line {line}: expected {width} cells as in the rows above, got {len(cells)} in {text!r:.60}"
            )
        for column, sign in enumerate(cells):
            cell = (row, column)
            if sign in "#Xx█":
                continue
            if sign not in "._SsGg123456789":
                raise InputError(f"line {line}: expected # . S G or a cost from 1 to 9, got {sign!r}")
            costs[cell] = Fraction(int(sign)) if sign.isdigit() else Fraction(1)
            if sign in "Ss":
                if start is not None:
                    raise InputError(f"line {line}: expected one start, got a second S in {text!r:.60}")
                start = cell
            elif sign in "Gg":
                goals.append(cell)
    if len(costs) > MAX_NODES:
        raise InputError(f"line {rows[0][0]}: expected at most {MAX_NODES} free cells, got {len(costs)}")
    return Grid(costs=costs, start=start, goals=tuple(goals))
