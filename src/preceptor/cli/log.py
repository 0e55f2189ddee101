"""`preceptor log`: verify, export, checkpoint and erase the episode log."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from preceptor.cli.json_lines import write_json
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.errors import ChainError, InputError
from preceptor.record.episode_json import episode_json
from preceptor.record.erasure_scope import ErasureScope
from preceptor.record.record import open_record
from preceptor.settings import load_settings
from preceptor.tutoring.erasure import erase_of_learner


@click.group()
def log() -> None:
    """Verify, export, checkpoint and erase the episode log."""


@log.command("verify")
@click.option("--against", type=click.Path(), default=None, help="A file that `log checkpoint` wrote earlier.")
@click.option("--json", "as_json", is_flag=True, help="Print one object instead of prose.")
def verify_log(against: str | None, as_json: bool) -> None:
    """Recompute every chain and name the first break in each. Tamper evidence, not tamper proofing.

    Without --against, a database that was put back to an earlier state as a whole verifies: keep checkpoints
    outside. Exits with 1 when a chain is broken.
    """
    checkpoint = None if against is None else _read(against)
    with open_record(load_settings()) as record:
        result = record.verify(checkpoint)
    if as_json:
        write_json({"intact": result.intact, **asdict(result)})
    else:
        click.echo(f"{result.episodes} episodes in {result.chains} chains, {result.erased} of them erased")
        for broken in result.breaks:
            click.echo(
                f"learner {broken.learner_id}, subject {broken.subject_id}, link {broken.sequence}: "
                f"{broken.kind}: {broken.reason}"
            )
    if not result.intact:
        raise ChainError(f"{len(result.breaks)} of {result.chains} chains are broken")
    if not as_json:
        click.echo("every chain is intact")


@log.command("export")
@click.option("--learner", "learner_id", default=None, help="Only this learner.")
@click.option("--json", "as_json", is_flag=True, help="Accepted for uniformity: an export is always JSON lines.")
def export_log(learner_id: str | None, as_json: bool) -> None:
    """Print every episode as one JSON object a line, in the order of appending, kinds of later versions too."""
    with open_record(load_settings()) as record:
        for episode in record.log.walk(learner_id):
            write_json(episode_json(episode))


@log.command("checkpoint")
@click.option("--output", type=click.Path(), default=None, help="Write to this file instead of standard output.")
@click.option("--json", "as_json", is_flag=True, help="Accepted for uniformity: a checkpoint is always JSON.")
def export_checkpoint(output: str | None, as_json: bool) -> None:
    """Print the signed heads of all chains; keep them where the database's writer cannot reach.

    `log verify --against` then finds a record that was put back to an earlier state. Holds no learner text.
    """
    with open_record(load_settings()) as record:
        checkpoint = record.checkpoint()
    if output is None:
        write_json(checkpoint)
        return
    try:
        Path(output).write_text(json.dumps(checkpoint, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{output}: {error.strerror}") from error
    click.echo(f"wrote {output}", err=True)


def _scope_options(command: Callable[..., Any]) -> Callable[..., Any]:
    options = (
        click.option("--dialogue", "dialogue_id", default=None, help="Erase one dialogue."),
        click.option("--subject", "subject_id", default=None, help="Erase one subject."),
        click.option("--episode", "episode_ids", multiple=True, help="Erase one episode; may be repeated."),
        click.option("--all", "whole_learner", is_flag=True, help="Erase everything of the learner."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@log.command("erase")
@click.option("--learner", "learner_id", default=LOCAL_OWNER.learner_id, show_default=True, help="Whose episodes.")
@_scope_options
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print one object instead of prose.")
def erase_log(
    learner_id: str,
    dialogue_id: str | None,
    subject_id: str | None,
    episode_ids: tuple[str, ...],
    whole_learner: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Erase what a learner and the tutor wrote, for ever; that something happened and when stays on record.

    Afterwards no file of a SQLite database holds the erased text. PostgreSQL's own write-ahead log, replicas and
    backups, and copies that were exported, are not reached.
    """
    scope = ErasureScope(
        dialogue_id=dialogue_id, subject_id=subject_id, episode_ids=episode_ids, whole_learner=whole_learner
    )
    if not yes:
        click.confirm(f"Erase this of learner {learner_id} for ever?", abort=True, err=True)
    settings = load_settings()
    with open_record(settings) as record:
        erased = erase_of_learner(record, learner_id, scope, actor=LOCAL_OWNER.learner_id, settings=settings.memory)
    erasure, disabled = erased.erasure, list(erased.disabled)
    if as_json:
        write_json({**asdict(erasure), "experiences_disabled": disabled})
    else:
        click.echo(f"{erasure.episodes} episodes erased")
        if disabled:
            click.echo(f"experiences with no other source, now disabled: {', '.join(disabled)}")
    if not erasure.scrubbed:
        raise InputError(
            "the text is gone from the tables, but another program is reading the database and its files may still "
            "hold it: stop the other program and start any command, which finishes the erasure"
        )


def _read(path: str) -> str:
    if path == "-":
        return sys.stdin.read()
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from error
