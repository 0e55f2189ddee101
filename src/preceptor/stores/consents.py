"""What a learner allows: whether their dialogues may teach the tutor."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class Consent:
    """One learner's decision; without one nothing is allowed."""

    learner_id: str
    use_for_teaching: bool
    """Whether experience may be distilled from their dialogues."""
    decided_at: datetime
    """Timezone-aware, UTC."""

    def __post_init__(self) -> None:
        """Refuse a time without a zone."""
        if self.decided_at.utcoffset() is None:
            raise ValueError("decided_at must be timezone-aware")


class ConsentStore(Protocol):
    """One decision a learner; the latest counts."""

    def get(self, learner_id: str) -> Consent | None:
        """Return a learner's decision; `None`: they were never asked."""
        ...

    def put(self, consent: Consent) -> None:
        """Store or replace a learner's decision."""
        ...

    def learners(self) -> list[str]:
        """Return, sorted, the learners who allow it."""
        ...

    def forget(self, learner_id: str) -> None:
        """Delete a learner's decision; they count as never asked."""
        ...
