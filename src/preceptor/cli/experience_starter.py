"""`preceptor experience starter` and `import-starter`: the experience that comes with the program, remade or added."""

from __future__ import annotations

import time
from pathlib import Path

import click

from preceptor.cli.json_lines import write_json
from preceptor.errors import InputError
from preceptor.experience.distillation import DistillationProgress
from preceptor.experience.distillation_opening import DEFAULT_CONCURRENCY
from preceptor.experience.repository_opening import experience_store, open_repository
from preceptor.experience.starter import add_starter, starter_text
from preceptor.settings import load_settings

_EVERY = 20
"""Dialogues between two lines of progress."""


@click.command("starter")
@click.option("--output", type=click.Path(dir_okay=False), default=None, help="Write the entries to this file.")
@click.option("--check", is_flag=True, help="Compare with what is shipped; exit with 1 where a byte differs.")
@click.option(
    "--concurrency",
    type=click.IntRange(1, 64),
    default=DEFAULT_CONCURRENCY,
    show_default=True,
    help="Dialogues reviewed at once; the result is the same.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with the funnel.")
def make_starter_file(output: str | None, check: bool, concurrency: int, as_json: bool) -> None:
    """Remake the experience that comes with the program, from scripted learners on the sample problems.

    Builtin engines only; the same program makes the same bytes. Nothing in this installation is read or changed.
    """
    from preceptor.lab.starter_repository import make_starter

    began = time.monotonic()
    made = make_starter(processes=concurrency, progress=_show)
    text = "".join(line + "\n" for line in made.lines)
    same = text == starter_text()
    if output is not None:
        try:
            Path(output).write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{output}: {error.strerror}") from error
    figures = {
        "problems": made.n_problems,
        "dialogues": made.n_dialogues,
        "entries": len(made.lines),
        "same_as_shipped": same,
        "seconds": round(time.monotonic() - began, 1),
    }
    if as_json:
        write_json({**figures, "funnel": dict(made.funnel)})
    else:
        for name, n in made.funnel.items():
            click.echo(f"{name:22} {n}")
        click.echo(", ".join(f"{name} {value}" for name, value in figures.items()), err=True)
    if check and not same:
        raise InputError("the shipped experience is not what this program makes: run it with --output")


@click.command("import-starter")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def import_starter(as_json: bool) -> None:
    """Add the experience that comes with the program, where it is not stored yet.

    A fresh installation has it already: it is added when page or chat first start.
    """
    settings = load_settings()
    with experience_store(settings) as store:
        added = add_starter(open_repository(settings, store))
    if as_json:
        write_json({"added": added})
    else:
        click.echo(f"{added} entries added")


def _show(so_far: DistillationProgress) -> None:
    if so_far.dialogues % _EVERY == 0:
        click.echo(f"{so_far.dialogues} dialogues, {so_far.turns} turns, {so_far.added} admitted", err=True)
