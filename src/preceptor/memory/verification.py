"""Whether the file a memory cites is still the file it cited: a lookup of fingerprints, never a model.

Episodes are not changed by what is found; it is kept beside them. A memory that cites no file is `unverifiable`, which
is an answer, not an error: to report a conversation as "holds" would be the defect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol

from preceptor.domain.episode import Episode, Evidence
from preceptor.domain.scope import Scope
from preceptor.stores.memory import Verification, VerificationStatus
from preceptor.stores.nights import NightStore

STALE_NOTE = "[note: the file this cited has been replaced or removed since]"
"""Stands after a recalled episode whose file is not the one it cited. (seed: A Tutor That Remembers)"""
_WORDS: Mapping[str, Literal["", "replaced", "removed"]] = {"holds": "", "changed": "replaced", "removed": "removed"}


class Citing(Protocol):
    """Something that cites files: an episode, or the part of one that is needed here."""

    @property
    def episode_id(self) -> str:
        """Of the episode."""
        ...

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """What it cites; empty: no file."""
        ...


class Verifier:
    """Looks citations up, inside the scope's subject."""

    def __init__(self, store: NightStore) -> None:
        """Keep the store."""
        self._store = store

    def look_up(self, scope: Scope, citing: Sequence[Citing], *, now: datetime) -> list[Verification]:
        """Return what is found for each, in their order; nothing is stored.

        Where several files are cited, one that was removed counts most, then one that was replaced.
        """
        evidence = list(dict.fromkeys(part for one in citing for part in one.evidence))
        found = dict(zip(evidence, self._store.evidence_found(scope, evidence), strict=True)) if evidence else {}
        return [_verdict(one, [found[part] for part in one.evidence], now) for one in citing]

    def batch(self, scope: Scope, *, limit: int, now: datetime) -> list[Verification]:
        """Return what is found for the next batch: never checked ones first. Nothing is stored."""
        return self.look_up(scope, self._store.to_verify(scope, limit=limit), now=now)

    def verify(self, scope: Scope, *, limit: int, now: datetime) -> dict[VerificationStatus, int]:
        """Look the next batch up and store what is found; return how many have each status."""
        found = self.batch(scope, limit=limit, now=now)
        self._store.put_verifications(scope, found)
        return count_statuses(found)

    def notes(self, scope: Scope, episodes: Sequence[Episode], *, now: datetime) -> dict[str, str]:
        """Return `STALE_NOTE` by episode id for recalled episodes whose file is not the one they cited, as of now."""
        found = self.look_up(scope, episodes, now=now)
        return {one.episode_id: STALE_NOTE for one in found if one.status == "changed"}


def count_statuses(found: Sequence[Verification]) -> dict[VerificationStatus, int]:
    """Return how many findings have each status; those that none has are left out."""
    counts: dict[VerificationStatus, int] = {}
    for one in found:
        counts[one.status] = counts.get(one.status, 0) + 1
    return counts


def _verdict(one: Citing, found: Sequence[str], now: datetime) -> Verification:
    status: VerificationStatus = "holds"
    note = ""
    if not found:
        status = "unverifiable"
    for worst in ("removed", "changed"):
        if worst in found:
            status, note = "changed", _WORDS[worst]
            break
    return Verification(episode_id=one.episode_id, status=status, note=note, checked_at=now)
