"""Which turns were distilled, and where each ended: a distillation can go on, and its funnel adds up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class DistilledTurn:
    """One turn that a distillation has done with."""

    dialogue_id: str
    """The id that experiences name as their source: for dialogues of the log a keyed digest."""
    turn: int
    """0-based."""
    digest: str
    """Of problem, history, utterance and reply; a turn that reads otherwise is another one."""
    bucket: str
    """Where it ended; one of `experience.distillation.BUCKETS`."""
    routed: bool
    """Whether the revision rule sent its reply to the mentor."""
    rounds: int
    """Revisions that were scored."""
    experience_id: str | None
    """The candidate; `None`: none was made."""
    batch: str
    done_at: datetime
    """Timezone-aware, UTC."""


class DistilledTurnStore(Protocol):
    """Append-only but for erasure; one row a turn and digest."""

    def add(self, turns: Sequence[DistilledTurn]) -> None:
        """Store turns, all or none; one that is stored already stays as it is."""
        ...

    def digests(self, dialogue_id: str) -> frozenset[tuple[int, str]]:
        """Return (turn, digest) of what is done of a dialogue."""
        ...

    def tally(self, dialogue_ids: Sequence[str] | None = None) -> list[tuple[str, bool, int, int]]:
        """Return (bucket, routed, rounds, n) over these dialogues, or over all."""
        ...

    def forget(self, dialogue_ids: Sequence[str]) -> int:
        """Delete what names erased dialogues; return how many rows went."""
        ...
