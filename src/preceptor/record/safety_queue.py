"""The instructor's queue of flagged turns. A transcript is opened through here, so that opening it is on record."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from preceptor.domain.dialogue import Dialogue
from preceptor.domain.principal import Principal
from preceptor.errors import InputError
from preceptor.record.episode_log import Clock, EpisodeLog, opened
from preceptor.record.kinds import SafetyFlagBody, body_of
from preceptor.record.views import read_dialogue
from preceptor.stores.protocols import Access, AccessLog, EpisodeStore


@dataclass(frozen=True, kw_only=True)
class FlaggedTurn:
    """One entry of the queue. Holds no learner text."""

    episode_id: str
    learner_id: str
    subject_id: str
    dialogue_id: str | None
    turn: int | None
    category: str
    severity: str
    side: str
    flagged_at: datetime
    accesses: tuple[Access, ...]
    """Who opened the transcript so far, oldest first."""


class SafetyQueue:
    """Flagged turns over all learners, for instructors only."""

    def __init__(self, store: EpisodeStore, log: EpisodeLog, accesses: AccessLog, clock: Clock) -> None:
        """Keep where flags, transcripts and accesses are."""
        self._store = store
        self._log = log
        self._accesses = accesses
        self._clock = clock

    def list(self, principal: Principal, *, limit: int = 100) -> tuple[FlaggedTurn, ...]:
        """Return flagged turns, newest first; erased flags are left out.

        Raises:
            InputError: The principal is not an instructor.
        """
        _require_instructor(principal)
        found = []
        for sealed in self._store.latest_of_kind(SafetyFlagBody.kind, limit=limit):
            episode = opened(sealed)
            flag = body_of(episode, SafetyFlagBody)
            if flag is None:
                continue
            dialogue_id = episode.dialogue_id
            found.append(
                FlaggedTurn(
                    episode_id=episode.episode_id,
                    learner_id=episode.learner_id,
                    subject_id=episode.subject_id,
                    dialogue_id=dialogue_id,
                    turn=episode.turn,
                    category=flag.category,
                    severity=flag.severity,
                    side=flag.side,
                    flagged_at=episode.recorded_at,
                    accesses=tuple(self._accesses.list_for_dialogue(episode.learner_id, dialogue_id))
                    if dialogue_id
                    else (),
                )
            )
        return tuple(found)

    def open(self, principal: Principal, learner_id: str, dialogue_id: str) -> Dialogue:
        """Return a flagged transcript; that it was opened is stored first.

        Raises:
            InputError: The principal is not an instructor, or nothing in this dialogue is flagged.
            NotFoundError: The learner has no such dialogue, or it was erased.
        """
        _require_instructor(principal)
        if not self._log.list(learner_id, dialogue_id=dialogue_id, kinds=(SafetyFlagBody.kind,), limit=1):
            raise InputError(f"dialogue {dialogue_id!r} carries no flag: it is its learner's only")
        self._accesses.add(
            Access(
                reader_id=principal.learner_id,
                learner_id=learner_id,
                dialogue_id=dialogue_id,
                accessed_at=self._clock(),
            )
        )
        return read_dialogue(self._log, learner_id, dialogue_id)


def _require_instructor(principal: Principal) -> None:
    if not principal.may_instruct:
        raise InputError("the safety queue is the instructor's: this principal holds other roles only")
