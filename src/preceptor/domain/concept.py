"""The one concept map of a subject: what it is made of, and what builds on what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

ConceptLayer = Literal["file", "problem", "assumed", "taught"]
"""Where a concept came from first: a course file, a problem, two concepts that assume it, or a person."""

NAMED, EXPLAINED, CONFIRMED, TAUGHT = 0.35, 0.60, 0.85, 1.0
"""Readiness bands: named only, explained by a file, confirmed by a passed check, taught by a person. (seed: A Tutor
That Remembers)"""


@dataclass(frozen=True, kw_only=True)
class ConceptEvidence:
    """A page that explains a concept."""

    document_id: str
    page: int
    """1-based."""
    fingerprint: str = ""
    """Of the page as it was read; empty: unknown."""

    def __post_init__(self) -> None:
        """Refuse a page before the first."""
        if self.page < 1:
            raise ValueError(f"page must be 1 or more, got {self.page}")


@dataclass(frozen=True, kw_only=True)
class ReadConcept:
    """One concept as one reading of one file gives it; names, not ids."""

    name: str
    gist: str | None = None
    """One sentence."""
    definition: str | None = None
    """A sentence that says what it is; `None`: the file has none."""
    explained: bool = False
    """The file explains it though no one sentence defines it: a section of its own. Implied by a definition."""
    builds_on: tuple[str, ...] = ()
    """Names of the same reading only."""
    assumes: tuple[str, ...] = ()
    """What the file takes for known and does not explain."""
    pages: tuple[int, ...] = ()
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RefusedName:
    """A name that is no concept."""

    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class ConceptReading:
    """What one pass over one file found; the map is built from readings, so it can be built again."""

    subject_id: str
    document_id: str
    fingerprint: str
    """Of the file that was read."""
    language: str
    engine: str
    """`builtin` or the model that read it."""
    concepts: tuple[ReadConcept, ...]
    page_fingerprints: Mapping[int, str] = field(default_factory=dict)
    refused: tuple[RefusedName, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ConceptNote:
    """What a person taught about a concept."""

    text: str
    episode_id: str | None = None
    """The episode that records it; `None`: taught by the instructor outside a dialogue."""


@dataclass(frozen=True, kw_only=True)
class Concept:
    """A node of the map."""

    concept_id: str
    """Follows from subject and key: building the map again keeps it."""
    subject_id: str
    name: str
    key: str
    """`concepts.canonical_key` of the name; unique within a subject."""
    language: str
    layer: ConceptLayer = "file"
    readiness: float = NAMED
    """One of the bands, of the MATERIAL: no check of a learner is in it."""
    gist: str | None = None
    definition: str | None = None
    evidence: tuple[ConceptEvidence, ...] = ()
    provenance: tuple[str, ...] = ()
    """Engines and documents that gave it, in order, as `builtin:<document_id>`."""
    aliases: tuple[str, ...] = ()
    notes: tuple[ConceptNote, ...] = ()
    assumes: tuple[str, ...] = ()
    """Names it takes for known; drawn nowhere."""

    def __post_init__(self) -> None:
        """Refuse an empty scope, an empty name and a readiness outside [0, 1]."""
        if not self.subject_id or not self.name.strip() or not self.key:
            raise ValueError(
                f"a concept needs subject, name and key, got {self.subject_id!r}, {self.name!r}, {self.key!r}"
            )
        if "\x00" in self.name:
            raise ValueError("a concept's name must not contain NUL")
        if not 0 <= self.readiness <= 1:
            raise ValueError(f"readiness must be 0..1, got {self.readiness}")


@dataclass(frozen=True, kw_only=True)
class BuildsOn:
    """An edge: `concept_id` builds on `prerequisite_id`, which is to be learnt first."""

    concept_id: str
    prerequisite_id: str
    weight: float = 1.0
    """How many readings say so."""
    provenance: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a concept that builds on itself."""
        if self.concept_id == self.prerequisite_id:
            raise ValueError(f"{self.concept_id} cannot build on itself")
        if self.weight <= 0:
            raise ValueError(f"weight must be above 0, got {self.weight}")


@dataclass(frozen=True, kw_only=True)
class ConceptMerge:
    """Two names taken for one concept."""

    kept: str
    merged: str
    reason: Literal["key", "embedding"]
    similarity: float | None = None
    """`None` where the keys are equal."""
    threshold: float | None = None
    embedder: str | None = None


@dataclass(frozen=True, kw_only=True)
class ConceptMap:
    """The map of one subject."""

    subject_id: str
    concepts: tuple[Concept, ...] = ()
    edges: tuple[BuildsOn, ...] = ()

    def __post_init__(self) -> None:
        """Refuse concepts of other subjects, doubled keys and edges that lead nowhere."""
        ids = {concept.concept_id for concept in self.concepts}
        if len(ids) != len(self.concepts) or len({concept.key for concept in self.concepts}) != len(self.concepts):
            raise ValueError(f"{self.subject_id}: two concepts share an id or a key")
        foreign = [concept.name for concept in self.concepts if concept.subject_id != self.subject_id]
        if foreign:
            raise ValueError(f"{self.subject_id}: {foreign[0]!r} belongs to another subject")
        for edge in self.edges:
            if edge.concept_id not in ids or edge.prerequisite_id not in ids:
                raise ValueError(f"edge {edge.concept_id} -> {edge.prerequisite_id} names no concept of the map")

    @cached_property
    def by_id(self) -> Mapping[str, Concept]:
        """Concept id → concept."""
        return {concept.concept_id: concept for concept in self.concepts}

    @cached_property
    def by_key(self) -> Mapping[str, Concept]:
        """Canonical key → concept."""
        return {concept.key: concept for concept in self.concepts}

    def prerequisites(self, concept_id: str) -> tuple[Concept, ...]:
        """Return what a concept builds on directly, strongest edge first; empty for an unknown id."""
        edges = sorted((edge for edge in self.edges if edge.concept_id == concept_id), key=lambda edge: -edge.weight)
        return tuple(self.by_id[edge.prerequisite_id] for edge in edges)
