"""Traces for `trace_check`: rows taken from a run, changed at one place, and written in one of five forms."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from benchmarks.trace_oracle import Row, Run

FORMS = ("table", "list", "prose", "open_closed", "order")


@dataclass(frozen=True, kw_only=True)
class Written:
    """One row as the learner writes it."""

    node: str | None
    waiting: dict[str, dict[str, int | str | None]]
    """Node → what is written of it: g, h, f, parent."""
    shut: tuple[str, ...]
    added: dict[str, dict[str, int | str | None]] = field(default_factory=dict)
    bettered: dict[str, dict[str, int | str | None]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A learner's whole trace."""

    form: str
    shown: tuple[str, ...]
    """Which of g, h, f, parent stand at a node."""
    rows: tuple[Written, ...]
    path: tuple[str, ...] | None
    cost: int | None


def values_of(node: str, g: int, parent: str | None, h: dict[str, int], algorithm: str) -> dict[str, int | str | None]:
    """Return everything that may be written of a node."""
    f = h[node] if algorithm == "greedy" else g + h[node] if algorithm == "astar" else g
    return {"g": g, "h": h[node], "f": f, "parent": parent}


def write_row(row: Row, h: dict[str, int], algorithm: str) -> Written:
    """Return a right row."""
    waiting = {node: values_of(node, g, parent, h, algorithm) for node, (g, parent) in row.waiting.items()}
    return Written(
        node=row.node,
        waiting=waiting,
        shut=tuple(sorted(row.shut)),
        added={node: waiting[node] for node in row.added},
        bettered={node: waiting[node] for node in row.bettered},
    )


def write_sheet(run: Run, h: dict[str, int], algorithm: str, source: random.Random, form: str, *, whole: bool) -> Sheet:
    """Return a right trace of a run in a form."""
    shown = {
        "astar": (("f",), ("g", "h", "f"), ("g", "h", "f", "parent")),
        "greedy": (("h",),),
        "ucs": (("g",), ("g", "parent")),
        "dijkstra": (("g",), ("g", "parent")),
        "bfs": ((),),
        "dfs": ((),),
    }[algorithm]
    rows = [write_row(row, h, algorithm) for row in run.rows]
    if form in ("order", "prose"):
        rows = rows[1:]
    length = len(rows) if whole else source.randint(2, max(2, len(rows)))
    told = whole and run.path is not None
    return Sheet(
        form=form,
        shown=source.choice(shown) if form != "order" else (),
        rows=tuple(rows[:length]),
        path=run.path if told else None,
        cost=run.cost if told and algorithm not in ("bfs", "dfs", "greedy") else None,
    )


def text_of(sheet: Sheet, algorithm: str, source: random.Random) -> str:
    """Return a trace as text."""
    style = source.randrange(3)
    lines: list[str] = []
    if sheet.form == "table":
        lines.append(("| node | OPEN | CLOSED |", "expanded | frontier | explored", "Current\tQueue\tClosed")[style])
        if style == 0:
            lines.append("|---|---|---|")
    for number, row in enumerate(sheet.rows):
        opened = _entries(row.waiting, sheet.shown, algorithm, style) or ("-", "{}", "empty")[style]
        shut = ", ".join(row.shut) or ("-", "{}", "empty")[style]
        if sheet.form == "table":
            cells = (row.node or "-", opened, shut)
            lines.append(("| {} | {} | {} |", "{} | {} | {}", "{}\t{}\t{}")[style].format(*cells))
        elif sheet.form == "open_closed":
            lines += [
                [f"OPEN: {opened}", f"CLOSED: {shut}"],
                [f"open = [{opened.strip('{}')}]; closed = [{shut.strip('{}')}]"],
                [f"Frontier: {opened}   Explored: {shut}"],
            ][style]
        elif sheet.form == "list":
            head = f"expand {row.node}, " if row.node else ""
            lines.append(f"{number}{'.' if style else ')'} {head}OPEN: {opened}; CLOSED: {shut}")
        elif sheet.form == "prose":
            verb = ("Expand", "Then expand", "We pop")[style]
            said = [f"{verb} {row.node}"]
            if row.added:
                said.append(f"add {_entries(row.added, sheet.shown, algorithm, style)}")
            if row.bettered:
                said.append(f"update {_entries(row.bettered, sheet.shown, algorithm, style)}")
            lines.append("; ".join(said) + ".")
    if sheet.form == "order":
        lines.append((" ", ", ", " -> ")[style].join(row.node or "" for row in sheet.rows))
    if sheet.path is not None:
        cost = f", cost {sheet.cost}" if sheet.cost is not None else ""
        lines.append(f"Path: {('-', ' -> ', ' ')[style].join(sheet.path)}{cost}")
    return "\n".join(lines) + "\n"


