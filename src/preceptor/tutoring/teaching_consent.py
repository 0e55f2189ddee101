"""Whether a learner's dialogues may teach the tutor: off until they say so, and they are asked once."""

from __future__ import annotations

from preceptor.record.record import Record
from preceptor.stores.consents import Consent


def allows_teaching(record: Record, learner_id: str) -> bool:
    """Whether experience may be distilled from a learner's dialogues; off by default."""
    consent = record.consents.get(learner_id)
    return consent is not None and consent.use_for_teaching


def needs_asking(record: Record, learner_id: str) -> bool:
    """Whether a learner was never asked."""
    return record.consents.get(learner_id) is None


def decide(record: Record, learner_id: str, *, use_for_teaching: bool) -> Consent:
    """Store a learner's decision, and return it. What was distilled before stays until it is erased."""
    consent = Consent(learner_id=learner_id, use_for_teaching=use_for_teaching, decided_at=record.clock())
    record.consents.put(consent)
    return consent
