"""`preceptor trace`: a learner's trace of a search algorithm against every run that the course's rules allow."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from preceptor.cli.json_lines import write_json
from preceptor.domain.reply import Rung
from preceptor.errors import InputError
from preceptor.tracing.checking import TraceVerdict, check_trace
from preceptor.tracing.feedback import step_number, trace_feedback
from preceptor.tracing.problem import Algorithm, TraceProblem, name_order
from preceptor.tracing.problem_reader import parse_problem
from preceptor.tracing.rules import CourseRules, read_rules
from preceptor.tracing.search import SearchMachine, SearchState
from preceptor.tracing.state_view import state_view
from preceptor.tracing.trace_reader import read_trace

_TIERS = {"nudge": Rung.NUDGE, "locate": Rung.LOCATE, "substep": Rung.NEXT_SUBSTEP, "parallel": Rung.WORKED_PARALLEL}
_ALGORITHM = click.Choice([one.value for one in Algorithm])


@click.group()
def trace() -> None:
    """Check traces of BFS, DFS, uniform-cost, greedy, A* and Dijkstra by the course's rules."""


@trace.command()
@click.option("--problem", "problem_file", required=True, metavar="FILE", help="The graph, start, goal, heuristic.")
@click.option("--trace", "trace_file", required=True, metavar="FILE", help="The learner's trace; - for stdin.")
@click.option("--rules", "rules_file", metavar="FILE", help="The course's rules, TOML; without: textbook defaults.")
@click.option("--algorithm", type=_ALGORITHM, help="Where the problem does not name it, or to take another.")
@click.option("--whole", is_flag=True, help="The trace is handed in as finished: ending too soon is a fault.")
@click.option("--tier", type=click.Choice(list(_TIERS)), default="locate", show_default=True, help="Strength of help.")
@click.option("--language", default="en", show_default=True, help="Language of the feedback: en or zh.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check(
    problem_file: str,
    trace_file: str,
    rules_file: str | None,
    algorithm: str | None,
    whole: bool,
    tier: str,
    language: str,
    as_json: bool,
) -> None:
    """Name the first wrong step of a trace and ask about it; the rest of the trace is never shown."""
    problem, rules, chosen = _read(problem_file, rules_file, algorithm)
    learner = read_trace(_text(trace_file), problem, chosen)
    verdict = check_trace(learner, problem, rules, chosen, whole=whole)
    reply = trace_feedback(verdict, _TIERS[tier], language)
    if as_json:
        write_json({**_verdict_json(verdict), "feedback": reply.text, "rung": reply.rung.name.lower()})
        return
    wrong = f", step {step_number(verdict)} (line {verdict.line}): {verdict.fault.kind}" if verdict.fault else ""
    click.echo(f"{verdict.status.replace('_', ' ')}{wrong}")
    click.echo(reply.text)


@trace.command()
@click.option("--problem", "problem_file", required=True, metavar="FILE", help="The graph, start, goal, heuristic.")
@click.option("--rules", "rules_file", metavar="FILE", help="The course's rules, TOML; without: textbook defaults.")
@click.option("--algorithm", type=_ALGORITHM, help="Where the problem does not name it, or to take another.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def run(problem_file: str, rules_file: str | None, algorithm: str | None, as_json: bool) -> None:
    """Print a full trace: the SOLUTION, for instructors. Open ties go to the first in the alphabet."""
    problem, rules, chosen = _read(problem_file, rules_file, algorithm)
    machine = SearchMachine(problem, chosen, rules.variants(chosen)[0])
    states = machine.runs()
    click.echo("This is the solution: one full run. It is not for learners.", err=True)
    final = states[-1]
    path = min(machine.goal_paths(final), default=None)
    if as_json:
        write_json(
            {
                "solution": True,
                "algorithm": chosen.value,
                "steps": [_state_json(machine, state) for state in states],
                "path": None if path is None else list(path),
                "cost": None if final.found is None else str(final.found.g),
                "ties": sum(len(machine.choices(state)) > 1 for state in states),
            }
        )
        return
    for number, state in enumerate(states):
        row = _state_json(machine, state)
        opened = ", ".join(_entry_text(entry) for entry in row["open"])
        click.echo(
            f"{number}: {row['current'] or 'start'} | OPEN {opened or '-'} | CLOSED {', '.join(row['closed']) or '-'}"
        )
    cost = "" if final.found is None else f", cost {final.found.g}"
    click.echo("no path" if path is None else f"path {' '.join(path)}{cost}")


def _read(
    problem_file: str, rules_file: str | None, algorithm: str | None
) -> tuple[TraceProblem, CourseRules, Algorithm]:
    problem = parse_problem(_text(problem_file), source=problem_file)
    rules = read_rules(Path(rules_file)) if rules_file else CourseRules()
    chosen = Algorithm(algorithm) if algorithm else problem.algorithm
    if chosen is None:
        raise InputError(f"{problem_file} names no algorithm; give --algorithm, one of {', '.join(Algorithm)}")
    return problem, rules, chosen


def _text(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}") from error


def _verdict_json(verdict: TraceVerdict) -> dict[str, Any]:
    return {
        "verdict": verdict.status,
        "form": verdict.trace.form,
        "steps": len(verdict.trace.steps),
        "right_steps": verdict.right_steps,
        "wrong_step": step_number(verdict) if verdict.fault else None,
        "line": verdict.line,
        "kind": verdict.fault.kind.value if verdict.fault else None,
        "unread_lines": list(verdict.trace.unread_lines),
        "partly_read_lines": list(verdict.trace.open_lines),
        "state": state_view(verdict),
    }


def _state_json(machine: SearchMachine, state: SearchState) -> dict[str, Any]:
    return {
        "current": state.current.node if state.current else None,
        "open": [
            {
                "node": entry.node,
                "g": str(entry.g),
                "h": None if (h := machine.problem.h(entry.node)) is None else str(h),
                "f": str(machine.f(entry.node, entry.g)),
                "parent": min(entry.parents, default=None, key=name_order),
            }
            for entry in machine.live(state)
        ],
        "closed": [entry.node for entry in state.closed],
    }


def _entry_text(entry: dict[str, Any]) -> str:
    h = "" if entry["h"] is None else f" h={entry['h']}"
    return f"{entry['node']} (g={entry['g']}{h} f={entry['f']})"
