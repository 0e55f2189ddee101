"""`preceptor chat`: a conversation with the tutor in the terminal."""

from __future__ import annotations

import asyncio
import sys

import click

from preceptor.cli.words import MARKS, RUNGS
from preceptor.domain.passage import page_label
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.errors import InputError, PreceptorError
from preceptor.settings import load_settings
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.session_opening import open_session
from preceptor.tutoring.sources import SourceView
from preceptor.tutoring.turn import TurnMode

HELP = "/stuck: a hint · /check LINE: check my step · /problem: show it again · /quit"


@click.command()
@click.option("--problem", "problem_id", help="Id of a problem; see `preceptor problem list`.")
@click.option("--text", help="Your own problem, in place of --problem.")
@click.option("--answer", help="The answer to your own problem, if you know it; it is kept from the learner.")
@click.option("--language", help="Language of the replies, e.g. en or zh.")
@click.option("--course", "subject_id", help="Talk about a course (with --text: about an exercise of it).")
@click.option("--dialogue", "dialogue_id", help="Go on with an earlier dialogue.")
def chat(
    problem_id: str | None,
    text: str | None,
    answer: str | None,
    language: str | None,
    subject_id: str | None,
    dialogue_id: str | None,
) -> None:
    """Talk to the tutor in the terminal: one message a line, /quit to end."""
    session = open_session(load_settings())
    try:
        if dialogue_id is None:
            if problem_id is None and text is None and subject_id is None:
                offered = session.problems(LOCAL_OWNER, limit=1)
                if not offered:
                    raise InputError("there is no problem yet: give --text, or run `preceptor problem import FILE`")
                problem_id = offered[0].problem_id
            dialogue_id = session.start(
                LOCAL_OWNER,
                problem_id=problem_id,
                text=text,
                answer=answer,
                language=language,
                subject_id=subject_id,
            )
        asyncio.run(_talk(session, dialogue_id))
    finally:
        session.close()


async def _talk(session: TutoringSession, dialogue_id: str) -> None:
    view = session.dialogue(LOCAL_OWNER, dialogue_id)
    click.echo(f"{view.problem_text}\n")
    click.echo(f"[dialogue {dialogue_id}; {HELP}]", err=True)
    if view.pending:
        await _follow(session, dialogue_id, None)
    elif view.turns and view.turns[-1].reply:
        click.echo(f"tutor: {view.turns[-1].reply}")
    while True:
        line = await asyncio.to_thread(_read)
        if line is None or line.strip() == "/quit":
            return
        if line.strip() == "/problem":
            click.echo(view.problem_text)
            continue
        mode: TurnMode = "message"
        if line.strip().startswith("/stuck"):
            mode, line = "stuck", line.strip().removeprefix("/stuck").strip()
        elif line.strip().startswith("/check"):
            mode, line = "check_step", line.strip().removeprefix("/check").strip()
        try:
            await _follow(session, dialogue_id, line, mode)
        except PreceptorError as error:
            click.echo(f"preceptor: {error}", err=True)


async def _follow(session: TutoringSession, dialogue_id: str, line: str | None, mode: TurnMode = "message") -> None:
    run = (
        await session.resume(LOCAL_OWNER, dialogue_id)
        if line is None
        else await session.submit(LOCAL_OWNER, dialogue_id, line, mode=mode)
    )
    if run is None:
        return
    click.echo("tutor: ", nl=False)
    async for event in run.follow():
        if event.kind == "reading":
            for step in event.steps:
                click.echo(f"[{MARKS[step.mark]} {step.read_as or step.text}] ", err=True)
        elif event.kind == "delta":
            click.echo(event.text.strip() + " ", nl=False)
        elif event.kind == "retracted":
            click.echo("\ntutor: ", nl=False)
        elif event.kind == "failed":
            click.echo(f"\nThe reply could not be made ({event.text}); your message is saved.", err=True)
        elif event.kind == "done":
            if event.rung:
                click.echo(f"\n[hint: {RUNGS[event.rung]}]", err=True)
            if event.trace_state is not None:
                opened = ", ".join(one["node"] for one in event.trace_state["open"])
                closed = ", ".join(one["node"] for one in event.trace_state["closed"])
                click.echo(f"\n[OPEN: {opened}; CLOSED: {closed}]", nl=False, err=True)
            for source in event.sources:
                click.echo(f"\n{_source_line(source)}", nl=False, err=True)
    click.echo("")


def _source_line(source: SourceView) -> str:
    if source.kind == "memory":
        return f"[on record, {source.on}] {source.title}"
    quote = " ".join(source.quote.split())
    mark = f"[{source.marker}] " if source.marker is not None else ""
    return f"{mark}{page_label(source.title, source.page)}: {quote}"


def _read() -> str | None:
    if sys.stdin.isatty():
        click.echo("you: ", nl=False)
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None
