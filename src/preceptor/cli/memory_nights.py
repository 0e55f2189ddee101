"""`preceptor memory verify` and `nightly`."""

from __future__ import annotations

import click

from preceptor.cli.json_lines import write_json
from preceptor.cli.memory_scope import open_memory, scope_of, scope_options, time_of
from preceptor.stores.protocols import ChainHead

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of prose.")


@click.command("verify")
@scope_options
@click.option("--limit", type=click.IntRange(min=1), default=None, help="So many at most; else all, in batches.")
@_JSON
def verify_citations(learner_id: str, subject_id: str, limit: int | None, as_json: bool) -> None:
    """Look up whether the files that memories cite are still what they cited; never checked ones first."""
    scope = scope_of(learner_id, subject_id)
    with open_memory() as memory:
        n = limit if limit is not None else max(1, _episodes(memory.record.episodes.heads(learner_id), subject_id))
        found = memory.verifier.verify(scope, limit=n, now=memory.record.clock())
    if as_json:
        write_json({"looked_up": sum(found.values()), "statuses": dict(found)})
        return
    click.echo(f"{sum(found.values())} memories looked up")
    for status, count in sorted(found.items()):
        click.echo(f"{status}: {count}")


@click.command("nightly")
@click.option("--at", "at", default=None, help="Run the night as of this time, such as 2026-12-01T03:00:00+00:00.")
@_JSON
def run_nightly(at: str | None, as_json: bool) -> None:
    """Run the night that is due for every learner and subject; a second run finds nothing to do.

    A day gets its note once it has ended in the learner's time zone.
    """
    with open_memory(time_of(at)) as memory:
        reports = memory.nightly.run()
    for one in reports:
        done = {
            "learner_id": one.scope.learner_id,
            "subject_id": one.scope.subject_id,
            "through_day": one.through_day.isoformat(),
            "consolidated": [day.isoformat() for day in one.consolidated],
            "beliefs_added": one.beliefs_added,
            "beliefs_faded": one.beliefs_faded,
            "verified": dict(one.verified),
        }
        if as_json:
            write_json(done)
        else:
            click.echo(
                f"{one.scope.learner_id}, {one.scope.subject_id}: {len(one.consolidated)} days noted, "
                f"{one.beliefs_added} beliefs added, {one.beliefs_faded} faded, {sum(one.verified.values())} citations"
            )
    if not as_json:
        click.echo(f"{len(reports)} learners' subjects worked through", err=True)


def _episodes(heads: list[ChainHead], subject_id: str) -> int:
    return sum(head.sequence for head in heads if head.subject_id == subject_id)
