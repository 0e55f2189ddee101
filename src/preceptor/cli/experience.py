"""`preceptor experience`: look into the repository of teaching experience, and tend it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import click

from preceptor.cli.experience_distill import distill
from preceptor.cli.experience_lines import (
    decision_json,
    decision_line,
    described,
    report_lines,
    retrieved_json,
    retrieved_line,
    shortened,
    tags,
    use_json,
)
from preceptor.cli.experience_starter import import_starter, make_starter_file
from preceptor.cli.json_lines import read_lines, write_json
from preceptor.domain.experience import Experience, ExperienceStatus
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus
from preceptor.errors import InputError
from preceptor.experience.calibration import measure_thresholds, store_thresholds, thresholds_of
from preceptor.experience.experience_export import (
    experience_json,
    export_experiences,
    import_experiences,
    parse_experience,
)
from preceptor.experience.repository_opening import experience_store, open_repository
from preceptor.experience.repository_reembedding import reembed
from preceptor.experience.repository_report import report_repository
from preceptor.experience.repository_words import LEXICAL
from preceptor.experience.retrieval import ExperienceRetrieval, RetrievalRule
from preceptor.models.embedder import open_embedder
from preceptor.settings import load_settings
from preceptor.stores.experiences import ExperienceQuery

_ERRORS = click.Choice([one.value for one in ErrorType])
_STRUGGLES = click.Choice([one.value for one in StruggleStatus])
_STATUSES: tuple[ExperienceStatus, ...] = ("active", "disabled", "superseded")


@click.group()
def experience() -> None:
    """Look into the repository of teaching experience, and tend it."""


experience.add_command(distill)
experience.add_command(make_starter_file)
experience.add_command(import_starter)


@experience.command("list")
@click.option("--error-type", type=_ERRORS, default=None, help="Only entries for this kind of mistake.")
@click.option("--struggle", type=_STRUGGLES, default=None, help="Only entries for this struggle status.")
@click.option("--status", type=click.Choice([*_STATUSES, "all"]), default="active", help="Only entries with it.")
@click.option("--text", default="", help="Only entries whose sentence contains this.")
@click.option("--limit", type=click.IntRange(min=1), default=None, help="At most so many; --json lists all without it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, whole entries.")
def list_experiences(
    error_type: str | None, struggle: str | None, status: str, text: str, limit: int | None, as_json: bool
) -> None:
    """List the entries in the order they were admitted."""
    query = ExperienceQuery(
        statuses=_STATUSES if status == "all" else (cast(ExperienceStatus, status),),
        error_type=ErrorType(error_type) if error_type else None,
        struggle_status=StruggleStatus(struggle) if struggle else None,
        text=text,
        limit=limit or (None if as_json else 20),
    )
    with experience_store(load_settings()) as store:
        found = store.find(query)
    for entry in found:
        if as_json:
            write_json(experience_json(entry))
        else:
            click.echo(f"{entry.experience_id}  {entry.utility:5.1f}  {tags(entry.state)}  {shortened(entry.sentence)}")
    if not as_json:
        click.echo(f"{len(found)} entries", err=True)


@experience.command("show")
@click.argument("experience_id")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show_experience(experience_id: str, as_json: bool) -> None:
    """Show one entry with its sources, lineage, uses and every decision about it."""
    with experience_store(load_settings()) as store:
        entry = store.get(experience_id)
        uses = store.uses(experience_id)
        named = store.decisions(experience_id)
        decisions = [line for line in named if line.candidate_id == experience_id or line.outcome != "inserted"]
        children = [child.experience_id for child in store.children(experience_id)]
    if as_json:
        shown = {
            **experience_json(entry),
            "children": children,
            "uses": [use_json(use) for use in uses],
            "decisions": [decision_json(line) for line in decisions],
        }
        write_json(shown)
        return
    for line in described(entry, children):
        click.echo(line)
    for use in uses:
        click.echo(
            f"used in {use.dialogue_id} turn {use.turn}: score {use.score:.1f}, then utility {use.utility_after:.1f}"
        )
    for decision in decisions:
        click.echo(decision_line(decision))


@experience.command("search")
@click.argument("text")
@click.option("--error-type", type=_ERRORS, default="N/A", help="The learner's kind of mistake; N/A matches every one.")
@click.option("--struggle", type=_STRUGGLES, default="N/A", help="The learner's struggle status.")
@click.option("--emotion", type=click.Choice([one.value for one in Emotion]), default="Neutral", help="The emotion.")
@click.option("--intent", type=click.Choice([one.value for one in Intent]), default="Debugging", help="The intent.")
@click.option("--any-state", is_flag=True, help="Search the whole repository, whatever the learner's state.")
@click.option("--k", type=click.IntRange(min=1), default=5, help="At most so many.")
@click.option("--all", "any_similarity", is_flag=True, help="Also those below the threshold.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def search_experiences(
    text: str,
    error_type: str,
    struggle: str,
    emotion: str,
    intent: str,
    any_state: bool,
    k: int,
    any_similarity: bool,
    as_json: bool,
) -> None:
    """Find entries by meaning: TEXT says what the learner does wrong, or why they are stuck."""
    settings = load_settings()
    state = LearnerState(
        emotion=Emotion(emotion),
        intent=Intent(intent),
        error_type=ErrorType(error_type),
        struggle_status=StruggleStatus(struggle),
    )
    rule = RetrievalRule(k=k, filters_state=not any_state, tau=-1.0 if any_similarity else None)
    with experience_store(settings) as store:
        retrieval = ExperienceRetrieval(open_repository(settings, store), rule=rule)
        found = asyncio.run(retrieval.find(state, error_detail=text, struggle_reason=""))
    if as_json:
        write_json(retrieved_json(found))
        return
    for entry, similarity in zip(found.chosen, found.similarities, strict=True):
        click.echo(f"{similarity:.3f}  {entry.experience_id}  {tags(entry.state)}  {shortened(entry.sentence)}")
    click.echo(retrieved_line(found), err=True)


@experience.command("disable")
@click.argument("experience_id")
@click.option("--reason", required=True, help="Why; kept in the audit log.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def disable_experience(experience_id: str, reason: str, as_json: bool) -> None:
    """Leave an entry out of retrieval; it is kept and can come back."""
    _switch(experience_id, reason, as_json, enable=False)


@experience.command("enable")
@click.argument("experience_id")
@click.option("--reason", required=True, help="Why; kept in the audit log.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def enable_experience(experience_id: str, reason: str, as_json: bool) -> None:
    """Take a disabled entry back into retrieval."""
    _switch(experience_id, reason, as_json, enable=True)


@experience.command("export")
@click.option("--output", type=click.Path(), default=None, help="Write to this file instead of standard output.")
@click.option("--json", "as_json", is_flag=True, help="Accepted for uniformity: an export is always JSON lines.")
def export_all(output: str | None, as_json: bool) -> None:
    """Print every entry, disabled and superseded ones too, as one JSON object a line."""
    with experience_store(load_settings()) as store:
        if output is None:
            for line in export_experiences(store):
                write_json(line)
            return
        try:
            with Path(output).open("w", encoding="utf-8") as stream:
                for line in export_experiences(store):
                    stream.write(json.dumps(line, ensure_ascii=False) + "\n")
        except OSError as error:
            raise InputError(f"{output}: {error.strerror}") from error


@experience.command("import")
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print one object instead of prose.")
def import_all(file: str, as_json: bool) -> None:
    """Add the entries of FILE (JSON lines as `experience export` writes them; - for standard input).

    Entries that are stored already are left alone. A line that is refused is named on stderr and the rest is
    added. Exits with 1 only when nothing could be read.
    """
    settings = load_settings()
    refused: list[int] = []
    with experience_store(settings) as store:
        counts = import_experiences(open_repository(settings, store), _parsed(file, refused))
    counts["refused"] = len(refused)
    if as_json:
        write_json({"file": file, **counts})
    else:
        click.echo(
            f"{counts['added']} added, {counts['known']} known, {counts['unreadable']} that the embedder cannot read, "
            f"{counts['refused']} lines refused"
        )
    if not counts["added"] + counts["known"]:
        raise InputError(f"{file}: no entry was added; expected lines as `preceptor experience export` writes them")


@experience.command("stats")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show_stats(as_json: bool) -> None:
    """Show the funnel from turns to entries, the decisions taken, and how compact the repository is."""
    settings = load_settings()
    with experience_store(settings) as store:
        report = report_repository(open_repository(settings, store))
    if as_json:
        write_json(asdict(report))
        return
    for line in report_lines(report):
        click.echo(line)


@experience.command("calibrate")
@click.option(
    "--texts",
    "file",
    default=None,
    help='JSON lines {"text": …, "category": …} to measure on; without it, the entries themselves by error type.',
)
@click.option("--dry-run", is_flag=True, help="Measure and print, store nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def calibrate(file: str | None, dry_run: bool, as_json: bool) -> None:
    """Measure the similarity thresholds of the embedder in use, and store them with its fingerprint.

    They are the 95th, 99th and 99.9th percentile of the similarity between texts of different error categories.
    """
    settings = load_settings()
    embedder = open_embedder(settings)
    fingerprint = embedder.fingerprint if embedder else LEXICAL
    with experience_store(settings) as store:
        if file is None:
            entries = store.find(ExperienceQuery())
            texts = [(entry.sentence, entry.state.error_type.value) for entry in entries]
        else:
            texts = [_labelled(line, file, number) for number, line in read_lines(file)]
        name = "the repository's own entries" if file is None else Path(file).name
        before = thresholds_of(store, fingerprint)
        after = measure_thresholds(texts, embedder, measured_on=name)
        if not dry_run:
            store_thresholds(store, fingerprint, after)
    if as_json:
        write_json({"embedder": fingerprint, "stored": not dry_run, "before": asdict(before), "after": asdict(after)})
        return
    click.echo(f"{fingerprint}: {after.measured['pairs']} pairs of {after.measured['texts']} texts ({name})")
    for label in ("tau", "tau_merge", "tau_dup"):
        click.echo(f"{label:10} {getattr(before, label):.4f} ({before.origin}) → {getattr(after, label):.4f}")
    click.echo("stored" if not dry_run else "nothing was stored", err=True)


@experience.command("reembed")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def reembed_all(as_json: bool) -> None:
    """Bring every entry to the embedder in use, or to words where none is installed."""
    settings = load_settings()
    embedder = open_embedder(settings)
    with (
        experience_store(settings) as store,
        click.progressbar(length=1, label="reading sentences", file=sys.stderr) as bar,
    ):

        def show(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        counts = reembed(store, embedder, progress=show)
        fingerprint = embedder.fingerprint if embedder else LEXICAL
        calibrated = store.thresholds(fingerprint) is not None
    if as_json:
        write_json({"embedder": fingerprint, "calibrated": calibrated, **counts})
        return
    click.echo(f"{counts['changed']} entries brought to {fingerprint}, {counts['disabled']} disabled as unreadable")
    if not calibrated:
        click.echo("its thresholds were never measured here: run `preceptor experience calibrate`", err=True)


def _switch(experience_id: str, reason: str, as_json: bool, *, enable: bool) -> None:
    settings = load_settings()
    with experience_store(settings) as store:
        repository = open_repository(settings, store)
        changed = (repository.enable if enable else repository.disable)(experience_id, reason=reason)
    if as_json:
        write_json(experience_json(changed))
    else:
        click.echo(f"{experience_id} is {changed.status}")


def _parsed(file: str, refused: list[int]) -> Iterator[Experience]:
    for number, line in read_lines(file):
        try:
            yield parse_experience(line)
        except InputError as error:
            refused.append(number)
            click.echo(f"{file} line {number}: {error}", err=True)


def _labelled(line: dict[str, Any], file: str, number: int) -> tuple[str, str]:
    text, category = line.get("text"), line.get("category")
    if not isinstance(text, str) or not isinstance(category, str):
        raise InputError(f'{file} line {number}: expected {{"text": string, "category": string}}')
    return text, category
