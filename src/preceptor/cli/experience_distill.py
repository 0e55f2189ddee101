"""`preceptor experience distill`: dialogues become experience, with the funnel from turns to entries at the end."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

import click

from preceptor.cli.json_lines import write_json
from preceptor.domain.dialogue import Dialogue
from preceptor.errors import InputError
from preceptor.experience.distillation import DistillationProgress, funnel_of
from preceptor.experience.distillation_opening import DEFAULT_CONCURRENCY, EngineChoice, OpenDistillation
from preceptor.pedagogy.dialogue_formats import FORMATS, read_dialogues
from preceptor.record.record import open_record
from preceptor.settings import load_settings
from preceptor.tutoring.log_dialogues import dialogues_for_teaching

_EVERY_S = 2.0
"""Seconds between two lines of progress."""


@click.command("distill")
@click.argument("files", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="jsonl",
    show_default=True,
    help="How the files are written.",
)
@click.option("--from-log", is_flag=True, help="Distil this installation's dialogues, of learners who allow it.")
@click.option(
    "--engine",
    type=click.Choice(["builtin", "llm"]),
    default=None,
    help="builtin: no model, whatever the settings say; llm: the models that the settings bind; default: the settings.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 64),
    default=DEFAULT_CONCURRENCY,
    show_default=True,
    help="Dialogues under way at once.",
)
@click.option("--simulated", is_flag=True, help="The learners are scripted; entries are marked so.")
@click.option(
    "--resume",
    is_flag=True,
    help="Go on where a run was stopped. Turns that are done are skipped with or without it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def distill(
    files: tuple[str, ...],
    form: str,
    from_log: bool,
    engine: str | None,
    concurrency: int,
    simulated: bool,
    resume: bool,
    as_json: bool,
) -> None:
    """Distil the dialogues of FILES (or - for stdin) into the repository, and print the funnel.

    Each turn is observed, scored, revised where the rule asks for it, held against the gate, and put into words that
    belong to no problem and to no learner. It can be killed at any time: turns that are done are not done again, and
    the repository becomes the same.
    """
    if bool(files) == from_log:
        raise InputError("give either FILES or --from-log, not both and not neither")
    with open_record(load_settings()) as record:
        source = dialogues_for_teaching(record) if from_log else _read(files, form)
        dialogues = list(source)
        run = OpenDistillation(
            load_settings(),
            record.experiences,
            record.distilled,
            engine=cast("EngineChoice | None", engine),
            concurrency=concurrency,
            batch=_batch(files),
            simulated=simulated,
        )
        ids = [dialogue.dialogue_id for dialogue in dialogues]
        before = sum(n for *_, n in record.distilled.tally(ids))
        if before or resume:
            click.echo(f"{before} turns of these dialogues were done before", err=True)
        ended = asyncio.run(run.run(dialogues, _shower(len(dialogues))))
        funnel = funnel_of(record.distilled.tally(ids))
    if as_json:
        write_json(_as_json(ended, funnel))
        return
    for name, n in funnel.items():
        click.echo(f"{name:22} {n}")
    if ended.failed:
        click.echo(f"{ended.failed} turns failed and are tried again next time", err=True)


def _read(files: Iterable[str], form: str) -> Iterable[Dialogue]:
    for file in files:
        yield from read_dialogues(file, form)


def _batch(files: tuple[str, ...]) -> str:
    """Return a name of the run that follows from what it reads."""
    if not files:
        return "log"
    names = "\0".join(Path(file).name for file in files)
    return "files-" + hashlib.sha256(names.encode()).hexdigest()[:10]


def _shower(total: int) -> Callable[[DistillationProgress], None]:
    """Return what prints a line of progress now and then."""
    shown_at = time.monotonic()

    def show(so_far: DistillationProgress) -> None:
        nonlocal shown_at
        now = time.monotonic()
        if now - shown_at < _EVERY_S and so_far.dialogues < total:
            return
        shown_at = now
        cost = f", {so_far.calls} calls, {so_far.cost_usd:.4f} USD so far" if so_far.calls else ""
        click.echo(
            f"{so_far.dialogues}/{total} dialogues, {so_far.turns} turns reviewed, {so_far.known} known, "
            f"{so_far.added} admitted{cost}",
            err=True,
        )

    return show


def _as_json(ended: DistillationProgress, funnel: dict[str, int]) -> dict[str, Any]:
    return {
        "dialogues": ended.dialogues,
        "turns_reviewed": ended.turns,
        "turns_known": ended.known,
        "turns_failed": ended.failed,
        "admitted": ended.added,
        "disagreements": ended.disagreements,
        "calls": ended.calls,
        "cost_usd": round(ended.cost_usd, 6),
        "reasons": dict(sorted(ended.reasons.items())),
        "funnel": funnel,
    }
