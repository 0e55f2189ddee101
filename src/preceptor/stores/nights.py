"""What the store of nights promises: how far the nightly loop has come for each scope, and what it found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from preceptor.domain.episode import Evidence
from preceptor.domain.scope import Scope
from preceptor.stores.memory import Verification


@dataclass(frozen=True, kw_only=True)
class Night:
    """The last night that ended for a scope."""

    through_day: date
    """Days up to this one, in the learner's zone, are consolidated."""
    sequence: int
    """Every episode up to this link lies in one of those days."""
    ended_at: datetime


@dataclass(frozen=True, kw_only=True)
class Cited:
    """An episode that is due to be verified."""

    episode_id: str
    evidence: tuple[Evidence, ...]
    """Empty: it cites no file."""


class NightStore(Protocol):
    """The nightly loop's own rows."""

    def last(self, scope: Scope) -> Night | None:
        """Return the last night that ended; `None`: there was none."""
        ...

    def begin(self, scope: Scope, day: date) -> None:
        """Store that the night after a day has begun: until it ends, its scope stays due."""
        ...

    def active_scopes(self) -> list[Scope]:
        """Return the scopes with something that no night has looked at since its day ended, or with a night begun.

        What the loop and erasures append counts for nothing. It is the nightly loop's question about everyone, and
        gives scopes, never rows.
        """
        ...

    def end(self, scope: Scope, night: Night, self_model: Mapping[str, object], found: Sequence[Verification]) -> None:
        """Store that a night ended, with its self-model and what was verified, in one transaction."""
        ...

    def self_model(self, scope: Scope) -> Mapping[str, object] | None:
        """Return what the last night composed; `None`: there was none, or something was erased since."""
        ...

    def to_verify(self, scope: Scope, *, limit: int) -> list[Cited]:
        """Return a batch of episodes: never checked ones first, then those checked longest ago; each by its age."""
        ...

    def evidence_found(self, scope: Scope, evidence: Sequence[Evidence]) -> list[str]:
        """Return "holds", "changed" or "removed" for each, as `CourseStore.evidence_status` does, all at once.

        Only documents of the scope's subject count. A page's or a file's fingerprint holds.
        """
        ...

    def put_verifications(self, scope: Scope, found: Sequence[Verification]) -> int:
        """Store or replace many findings in one transaction; return how many episodes still had their payload."""
        ...

    def verification_counts(self, scope: Scope) -> Mapping[str, int]:
        """Return how many episodes have each status."""
        ...
