"""`preceptor problem`: import, list and show the problems of the bank."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import click
from pydantic import TypeAdapter
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from preceptor.cli.json_lines import write_json
from preceptor.domain.problem import Problem
from preceptor.errors import InputError
from preceptor.record.problem_formats import PROBLEM_FORMATS, ProblemFormat, parse_problem
from preceptor.record.record import open_record
from preceptor.settings import load_settings
from preceptor.stores.protocols import ProblemStore

_PROBLEM = TypeAdapter(Problem)
_BATCH = 500
"""Problems stored with one commit. (chosen: an interrupted import loses at most these)"""


@click.group()
def problem() -> None:
    """Import, list and show problems."""


@problem.command("import")
@click.argument("file")
@click.option(
    "--format",
    "form",
    type=click.Choice(PROBLEM_FORMATS),
    required=True,
    help="Which data set's format the lines are in; jsonl is our own.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one object instead of prose.")
def import_problems(file: str, form: str, as_json: bool) -> None:
    """Import problems from FILE (JSON lines, plain or .gz; - for standard input).

    A line that cannot be read is named on stderr and the rest is imported. Importing a file again replaces its
    problems. Exits with 1 only when nothing was imported.
    """
    with open_record(load_settings()) as record, _opened(file) as (stream, size):
        counts = _import(record.problems, stream, size, cast(ProblemFormat, form), file)
    if as_json:
        write_json({"file": file, **counts})
    else:
        click.echo(
            f"{counts['added']} problems added, {counts['replaced']} replaced, {counts['refused']} lines refused"
        )
    if not counts["added"] + counts["replaced"]:
        raise InputError(f"{file}: no problem was imported; expected JSON lines in the format {form}")


@problem.command("list")
@click.option("--search", default="", help="Only problems whose text contains this.")
@click.option("--language", default=None, help="Only problems in this language, a BCP 47 tag.")
@click.option("--subject", "subject_id", default=None, help="Only problems of this subject.")
@click.option("--limit", type=click.IntRange(min=1), default=None, help="At most so many; --json lists all without it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, whole problems.")
def list_problems(search: str, language: str | None, subject_id: str | None, limit: int | None, as_json: bool) -> None:
    """List the problems of the bank in the order they were added."""
    wanted = limit or (sys.maxsize if as_json else 20)
    with open_record(load_settings()) as record:
        shown = 0
        while shown < wanted:
            page = record.problems.find(
                limit=min(_BATCH, wanted - shown),
                offset=shown,
                subject_id=subject_id,
                language=language,
                text=search,
            )
            for found in page:
                _print(found, as_json)
            shown += len(page)
            if len(page) < _BATCH:
                break
        total = record.problems.count()
    if not as_json:
        click.echo(f"{shown} of {total} problems", err=True)


@problem.command("show")
@click.argument("problem_id")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show_problem(problem_id: str, as_json: bool) -> None:
    """Show one problem with its solution and answer."""
    with open_record(load_settings()) as record:
        found = record.problems.get(problem_id)
    if as_json:
        write_json(_PROBLEM.dump_python(found, mode="json"))
        return
    click.echo(
        f"{found.problem_id}  ({found.language}, {found.source or 'no source'}, {found.licence or 'no licence'})"
    )
    click.echo(f"\n{found.text}")
    click.echo(f"\nSolution:\n{found.solution or '(none)'}")
    click.echo(f"\nAnswer: {found.answer or '(none)'}")


def _print(found: Problem, as_json: bool) -> None:
    if as_json:
        write_json(_PROBLEM.dump_python(found, mode="json"))
        return
    line = " ".join(found.text.split())
    click.echo(f"{found.problem_id:28}  {line if len(line) <= 80 else line[:79] + '…'}")


def _import(
    store: ProblemStore, stream: Iterator[tuple[int, bytes]], size: int | None, form: ProblemFormat, file: str
) -> dict[str, int]:
    counts = {"added": 0, "replaced": 0, "refused": 0}
    batch: list[Problem] = []
    seen: dict[str, int] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(f"importing {file}", total=size)
        for number, (position, line) in enumerate(stream, start=1):
            progress.update(task, completed=position)
            if not line.strip():
                continue
            try:
                found = parse_problem(_object(line), form)
                if found.problem_id in seen:
                    raise InputError(f"{found.problem_id} stands on line {seen[found.problem_id]} already")
            except InputError as error:
                counts["refused"] += 1
                click.echo(f"{file} line {number}: {error}", err=True)
                continue
            seen[found.problem_id] = number
            batch.append(found)
            if len(batch) == _BATCH:
                _store(store, batch, counts)
        _store(store, batch, counts)
    return counts


def _store(store: ProblemStore, batch: list[Problem], counts: dict[str, int]) -> None:
    added = store.put_many(batch)
    counts["added"] += added
    counts["replaced"] += len(batch) - added
    batch.clear()


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError("not JSON") from error
    if not isinstance(value, dict):
        raise InputError(f"expected a JSON object, got {type(value).__name__}")
    return value


@contextmanager
def _opened(file: str) -> Iterator[tuple[Iterator[tuple[int, bytes]], int | None]]:
    """Open a file, plain or gzip by its content, as lines with the bytes read so far, and its size."""
    if file == "-":
        yield _lines(sys.stdin.buffer, sys.stdin.buffer, file), None
        return
    path = Path(file)
    try:
        raw = path.open("rb")
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    with raw:
        packed = raw.peek(2)[:2] == b"\x1f\x8b"
        text = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if packed else raw
        yield _lines(text, raw, file), path.stat().st_size


def _lines(text: BinaryIO, raw: BinaryIO, file: str) -> Iterator[tuple[int, bytes]]:
    seekable = raw.seekable()
    try:
        for line in text:
            yield (raw.tell() if seekable else 0), line
    except (EOFError, gzip.BadGzipFile, OSError) as error:
        raise InputError(f"{file}: the file breaks off or is damaged ({error})") from error
