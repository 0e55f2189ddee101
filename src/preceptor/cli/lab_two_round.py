"""`preceptor lab two-round`: a simulated learner works, hears something, revises; with feedback and without."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from preceptor.cli.json_lines import read_lines, write_json
from preceptor.domain.reply import Rung
from preceptor.errors import InputError
from preceptor.settings import Settings, load_settings

if TYPE_CHECKING:
    from preceptor.lab.protocols.round_report import RoundReport
    from preceptor.lab.protocols.two_round import OpenLearner, RevisingLearner, RoundRow, RoundTask

_FILE = click.Path(path_type=Path, dir_okay=False)
_TIERS = {"nudge": Rung.NUDGE, "locate": Rung.LOCATE, "substep": Rung.NEXT_SUBSTEP, "parallel": Rung.WORKED_PARALLEL}


@click.command("two-round")
@click.option(
    "--tasks", type=click.Choice(["traces", "maths", "both"]), default="both", show_default=True, help="What."
)
@click.option("--trace-file", "traces", type=_FILE, multiple=True, help="A search problem of your own, in ours' place.")
@click.option("--problems", "problems_file", type=_FILE, help="Word problems of your own, JSON lines, in ours' place.")
@click.option(
    "--learner",
    type=click.Choice(["scripted", "llm"]),
    default="scripted",
    show_default=True,
    help="Who revises: rules with chosen chances, or the model of the role learner.",
)
@click.option("--learners", type=click.IntRange(1, 1000), default=8, show_default=True, help="Learners a task.")
@click.option("--tier", type=click.Choice(list(_TIERS)), default="locate", show_default=True, help="Help with traces.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same scripted learners.")
@click.option("--rows", "with_rows", is_flag=True, help="Print every first work, feedback and second work too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def two_round(
    tasks: str,
    traces: tuple[Path, ...],
    problems_file: Path | None,
    learner: str,
    learners: int,
    tier: str,
    seed: int,
    with_rows: bool,
    as_json: bool,
) -> None:
    """Compare a simulated learner's revision after feedback with one after "please check again".

    On our own search problems and word problems, or yours; the tutor is the one of the settings. The table has every
    transition, harm included. With scripted learners or a builtin tutor this checks a mechanism; it says nothing about
    teaching.
    """
    from preceptor.lab.protocols.round_report import report_text, round_report
    from preceptor.lab.protocols.two_round import run_two_rounds

    settings = load_settings()
    own = [*_own_traces(traces, tier), *_own_problems(problems_file, settings, writable=learner == "scripted")]
    chosen = own or _tasks(tasks, tier, settings)
    run = asyncio.run(run_two_rounds(chosen, _opener(learner, seed, settings), n_learners=learners))
    report = round_report(run, seed=seed)
    if as_json:
        write_json(_as_json(report, run.rows if with_rows else ()))
        return
    click.echo(report_text(report))
    for row in run.rows if with_rows else ():
        click.echo(
            f"\n{row.task_id}, learner {row.learner}, {row.arm}: {row.cell}\n{row.first}> {row.said}\n{row.second}"
        )


def _tasks(tasks: str, tier: str, settings: Settings) -> list[RoundTask]:
    from preceptor.lab.protocols.maths_task import sample_maths_tasks
    from preceptor.lab.protocols.trace_task import sample_trace_tasks
    from preceptor.tutoring.engines import open_turn_maker

    found: list[RoundTask] = []
    if tasks != "maths":
        found += sample_trace_tasks(_TIERS[tier])
    if tasks != "traces":
        found += sample_maths_tasks(open_turn_maker(settings), tutor_engine=_tutor_engine(settings))
    return found


def _own_traces(files: tuple[Path, ...], tier: str) -> list[RoundTask]:
    from preceptor.lab.protocols.trace_task import TraceTask

    found: list[RoundTask] = []
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{file}: {error}") from error
        found.append(TraceTask(f"trace-{file.stem}", text, tier=_TIERS[tier]))
    return found


def _own_problems(file: Path | None, settings: Settings, *, writable: bool) -> list[RoundTask]:
    """Return the word problems of a file; one that cannot be graded by is named on stderr and left out."""
    from preceptor.lab.protocols.maths_task import MathsTask
    from preceptor.lab.protocols.maths_task import writable as can_be_written
    from preceptor.record.problem_formats import parse_problem
    from preceptor.tutoring.engines import open_turn_maker

    if file is None:
        return []
    maker = open_turn_maker(settings)
    found: list[RoundTask] = []
    for number, line in read_lines(str(file)):
        try:
            task = MathsTask(parse_problem(line, "jsonl"), maker, tutor_engine=_tutor_engine(settings))
        except InputError as error:
            click.echo(f"{file}, line {number}: left out: {error}", err=True)
            continue
        if writable and not can_be_written(task.graph):
            click.echo(f"{file}, line {number}: left out: a step is no plain calculation", err=True)
            continue
        found.append(task)
    if not found:
        raise InputError(f"{file}: no problem whose worked solution can be graded by")
    return found


def _tutor_engine(settings: Settings) -> str:
    role = settings.roles.tutor
    return "builtin tutor" if role.engine == "builtin" else f"{role.provider}/{role.model}"


def _opener(learner: str, seed: int, settings: Settings) -> OpenLearner:
    from preceptor.lab.protocols.scripted_learner import open_scripted_learner

    if learner == "scripted":
        return lambda task, number: open_scripted_learner(task, number, seed=seed)
    from preceptor.lab.protocols.llm_learner import LlmLearner
    from preceptor.models.opening import open_model
    from preceptor.safety.redaction import PersonalDataRedactor

    model = open_model(settings, "learner", PersonalDataRedactor())

    def opened(task: RoundTask, number: int) -> RevisingLearner:
        return LlmLearner(model, task)

    return opened


def _as_json(report: RoundReport, rows: tuple[RoundRow, ...]) -> dict[str, Any]:
    difference = None if report.difference is None else asdict(report.difference)
    return {
        "label": report.label,
        "learners": list(report.learner_engines),
        "tutors": list(report.tutor_engines),
        "arms": {
            arm: {
                "rows": table.n,
                "transitions": {cell.value: count for cell, count in table.counts.items()},
                **{
                    name: {**asdict(ratio), "share": ratio.share}
                    for name, ratio in (
                        ("improved", table.improved),
                        ("improved_as_published", table.improved_as_published),
                        ("harmed", table.harmed),
                    )
                },
            }
            for arm, table in report.tables.items()
        },
        "difference": difference,
        "screened": report.screened,
        "leaks": [{"task_id": row.task_id, "learner": row.learner, "leak": row.leak} for row in report.leaks],
        "unscored": report.unscored,
        "unscored_by_reason": report.unscored_by_reason,
        "parse_failure_rate": report.parse_failure_rate,
        "rows": [{**asdict(row), "cell": row.cell.value} for row in rows],
    }
