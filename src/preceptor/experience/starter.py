"""The experience that comes with the program, so that a fresh install has some: distilled from our own simulations.

`lab/starter_repository.py` makes the file. Every entry is marked builtin and simulated.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files

from pydantic import TypeAdapter

from preceptor.domain.experience import Experience
from preceptor.experience.repository import ExperienceRepository
from preceptor.stores.experiences import ExperienceChange, ExperienceDecision, ExperienceQuery

FILE = "starter.jsonl"
IMPORTED = "came with the program"
"""Why an entry of the starter is in the audit log."""
_EXPERIENCE = TypeAdapter(Experience)


def starter_text() -> str:
    """Return the shipped file as it is."""
    return files("preceptor.experience").joinpath(FILE).read_text(encoding="utf-8")


def starter_entries() -> tuple[Experience, ...]:
    """Return the shipped entries, superseded ones too, in the order they were admitted.

    They are taken as they are: that each passes the validator is tested, not looked at in every start.
    """
    found = []
    for line in starter_text().splitlines():
        fields = json.loads(line)
        fields.pop("format_version")
        found.append(_EXPERIENCE.validate_python(fields))
    return tuple(found)


def begin_with_starter(repository: ExperienceRepository) -> int:
    """Store the shipped entries where nothing was ever written to the repository; return how many.

    All in one commit: a program that is killed leaves all or none, and of two that start together one does it.
    """
    if repository.store.revision():
        return 0
    change = _change(repository, starter_entries())
    stored = repository.store.commit(change, expected_revision=0) is not None
    repository.refresh()
    return len(change.put) if stored else 0


def add_starter(repository: ExperienceRepository) -> int:
    """Store the shipped entries that were never in this repository; return how many."""
    while True:
        revision = repository.store.revision()
        everything = ExperienceQuery(statuses=("active", "disabled", "superseded"))
        known = {entry.experience_id for entry in repository.store.find(everything)}
        new = [entry for entry in starter_entries() if entry.experience_id not in known]
        if not new:
            return 0
        change = _change(repository, new)
        if repository.store.commit(change, expected_revision=revision) is not None:
            repository.refresh()
            return len(change.put)


def _change(repository: ExperienceRepository, entries: Sequence[Experience]) -> ExperienceChange:
    """Return one commit with all entries that can be compared here, their vectors, and a line of the log for each."""
    own = [replace(entry, embedder=repository.fingerprint) for entry in entries]
    put = tuple(entry for entry in own if entry.status != "active" or repository.can_read(entry.sentence))
    vectors = {entry.experience_id: repository.stored_form(entry.sentence) for entry in put if entry.status == "active"}
    return ExperienceChange(
        put=put,
        vectors={key: vector for key, vector in vectors.items() if vector is not None},
        decisions=_lines(repository, put),
    )


def _lines(repository: ExperienceRepository, entries: Sequence[Experience]) -> tuple[ExperienceDecision, ...]:
    """Return one line a candidate: what became of it when the starter was made."""
    merged = {entry.provenance.parents[1]: entry for entry in entries if entry.provenance.parents}
    lines = []
    for entry in entries:
        if entry.provenance.parents:
            continue
        into = merged.get(entry.experience_id)
        lines.append(
            ExperienceDecision(
                candidate_id=entry.experience_id,
                outcome="merged" if into else "inserted",
                other_id=into.provenance.parents[0] if into else None,
                result_id=into.experience_id if into else entry.experience_id,
                reason=IMPORTED,
                embedder=repository.fingerprint,
                decided_at=repository.now(),
            )
        )
    return tuple(lines)
