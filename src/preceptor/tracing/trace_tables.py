"""Traces written as tables: Markdown or pipes, tabs, or columns apart by two spaces."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from preceptor.tracing.learner_trace import LearnerStep, Listing, Mention
from preceptor.tracing.lexicon import NUMBER, Tokenizer, read_number, words
from preceptor.tracing.mentions import read_text
from preceptor.tracing.problem import Algorithm, TraceProblem

_RULE = re.compile(r"^[|\s:+=\-–—]+$")
_COMMA = re.compile(r"(?<![\d.,])(\d+),(\d+)(?![\d,])")


@dataclass(frozen=True, kw_only=True)
class TableHeader:
    """What each column holds: a kind of word, `node:X` for a column of node X, or `ignore`."""

    line: int
    columns: tuple[str, ...]
    piped: bool


def find_header(lines: list[str], tokenizer: Tokenizer) -> TableHeader | None:
    """Return the first line that reads as a table's head; `None`: no table."""
    for number, line in enumerate(lines, start=1):
        cells = _cells(line, piped="|" in line)
        if len(cells) < 2 or _RULE.match(line):
            continue
        kinds = [_column(cell, tokenizer) for cell in cells]
        known = [kind for kind in kinds if kind not in {"ignore", "step"}]
        named = [kind for kind in known if not kind.startswith("node:")]
        if len(named) >= 2 or (named and "step" in kinds and len(cells) < 4) or len(known) - len(named) >= 3:
            if "|" not in line and any(mark in line for mark in ":={"):
                continue
            return TableHeader(line=number, columns=tuple(kinds), piped="|" in line)
    return None


def read_row(
    number: int, line: str, header: TableHeader, tokenizer: Tokenizer, problem: TraceProblem, algorithm: Algorithm
) -> LearnerStep | None:
    """Return the step in a row; `None`: it cannot be read."""
    cells = _cells(line, piped=header.piped)
    if len(cells) != len(header.columns):
        return None
    step = LearnerStep(line=number)
    values: dict[str, Fraction] = {}
    parent: str | None = None
    for kind, cell in zip(header.columns, cells, strict=True):
        listing = _listing(cell, tokenizer, problem, algorithm, chains=kind in {"open", "path", "expand"})
        if kind in {"ignore", "step"} or listing is None:
            continue
        first = listing.mentions[0] if listing.mentions else None
        if kind.startswith("node:"):
            step = _distance(step, kind.removeprefix("node:"), cell, tokenizer)
        elif kind == "expand":
            step = replace(step, expanded=first)
        elif kind == "open":
            step = replace(step, opened=listing)
        elif kind in {"closed", "visited"}:
            step = replace(step, closed=listing, closed_is_visited=kind == "visited")
        elif kind in {"add", "update"}:
            step = replace(step, added=listing) if kind == "add" else replace(step, updated=listing)
        elif kind == "path":
            step = replace(step, path=_path(listing))
        elif kind in {"g", "h", "f"}:
            if written := _numbers(cell, tokenizer):
                values[kind] = written[-1]
        elif kind == "parent" and first:
            parent = first.node
    if step.expanded is not None:
        step = replace(step, expanded=_with_columns(step.expanded, values, parent, algorithm))
    read = step.expanded or step.opened or step.closed or step.added or step.distances or step.path
    starts = step.expanded is None and bool(step.opened)
    return (
        replace(step, starts=starts and re.search(r"\binit|\bstart|anfang|inici|初始", line, re.I) is not None)
        if read
        else None
    )


def is_rule(line: str, *, under_header: bool) -> bool:
    """Return whether a line only draws the table; single dashes are empty cells but under the header."""
    return bool(_RULE.match(line)) and (under_header or "--" in line or "==" in line)


def _cells(line: str, *, piped: bool) -> list[str]:
    text = line.strip()
    if piped:
        return [cell.strip() for cell in text.removeprefix("|").removesuffix("|").split("|")]
    return [cell.strip() for cell in re.split(r"\t+|\s{2,}", text)]


def _column(cell: str, tokenizer: Tokenizer) -> str:
    plain = re.sub(r"[*_`]", "", cell).strip().casefold()
    if tokenizer.node(cell.strip("*_` ")) and cell.strip("*_` ") in tokenizer.names:
        return f"node:{tokenizer.node(cell.strip('*_` '))}"
    listed = words()
    for kind in (
        "step",
        "node",
        "g",
        "h",
        "f",
        "parent",
        "open",
        "closed",
        "visited",
        "expand",
        "add",
        "update",
        "path",
    ):
        if plain in listed[kind]:
            return "expand" if kind == "node" else kind
    short = re.sub(r"\s*[([].*$|\b(?:list|set|nodes?|table|liste|knoten|after|before|表)\b", "", plain).strip()
    for kind in ("open", "closed", "visited", "expand", "add", "update", "path", "ignore"):
        if short in listed[kind] or any(short.startswith(f"{word} ") for word in listed[kind]):
            return kind
    return "ignore"


def _listing(
    cell: str, tokenizer: Tokenizer, problem: TraceProblem, algorithm: Algorithm, *, chains: bool
) -> Listing | None:
    """Return what a cell lists; `None`: the cell is blank."""
    if not cell:
        return None
    if cell.casefold() in words()["empty"]:
        return Listing()
    return read_text(tokenizer, cell, algorithm, start=problem.start, exact=False, chains=chains)


def _distance(step: LearnerStep, node: str, cell: str, tokenizer: Tokenizer) -> LearnerStep:
    """Add a node's cost, the first number of its cell; nothing is added where none can be read."""
    if re.search(r"∞|inf", cell, re.I):
        return replace(step, distances={**step.distances, node: None})
    written = _numbers(cell, tokenizer)
    return replace(step, distances={**step.distances, node: written[0]}) if written else step


def _path(listing: Listing) -> tuple[str, ...]:
    if len(listing.mentions) == 1 and listing.mentions[0].path:
        return listing.mentions[0].path
    return tuple(one.node for one in listing.mentions)


def _numbers(cell: str, tokenizer: Tokenizer) -> list[Fraction]:
    """Return the numbers of a cell that can be read, in order.

    "3,5" is three and a half unless 5 is a node: then it is 3 by way of 5.
    """
    pointed = _COMMA.sub(lambda hit: hit.group() if tokenizer.node(hit[2]) else f"{hit[1]}.{hit[2]}", cell)
    return [value for said in re.findall(NUMBER, pointed) if (value := read_number(said)) is not None]


def _with_columns(mention: Mention, values: dict[str, Fraction], parent: str | None, algorithm: Algorithm) -> Mention:
    if "f" in values and algorithm is not Algorithm.ASTAR:
        values.setdefault("h" if algorithm is Algorithm.GREEDY else "g", values.pop("f"))
    return replace(
        mention,
        g=values.get("g", mention.g),
        h=values.get("h", mention.h),
        f=values.get("f", mention.f),
        parent=parent or mention.parent,
    )
