"""What a learner's request to erase covers."""

from __future__ import annotations

from dataclasses import dataclass

from preceptor.errors import InputError


@dataclass(frozen=True, kw_only=True)
class ErasureScope:
    """Exactly one of the fields is given."""

    dialogue_id: str | None = None
    subject_id: str | None = None
    episode_ids: tuple[str, ...] = ()
    whole_learner: bool = False
    """Everything of the learner, in every subject."""

    def __post_init__(self) -> None:
        """Refuse a request that could be read in two ways."""
        given = [
            self.dialogue_id is not None,
            self.subject_id is not None,
            bool(self.episode_ids),
            self.whole_learner,
        ]
        if sum(given) != 1:
            raise InputError("an erasure names exactly one of: a dialogue, a subject, episodes, the whole learner")


@dataclass(frozen=True, kw_only=True)
class Erasure:
    """What was erased."""

    episodes: int
    """Payloads that are gone now; 0: there were none left in the scope."""
    scrubbed: bool
    """`False`: gone from the tables, but a reader kept the files from being rewritten; run the erasure again."""
