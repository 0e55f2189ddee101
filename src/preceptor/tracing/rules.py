"""A course's rules for a trace, read from a small TOML file; `any` leaves a point open, and then every choice is legal.

The defaults follow textbooks where they agree and leave open where they differ:

| rule | default | why |
| --- | --- | --- |
| search | graph | what courses trace by hand |
| goal_test | textbook | breadth-first and depth-first: either time; those with costs or a heuristic: on expansion |
| reopen | yes | A* with an inconsistent heuristic is only optimal so; it changes no other algorithm |
| neighbours, ties, duplicates, update_order | any | textbooks leave them to the course |
"""

from __future__ import annotations

import itertools
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from preceptor.errors import InputError
from preceptor.tracing.problem import Algorithm

SearchKind = Literal["graph", "tree"]
GoalTest = Literal["generation", "expansion"]
NeighbourOrder = Literal["alphabetical", "as_written", "reverse", "any"]
"""`reverse` is the alphabet backwards. The first in this order is also the first to be expanded in a depth-first
search; a course that pushes alphabetically and so expands the last first says `reverse`."""
Tie = Literal["alphabetical", "insertion", "last_in", "lowest_h", "highest_g"]
Duplicates = Literal["forbid", "allow"]
UpdateOrder = Literal["keep", "renew"]


@dataclass(frozen=True, kw_only=True)
class RunRules:
    """The rules of one run: nothing is open but the order of neighbours and ties."""

    search: SearchKind = "graph"
    path_check: bool = True
    goal_test: GoalTest = "expansion"
    reopen: bool = True
    neighbours: NeighbourOrder = "any"
    ties: tuple[Tie, ...] = ()
    duplicates: Duplicates = "forbid"
    update_order: UpdateOrder = "keep"


class CourseRules(BaseModel):
    """What a course lays down about traces."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    search: SearchKind = "graph"
    """`tree`: no CLOSED; a node reached again is added again."""
    path_check: bool = True
    """In a tree search, a node that lies on the path so far is not added."""
    goal_test: GoalTest | Literal["textbook", "any"] = "textbook"
    """When a node is tested for being the goal: on generation (when added to OPEN) or on expansion."""
    reopen: bool | Literal["any"] = True
    """A closed node reached more cheaply goes back to OPEN (uniform-cost, Dijkstra, A*)."""
    neighbours: NeighbourOrder = "any"
    """Order in which the neighbours of an expanded node are taken."""
    ties: tuple[Tie, ...] | Literal["any"] = "any"
    """How equal nodes in OPEN are told apart, first rule first; what is still equal then is open."""
    duplicates: Duplicates | Literal["any"] = "any"
    """A node may stand in OPEN more than once (`allow`), or the cheaper entry replaces the other (`forbid`)."""
    update_order: UpdateOrder | Literal["any"] = "any"
    """Whether an entry that became cheaper keeps its place in the order of insertion."""

    @field_validator("ties", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) and value != "any" else value

    def variants(self, algorithm: Algorithm) -> tuple[RunRules, ...]:
        """Return every way to fill what is left open, the most usual first."""
        tests: tuple[GoalTest, ...]
        if self.goal_test == "any" or (self.goal_test == "textbook" and algorithm in {Algorithm.BFS, Algorithm.DFS}):
            tests = ("expansion", "generation")
        elif self.goal_test == "textbook":
            tests = ("expansion",)
        else:
            tests = (self.goal_test,)
        costs = algorithm.uses_g and self.search == "graph"
        reopens = ((True, False) if self.reopen == "any" else (self.reopen,)) if costs else (False,)
        ties = () if self.ties == "any" else self.ties
        duplicates: tuple[Duplicates, ...] = ("forbid", "allow") if self.duplicates == "any" else (self.duplicates,)
        timed = costs and bool({"insertion", "last_in"} & set(ties))
        updates: tuple[UpdateOrder, ...] = ("keep", "renew") if self.update_order == "any" else (self.update_order,)
        return tuple(
            RunRules(
                search=self.search,
                path_check=self.path_check,
                goal_test=test,
                reopen=reopen,
                neighbours=self.neighbours,
                ties=ties,
                duplicates=duplicate,
                update_order=update,
            )
            for test, reopen, duplicate, update in itertools.product(
                tests, reopens, duplicates if self.search == "graph" else ("allow",), updates if timed else ("keep",)
            )
        )


def parse_rules(text: str, source: str = "rules") -> CourseRules:
    """Return the rules in a TOML text.

    Raises:
        InputError: It is not TOML, a key is unknown or a value is not one of those allowed.
    """
    try:
        return CourseRules.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source}: not TOML ({error})") from error
    except ValidationError as error:
        item = error.errors()[0]
        key = str(item["loc"][0])
        said = "no such rule" if item["type"] == "extra_forbidden" else item["msg"]
        known = ", ".join(CourseRules.model_fields)
        more = f"; rules are {known}" if item["type"] == "extra_forbidden" else ""
        raise InputError(f"{source}: {key}: {said}, got {item['input']!r:.60}{more}") from error


def read_rules(path: Path) -> CourseRules:
    """Return the rules in a file.

    Raises:
        InputError: As `parse_rules`, or the file cannot be read.
    """
    try:
        return parse_rules(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from error
