"""`preceptor course`: make courses of files, add, list, show and remove files, mark them official."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import click
from pydantic import TypeAdapter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from preceptor.cli.course_ask import ask_course
from preceptor.cli.course_evaluate import compare_course, evaluate_course
from preceptor.cli.course_search import search_course
from preceptor.cli.json_lines import write_json
from preceptor.course.ingestion import FileReport
from preceptor.course.library import CourseLibrary, open_library
from preceptor.domain.course import Course, PageProblem
from preceptor.domain.passage import Document
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.errors import InputError, NotFoundError
from preceptor.models.embedder import open_embedder
from preceptor.settings import load_settings

_COURSE = TypeAdapter(Course)
_DOCUMENT = TypeAdapter(Document)
_PROBLEM = TypeAdapter(PageProblem)


@click.group()
def course() -> None:
    """Make courses of files, and look into them."""


course.add_command(search_course)
course.add_command(ask_course)
course.add_command(evaluate_course)
course.add_command(compare_course)


@course.command("create")
@click.argument("subject_id")
@click.option("--title", default="", help="The course's name as people say it; without it, its id.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def create_course(subject_id: str, title: str, as_json: bool) -> None:
    """Make a course; SUBJECT_ID names it in every other command: a-z, 0-9, dot, dash and underscore."""
    with open_library(load_settings()) as library:
        made = library.create(LOCAL_OWNER, subject_id, title)
    if as_json:
        write_json(_COURSE.dump_python(made, mode="json"))
    else:
        click.echo(f"course {made.subject_id} ({made.title})")


@course.command("add")
@click.argument("subject_id")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--create", is_flag=True, help="Make the course if it is not there.")
@click.option(
    "--vectors/--no-vectors", default=True, help="Also make the passages' vectors now; else the server makes them."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a file.")
def add_files(subject_id: str, paths: tuple[Path, ...], create: bool, vectors: bool, as_json: bool) -> None:
    """Add files and folders to a course: PDF, Markdown, HTML, text, Word and PowerPoint.

    A file that cannot be read is named with the reason and the rest is added. Adding again replaces what changed and
    passes over what did not. Exits with 1 only when no file could be read.
    """
    settings = load_settings()
    embedder = open_embedder(settings) if vectors else None
    with open_library(settings, embedder=embedder) as library:
        if create:
            _create_if_absent(library, subject_id)
        reports = _added(library, subject_id, paths)
        for report in reports:
            _print_report(report, as_json)
        n_vectors = _write_vectors(library, subject_id)
    counts = Counter(report.status for report in reports)
    summary = ", ".join(f"{counts[status]} {status}" for status in ("added", "changed", "unchanged", "refused"))
    n_passages = sum(report.n_passages for report in reports)
    click.echo(f"{summary}; {n_passages} passages read, {n_vectors} vectors made", err=True)
    if len(reports) == counts["refused"]:
        raise InputError(f"{', '.join(str(path) for path in paths)}: no file could be read")


@course.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def list_courses(as_json: bool) -> None:
    """List the courses with the number of their files and passages."""
    with open_library(load_settings()) as library:
        for found in library.store.courses():
            n_documents = len(library.store.documents(found.subject_id))
            n_passages = len(library.store.passages(found.subject_id))
            if as_json:
                row = {**_COURSE.dump_python(found, mode="json"), "n_documents": n_documents, "n_passages": n_passages}
                write_json(row)
            else:
                click.echo(f"{found.subject_id:24} {n_documents:5} files {n_passages:6} passages  {found.title}")


@course.command("show")
@click.argument("subject_id")
@click.argument("document", required=False)
@click.option("--page", type=click.IntRange(min=1), default=None, help="Print this page's text.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a document.")
def show_course(subject_id: str, document: str | None, page: int | None, as_json: bool) -> None:
    """Show a course's files, or one DOCUMENT (name or id) with what was found on its pages."""
    with open_library(load_settings()) as library:
        if document is None:
            library.store.course(subject_id)
            for found in library.store.documents(subject_id):
                _print_document(library, found, as_json, whole=False)
            return
        found = library.find(subject_id, document)
        if page is not None:
            text = library.page(subject_id, found.document_id, page).text
            if as_json:
                write_json({"document_id": found.document_id, "page": page, "text": text})
            else:
                click.echo(text)
            return
        _print_document(library, found, as_json, whole=True)


