"""`preceptor solution check`: the first wrong step of a learner's solution, given a worked one."""

from __future__ import annotations

from typing import Any

import click

from preceptor.cli.json_lines import read_lines, write_json
from preceptor.errors import InputError
from preceptor.maths.first_wrong_step import WrongStep, find_first_wrong_step

MAX_STEPS = 60


@click.group()
def solution() -> None:
    """Find the first wrong step of a solution."""


@solution.command()
@click.argument("file")
@click.option("--language", default="en", show_default=True, help="Language of the texts, such as en or zh.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def check(file: str, language: str, as_json: bool) -> None:
    """Read lines {"problem", "reference", "steps": [str]} from FILE, or standard input for `-`.

    For each prints the 0-based first wrong step (null: none is accused), its kind and why, without the right value.
    """
    for number, line in read_lines(file):
        found = _check_line(line, number, language)
        if as_json:
            write_json({"first_wrong_step": found.index, "kind": found.kind, "why": found.why})
        elif found.index is None:
            click.echo(f"line {number}: no wrong step ({found.kind})")
        else:
            click.echo(f"line {number}: step {found.index} ({found.kind}): {found.why}")


def _check_line(line: dict[str, Any], number: int, language: str) -> WrongStep:
    problem, reference, steps = line.get("problem"), line.get("reference"), line.get("steps")
    for name, value in (("problem", problem), ("reference", reference)):
        if not isinstance(value, str):
            raise InputError(f"line {number}: {name} must be a text, got {type(value).__name__}")
    if not isinstance(steps, list) or not steps or not all(isinstance(step, str) for step in steps):
        raise InputError(f"line {number}: steps must be a list of at least one text")
    if len(steps) > MAX_STEPS:
        raise InputError(f"line {number}: steps must be at most {MAX_STEPS}, got {len(steps)}")
    answer = line.get("answer")
    return find_first_wrong_step(
        str(problem),
        str(reference),
        steps,
        answer=answer if isinstance(answer, str) else None,
        language=str(line.get("language") or language),
    )
