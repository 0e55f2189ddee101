"""`preceptor memory export` and `forget`."""

from __future__ import annotations

from dataclasses import asdict

import click

from preceptor.cli.json_lines import write_json
from preceptor.cli.memory_scope import learner_option, open_memory
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.errors import InputError
from preceptor.memory.export import export_learner
from preceptor.record.erasure_scope import ErasureScope
from preceptor.tutoring.erasure import erase_of_learner


@click.command("export")
@learner_option
@click.option("--json", "as_json", is_flag=True, help="Accepted for uniformity: an export is always JSON lines.")
def export_memory(learner_id: str, as_json: bool) -> None:
    """Print everything that is kept about a learner, in every subject, as one JSON object a line."""
    with open_memory() as memory:
        for line in export_learner(memory.record, learner_id):
            write_json(line)


@click.command("forget")
@learner_option
@click.option("--episode", "episode_ids", multiple=True, help="Forget one episode; may be repeated.")
@click.option("--all", "whole_learner", is_flag=True, help="Forget everything of the learner.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print one object instead of prose.")
def forget_memory(learner_id: str, episode_ids: tuple[str, ...], whole_learner: bool, yes: bool, as_json: bool) -> None:
    """Erase memories for ever, with everything that was derived from them; what is left is derived again."""
    scope = ErasureScope(episode_ids=episode_ids, whole_learner=whole_learner)
    if not yes:
        click.confirm(f"Forget this of learner {learner_id} for ever?", abort=True, err=True)
    with open_memory() as memory:
        erased = erase_of_learner(
            memory.record, learner_id, scope, actor=LOCAL_OWNER.learner_id, settings=memory.settings
        )
    if as_json:
        write_json({**asdict(erased.erasure), "experiences_disabled": list(erased.disabled)})
    else:
        click.echo(f"{erased.erasure.episodes} episodes forgotten")
    if not erased.erasure.scrubbed:
        raise InputError(
            "the text is gone from the tables, but another program is reading the database and its files may still "
            "hold it: stop the other program and start any command, which finishes the erasure"
        )
