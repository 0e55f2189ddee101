"""`preceptor critique`: score each reply of the dialogues of a file on the rubric."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from preceptor.cli.json_lines import write_json
from preceptor.domain.rubric import Critique, Dimension
from preceptor.experience.critic_histogram import make_histogram, reviewed_turns
from preceptor.experience.distillation_opening import review_rule
from preceptor.experience.engines import open_critic
from preceptor.experience.revision_rule import RevisionRule
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.dialogue_formats import FORMATS, read_dialogues
from preceptor.settings import load_settings


@click.command()
@click.argument("file")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    default="jsonl",
    show_default=True,
    help="How FILE is written.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a turn.")
def critique(file: str, format_name: str, as_json: bool) -> None:
    """Score each reply to a learner in the dialogues of FILE (or - for stdin), one line a turn.

    A line has dialogue_id, turn, scores (0 to 4, or N/A), percent, flags and needs_revision. Critic and thresholds are
    those of the settings.
    """
    asyncio.run(_critique_all(file, format_name, as_json))


async def _critique_all(file: str, format_name: str, as_json: bool) -> None:
    settings = load_settings()
    observer, critic, rule = BuiltinObserver(), open_critic(settings), review_rule(settings).rule
    made: list[Critique] = []
    for dialogue in read_dialogues(file, format_name):
        for place, turn in reviewed_turns(dialogue, observer):
            found = await critic.critique(turn)
            made.append(found)
            line = turn_as_json(dialogue.dialogue_id, place, found, rule)
            if as_json:
                write_json(line)
            else:
                click.echo(_as_text(line))
    summary = make_histogram(made, rule)
    if summary.pass_rate is not None:
        click.echo(
            f"{summary.n} replies, mean {summary.mean_percent:.1f} %, {summary.revised} need revision, "
            f"{summary.admitted} pass the gate",
            err=True,
        )


def turn_as_json(dialogue_id: str, place: int, found: Critique, rule: RevisionRule) -> dict[str, Any]:
    """Return the critique of one reply as JSON values; `null` stands for unscored."""
    scores = {dimension: found.scores.of(dimension) for dimension in Dimension}
    return {
        "dialogue_id": dialogue_id,
        "turn": place,
        "scores": {dimension.value: score.value if score.applicable else "N/A" for dimension, score in scores.items()},
        "percent": None if found.percent is None else round(found.percent, 4),
        "flags": sorted(flag.value for flag in found.flags),
        "needs_revision": rule.needs_revision(found.scores),
        "passes_gate": rule.admits(found.scores),
        "severity": found.severity,
        "improvement_areas": [dimension.value for dimension in found.improvement_areas],
        "evidence": list(found.evidence),
        "engine": found.engine,
    }


def _as_text(line: dict[str, Any]) -> str:
    scores = " ".join(f"{name} {value}" for name, value in line["scores"].items())
    percent = "unscored" if line["percent"] is None else f"{line['percent']:.2f} %"
    verdict = "revise" if line["needs_revision"] else "passes" if line["passes_gate"] else "kept out"
    flags = f" · {', '.join(line['flags'])}" if line["flags"] else ""
    return f"{line['dialogue_id']} turn {line['turn']}: {percent} · {scores} · {verdict}{flags}"