def _entries(
    entries: dict[str, dict[str, int | str | None]], shown: tuple[str, ...], algorithm: str, style: int
) -> str:
    return ", ".join(_entry(node, values, shown, algorithm, style) for node, values in entries.items())


def _entry(node: str, values: dict[str, int | str | None], shown: tuple[str, ...], algorithm: str, style: int) -> str:
    parent = f", from {values['parent']}" if "parent" in shown and values["parent"] else ""
    numbers = [name for name in shown if name != "parent"]
    if not numbers:
        return node
    if len(numbers) == 1:
        value = values[numbers[0]]
        return (
            f"{node}({value}{parent})" if parent else (f"{node}({value})", f"{node}:{value}", f"{node} {value}")[style]
        )
    if style == 1:
        return f"{node}({values['g']}+{values['h']}={values['f']}{parent})"
    return f"{node}(g={values['g']}, h={values['h']}, f={values['f']}{parent})"


def fits(sheet: Sheet, upto: int, run: Run, *, without_end: bool = False) -> bool:
    """Return whether the first rows of a trace, and its end where all rows are meant, are those of a run."""
    offset = 1 if sheet.form in ("order", "prose") else 0
    for number in range(upto):
        place = number + offset
        if place >= len(run.rows):
            reached = run.path[-1] if run.path else None
            last = run.rows[-1].node
            if not (place == len(run.rows) and sheet.rows[number].node == reached != last):
                return False
            if sheet.form == "open_closed":
                return False
            if not _same(sheet, replace(sheet.rows[number], node=last), run.rows[-1], run, last=True, again=True):
                return False
            continue
        if not _same(sheet, sheet.rows[number], run.rows[place], run, last=place == len(run.rows) - 1):
            return False
    if upto == len(sheet.rows) and sheet.path is not None and not without_end:
        done = upto + offset >= len(run.rows) - (sheet.rows[-1].node is None or sheet.form == "open_closed")
        return done and run.path == sheet.path and (sheet.cost is None or sheet.cost == run.cost)
    return True


def _same(sheet: Sheet, said: Written, row: Row, run: Run, *, last: bool, again: bool = False) -> bool:
    if sheet.form != "open_closed" and said.node != row.node:
        return False
    names = sheet.shown
    if sheet.form in ("table", "list", "open_closed"):
        for node, values in said.waiting.items():
            costs = {row.waiting[node][0]} if node in row.waiting else row.stale.get(node, frozenset())
            if not any(_right(values, node, g, row, run, names) for g in costs):
                return False
        if set(row.waiting) - set(said.waiting) - row.optional:
            return False
        spare = {run.path[-1]} if last and run.path else set()
        return not (set(said.shut) ^ row.shut) - spare
    if sheet.form == "prose":
        if again and said.added:
            return False
        if (
            not again
            and said.added
            and (set(said.added) - set(row.added) or set(row.added) - set(said.added) - row.optional)
        ):
            return False
        told = [*said.added.items(), *said.bettered.items()]
        return all(
            node in row.waiting and _right(values, node, row.waiting[node][0], row, run, names) for node, values in told
        )
    return True


def _right(values: dict[str, int | str | None], node: str, g: int, row: Row, run: Run, names: tuple[str, ...]) -> bool:
    """Return whether what is written of a node is that of an entry with this g."""
    h, algorithm = run.rules["h"], run.rules["algorithm"]
    true = values_of(node, g, None, h, algorithm)
    for name in names:
        if name == "parent":
            if values["parent"] not in run.rules["parents"](run, row, node, g):
                return False
        elif values[name] != true[name]:
            return False
    return True


