"""`preceptor lab review`: sheets for people who judge feedback, and what their answers agree on."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from preceptor.cli.json_lines import write_json
from preceptor.errors import InputError

if TYPE_CHECKING:
    from preceptor.lab.review_sheets import ReviewItem, SheetFormat

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.group()
def review() -> None:
    """Have people judge feedback, blind, and see how far they agree."""


@review.command()
@click.argument("runs", nargs=-1, required=True, type=_FILE)
@click.option("--reviewer", "reviewers", multiple=True, required=True, help="A reviewer's name; give one for each.")
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder for the sheets.")
@click.option("--format", "form", type=click.Choice(["csv", "jsonl"]), default="csv", show_default=True, help="Form.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of the order, which differs by reviewer.")
def export(runs: tuple[Path, ...], reviewers: tuple[str, ...], out: Path, form: SheetFormat, seed: int) -> None:
    """Write one sheet per reviewer, and key.jsonl, which reviewers must not see.

    RUNS are outputs of `lab two-round --rows --json`; each file's name is where its items come from.
    """
    from preceptor.lab.review_sheets import key_text, make_sheet, sheet_text

    if len(set(reviewers)) != len(reviewers):
        raise InputError("--reviewer: expected each name once")
    for name in reviewers:
        if not name.replace("-", "").replace("_", "").isalnum():
            raise InputError(f"--reviewer: expected letters, digits, - and _, got {name!r:.60}")
    items = [item for run in runs for item in _items(run)]
    sheets = [make_sheet(items, name, seed=seed) for name in reviewers]
    out.mkdir(parents=True, exist_ok=True)
    for sheet in sheets:
        (out / f"sheet_{sheet.reviewer}.{form}").write_text(sheet_text(sheet, form), encoding="utf-8")
    (out / "key.jsonl").write_text(key_text(sheets), encoding="utf-8")
    click.echo(f"{len(sheets)} sheets of {len(items)} items", err=True)


@review.command()
@click.argument("sheets", nargs=-1, required=True, type=_FILE)
@click.option("--key", "key_file", required=True, type=_FILE, help="The key.jsonl of the export.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def score(sheets: tuple[Path, ...], key_file: Path, as_json: bool) -> None:
    """Print raw agreement, Cohen's kappa, AC1 and prevalence on each dimension, and the answers by origin."""
    from preceptor.lab.agreement import review_text, score_reviews
    from preceptor.lab.review_sheets import read_key, read_sheet

    keys = read_key(key_file)
    reviews = [one for file in sheets for one in read_sheet(file, keys)]
    found = score_reviews(reviews, keys)
    if as_json:
        write_json(asdict(found))
    else:
        click.echo(review_text(found))


def _items(run: Path) -> list[ReviewItem]:
    """Return the rows of a run's feedback arm that have a second work; the other arm's words would tell which it is."""
    from preceptor.lab.review_sheets import ReviewItem

    try:
        rows: list[dict[str, Any]] = json.loads(run.read_text(encoding="utf-8"))["rows"]
        found = [
            ReviewItem(
                item_id=f"{run.stem}/{row['task_id']}/{row['learner']}",
                origin=run.stem,
                first=row["first"],
                feedback=row["said"],
                second=row["second"],
            )
            for row in rows
            if row["arm"] == "feedback" and row["failure"] is None
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{run}: expected the output of lab two-round --rows --json ({error})") from error
    if not found:
        raise InputError(f"{run}: no rows; expected the output of lab two-round --rows --json")
    return found
