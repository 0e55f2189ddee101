"""What memory derives from episodes: entries of the word index, vectors, later facts. All of it erasable.

Nothing here is a record: entries and vectors are made again from the log at any time, and go with their episode's
payload in the transaction of its erasure. The layout of an entry belongs to `memory/`; the store keeps bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from preceptor.domain.scope import Scope

Stance = Literal["answered", "partial", "cannot"]
"""What a tutor's answer came to by its grounding, found after the fact."""
VerificationStatus = Literal["holds", "changed", "unverifiable"]
"""Whether the file an episode cites is still the one it cited; `unverifiable`: it cites none."""


@dataclass(frozen=True, kw_only=True)
class MemoryState:
    """How far the index of one scope has come."""

    head_sequence: int
    """Last link of the chain; 0: no episodes."""
    indexed_sequence: int
    """Everything up to this link was looked at; 0: nothing yet, or by another layout."""
    revision: int
    """Raised by every erasure of the learner's: what was read before it may be gone."""
    vector_writes: int
    """Raised whenever vectors are written."""


class StoredEntry(NamedTuple):
    """One episode in the word index. Ten thousand are read at once."""

    sequence: int
    episode_id: str
    content: bytes


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What a check of an episode's citation found."""

    episode_id: str
    status: VerificationStatus
    note: str
    """What changed; "" where nothing did."""
    checked_at: datetime


class MemoryStore(Protocol):
    """Derived rows of memory, by scope."""

    def state(self, scope: Scope, layout: int) -> MemoryState:
        """Return how far a scope's index has come under this layout of entries."""
        ...

    def entries(self, scope: Scope, *, after_sequence: int = 0) -> list[StoredEntry]:
        """Return a scope's entries by sequence."""
        ...

    def put_entries(self, scope: Scope, entries: Sequence[StoredEntry], *, layout: int, through_sequence: int) -> None:
        """Store entries and that everything up to a link was looked at; those of another layout go first.

        An entry whose episode's payload was erased meanwhile, or is not of this scope, is left out.
        """
        ...

    def waits_elsewhere(self, scope: Scope, *, after_sequence: int, dialogue_id: str) -> bool:
        """Return whether any link after one is of another dialogue than this, or a note that was taught."""
        ...

    def without_vector(self, scope: Scope, embedder: str, *, limit: int) -> list[str]:
        """Return ids of indexed episodes that this embedder has not seen, oldest first."""
        ...

    def put_vectors(self, scope: Scope, embedder: str, vectors: Mapping[str, bytes]) -> None:
        """Store float16 vectors by episode id; empty bytes: the embedder declined. As careful as `put_entries`."""
        ...

    def vectors(self, scope: Scope, embedder: str, *, after_sequence: int = 0) -> list[tuple[int, bytes]]:
        """Return (sequence, float16 bytes) of a scope's vectors by sequence; empty bytes: declined."""
        ...

    def set_stance(self, scope: Scope, episode_id: str, stance: Stance, *, decided_at: datetime) -> None:
        """Store or replace an answer's stance; nothing happens where the scope has no such payload."""
        ...

    def stances(self, scope: Scope, episode_ids: Sequence[str]) -> dict[str, Stance]:
        """Return the stances that are known."""
        ...

    def set_verification(self, scope: Scope, found: Verification) -> None:
        """Store or replace what a check found; nothing happens where the scope has no such payload."""
        ...

    def verifications(self, scope: Scope, episode_ids: Sequence[str]) -> dict[str, Verification]:
        """Return what the latest checks found."""
        ...
