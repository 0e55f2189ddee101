"""`preceptor lab`: measurements of the tutor on data of your own."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from preceptor.cli.json_lines import write_json
from preceptor.lab.memory_designs import ALL_DESIGNS, DesignName
from preceptor.settings import load_settings


@click.group()
def lab() -> None:
    """Measure the tutor on data of your own; nothing of your installation is read or changed."""


@lab.command()
@click.option("--histories", "histories_file", required=True, metavar="FILE", help="Histories, JSON lines.")
@click.option("--questions", "questions_file", required=True, metavar="FILE", help="Questions about them, JSON lines.")
@click.option(
    "--design",
    "chosen",
    type=click.Choice(ALL_DESIGNS),
    multiple=True,
    help="Only this one; may be given again. Without: all.",
)
@click.option("--once", is_flag=True, help="Do not run a second time to count what scores differently.")
@click.option("--failures", is_flag=True, help="Print each question that failed too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def memory(
    histories_file: str,
    questions_file: str,
    chosen: tuple[DesignName, ...],
    once: bool,
    failures: bool,
    as_json: bool,
) -> None:
    """Ask histories questions under four designs of memory with one budget; docs/formats.md describes the files."""
    from preceptor.lab.memory_benchmark import run_benchmark, table
    from preceptor.lab.memory_histories import read_histories, read_questions

    histories = read_histories(histories_file)
    questions = read_questions(questions_file, histories)
    designs = tuple(name for name in ALL_DESIGNS if name in chosen or not chosen)
    report = run_benchmark(histories, questions, load_settings(), designs=designs, rerun=not once)
    failed = [one for one in report.scored if not one.passed] if failures else []
    if as_json:
        values = asdict(report)
        values["scored"] = [{**asdict(one), "passed": one.passed} for one in failed]
        write_json(values)
        return
    click.echo(table(report))
    for one in failed:
        click.echo(f"{one.design} {one.question_id} ({one.kind}): {'; '.join(one.details[:6])}")


@lab.command("make-histories")
@click.option("--histories", "n_histories", type=click.IntRange(1, 10_000), default=48, show_default=True, help="Many.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed makes the same files.")
@click.option("--held-out", is_flag=True, help="Word the questions in ways that no fault was mended by.")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def make_histories(n_histories: int, seed: int, held_out: bool, folder: Path) -> None:
    """Write histories.jsonl and questions.jsonl with known truth into FOLDER: made up, in six languages."""
    from preceptor.lab.memory_generator import generate
    from preceptor.lab.memory_question_maker import make_questions

    made = generate(seed=seed, n_histories=n_histories)
    questions = make_questions(made, seed=seed, wordings="held_out" if held_out else "questions")
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("histories", [one.history for one in made]), ("questions", list(questions))):
        lines = [row.model_dump_json(by_alias=True, exclude_defaults=True) for row in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    click.echo(f"{len(made)} histories, {len(questions)} questions", err=True)