@dataclass(frozen=True, kw_only=True)
class Change:
    """A trace changed at one place."""

    sheet: Sheet
    kind: str
    at: int
    """The row changed."""
    node: str | None
    """The node at fault."""


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where a change is made."""

    sheet: Sheet
    run: Run
    edges: dict[str, list[tuple[str, int]]]
    algorithm: str
    source: random.Random
    kind: str
    at: int

    @property
    def offset(self) -> int:
        """Rows of the run before the trace's first."""
        return 1 if self.sheet.form in ("order", "prose") else 0

    @property
    def shows(self) -> bool:
        """Whether OPEN and CLOSED are written."""
        return self.sheet.form in ("table", "list", "open_closed")

    @property
    def row(self) -> Written:
        return self.sheet.rows[self.at]

    @property
    def before(self) -> Row | None:
        """The run's row before this one."""
        place = self.at + self.offset
        return self.run.rows[place - 1] if 0 < place <= len(self.run.rows) else None

    def pick(self, nodes: Iterable[str]) -> str | None:
        """Return one of these; `None`: there are none."""
        listed = sorted(nodes)
        return self.source.choice(listed) if listed else None

    def values(self, node: str, g: int, parent: str | None) -> dict[str, int | str | None]:
        return values_of(node, g, parent, self.run.rules["h"], self.algorithm)

    def with_row(self, row: Written, node: str | None, at: int | None = None) -> Change:
        at = self.at if at is None else at
        rows = (*self.sheet.rows[:at], row, *self.sheet.rows[at + 1 :])
        return Change(sheet=replace(self.sheet, rows=rows), kind=self.kind, at=at, node=node)


def mutate(
    sheet: Sheet, run: Run, edges: dict[str, list[tuple[str, int]]], algorithm: str, source: random.Random
) -> Change | None:
    """Return a trace changed at one place; `None`: the change drawn does not fit there."""
    shows = sheet.form in ("table", "list", "open_closed")
    kinds = ["wrong_node", "reexpand", "stop_early", "wrong_path", "wrong_cost", "goal_early", "went_on"]
    kinds += ["value"] * 2 if sheet.shown else []
    kinds += ["left", "missing", "stranger", "closed_missing", "closed_extra"] if shows else []
    kinds += ["added_missing", "stranger"] if sheet.form == "prose" else []
    kind = source.choice(kinds)
    if sheet.shown and algorithm in ("ucs", "astar", "dijkstra") and source.random() < 0.4:
        kind = "missed_update"
    at = source.randrange(len(sheet.rows))
    place = _Place(sheet=sheet, run=run, edges=edges, algorithm=algorithm, source=source, kind=kind, at=at)
    return _CHANGES[kind](place)


def _missed_update(place: _Place) -> Change | None:
    found = []
    for i, row in enumerate(place.sheet.rows):
        before = place.run.rows[i + place.offset - 1] if i + place.offset > 0 else None
        found += [(i, node, before) for node in row.bettered if before is not None and node in before.waiting]
    if not found:
        return None
    at, node, before = place.source.choice(found)
    row = place.sheet.rows[at]
    old = place.values(node, *before.waiting[node])
    if place.shows:
        return place.with_row(replace(row, waiting={**row.waiting, node: old}), node, at)
    return place.with_row(replace(row, bettered={**row.bettered, node: old}), node, at)


def _value(place: _Place) -> Change | None:
    held = place.row.waiting if place.shows else place.row.added
    numbers = [name for name in place.sheet.shown if name != "parent"]
    node = place.pick(held)
    if node is None or not numbers:
        return None
    name = place.source.choice(numbers)
    value = held[node][name]
    assert isinstance(value, int)
    changed = {**held, node: {**held[node], name: value + place.source.choice((1, 2, 3))}}
    row = replace(place.row, waiting=changed) if place.shows else replace(place.row, added=changed)
    return place.with_row(row, node)


def _wrong_node(place: _Place) -> Change | None:
    if place.row.node is None or place.before is None or place.sheet.form == "open_closed":
        return None
    goal = place.run.path[-1] if place.run.path else None
    others = [one for one in place.before.waiting if one != place.row.node]
    node = place.pick([one for one in others if place.kind == "wrong_node" or one == goal])
    return None if node is None else place.with_row(replace(place.row, node=node), node)


def _reexpand(place: _Place) -> Change | None:
    if place.sheet.form == "open_closed" or place.at + place.offset < 2 or place.before is None:
        return None
    node = place.pick(place.before.shut)
    return None if node is None else place.with_row(replace(place.row, node=node), node)


