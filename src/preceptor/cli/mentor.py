"""`preceptor mentor`: a better reply for each turn of the dialogues of a file, with what was weak about the old one."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, cast

import click

from preceptor.cli.json_lines import write_json
from preceptor.domain.dialogue import Dialogue
from preceptor.domain.rubric import Critique
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.distillation_opening import EngineChoice, open_roles, review_rule
from preceptor.experience.mentor import Revision
from preceptor.experience.turn_review import ReviewRule, Roles
from preceptor.experience.turn_reviewer import answered_turns
from preceptor.pedagogy.dialogue_formats import FORMATS, problem_of, read_dialogues
from preceptor.settings import load_settings
from preceptor.tutoring.offline import context_at


@click.command()
@click.argument("file")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="jsonl",
    show_default=True,
    help="How FILE is written.",
)
@click.option(
    "--engine",
    type=click.Choice(["builtin", "llm"]),
    default=None,
    help="builtin: no model, whatever the settings say; llm: the models that the settings bind; default: the settings.",
)
@click.option("--routed-only", is_flag=True, help="Only turns that the revision rule sends to the mentor.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a turn.")
def mentor(file: str, form: str, engine: str | None, routed_only: bool, as_json: bool) -> None:
    """Revise each reply of the dialogues of FILE (or - for stdin), one line a turn.

    A line names the flaws of the reply and gives the better one, its score before and after, and what it teaches;
    `revision` is null where there is nothing better to offer, or where the learner was not read.
    """
    settings = load_settings()
    roles, rule = open_roles(settings, engine=cast("EngineChoice | None", engine)), review_rule(settings)
    asyncio.run(_revise_all(file, form, roles, rule, routed_only=routed_only, as_json=as_json))


async def _revise_all(
    file: str, form: str, roles: Roles, rule: ReviewRule, *, routed_only: bool, as_json: bool
) -> None:
    for dialogue in read_dialogues(file, form):
        for place in answered_turns(dialogue):
            line = await _revised(dialogue, place, roles, rule)
            if routed_only and not line["needs_revision"]:
                continue
            if as_json:
                write_json(line)
            else:
                click.echo(_as_text(line))


async def _revised(dialogue: Dialogue, place: int, roles: Roles, rule: ReviewRule) -> dict[str, Any]:
    context = context_at(dialogue, place, problem_of(dialogue))
    reply = dialogue.turns[place].tutor or ""
    observation = await roles.observer.observe(context)
    evidence = await roles.observer.observe_reply(context, observation, reply)
    turn = ReviewedTurn(context=context, observation=observation, reply=reply, evidence=evidence)
    before = await roles.critic.critique(turn)
    revision = await roles.mentor.revise(turn, before)
    after: Critique | None = None
    if revision is not None:
        seen = await roles.observer.observe_reply(context, observation, revision.reply)
        after = await roles.critic.critique(replace(turn, reply=revision.reply, evidence=seen))
    return {
        "dialogue_id": dialogue.dialogue_id,
        "turn": place,
        "needs_revision": rule.rule.needs_revision(before.scores),
        "percent_before": before.percent,
        "percent_after": after.percent if after else None,
        "passes_gate": rule.rule.admits(after.scores) if after else None,
        "summary": evidence.summary,
        "revision": _as_json(revision) if revision else None,
    }


def _as_json(revision: Revision) -> dict[str, Any]:
    return {
        "flaws": [{"code": flaw.code, "said": flaw.said} for flaw in revision.flaws],
        "reply": revision.reply,
        "template": revision.template,
        "strategy": revision.strategy.value,
        "strategy_notes": list(revision.strategy_notes),
        "pitfalls": list(revision.pitfalls),
        "struggle_handling": revision.struggle_handling,
        "addresses": revision.addresses,
        "move": revision.move,
        "engine": revision.engine,
    }


def _as_text(line: dict[str, Any]) -> str:
    head = f"{line['dialogue_id']} turn {line['turn']}"
    if line["revision"] is None:
        return f"{head}: nothing better to offer"
    flaws = ", ".join(flaw["code"] for flaw in line["revision"]["flaws"]) or "no flaw named"
    before, after = (_percent(line[name]) for name in ("percent_before", "percent_after"))
    return f"{head}: {before} → {after} · {flaws}\n  {line['revision']['reply']}"


def _percent(value: float | None) -> str:
    return "unscored" if value is None else f"{value:.2f} %"
