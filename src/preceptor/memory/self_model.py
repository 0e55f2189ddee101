"""What the tutor knows of one learner's subject and how far to trust it, composed each night. No learner's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from preceptor.concepts.centrality import centrality
from preceptor.domain.belief import Belief
from preceptor.domain.concept import ConceptMap
from preceptor.memory.beliefs import CheckTally
from preceptor.memory.calibration import Calibration
from preceptor.stores.instants import instant_text


@dataclass(frozen=True, kw_only=True)
class WorkingConcept:
    """A concept of the working set."""

    concept_id: str
    name: str
    belief: Belief | None
    """`None`: nothing is believed of it."""
    why: str
    """"recent" or "central"."""


def working_set(concepts: ConceptMap, heads: Sequence[Belief], *, size: int) -> tuple[WorkingConcept, ...]:
    """Return the small set of concepts to keep at hand: half the most recently touched, then the most central.

    Args:
        concepts: The subject's map.
        heads: The current row of each chain, unsettled ones included.
        size: Most concepts.
    """
    by_concept = {one.concept_id: one for one in heads if one.concept_id in concepts.by_id}
    touched = sorted(by_concept, key=lambda one: (by_concept[one].valid_from, one), reverse=True)
    rank = centrality(concepts)
    central = sorted(concepts.by_id, key=lambda one: (-rank.get(one, 0.0), one))
    chosen = dict.fromkeys(touched[: (size + 1) // 2], "recent")
    for concept_id, why in [*((one, "central") for one in central), *((one, "recent") for one in touched)]:
        if len(chosen) >= size:
            break
        chosen.setdefault(concept_id, why)
    return tuple(
        WorkingConcept(
            concept_id=concept_id,
            name=concepts.by_id[concept_id].name,
            belief=_believed(by_concept.get(concept_id)),
            why=why,
        )
        for concept_id, why in chosen.items()
    )


def compose(
    concepts: ConceptMap,
    heads: Sequence[Belief],
    tally: CheckTally,
    calibration: Calibration,
    *,
    size: int,
    now: datetime,
) -> dict[str, object]:
    """Return the self-model as JSON: beliefs, working set, calibration, and the limits that must be said with them."""
    held = sorted(
        (one for one in heads if one.claim != "unsettled"), key=lambda one: (-(one.confidence or 0), one.concept_id)
    )
    return {
        "composed_at": instant_text(now),
        "checks": {"on_record": tally.on_record, "tied": tally.tied, "words": tally.words},
        "beliefs": [belief_json(one, concepts) for one in held],
        "to_confirm": [one.concept_id for one in held if one.to_confirm],
        "denied": [one.concept_id for one in heads if one.reason == "not_true"],
        "working_set": [
            {
                "concept_id": one.concept_id,
                "name": one.name,
                "why": one.why,
                "claim": one.belief.claim if one.belief is not None else None,
                "confidence": one.belief.confidence if one.belief is not None else None,
            }
            for one in working_set(concepts, heads, size=size)
        ],
        "calibration": calibration_json(calibration),
        "limits": list(calibration.limits),
    }


def belief_json(one: Belief, concepts: ConceptMap) -> dict[str, object]:
    """Return a belief with its concept's name; `null` where the map has the concept no more."""
    concept = concepts.by_id.get(one.concept_id)
    return {
        "belief_id": one.belief_id,
        "concept_id": one.concept_id,
        "concept": concept.name if concept is not None else None,
        "claim": one.claim,
        "confidence": one.confidence,
        "to_confirm": one.to_confirm,
        "reason": one.reason,
        "provenance": one.provenance,
        "valid_from": instant_text(one.valid_from),
        "valid_to": None if one.valid_to is None else instant_text(one.valid_to),
        "recorded_at": instant_text(one.recorded_at),
        "superseded_by": one.superseded_by,
        "evidence": [{"episode_id": part.episode_id, "verdict": part.verdict} for part in one.evidence],
    }


def calibration_json(calibration: Calibration) -> Mapping[str, object]:
    """Return a calibration as JSON."""
    return {
        "n": calibration.n,
        "calibrated": calibration.calibrated,
        "ece": calibration.ece,
        "buckets": [vars(one) | {} for one in calibration.buckets],
    }


def _believed(head: Belief | None) -> Belief | None:
    return None if head is None or head.claim == "unsettled" else head
