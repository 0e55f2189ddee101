"""`preceptor lab`: measurements of the tutor on data of your own."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from preceptor.cli.json_lines import write_json
from preceptor.cli.lab_review import review
from preceptor.cli.lab_two_round import two_round
from preceptor.lab.memory_designs import ALL_DESIGNS, DesignName
from preceptor.settings import Settings, load_settings

if TYPE_CHECKING:
    from preceptor.lab.memory_answers import Answerer


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
@click.option(
    "--answers",
    type=click.Choice(["none", "builtin", "llm"]),
    default="none",
    show_default=True,
    help="Let the builtin tutor, or the model of the role tutor, answer too; by strings.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def memory(
    histories_file: str,
    questions_file: str,
    chosen: tuple[DesignName, ...],
    once: bool,
    failures: bool,
    answers: str,
    as_json: bool,
) -> None:
    """Ask histories questions under four designs of memory with one budget; docs/formats.md describes the files."""
    from preceptor.lab.memory_answers import answers_table, run_answers
    from preceptor.lab.memory_benchmark import run_benchmark, table
    from preceptor.lab.memory_histories import read_histories, read_questions

    histories = read_histories(histories_file)
    questions = read_questions(questions_file, histories)
    designs = tuple(name for name in ALL_DESIGNS if name in chosen or not chosen)
    settings = load_settings()
    answerer = _answerer(answers, settings)
    report = run_benchmark(histories, questions, settings, designs=designs, rerun=not once)
    answered = (
        () if answerer is None else asyncio.run(run_answers(histories, questions, settings, answerer, designs=designs))
    )
    failed = [one for one in report.scored if not one.passed] if failures else []
    if as_json:
        values = asdict(report)
        values["scored"] = [{**asdict(one), "passed": one.passed} for one in failed]
        values["answers"] = [asdict(one) for one in answered]
        write_json(values)
        return
    click.echo(table(report))
    if answerer is not None:
        click.echo(answers_table(answered, answerer.engine))
    for one in failed:
        click.echo(f"{one.design} {one.question_id} ({one.kind}): {'; '.join(one.details[:6])}")


def _answerer(engine: str, settings: Settings) -> Answerer | None:
    from preceptor.lab.memory_answers import BuiltinAnswerer, LlmAnswerer
    from preceptor.models.opening import open_model
    from preceptor.safety.redaction import PersonalDataRedactor

    if engine == "none":
        return None
    return (
        BuiltinAnswerer() if engine == "builtin" else LlmAnswerer(open_model(settings, "tutor", PersonalDataRedactor()))
    )


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


lab.add_command(two_round)
lab.add_command(review)
