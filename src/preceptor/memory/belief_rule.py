"""From the checks on one concept to a claim and its confidence. Pure rules: no store, no clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from preceptor.domain.belief import Belief, BeliefEvidence, Claim
from preceptor.settings import MemorySettings

_DIGITS = 6
EVEN = 0.5
"""A claim that faded below this is no more likely than not: nothing is believed then. (chosen)"""


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """What a body of evidence comes to."""

    claim: Claim
    confidence: float | None
    """`None`: unsettled."""


UNSETTLED = Assessment(claim="unsettled", confidence=None)


def assess(evidence: Sequence[BeliefEvidence], settings: MemorySettings) -> Assessment:
    """Return the claim that evidence supports.

    With r right and w wrong checks and a prior of a on each side, mastery is the posterior mean (a + r) / (2a + r + w).
    From `understands_from` the claim is "understands" with that confidence, up to `struggles_to` it is "struggles" with
    one minus it, each at most `confidence_cap`; between the two nothing is believed.

    Where the evidence begins with the learner's denial of a claim, that claim needs `denial_checks` more checks for it
    than against it; the opposite claim needs no more than usual.
    """
    right = sum(one.verdict == "right" for one in evidence)
    wrong = sum(one.verdict == "wrong" for one in evidence)
    mastery = (settings.belief_prior + right) / (2 * settings.belief_prior + right + wrong)
    denied = denied_claim(evidence)
    if mastery >= settings.understands_from:
        if denied == "understands" and right - wrong < settings.denial_checks:
            return UNSETTLED
        return Assessment(claim="understands", confidence=_capped(mastery, settings))
    if mastery <= settings.struggles_to:
        if denied == "struggles" and wrong - right < settings.denial_checks:
            return UNSETTLED
        return Assessment(claim="struggles", confidence=_capped(1 - mastery, settings))
    return UNSETTLED


def denied_claim(evidence: Sequence[BeliefEvidence]) -> Claim | None:
    """Return the claim that the learner denied last, `None`: none in this evidence."""
    for one in reversed(evidence):
        if one.verdict == "denied_understands":
            return "understands"
        if one.verdict == "denied_struggles":
            return "struggles"
    return None


def faded(belief: Belief, until: datetime, settings: MemorySettings) -> list[tuple[datetime, Assessment]]:
    """Return what a belief fades to by an instant, one entry each full period since its last touch or last fading.

    Each entry carries the instant at which its period was full, so nights that were missed change nothing: the same
    entries come later.
    """
    steps: list[tuple[datetime, Assessment]] = []
    confidence, at = belief.confidence, belief.valid_from
    period = timedelta(days=settings.decay_days)
    while confidence is not None and at + period <= until:
        at += period
        left = round(confidence * settings.decay_factor, _DIGITS)
        confidence = left if left >= EVEN else None
        steps.append((at, UNSETTLED if confidence is None else Assessment(claim=belief.claim, confidence=confidence)))
    return steps


def _capped(confidence: float, settings: MemorySettings) -> float:
    return round(min(confidence, settings.confidence_cap), _DIGITS)