def _left(place: _Place) -> Change | None:
    node, before = place.row.node, place.before
    if before is None or node is None or node not in before.waiting:
        return None
    kept = {node: place.values(node, *before.waiting[node]), **place.row.waiting}
    return place.with_row(replace(place.row, waiting=kept), node)


def _missing(place: _Place) -> Change | None:
    node = place.pick(place.row.waiting)
    left = {one: values for one, values in place.row.waiting.items() if one != node}
    return None if node is None else place.with_row(replace(place.row, waiting=left), node)


def _added_missing(place: _Place) -> Change | None:
    node = place.pick(place.row.added)
    left = {one: values for one, values in place.row.added.items() if one != node}
    return place.with_row(replace(place.row, added=left), node) if left else None


def _stranger(place: _Place) -> Change | None:
    row = place.row
    node = place.pick(one for one in place.edges if one not in (*row.waiting, *row.shut, row.node))
    if node is None or row.node is None:
        return None
    made = place.values(node, place.source.randint(1, 9), row.node)
    if place.shows:
        return place.with_row(replace(row, waiting={**row.waiting, node: made}), node)
    return place.with_row(replace(row, added={**row.added, node: made}), node)


def _closed_missing(place: _Place) -> Change | None:
    node = place.pick(one for one in place.row.shut if one != place.row.node)
    left = tuple(one for one in place.row.shut if one != node)
    return None if node is None or place.at < 2 else place.with_row(replace(place.row, shut=left), node)


def _closed_extra(place: _Place) -> Change | None:
    node = place.pick(one for one in place.edges if one not in place.row.shut)
    if node is None or place.at < 2:
        return None
    return place.with_row(replace(place.row, shut=(*place.row.shut, node)), node)


def _wrong_path(place: _Place) -> Change | None:
    path = place.sheet.path
    if path is None or len(path) < 3:
        return None
    cut = place.source.randrange(1, len(path) - 1)
    if path[cut + 1] in dict(place.edges[path[cut - 1]]):
        return None
    sheet = replace(place.sheet, path=path[:cut] + path[cut + 1 :])
    return Change(sheet=sheet, kind=place.kind, at=len(sheet.rows) - 1, node=path[-1])


def _wrong_cost(place: _Place) -> Change | None:
    sheet = place.sheet
    if sheet.cost is None or sheet.path is None:
        return None
    cost = sheet.cost + place.source.choice((1, 2))
    if cost == len(sheet.path) - 1:
        return None
    return Change(sheet=replace(sheet, cost=cost), kind=place.kind, at=len(sheet.rows) - 1, node=sheet.path[-1])


def _stop_early(place: _Place) -> Change | None:
    if place.sheet.path is None or len(place.sheet.rows) < 3:
        return None
    keep = place.source.randrange(1, len(place.sheet.rows))
    sheet = replace(place.sheet, rows=place.sheet.rows[:keep])
    return Change(sheet=sheet, kind=place.kind, at=keep - 1, node=None)


def _went_on(place: _Place) -> Change | None:
    sheet, run = place.sheet, place.run
    if run.path is None or len(sheet.rows) + place.offset != len(run.rows) or sheet.form == "open_closed":
        return None
    node = place.pick(set(run.rows[-1].waiting) - {run.path[-1]})
    if node is None:
        return None
    rows = (*sheet.rows, replace(sheet.rows[-1], node=node, added={}, bettered={}))
    changed = replace(sheet, rows=rows, path=None, cost=None)
    return Change(sheet=changed, kind=place.kind, at=len(rows) - 1, node=node)


_CHANGES: dict[str, Callable[[_Place], Change | None]] = {
    "missed_update": _missed_update,
    "value": _value,
    "wrong_node": _wrong_node,
    "goal_early": _wrong_node,
    "reexpand": _reexpand,
    "left": _left,
    "missing": _missing,
    "added_missing": _added_missing,
    "stranger": _stranger,
    "closed_missing": _closed_missing,
    "closed_extra": _closed_extra,
    "wrong_path": _wrong_path,
    "wrong_cost": _wrong_cost,
    "stop_early": _stop_early,
    "went_on": _went_on,
}
