"""The map of a subject from its readings, its problems and what its instructor taught: the same parts, the same map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from preceptor.concepts.calibration import MergeThreshold
from preceptor.concepts.canonical_key import canonical_key, concept_id_of
from preceptor.concepts.merging import Merged, joined, merge_readings
from preceptor.concepts.prerequisites import MAX_PREREQUISITES, inside, named_in
from preceptor.domain.concept import (
    NAMED,
    BuildsOn,
    Concept,
    ConceptMap,
    ConceptMerge,
    ConceptReading,
)
from preceptor.errors import InputError
from preceptor.models.embedder import Embedder

WITNESSES = 2
"""So many concepts must assume something before it becomes a node. (seed: without it 11 concepts became 34 nodes)"""


@dataclass(frozen=True, kw_only=True)
class BuiltMap:
    """A map and how it came about."""

    map: ConceptMap
    merges: tuple[ConceptMerge, ...] = ()


def build_map(
    subject_id: str,
    readings: Sequence[ConceptReading],
    *,
    embedder: Embedder | None = None,
    threshold: MergeThreshold | None = None,
    problems: ConceptMap | None = None,
) -> BuiltMap:
    """Return the map of a subject.

    Args:
        subject_id: Of every reading.
        readings: In the order their files were added.
        embedder: Used where it speaks a reading's language; `None`: names are merged by key alone.
        threshold: Of this embedder; `None`: merged by key alone.
        problems: What `from_problems.problems_map` gives, of the same subject.

    Raises:
        InputError: A reading or the problems belong to another subject.
    """
    for other in [reading.subject_id for reading in readings] + ([problems.subject_id] if problems else []):
        if other != subject_id:
            raise InputError(f"the map of {subject_id!r} cannot hold concepts of {other!r}")
    merged = merge_readings(readings, embedder, threshold)
    concepts = {concept.key: concept for concept in merged.concepts}
    edges = _edges(subject_id, readings, merged)
    _add_across(readings, concepts, edges, merged)
    _add_assumed(subject_id, concepts, edges, merged)
    if problems is not None:
        _add_problems(concepts, edges, problems, merged)
    found = ConceptMap(
        subject_id=subject_id,
        concepts=tuple(concepts.values()),
        edges=tuple(sorted(edges.values(), key=lambda edge: (edge.concept_id, -edge.weight, edge.prerequisite_id))),
    )
    return BuiltMap(map=found, merges=merged.merges)


_Edges = dict[tuple[str, str], BuildsOn]


def _edges(subject_id: str, readings: Sequence[ConceptReading], merged: Merged) -> _Edges:
    """Return what the readings say themselves.

    An edge to something that only a LATER file introduces is left out where an earlier file already explains the
    concept: that later file uses it, it does not found it.
    """
    edges: _Edges = {}
    first, explained = _first_places(readings, merged)
    for reading in readings:
        source = f"{reading.engine}:{reading.document_id}"
        for read in reading.concepts:
            key = merged.keys[canonical_key(read.name, reading.language)]
            for name in read.builds_on:
                other = merged.keys.get(canonical_key(name, reading.language))
                if other is not None and first[other] <= explained.get(key, len(readings)):
                    _add_edge(edges, concept_id_of(subject_id, key), concept_id_of(subject_id, other), source)
    return edges


def _first_places(readings: Sequence[ConceptReading], merged: Merged) -> tuple[dict[str, int], dict[str, int]]:
    """Return for each key the first reading that has it, and the first that explains it."""
    first: dict[str, int] = {}
    explained: dict[str, int] = {}
    for place, reading in enumerate(readings):
        for read in reading.concepts:
            key = merged.keys[canonical_key(read.name, reading.language)]
            first.setdefault(key, place)
            if read.definition or read.explained:
                explained.setdefault(key, place)
    return first, explained


def _add_edge(edges: _Edges, concept_id: str, prerequisite_id: str, source: str, weight: float = 1.0) -> None:
    """Add an edge or strengthen it; one source counts once."""
    if concept_id == prerequisite_id:
        return
    old = edges.get((concept_id, prerequisite_id))
    if old is None:
        edges[concept_id, prerequisite_id] = BuildsOn(
            concept_id=concept_id, prerequisite_id=prerequisite_id, weight=weight, provenance=(source,)
        )
    elif source not in old.provenance:
        edges[concept_id, prerequisite_id] = replace(
            old, weight=old.weight + weight, provenance=(*old.provenance, source)
        )


def _add_across(
    readings: Sequence[ConceptReading], concepts: dict[str, Concept], edges: _Edges, merged: Merged
) -> None:
    """Add edges between files: a definition that names what an EARLIER file introduced, or a name that holds its name.

    A reading knows only its own list, so without these every file would be an island.
    """
    first, _ = _first_places(readings, merged)
    for place, reading in enumerate(readings):
        earlier = [key for key, at in first.items() if at < place and concepts[key].language == reading.language]
        for read in reading.concepts if earlier else ():
            key = merged.keys[canonical_key(read.name, reading.language)]
            if first[key] != place:
                continue
            named = dict.fromkeys((*named_in(read.definition or "", earlier, reading.language), *inside(key, earlier)))
            for other in list(named)[:MAX_PREREQUISITES]:
                source = f"{reading.engine}:{reading.document_id}"
                _add_edge(edges, concepts[key].concept_id, concepts[other].concept_id, source)


def _add_assumed(subject_id: str, concepts: dict[str, Concept], edges: _Edges, merged: Merged) -> None:
    """Turn what two concepts assume into a node, and what a concept of the map already is into an edge."""
    wanted: dict[str, list[tuple[str, str]]] = {}
    for concept in list(concepts.values()):
        for name in concept.assumes:
            key = canonical_key(name, concept.language)
            wanted.setdefault(merged.keys.get(key, key), []).append((concept.key, name))
    for key, holders in wanted.items():
        witnesses = list(dict.fromkeys(holder for holder, _ in holders if holder != key))
        if key not in concepts:
            if len(witnesses) < WITNESSES:
                continue
            first = concepts[witnesses[0]]
            concepts[key] = Concept(
                concept_id=concept_id_of(subject_id, key),
                subject_id=subject_id,
                name=holders[0][1],
                key=key,
                language=first.language,
                layer="assumed",
                readiness=NAMED,
                provenance=tuple(dict.fromkeys(source for one in witnesses for source in concepts[one].provenance)),
            )
        for holder in witnesses:
            one = concepts[holder]
            _add_edge(edges, one.concept_id, concepts[key].concept_id, f"assumed by {holder}")
            concepts[holder] = replace(
                one, assumes=tuple(name for name in one.assumes if canonical_key(name, one.language) != key)
            )


def _add_problems(concepts: dict[str, Concept], edges: _Edges, problems: ConceptMap, merged: Merged) -> None:
    """Add the concepts of problems; one that a file gives too stays one node."""
    ids: dict[str, str] = {}
    for concept in problems.concepts:
        names = [concept.name, *concept.aliases]
        key = next((merged.keys[one] for one in map(canonical_key, names) if one in merged.keys), concept.key)
        concepts[key] = joined(concepts[key], concept) if key in concepts else concept
        ids[concept.concept_id] = concepts[key].concept_id
    for edge in problems.edges:
        for source in edge.provenance or ("problems",):
            _add_edge(edges, ids[edge.concept_id], ids[edge.prerequisite_id], source, edge.weight)