@course.command("remove")
@click.argument("subject_id")
@click.argument("document")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def remove_file(subject_id: str, document: str, as_json: bool) -> None:
    """Take DOCUMENT (name or id) out of a course; what cites it will say that it is gone."""
    with open_library(load_settings()) as library:
        gone = library.remove(LOCAL_OWNER, subject_id, document)
    if as_json:
        write_json(_DOCUMENT.dump_python(gone, mode="json"))
    else:
        click.echo(f"{gone.name} was removed from {subject_id}")


@course.command("official")
@click.argument("subject_id")
@click.argument("document")
@click.option("--off", is_flag=True, help="Take the mark back.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def mark_official(subject_id: str, document: str, off: bool, as_json: bool) -> None:
    """Mark DOCUMENT (name or id) as official: its passages go first where others are as good."""
    with open_library(load_settings()) as library:
        marked = library.mark_official(LOCAL_OWNER, subject_id, document, not off)
    if as_json:
        write_json(_DOCUMENT.dump_python(marked, mode="json"))
    else:
        click.echo(f"{marked.name} is {'official' if marked.official else 'not official'}")


def _create_if_absent(library: CourseLibrary, subject_id: str) -> None:
    try:
        library.store.course(subject_id)
    except NotFoundError:
        library.create(LOCAL_OWNER, subject_id, "")


def _added(library: CourseLibrary, subject_id: str, paths: tuple[Path, ...]) -> list[FileReport]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("reading", total=None)

        def show(done: int, total: int, name: str) -> None:
            progress.update(task, completed=done, total=total, description=name[-40:] or "read")

        return library.add(LOCAL_OWNER, subject_id, paths, progress=show)


def _write_vectors(library: CourseLibrary, subject_id: str) -> int:
    if library.vectors is None:
        return 0
    with click.progressbar(length=1, label="making vectors", file=sys.stderr) as bar:

        def show(done: int) -> None:
            bar.length = len(library.store.passages(subject_id)) if bar.length == 1 else bar.length
            bar.update(done - bar.pos)

        return library.vectors.write_all(subject_id, progress=show)


def _print_report(report: FileReport, as_json: bool) -> None:
    if as_json:
        write_json(asdict(report))
        return
    if report.status == "refused":
        click.echo(f"{report.name}: {report.detail}", err=True)
        return
    parts = [f"{report.n_pages} pages"]
    if report.status != "unchanged":
        parts.append(f"{report.n_passages} passages")
    if report.status == "changed":
        parts.append(f"{report.kept} kept, {report.replaced} replaced")
    if report.n_problems:
        parts.append(f"{report.n_problems} things to look at")
    click.echo(f"{report.name}: {report.status}, {', '.join(parts)}")


def _print_document(library: CourseLibrary, found: Document, as_json: bool, *, whole: bool) -> None:
    problems = library.problems(LOCAL_OWNER, found.subject_id, found.document_id)
    if as_json:
        row = {**_DOCUMENT.dump_python(found, mode="json"), "n_problems": len(problems)}
        if whole:
            row["problems"] = [_PROBLEM.dump_python(problem, mode="json") for problem in problems]
        write_json(row)
        return
    mark = "official" if found.official else "        "
    click.echo(f"{mark}  {found.n_pages:5} pages  {len(problems):3} to look at  {found.name}")
    for problem in problems if whole else ():
        shown = f": {problem.excerpt!r}" if problem.excerpt else ""
        click.echo(f"  page {problem.page}, {problem.kind}: {problem.detail}{shown}")
