"""One concept's chain of beliefs while rows are added to it. Pure: what it makes depends on its arguments alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime

from preceptor.domain.belief import RESETS, Belief, BeliefEvidence, BeliefProvenance, BeliefReason
from preceptor.domain.scope import Scope
from preceptor.memory.belief_rule import UNSETTLED, Assessment, assess, faded
from preceptor.memory.checks import CheckEvent, DenialEvent
from preceptor.settings import MemorySettings
from preceptor.stores.instants import instant_text


class BeliefChain:
    """The rows of one concept, and those to be added."""

    def __init__(
        self,
        scope: Scope,
        concept_id: str,
        rows: Sequence[Belief],
        settings: MemorySettings,
        *,
        recorded_at: datetime,
    ) -> None:
        """Take the chain as stored.

        Args:
            scope: Whose.
            concept_id: Of the concept.
            rows: All its rows, oldest first; empty: none yet.
            settings: Today's rules.
            recorded_at: The time that new rows carry.
        """
        self._scope = scope
        self._concept_id = concept_id
        self._rows = list(rows)
        self._settings = settings
        self._recorded_at = recorded_at
        self.stored_head = rows[-1].belief_id if rows else None
        self.new: list[Belief] = []

    @property
    def head(self) -> Belief | None:
        """The current row."""
        return self._rows[-1] if self._rows else None

    def replay(self, events: Iterable[CheckEvent | DenialEvent]) -> None:
        """Add a row for each event that is not in the chain; those before the learner's last denial count no more."""
        for event in sorted(events, key=lambda one: one.sequence):
            known, floor = self._known()
            if event.episode_id in known or event.sequence <= floor:
                continue
            if isinstance(event, DenialEvent):
                part = BeliefEvidence(
                    episode_id=event.episode_id,
                    sequence=event.sequence,
                    verdict="denied_understands" if event.claim == "understands" else "denied_struggles",
                )
                self._push(UNSETTLED, "not_true", "learner", event.occurred_at, (part,))
                continue
            part = BeliefEvidence(episode_id=event.episode_id, sequence=event.sequence, verdict=event.verdict)
            held = self.head.evidence if self.head is not None else ()
            self._push(assess((*held, part), self._settings), "check", "tutor", event.occurred_at, (part,))

    def retire(self) -> None:
        """Close everything so far, from its beginning: under today's rules it never held."""
        if self._rows:
            self._push(UNSETTLED, "rederived", "system", min(one.valid_from for one in self._rows), ())

    def fade(self, until: datetime) -> None:
        """Add what time did to the current belief."""
        if self.head is not None:
            for at, left in faded(self.head, until, self._settings):
                self._push(left, "decay", "system", at, ())

    def says_the_same(self, other: BeliefChain) -> bool:
        """Whether both judged the same evidence in the same way, step by step, whatever time did between."""
        return self._judged() == other._judged()

    def _judged(self) -> list[tuple[object, ...]]:
        judged: list[tuple[object, ...]] = []
        for one in self._rows:
            if one.reason == "rederived":
                judged = []
            elif one.reason != "decay":
                judged.append((one.reason, one.claim, one.confidence, one.added))
        return judged

    def _known(self) -> tuple[set[str], int]:
        known: set[str] = set()
        floor = 0
        for one in self._rows:
            if one.reason == "rederived":
                known, floor = set(), 0
            known |= {part.episode_id for part in one.added}
            if one.reason == "not_true":
                floor = max(part.sequence for part in one.added)
        return known, floor

    def _push(
        self,
        says: Assessment,
        reason: BeliefReason,
        provenance: BeliefProvenance,
        at: datetime,
        added: tuple[BeliefEvidence, ...],
    ) -> None:
        head = self.head
        valid_from = at if head is None or reason == "rederived" else max(at, head.valid_from)
        before = () if head is None or reason in RESETS else head.evidence
        row = Belief(
            belief_id=_row_id(self._scope, self._concept_id, head, says, reason, valid_from, added),
            learner_id=self._scope.learner_id,
            subject_id=self._scope.subject_id,
            concept_id=self._concept_id,
            claim=says.claim,
            confidence=says.confidence,
            provenance=provenance,
            reason=reason,
            added=added,
            evidence=(*before, *added),
            valid_from=valid_from,
            recorded_at=self._recorded_at,
        )
        self._rows.append(row)
        self.new.append(row)


def _row_id(
    scope: Scope,
    concept_id: str,
    head: Belief | None,
    says: Assessment,
    reason: BeliefReason,
    valid_from: datetime,
    added: tuple[BeliefEvidence, ...],
) -> str:
    parts = (
        scope.learner_id,
        scope.subject_id,
        concept_id,
        head.belief_id if head is not None else "",
        says.claim,
        str(says.confidence),
        reason,
        instant_text(valid_from),
        *(f"{part.episode_id} {part.verdict}" for part in added),
    )
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()
