"""Whose memory of what: no path of recall works without it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, order=True)
class Scope:
    """One learner in one subject."""

    learner_id: str
    subject_id: str

    def __post_init__(self) -> None:
        """Refuse a scope that would mean everyone."""
        if not self.learner_id or not self.subject_id:
            raise ValueError("a scope needs a learner_id and a subject_id")
