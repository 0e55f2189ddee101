"""Belief rows as a learner reads them: ranked, each with its latest evidence and with how it came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from preceptor.domain.belief import Belief, Claim
from preceptor.domain.concept import ConceptMap
from preceptor.tutoring.memory_views import (
    BeliefStep,
    BeliefView,
    ChangeView,
    DeniedView,
    EvidenceView,
    RecordLine,
)

EVIDENCE_SHOWN = 3
"""(the page's design: the last three)"""
NO_NAME = "something that is no longer on the map"


def belief_views(
    rows: Sequence[Belief], concepts: ConceptMap, lines: Mapping[str, RecordLine]
) -> tuple[BeliefView, ...]:
    """Return what is believed now, the surest first.

    Args:
        rows: Every row of a scope, in the order they were recorded, with their evidence.
        concepts: The subject's map with the learner's own notes.
        lines: The scope's episodes by id.
    """
    held = [one for one in rows if one.superseded_by is None and one.confidence is not None]
    held.sort(key=lambda one: (-(one.confidence or 0), concept_name(concepts, one.concept_id)))
    confidences = [one.confidence for one in held]
    return tuple(
        BeliefView(
            belief_id=one.belief_id,
            concept_id=one.concept_id,
            concept=concept_name(concepts, one.concept_id),
            claim=one.claim,
            confidence=one.confidence or 0.0,
            rank=confidences.index(one.confidence) + 1,
            to_confirm=one.to_confirm,
            since=one.valid_from.date(),
            last=_last(one, lines),
            n_right=sum(part.verdict == "right" for part in one.evidence),
            n_wrong=sum(part.verdict == "wrong" for part in one.evidence),
            steps=_steps([row for row in rows if row.concept_id == one.concept_id], lines),
        )
        for one in held
    )


def denied_views(
    rows: Sequence[Belief], concepts: ConceptMap, lines: Mapping[str, RecordLine]
) -> tuple[DeniedView, ...]:
    """Return the concepts of which nothing is believed since the learner said that it is not true, newest first."""
    found = []
    for one in rows:
        part = one.added[-1] if one.reason == "not_true" and one.superseded_by is None and one.added else None
        if part is not None and part.episode_id in lines:
            claim: Claim = "understands" if part.verdict == "denied_understands" else "struggles"
            name = concept_name(concepts, one.concept_id)
            found.append(DeniedView(concept=name, claim=claim, line=lines[part.episode_id]))
    return tuple(reversed(found))


def change_views(rows: Sequence[Belief], concepts: ConceptMap) -> tuple[ChangeView, ...]:
    """Return the rows that claim something else than the row before them, newest first."""
    before: dict[str, Belief] = {}
    found = []
    for one in rows:
        earlier = before.get(one.concept_id)
        if one.claim != (earlier.claim if earlier is not None else "unsettled"):
            name = concept_name(concepts, one.concept_id)
            found.append(ChangeView(on=one.valid_from.date(), concept=name, claim=one.claim, reason=one.reason))
        before[one.concept_id] = one
    return tuple(reversed(found))


def concept_name(concepts: ConceptMap, concept_id: str) -> str:
    """Return a concept's name, or words that say that it has none any more."""
    held = concepts.by_id.get(concept_id)
    return held.name if held is not None else NO_NAME


def _last(one: Belief, lines: Mapping[str, RecordLine]) -> tuple[EvidenceView, ...]:
    held = [part for part in one.evidence if part.episode_id in lines]
    return tuple(
        EvidenceView(verdict=part.verdict, line=lines[part.episode_id]) for part in reversed(held[-EVIDENCE_SHOWN:])
    )


def _steps(chain: Sequence[Belief], lines: Mapping[str, RecordLine]) -> tuple[BeliefStep, ...]:
    steps: list[BeliefStep] = []
    for one in chain:
        part = one.added[-1] if one.added else None
        line = lines.get(part.episode_id) if part is not None else None
        step = BeliefStep(
            on=line.on if line is not None else one.valid_from.date(),
            claim=one.claim,
            reason=one.reason,
            verdict=part.verdict if part is not None else None,
        )
        same = steps and (steps[-1].on, steps[-1].claim, steps[-1].reason, steps[-1].verdict) == (
            step.on,
            step.claim,
            step.reason,
            step.verdict,
        )
        if same:
            steps[-1] = replace(steps[-1], count=steps[-1].count + 1)
        else:
            steps.append(step)
    return tuple(steps)
