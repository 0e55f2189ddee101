"""`preceptor leak`: does a reply give the answer away?"""

from __future__ import annotations

from typing import Any, Literal

import click
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from preceptor.cli.json_lines import read_lines, write_json
from preceptor.domain.dialogue import Turn
from preceptor.errors import InputError
from preceptor.maths.leak import Leak, find_leak
from preceptor.maths.leak_reveal import find_reveal
from preceptor.maths.step_graph import build_step_graph

Notion = Literal["guard", "rater"]


class LineTurn(BaseModel):
    """One turn of a line's history."""

    model_config = ConfigDict(extra="forbid")

    learner: str
    tutor: str | None = None


class LeakLine(BaseModel):
    """One reply to be checked, with what came before it."""

    model_config = ConfigDict(extra="forbid")

    problem: str | None = ""
    solution: str | None = None
    answer: str | None = None
    history: list[LineTurn] = Field(default_factory=list)
    reply: str


@click.group()
def leak() -> None:
    """Check whether a reply gives the answer away."""


@leak.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: leak, evidence, form, value, falsehood.")
@click.option(
    "--notion",
    type=click.Choice(("guard", "rater")),
    default="guard",
    show_default=True,
    help="guard: no secret value may be readable in any form; rater: what a human rater calls revealing the answer.",
)
def check(file: str, as_json: bool, notion: Notion) -> None:
    """Check each line of FILE (or - for stdin).

    A line is {"problem", "solution", "history": [{"learner", "tutor"}], "reply"} and may have an "answer".
    """
    for number, line in read_lines(file):
        found = check_line(_read(file, number, line), notion)
        if as_json:
            write_json(leak_as_json(found))
        else:
            click.echo(f"{number}: {found.kind}" + (f" ({found.form}): {found.evidence}" if found.evidence else ""))


def check_line(line: LeakLine, notion: Notion) -> Leak:
    """Return what the reply of one line gives away."""
    problem = line.problem or ""
    history = tuple(Turn(learner=turn.learner, tutor=turn.tutor) for turn in line.history)
    if notion == "rater":
        return find_reveal(
            line.reply, problem_text=problem, answer=line.answer, solution=line.solution, history=history
        )
    graph = build_step_graph(problem, line.solution, line.answer) if line.solution else None
    return find_leak(
        line.reply, problem_text=problem, graph=graph, answer=line.answer, solution=line.solution, history=history
    )


def leak_as_json(found: Leak) -> dict[str, Any]:
    """Return a leak as JSON values."""
    return {
        "leak": found.kind,
        "evidence": found.evidence,
        "form": found.form,
        "value": None if found.value is None else str(found.value),
        "falsehood": found.falsehood,
    }


def _read(file: str, number: int, line: dict[str, Any]) -> LeakLine:
    try:
        return LeakLine.model_validate(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{file} line {number}: {where}: {first['msg']}, got {first['input']!r:.80}") from error
