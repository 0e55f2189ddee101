"""`preceptor memory recall` and `preceptor memory block`: what a question brings back, and what a turn is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
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
from preceptor.tutoring.live_memory import LiveMemory, open_memory
from preceptor.tutoring.shared_embedder import SharedEmbedder

_Found = TypeVar("_Found")


@dataclass(frozen=True, kw_only=True)
class _Asking:
    """Who asks, of what and when, as the command line has it."""

    question: str
    learner: str
    subject: str
    language: str | None
    time_zone: str | None
    at: str | None


def _asking(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say who asks, of what and when; the command gets them as one `asking`."""

    @wraps(command)
    def asked(
        *,
        question: str,
        learner: str,
        subject: str,
        language: str | None,
        time_zone: str | None,
        at: str | None,
        **others: Any,
    ) -> None:
        asking = _Asking(
            question=question, learner=learner, subject=subject, language=language, time_zone=time_zone, at=at
        )
        command(asking, **others)

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
        asked = option(asked)
    return asked


def _put(asking: _Asking, ask: Callable[..., _Found], **fields: Any) -> _Found:
    """Return what a question to the installation's memory brings; `ask` is a method of `LiveMemory`."""
    settings = load_settings()
    with open_record(settings) as record:
        return ask(
            open_memory(settings, record, SharedEmbedder(settings)),
            Scope(learner_id=asking.learner, subject_id=asking.subject),
            asking.question,
            now=_moment(asking.at) or record.clock(),
            time_zone=asking.time_zone or settings.time_zone,
            language=asking.language or settings.language,
            **fields,
        )


@click.command()
@_asking
@click.option("--limit", default=12, show_default=True, type=click.IntRange(min=1), help="Most memories.")
def recall(asking: _Asking, *, as_json: bool, limit: int) -> None:
    """Print the memories that QUESTION brings back, best first; without a question the most recent."""
    found = _put(asking, LiveMemory.recall, limit=limit)
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
def block(asking: _Asking, *, as_json: bool) -> None:
    """Print the memory block that a tutor would be told for QUESTION.

    With --json also its ids, its tokens, and the builtin answer where QUESTION asks about the record.
    """
    built = _put(asking, LiveMemory.block)
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
