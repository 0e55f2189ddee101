"""`preceptor course evaluate` and `compare`: a set of questions asked of a course, under one configuration or two."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from preceptor.cli.json_lines import write_json
from preceptor.settings import Settings, load_settings

if TYPE_CHECKING:
    from preceptor.lab.course_evaluation import EvaluationQuestion, Variant
    from preceptor.lab.course_judge import Judge
    from preceptor.lab.course_judging import JudgedMeasure
    from preceptor.lab.course_measures import AnswerRow

_FILE = click.Path(path_type=Path, dir_okay=False)
_SEED = 1
"""Of the intervals' resampling. (chosen)"""


@click.command("evaluate")
@click.argument("subject_id")
@click.argument("questions_file", type=_FILE)
@click.option(
    "--with", "changed", default="", help='Settings for this run: "profile=kite stages_off=mmr tutor=builtin".'
)
@click.option("--judge", "judged", is_flag=True, help="Also ask the model of the role judge, for six more measures.")
@click.option("--beta", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True, help="Of F-beta.")
@click.option("--rows", "with_rows", is_flag=True, help="With --json: each question's reply, passages and citations.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def evaluate_course(
    subject_id: str, questions_file: Path, changed: str, judged: bool, beta: float, with_rows: bool, as_json: bool
) -> None:
    """Ask a course every question of QUESTIONS_FILE and measure what was found, said and cited.

    docs/formats.md describes the file. Nothing is kept. Without --judge no model is asked for a verdict.
    """
    from preceptor.lab.course_evaluation import read_evaluation_questions, variant
    from preceptor.lab.course_judging import judged_json, judged_text
    from preceptor.lab.course_measures import judge_free
    from preceptor.lab.course_report import evaluation_json, evaluation_text

    questions = read_evaluation_questions(questions_file)
    settings = load_settings()
    judge = _open_judge(settings) if judged else None
    rows = _ask(questions, subject_id, [variant(changed, settings)])[0]
    measures = judge_free(rows, seed=_SEED)
    found = _judge(rows, judge, settings, beta) if judge is not None else None
    if as_json:
        values = evaluation_json(rows, measures, with_rows=with_rows)
        write_json({**values, "judged": None if judge is None or found is None else judged_json(found, judge)})
        return
    click.echo(evaluation_text(rows, measures))
    if judge is not None and found is not None:
        click.echo("\n" + judged_text(found, judge))


@click.command("compare")
@click.argument("subject_id")
@click.argument("questions_file", type=_FILE)
@click.option("--first", "first_text", default="default", show_default=True, help="Settings of the first run.")
@click.option("--second", "second_text", required=True, help='Settings of the second run: "stages_off=rerank,boost".')
@click.option("--rows", "with_rows", is_flag=True, help="With --json: both runs on each question where they differ.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def compare_course(
    subject_id: str, questions_file: Path, first_text: str, second_text: str, with_rows: bool, as_json: bool
) -> None:
    """Ask a course the same questions under two configurations: every measure, paired by question.

    A configuration is "default" or key=value parts: fields of course_retrieval (profile, stages_off, top,
    answerable_from, reranker_folder), and tutor for that role's engine.
    """
    from preceptor.lab.course_evaluation import read_evaluation_questions, variant
    from preceptor.lab.course_measures import compare_measures, judge_free
    from preceptor.lab.course_report import comparison_json, comparison_text

    settings = load_settings()
    variants = [variant(first_text, settings), variant(second_text, settings)]
    questions = read_evaluation_questions(questions_file)
    first, second = _ask(questions, subject_id, variants)
    compared = compare_measures(judge_free(first, seed=_SEED), judge_free(second, seed=_SEED), first, seed=_SEED)
    names = (variants[0].name, variants[1].name)
    if as_json:
        write_json(comparison_json(names, (first, second), compared, with_rows=with_rows))
    else:
        click.echo(comparison_text(names, (first, second), compared))


def _ask(
    questions: Sequence[EvaluationQuestion], subject_id: str, variants: Sequence[Variant]
) -> list[tuple[AnswerRow, ...]]:
    from preceptor.lab.course_evaluation import ask_all
    from preceptor.record.record import open_record
    from preceptor.tutoring.shared_embedder import SharedEmbedder

    settings = variants[0].settings
    embedder = SharedEmbedder(settings)
    found = []
    with open_record(settings) as record:
        for one in variants:
            with click.progressbar(length=len(questions), label=one.name, file=sys.stderr) as bar:

                def show(done: int, bar: object = bar) -> None:
                    bar.update(1)  # type: ignore[attr-defined]

                found.append(asyncio.run(ask_all(questions, subject_id, one.settings, record, embedder, progress=show)))
    return found


def _open_judge(settings: Settings) -> Judge:
    """Return the judge, before anything else is done.

    Raises:
        SettingsError: The role has no model.
    """
    from preceptor.errors import SettingsError
    from preceptor.lab.course_judge import Judge
    from preceptor.models.opening import open_model
    from preceptor.safety.redaction import PersonalDataRedactor

    if settings.roles.judge.engine != "llm":
        raise SettingsError("roles.judge.engine is builtin; expected llm: no verdict can be given without a model")
    return Judge(model=open_model(settings, "judge", PersonalDataRedactor()))


def _judge(rows: Sequence[AnswerRow], judge: Judge, settings: Settings, beta: float) -> tuple[JudgedMeasure, ...]:
    from preceptor.lab.course_judging import JudgedRow, judge_row, judged_measures
    from preceptor.models.embedder import open_embedder

    embedder = open_embedder(settings)

    async def every() -> list[JudgedRow]:
        found = []
        with click.progressbar(rows, label="judging", file=sys.stderr) as bar:
            for row in bar:
                found.append(await judge_row(row, judge, embedder, beta=beta))
        return found

    return judged_measures(rows, asyncio.run(every()), seed=_SEED)
