"""Names that mean one concept: equal keys always, and near vectors only where the embedder speaks the language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from preceptor.concepts.calibration import MergeThreshold
from preceptor.concepts.canonical_key import canonical_key, concept_id_of
from preceptor.domain.concept import (
    EXPLAINED,
    NAMED,
    Concept,
    ConceptEvidence,
    ConceptMerge,
    ConceptReading,
    ReadConcept,
)
from preceptor.models.embedder import Embedder, Vector

Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True)
class Merged:
    """The concepts of all readings, each once, and what was taken for one."""

    concepts: tuple[Concept, ...]
    """In the order they first appear."""
    merges: tuple[ConceptMerge, ...]
    keys: dict[str, str]
    """Every key that occurred → the key of the concept that holds it."""


def merge_readings(
    readings: Sequence[ConceptReading], embedder: Embedder | None, threshold: MergeThreshold | None
) -> Merged:
    """Return every concept once; evidence, provenance and aliases accrete, the first definition stays.

    Args:
        readings: Of one subject, in the order their files were added.
        embedder: `None`: only equal keys are merged.
        threshold: What counts as one concept for this embedder; `None` merges by key alone.
    """
    by_key: dict[str, Concept] = {}
    merges: list[ConceptMerge] = []
    for reading in readings:
        for read in reading.concepts:
            new = _concept(reading, read)
            old = by_key.get(new.key)
            if old is not None and old.name != new.name and new.name not in old.aliases:
                merges.append(ConceptMerge(kept=old.name, merged=new.name, reason="key"))
            by_key[new.key] = new if old is None else joined(old, new)
    keys = {key: key for key in by_key}
    if embedder is not None and threshold is not None:
        merges += _merge_near(by_key, keys, embedder, threshold)
    return Merged(concepts=tuple(by_key.values()), merges=tuple(merges), keys=keys)


def joined(old: Concept, new: Concept) -> Concept:
    """Return one concept of two: what is known of `old` stays, what `new` adds is added."""
    aliases = [name for name in (*old.aliases, new.name, *new.aliases) if name != old.name]
    return replace(
        old,
        readiness=max(old.readiness, new.readiness),
        gist=old.gist or new.gist,
        definition=old.definition or new.definition,
        evidence=_distinct((*old.evidence, *new.evidence)),
        provenance=_distinct((*old.provenance, *new.provenance)),
        aliases=_distinct(aliases),
        notes=_distinct((*old.notes, *new.notes)),
        assumes=_distinct((*old.assumes, *new.assumes)),
    )


def _concept(reading: ConceptReading, read: ReadConcept) -> Concept:
    key = canonical_key(read.name, reading.language)
    return Concept(
        concept_id=concept_id_of(reading.subject_id, key),
        subject_id=reading.subject_id,
        name=read.name,
        key=key,
        language=reading.language,
        readiness=EXPLAINED if read.definition or read.explained else NAMED,
        gist=read.gist,
        definition=read.definition,
        evidence=tuple(
            ConceptEvidence(
                document_id=reading.document_id, page=page, fingerprint=reading.page_fingerprints.get(page, "")
            )
            for page in read.pages
        ),
        provenance=(f"{reading.engine}:{reading.document_id}",),
        aliases=read.aliases,
        assumes=read.assumes,
    )


def _merge_near(
    by_key: dict[str, Concept], keys: dict[str, str], embedder: Embedder, threshold: MergeThreshold
) -> list[ConceptMerge]:
    """Merge the nearest pair again and again while one is at the threshold; a merged name never draws in a third."""
    held = list(by_key)
    vectors: dict[str, Vector] = {}
    for language in dict.fromkeys(concept.language for concept in by_key.values()):
        chosen = [key for key in held if by_key[key].language == language]
        for key, vector in zip(
            chosen, embedder.embed([by_key[key].name for key in chosen], language=language), strict=True
        ):
            if vector is not None:
                vectors[key] = vector
    known = [key for key in held if key in vectors]
    if len(known) < 2:
        return []
    matrix = np.stack([vectors[key] for key in known])
    table = np.triu(matrix @ matrix.T, 1)
    merges: list[ConceptMerge] = []
    pairs = np.argwhere(table >= threshold.value)
    gone: set[str] = set()
    taken: set[str] = set()
    for first, second in sorted(pairs.tolist(), key=lambda pair: -table[pair[0], pair[1]]):
        kept, lost = known[first], known[second]
        if kept in gone or lost in gone or lost in taken or kept == lost or _contained(kept, lost):
            continue
        merges.append(
            ConceptMerge(
                kept=by_key[kept].name,
                merged=by_key[lost].name,
                reason="embedding",
                similarity=round(float(table[first, second]), 4),
                threshold=threshold.value,
                embedder=threshold.embedder,
            )
        )
        by_key[kept] = joined(by_key[kept], by_key[lost])
        del by_key[lost]
        gone.add(lost)
        taken.add(kept)
        for key, holder in keys.items():
            if holder == lost:
                keys[key] = kept
    return merges


_CONNECTORS = frozenset("of the a an for in to de del la el des du der die das von".split())


def _contained(one: str, other: str) -> bool:
    """Return whether near names still differ in the word that matters.

    "percent increase" holds "percent", and "percent decrease" differs from it in one word: such pairs lie above the
    threshold and are different concepts. "interest rate" and "rate of interest" have the same words.
    """
    first, second = set(one.split()) - _CONNECTORS, set(other.split()) - _CONNECTORS
    if first == second:
        return False
    if first < second or second < first:
        return True
    return bool(first & second) and len(first - second) == 1 and len(second - first) == 1


def _distinct(items: Sequence[Item]) -> tuple[Item, ...]:
    return tuple(dict.fromkeys(items))
