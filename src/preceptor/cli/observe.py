"""`preceptor observe`: what the observer reads in each learner turn of the dialogues of a file."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from preceptor.cli.json_lines import write_json
from preceptor.domain.observation import JudgedClaim, Observation
from preceptor.domain.problem import Problem
from preceptor.maths.numerals import format_number
from preceptor.maths.step_graph import StepGraph, build_step_graph
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.dialogue_formats import FORMATS, problem_of, read_dialogues
from preceptor.pedagogy.turn_context import TurnContext


@click.command()
@click.argument("file")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    default="jsonl",
    show_default=True,
    help="How FILE is written.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a learner turn.")
def observe(file: str, format_name: str, as_json: bool) -> None:
    """Read every learner turn of the dialogues in FILE (or - for stdin): tags, reading, claims."""
    asyncio.run(_observe_all(file, format_name, as_json))


async def _observe_all(file: str, format_name: str, as_json: bool) -> None:
    observer = BuiltinObserver()
    for dialogue in read_dialogues(file, format_name):
        problem = problem_of(dialogue)
        graph = _graph_of(problem)
        for place, turn in enumerate(dialogue.turns):
            if not turn.learner.strip():
                continue
            context = TurnContext(
                problem=problem,
                graph=graph,
                history=dialogue.turns[:place],
                utterance=turn.learner,
                language=problem.language,
            )
            observation = await observer.observe(context)
            if as_json:
                write_json(turn_as_json(dialogue.dialogue_id, place, observation))
            else:
                click.echo(_turn_as_text(dialogue.dialogue_id, place, observation))


def _graph_of(problem: Problem) -> StepGraph | None:
    if problem.solution is None:
        return None
    return build_step_graph(problem.text, problem.solution, problem.answer, problem.language)


def turn_as_json(dialogue_id: str, place: int, observation: Observation) -> dict[str, Any]:
    """Return the record of one learner turn as JSON values."""
    state = observation.state
    return {
        "dialogue_id": dialogue_id,
        "turn": place,
        "emotion": str(state.emotion),
        "intent": str(state.intent),
        "error_type": str(state.error_type),
        "struggle_status": str(state.struggle_status),
        "error_detail": observation.error_detail,
        "struggle_reason": observation.struggle_reason,
        "reading": {
            "status": str(observation.reading.status),
            "read_as": observation.reading.read_as,
            "reason": observation.reading.reason,
        },
        "claims": [_claim_as_json(judged) for judged in observation.claims],
        "solved": observation.solved,
        "reached": sorted(observation.reached),
        "engine": observation.engine,
    }


def _claim_as_json(judged: JudgedClaim) -> dict[str, Any]:
    claim = judged.claim
    return {
        "text": claim.text,
        "value": format_number(claim.value) if claim.value is not None else None,
        "unit": claim.unit,
        "noun": claim.noun,
        "mark": judged.mark,
        "step": judged.node,
        "judged_by": judged.judged_by,
        "read_as": judged.read_as,
    }


_SIGNS = {"right": "✓", "wrong": "✗", "unsure": "?"}


def _turn_as_text(dialogue_id: str, place: int, observation: Observation) -> str:
    state = observation.state
    tags = f"{state.emotion} / {state.intent} / {state.error_type} / {state.struggle_status}"
    claims = "; ".join(f"{_SIGNS[judged.mark]} {judged.read_as}" for judged in observation.claims)
    detail = f" · {observation.error_detail}" if observation.error_detail else ""
    return f"{dialogue_id} turn {place}: {tags} · {observation.reading.status} · {claims or '-'}{detail}"
