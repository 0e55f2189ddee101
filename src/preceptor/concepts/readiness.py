"""Numbers about a map, kept apart: how much of it the MATERIAL explains, and how much of it a learner confirmed.

A header that mixed the two was read as the learner's mastery; so no function here mixes them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from preceptor.concepts.centrality import centrality
from preceptor.domain.concept import CONFIRMED, EXPLAINED, TAUGHT, Concept, ConceptMap


@dataclass(frozen=True, kw_only=True)
class Readiness:
    """What is known about a map, each in [0, 1]; `None` for an empty map."""

    coverage: float | None
    """Share of the map, by centrality, that files explain or a person taught: the number for the header."""
    material: float | None
    """Mean of the bands .35, .60, 1.0 by centrality: a hub that no file explains costs more than a leaf."""
    confirmed: float | None
    """Share of the map, by centrality, on which this learner passed a check; for the record view only."""


def readiness(concepts: ConceptMap, confirmed_ids: Collection[str] = ()) -> Readiness:
    """Return the numbers of a map; `confirmed_ids` are the concepts on which ONE learner passed a check."""
    rank = centrality(concepts)
    if not rank:
        return Readiness(coverage=None, material=None, confirmed=None)
    held = concepts.concepts
    return Readiness(
        coverage=sum(rank[one.concept_id] for one in held if one.readiness >= EXPLAINED),
        material=sum(rank[one.concept_id] * one.readiness for one in held),
        confirmed=sum(rank[one.concept_id] for one in held if one.concept_id in confirmed_ids),
    )


def concept_readiness(concept: Concept, *, confirmed: bool) -> float:
    """Return a concept's band for one learner: .85 once a check was passed, 1.0 where a person taught it."""
    if concept.readiness >= TAUGHT:
        return concept.readiness
    return max(concept.readiness, CONFIRMED) if confirmed else concept.readiness


def map_header(concepts: ConceptMap) -> str:
    """Return the one line that stands above a map, in a prompt and on a page."""
    share = readiness(concepts).coverage
    n = len(concepts.concepts)
    if share is None:
        return "SUBJECT MAP (no concepts yet)"
    noun = "concept" if n == 1 else "concepts"
    taught = any(one.readiness >= TAUGHT for one in concepts.concepts)
    who = "the files and what was taught explain" if taught else "the files explain"
    return f"SUBJECT MAP ({n} {noun}; {who} {share:.0%} of it, this is about the material, NOT the learner's mastery):"


def map_line(concepts: ConceptMap, concept_id: str) -> str:
    """Return one concept as a line of a map: "- Osmosis: … [taught: …] (builds on: …)"."""
    one = concepts.by_id[concept_id]
    notes = "".join(f" [taught: {note.text}]" for note in one.notes)
    on = ", ".join(other.name for other in concepts.prerequisites(concept_id))
    return f"- {one.name}{': ' + one.gist if one.gist else ''}{notes}{f' (builds on: {on})' if on else ''}"
