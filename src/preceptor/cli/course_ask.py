"""`preceptor course ask`: one question to a course, answered as in a conversation, nothing of it kept."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

import click
from pydantic import TypeAdapter

from preceptor.cli.json_lines import write_json
from preceptor.domain.grounding import Grounding
from preceptor.domain.passage import page_label
from preceptor.errors import InputError
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.record.record import open_record
from preceptor.settings import load_settings
from preceptor.tutoring.course_dialogue import course_problem
from preceptor.tutoring.engines import open_courses, open_turn_maker
from preceptor.tutoring.shared_embedder import SharedEmbedder
from preceptor.tutoring.turn import TurnMaker, TurnTrace
from preceptor.tutoring.turn_record import record_body

_GROUNDING = TypeAdapter(Grounding)


@click.command("ask")
@click.argument("subject_id")
@click.argument("question")
@click.option(
    "--exercise", default=None, help="Text of an exercise that the question is about, e.g. a search to trace."
)
@click.option("--language", default=None, help="Language of the reply; else the settings' language.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: reply, route, citations, search.")
def ask_course(subject_id: str, question: str, exercise: str | None, language: str | None, as_json: bool) -> None:
    """Ask a course QUESTION as a learner would: answered from its files, with citations, or not at all."""
    if not question.strip():
        raise InputError("QUESTION must hold at least one word, got an empty text")
    settings = load_settings()
    spoken = language or settings.language
    with open_record(settings) as record:
        limit = settings.server.max_utterance_chars
        problem = course_problem(record.courses, subject_id, exercise, language=spoken, limit=limit)
        course = open_courses(settings, record, SharedEmbedder(settings))
        course.courses.prepare(subject_id)
        maker = open_turn_maker(settings, course=course.reader, course_turns=course.turns)
        turn = TurnContext(problem=problem, graph=None, history=(), utterance=question, language=spoken)
        trace = asyncio.run(_run(maker, turn))
    if as_json:
        write_json(_as_json(trace))
    else:
        _print(trace)


async def _run(maker: TurnMaker, turn: TurnContext) -> TurnTrace:
    trace = TurnTrace()
    async for _ in maker.run(turn, trace):
        pass
    return trace


def _as_json(trace: TurnTrace) -> dict[str, Any]:
    body = record_body(trace, last_event_id=0).model_dump(mode="json")
    reply = trace.reply
    return {
        "reply": reply.text if reply else None,
        "engine": reply.engine if reply else None,
        "route": asdict(trace.plan.routed) if trace.plan else None,
        "grounding": _GROUNDING.dump_python(reply.grounding, mode="json") if reply and reply.grounding else None,
        "trace_state": trace.plan.trace_state if trace.plan else None,
        "search": body["reads"].get("course", {}).get("course"),
        "timings_ms": body["timings_ms"],
    }


def _print(trace: TurnTrace) -> None:
    reply = trace.reply
    click.echo(reply.text if reply else "")
    grounding = reply.grounding if reply else None
    for one in grounding.citations if grounding else ():
        quote = " ".join(one.quote.split())
        click.echo(f"[{one.marker}] {page_label(one.document_name, one.page)}, {one.start}-{one.end}: {quote}")
    route = trace.plan.routed if trace.plan else None
    found = trace.reads["course"].found if "course" in trace.reads else None
    chance = "cannot be judged" if found is None or found.answerable is None else f"{found.answerable:.0%}"
    status = grounding.status if grounding else "none_needed"
    click.echo(f"route {route.route if route else 'none'}; {status}; the course answers: {chance}", err=True)
