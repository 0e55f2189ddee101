"""Options that name whose memory a command is about: none of them works without a learner and a subject."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import click

from preceptor.domain.principal import LOCAL_OWNER
from preceptor.domain.scope import Scope
from preceptor.errors import InputError
from preceptor.memory.learner_memory import LearnerMemory
from preceptor.record.episode_log import Clock, utc_now
from preceptor.record.record import open_record
from preceptor.settings import load_settings

learner_option = click.option(
    "--learner", "learner_id", default=LOCAL_OWNER.learner_id, show_default=True, help="Whose memory."
)
subject_option = click.option("--subject", "subject_id", default="maths", show_default=True, help="Of which subject.")


def scope_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the two options that make a scope."""
    return learner_option(subject_option(command))


def scope_of(learner_id: str, subject_id: str) -> Scope:
    """Return the scope that two options name.

    Raises:
        InputError: One of them is empty.
    """
    if not learner_id or not subject_id:
        raise InputError("--learner and --subject must not be empty")
    return Scope(learner_id=learner_id, subject_id=subject_id)


def time_of(text: str | None) -> Clock:
    """Return the clock of a command: this machine's, or one that stands at a given time.

    Raises:
        InputError: The text is no ISO time with its zone.
    """
    if text is None:
        return utc_now
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(f"{text!r}: expected a time such as 2026-12-01T03:00:00+00:00") from error
    if at.utcoffset() is None:
        raise InputError(f"{text!r} has no zone: expected a time such as 2026-12-01T03:00:00+00:00")
    return lambda: at.astimezone(UTC)


@contextmanager
def open_memory(clock: Clock = utc_now) -> Iterator[LearnerMemory]:
    """Open the memory of this installation, and close its record at the end."""
    settings = load_settings()
    with open_record(settings, clock) as record:
        yield LearnerMemory(record, settings.memory)
