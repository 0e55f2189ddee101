"""`preceptor memory recall` and `preceptor memory block`: what a question brings back, and what a turn is told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

import click

from preceptor.cli.json_lines import write_json
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.domain.scope import Scope
from preceptor.errors import InputError
from preceptor.memory.block import MemoryBlock
from preceptor.memory.recall import RecalledEpisode
from preceptor.memory.record_answers import answer_record
from preceptor.record.record import open_record
from preceptor.settings import load_settings
from preceptor.tutoring.live_memory import open_memory
from preceptor.tutoring.shared_embedder import SharedEmbedder

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _asking(command: _Command) -> _Command:
    """Add the options that say who asks, of what and when."""
    for option in reversed(
        (
            click.argument("question", default=""),
            click.option("--learner", default=LOCAL_OWNER.learner_id, show_default=True, help="Whose memory."),
            click.option("--subject", default="maths", show_default=True, help="Of which subject."),
            click.option("--language", default=None, help="Language of the question; without it, the settings'."),
            click.option("--time-zone", default=None, help="The learner's IANA zone; without it, the settings'."),
            click.option("--at", default=None, help="Moment of asking, ISO 8601 with offset; without it, now."),
            click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        )
    ):
        command = option(command)
    return command


@click.command()
@_asking
@click.option("--limit", default=12, show_default=True, type=click.IntRange(min=1), help="Most memories.")
def recall(
    question: str,
    learner: str,
    subject: str,
    language: str | None,
    time_zone: str | None,
    at: str | None,
    as_json: bool,
    limit: int,
) -> None:
    """Print the memories that QUESTION brings back, best first; without a question the most recent."""
    settings = load_settings()
    with open_record(settings) as record:
        memory = open_memory(settings, record, SharedEmbedder(settings))
        found = memory.recall(
            Scope(learner_id=learner, subject_id=subject),
            question,
            now=_moment(at) or record.clock(),
            time_zone=time_zone or settings.time_zone,
            language=language or settings.language,
            limit=limit,
        )
    if as_json:
        for one in found.episodes:
            write_json(_episode(one))
        return
    window = f"{found.window.first_day} to {found.window.last_day}" if found.window else found.time_use
    state = "no record of that time" if found.window_is_empty else "matched" if found.matched else "nothing matched"
    click.echo(f"time: {window}; {state}; {found.unindexed} links not looked at", err=True)
    for one in found.episodes:
        repeats = f" (x{one.count})" if one.count > 1 else ""
        click.echo(
            f"{one.episode.occurred_at:%Y-%m-%d} {one.score:.3f} {one.episode.kind}: {one.episode.summary}{repeats}"
        )


@click.command()
@_asking
def block(
    question: str,
    learner: str,
    subject: str,
    language: str | None,
    time_zone: str | None,
    at: str | None,
    as_json: bool,
) -> None:
    """Print the memory block that a tutor would be told for QUESTION.

    With --json also its ids, its tokens, and the builtin answer where QUESTION asks about the record.
    """
    settings = load_settings()
    with open_record(settings) as record:
        memory = open_memory(settings, record, SharedEmbedder(settings))
        built = memory.block(
            Scope(learner_id=learner, subject_id=subject),
            question,
            now=_moment(at) or record.clock(),
            time_zone=time_zone or settings.time_zone,
            language=language or settings.language,
        )
    if as_json:
        write_json(_block(built))
        return
    click.echo(f"{built.tokens} tokens, {built.duration_ms:.1f} ms", err=True)
    click.echo(built.text or "(nothing on record)")


def _moment(given: str | None) -> datetime | None:
    if given is None:
        return None
    try:
        at = datetime.fromisoformat(given)
    except ValueError as error:
        raise InputError(f"--at {given!r}: expected a moment such as 2026-09-22T09:00+02:00") from error
    if at.utcoffset() is None:
        raise InputError(f"--at {given!r}: expected an offset, such as +02:00 or Z")
    return at


def _episode(one: RecalledEpisode) -> dict[str, object]:
    return {
        "episode_id": one.episode.episode_id,
        "kind": one.episode.kind,
        "occurred_at": one.episode.occurred_at.isoformat(),
        "summary": one.episode.summary,
        "score": round(one.score, 4),
        "relevance": round(one.relevance, 4),
        "count": one.count,
        "pools": list(one.pools),
    }


def _block(built: MemoryBlock) -> dict[str, object]:
    answer = answer_record(built) if built.record_question else None
    return {
        "text": built.text,
        "tokens": built.tokens,
        "episode_ids": list(built.episode_ids),
        "belief_ids": [one.belief_id for one in built.beliefs],
        "concept_ids": list(built.concept_ids),
        "record_question": built.record_question.kind if built.record_question else None,
        "window": [built.window.first_day.isoformat(), built.window.last_day.isoformat()] if built.window else None,
        "window_is_empty": built.window_is_empty,
        "unread_time": built.unread_time,
        "counts": built.counts,
        "builtin_answer": answer.text if answer else None,
        "duration_ms": built.duration_ms,
    }
