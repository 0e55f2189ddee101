"""`preceptor consent`: whether a learner's dialogues may teach the tutor."""

from __future__ import annotations

import click

from preceptor.cli.json_lines import write_json
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.record.record import open_record
from preceptor.settings import load_settings
from preceptor.stores.consents import Consent
from preceptor.stores.instants import instant_text
from preceptor.tutoring.teaching_consent import decide

_LEARNER = click.option(
    "--learner", "learner_id", default=LOCAL_OWNER.learner_id, show_default=True, help="Whose decision."
)


@click.group()
def consent() -> None:
    """Say whether dialogues may teach the tutor; they may not until a learner allows it."""


@consent.command("show")
@_LEARNER
@click.option("--json", "as_json", is_flag=True, help="Print one object instead of prose.")
def show_consent(learner_id: str, as_json: bool) -> None:
    """Show what a learner decided."""
    with open_record(load_settings()) as record:
        found = record.consents.get(learner_id)
    _print(learner_id, found, as_json)


@consent.command("set")
@click.option("--on/--off", "allowed", required=True, help="Whether experience may be distilled from their dialogues.")
@_LEARNER
@click.option("--json", "as_json", is_flag=True, help="Print one object instead of prose.")
def set_consent(allowed: bool, learner_id: str, as_json: bool) -> None:
    """Store what a learner decided. What was distilled before stays; `preceptor log erase` takes its links away."""
    with open_record(load_settings()) as record:
        made = decide(record, learner_id, use_for_teaching=allowed)
    _print(learner_id, made, as_json)


def _print(learner_id: str, found: Consent | None, as_json: bool) -> None:
    if as_json:
        write_json(
            {
                "learner_id": learner_id,
                "asked": found is not None,
                "use_for_teaching": found is not None and found.use_for_teaching,
                "decided_at": instant_text(found.decided_at) if found else None,
            }
        )
        return
    allowed = found is not None and found.use_for_teaching
    asked = "" if found else " (never asked)"
    click.echo(f"{learner_id}: dialogues {'may' if allowed else 'may not'} teach the tutor{asked}")
