"""`preceptor reply`: the tutor's next reply to each dialogue of a file."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import click

from preceptor.cli.json_lines import write_json
from preceptor.domain.dialogue import Dialogue
from preceptor.pedagogy.dialogue_formats import FORMATS, read_dialogues
from preceptor.settings import load_settings
from preceptor.tutoring.engines import open_turn_maker
from preceptor.tutoring.offline import OfflineReply, reply_offline


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
@click.option("--all-turns", is_flag=True, help="Reply to every learner utterance, not only to the last.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a reply, with its turn record.")
def reply(file: str, format_name: str, all_turns: bool, as_json: bool) -> None:
    """Make the tutor's next reply to the last learner utterance of each dialogue in FILE (or - for stdin)."""
    asyncio.run(_reply_all(file, format_name, all_turns, as_json))


async def _reply_all(file: str, format_name: str, all_turns: bool, as_json: bool) -> None:
    maker = open_turn_maker(load_settings())
    for dialogue in read_dialogues(file, format_name):
        for place in _places(dialogue, all_turns):
            made = await reply_offline(maker, dialogue, place)
            if as_json:
                write_json(_as_json(dialogue, made))
            else:
                click.echo(f"{dialogue.dialogue_id} turn {made.turn}: {made.record.reply.text}")


def _places(dialogue: Dialogue, all_turns: bool) -> Iterator[int]:
    spoken = [place for place, turn in enumerate(dialogue.turns) if turn.learner.strip()]
    yield from spoken if all_turns else spoken[-1:]


def _as_json(dialogue: Dialogue, made: OfflineReply) -> dict[str, Any]:
    observation = made.record.observation
    return {
        "dialogue_id": dialogue.dialogue_id,
        "turn": made.turn,
        "reply": made.record.reply.text,
        "step": {
            "node": made.record.reply.node,
            "line": observation.wrong_line if observation else None,
            "line_turn": made.wrong_line_turn,
            "line_index": made.wrong_line_index,
        },
        "record": made.record.model_dump(mode="json"),
    }
