"""The repository as JSON lines, out and in: one experience a line. Vectors are left out: the reader makes its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from preceptor.domain.experience import Experience, experience_id_of
from preceptor.errors import InputError, NotFoundError
from preceptor.experience.abstract_text import NOWHERE, experience_faults
from preceptor.experience.repository import ExperienceRepository
from preceptor.stores.experiences import ExperienceChange, ExperienceDecision, ExperienceQuery, ExperienceStore

FORMAT_VERSION = 1
_EXPERIENCE = TypeAdapter(Experience)
_PAGE = 500


def experience_json(experience: Experience) -> dict[str, Any]:
    """Return an experience as a JSON object, with the version of the format."""
    written: dict[str, Any] = _EXPERIENCE.dump_python(experience, mode="json")
    return {"format_version": FORMAT_VERSION, **written}


def export_experiences(store: ExperienceStore) -> Iterator[dict[str, Any]]:
    """Yield every experience, whatever its status, in the order it was stored, as JSON objects."""
    start = 0
    while True:
        query = ExperienceQuery(statuses=("active", "disabled", "superseded"), limit=_PAGE, offset=start)
        page = store.find(query)
        yield from map(experience_json, page)
        if len(page) < _PAGE:
            return
        start += _PAGE


def parse_experience(line: Mapping[str, Any]) -> Experience:
    """Return the experience that `experience_json` wrote.

    Raises:
        InputError: The version is another one, a field is wrong, the id is not that of the content, or a text holds
            what an abstract text must not; the message names it.
    """
    fields = dict(line)
    version = fields.pop("format_version", None)
    if version != FORMAT_VERSION:
        raise InputError(f"format_version {version!r}, expected {FORMAT_VERSION}")
    try:
        experience = _EXPERIENCE.validate_python(fields)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"{'.'.join(str(part) for part in first['loc']) or 'experience'}: {first['msg']}") from error
    _check_id(experience)
    faults = experience_faults(experience, NOWHERE)
    if faults:
        raise InputError(f"{experience.experience_id}: {'; '.join(str(fault) for fault in faults)}")
    return experience


def import_experiences(repository: ExperienceRepository, experiences: Iterable[Experience]) -> dict[str, int]:
    """Store what an export held, as it was: ids, utilities, statuses. What is stored already is left alone.

    Sentences are compared anew by this repository's embedder: entries made for another one are taken over to it.

    Returns:
        Counts of `added`, `known` and `unreadable` (their sentences cannot be compared here).
    """
    counts = {"added": 0, "known": 0, "unreadable": 0}
    for given in experiences:
        if _is_stored(repository.store, given.experience_id):
            counts["known"] += 1
            continue
        experience = replace(given, embedder=repository.fingerprint)
        if not repository.can_read(experience.sentence):
            counts["unreadable"] += 1
            continue
        repository.store.commit(imported_change(repository, experience))
        counts["added"] += 1
    repository.refresh()
    return counts


def imported_change(repository: ExperienceRepository, experience: Experience) -> ExperienceChange:
    """Return what storing one imported experience writes: its vector and a line in the audit log."""
    vector = repository.stored_form(experience.sentence)
    line = ExperienceDecision(
        candidate_id=experience.experience_id,
        outcome="inserted",
        result_id=experience.experience_id,
        reason="imported",
        embedder=experience.embedder,
        decided_at=repository.now(),
    )
    return ExperienceChange(
        put=(experience,),
        vectors={} if vector is None else {experience.experience_id: vector},
        decisions=(line,),
    )


def _is_stored(store: ExperienceStore, experience_id: str) -> bool:
    try:
        store.get(experience_id)
    except NotFoundError:
        return False
    return True


def _check_id(experience: Experience) -> None:
    """Refuse an id that is not the content's. Sources that were erased since can no longer be checked."""
    if not experience.experience_id.startswith("x") or len(experience.experience_id) != 21:
        raise InputError(f"experience_id {experience.experience_id!r}: expected x and 20 hex digits")
    provenance = experience.provenance
    expected = experience_id_of(
        experience.state,
        experience.sentence,
        experience.value,
        sources=provenance.sources,
        parents=provenance.parents,
    )
    if provenance.sources and not provenance.parents and expected != experience.experience_id:
        raise InputError(
            f"experience_id {experience.experience_id!r} is not that of its content, expected {expected!r}"
        )
