"""`preceptor memory beliefs`, `not-true`, `rederive` and `report`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import click

from preceptor.cli.json_lines import write_json
from preceptor.cli.memory_scope import open_memory, scope_of, scope_options, time_of
from preceptor.domain.belief import Belief
from preceptor.domain.concept import ConceptMap
from preceptor.memory.report import report
from preceptor.memory.self_model import belief_json

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of prose.")


@click.command("beliefs")
@scope_options
@click.option("--as-of", "as_of", default=None, help="What held at this time, such as 2026-07-12T00:00:00+02:00.")
@click.option("--known-at", "known_at", default=None, help="With --as-of: only what was known by this time.")
@click.option("--chain", "belief_id", default=None, help="Walk the chain that this belief belongs to.")
@_JSON
def show_beliefs(
    learner_id: str, subject_id: str, as_of: str | None, known_at: str | None, belief_id: str | None, as_json: bool
) -> None:
    """List what the tutor believes of a learner, each with the episodes it stands on."""
    scope = scope_of(learner_id, subject_id)
    with open_memory() as memory:
        if belief_id is not None:
            rows = memory.beliefs.chain(scope, belief_id)
        elif as_of is not None:
            known = time_of(known_at)() if known_at is not None else None
            rows = memory.beliefs.as_of(scope, time_of(as_of)(), known_at=known)
        else:
            rows = memory.beliefs.shown(scope)
        concepts, tally = memory.maps.map(subject_id), memory.beliefs.tally(scope)
    for one in rows:
        if as_json:
            write_json(belief_json(one, concepts))
        else:
            click.echo(_line(one, concepts))
    if not as_json:
        click.echo(tally.words, err=True)


@click.command("not-true")
@click.argument("belief_id")
@scope_options
@click.option("--note", default="", help="What the learner says about it; kept with it, erased with it.")
@_JSON
def deny_belief(belief_id: str, learner_id: str, subject_id: str, note: str, as_json: bool) -> None:
    """Say that a belief is not true: it is closed until new checks outweigh that."""
    with open_memory() as memory:
        closed = memory.beliefs.deny(scope_of(learner_id, subject_id), belief_id, note=note)
        concepts = memory.maps.map(subject_id)
    if as_json:
        write_json(belief_json(closed, concepts))
    else:
        click.echo(_line(closed, concepts))


@click.command("rederive")
@scope_options
@_JSON
def rederive_beliefs(learner_id: str, subject_id: str, as_json: bool) -> None:
    """Replay every check under today's rules; what changes is retired, never deleted, and no episode is touched."""
    with open_memory() as memory:
        done = memory.beliefs.rederive(scope_of(learner_id, subject_id))
    if as_json:
        write_json({"unchanged": done.unchanged, "changed": list(done.changed)})
    else:
        click.echo(f"{done.unchanged} concepts came out as they were, {len(done.changed)} were replayed")


@click.command("report")
@scope_options
@_JSON
def show_report(learner_id: str, subject_id: str, as_json: bool) -> None:
    """Report what is remembered: beliefs, what changed, months, calibration, citations, limits."""
    with open_memory() as memory:
        made = report(memory, scope_of(learner_id, subject_id))
    if as_json:
        write_json(made)
        return
    click.echo(cast(Mapping[str, Any], made["checks"])["words"])
    for one in _rows(made["beliefs"]):
        faded = ", faded: the next check confirms it" if one["to_confirm"] else ""
        click.echo(f"{one['claim']} {one['concept']} ({one['confidence']:.2f}{faded}), {len(one['evidence'])} checks")
    for one in _rows(made["changes"]):
        click.echo(f"{str(one['valid_from'])[:10]}: {one['concept']} became {one['claim']} ({one['reason']})")
    for one in _rows(made["months"]):
        counts = ", ".join(f"{kind} {count}" for kind, count in one["counts"].items())
        click.echo(f"{one['month']}: {counts}; checks right {one['checks_right']}, wrong {one['checks_wrong']}")
    calibration = cast(Mapping[str, Any], made["calibration"])
    ece = "none" if calibration["ece"] is None else f"{calibration['ece']:.3f}"
    click.echo(f"checks with a prediction: {calibration['n']}, calibration error: {ece}")
    for status, count in cast(Mapping[str, int], made["citations"]).items():
        click.echo(f"citations {status}: {count}")
    for limit in cast(list[str], made["limits"]):
        click.echo(f"limit: {limit}")


def _rows(value: object) -> list[dict[str, Any]]:
    return cast(list[dict[str, Any]], value)


def _line(one: Belief, concepts: ConceptMap) -> str:
    concept = concepts.by_id.get(one.concept_id)
    name = concept.name if concept is not None else one.concept_id
    confidence = "" if one.confidence is None else f" ({one.confidence:.2f})"
    evidence = " ".join(part.episode_id for part in one.evidence)
    since = one.valid_from.date().isoformat()
    return f"{one.belief_id}  {one.claim} {name}{confidence}  since {since}, {one.reason}  {evidence}"
