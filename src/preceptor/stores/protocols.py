"""What every store promises: few methods, domain types, the scope required.

A store knows tables and transactions. It knows nothing of keys or hashes: `record/` seals what is appended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from preceptor.domain.episode import Episode
from preceptor.domain.problem import Problem

ChainKey = tuple[str, str]
"""(learner_id, subject_id): whose chain."""


@dataclass(frozen=True, kw_only=True)
class ChainHead:
    """The last link of one chain, kept apart from the episodes."""

    learner_id: str
    subject_id: str
    sequence: int
    chain_hash: str
    seal: str
    """HMAC over the fields above, hex."""


@dataclass(frozen=True, kw_only=True)
class SealedEpisode:
    """An episode as it is stored: the envelope, and the payload that can be erased."""

    envelope: Episode
    """Its `summary` and `body` are `None`: they are in `payload`."""
    nonce: bytes | None
    """`None` once erased, together with `payload`."""
    payload: str | None
    """Canonical JSON object with `body` and `summary`."""
    search_words: tuple[str, ...] = ()
    """Distinct words that find the episode; written, never read back."""


@dataclass(frozen=True, kw_only=True)
class Links:
    """What one append writes: the episodes in order, and the new head of each chain touched."""

    episodes: tuple[SealedEpisode, ...]
    heads: tuple[ChainHead, ...]
    settled_turns: tuple[tuple[str, str, int], ...] = ()
    """(learner_id, dialogue_id, turn) whose whole reply is among the episodes: their drafts go."""


@dataclass(frozen=True, kw_only=True)
class EpisodeQuery:
    """Which episodes of one learner; every field but the learner narrows the choice."""

    learner_id: str
    subject_id: str | None = None
    dialogue_id: str | None = None
    turn: int | None = None
    kinds: tuple[str, ...] | None = None
    after_sequence: int | None = None
    """Exclusive; needs `subject_id`, because sequences count within one chain."""
    episode_ids: tuple[str, ...] | None = None
    newest_first: bool = False
    limit: int | None = None

    def __post_init__(self) -> None:
        """Refuse a query whose answer would depend on something not said."""
        if self.after_sequence is not None and self.subject_id is None:
            raise ValueError("after_sequence needs subject_id: sequences count within one learner's subject")
        if self.limit is not None and self.limit < 1:
            raise ValueError(f"limit must be 1 or more, got {self.limit}")


@dataclass(frozen=True, kw_only=True)
class DialogueSpan:
    """When a dialogue began and was last added to, and its highest turn."""

    dialogue_id: str
    subject_id: str
    started_at: datetime
    last_activity_at: datetime
    last_turn: int | None


@dataclass(frozen=True, kw_only=True)
class ChainReading:
    """One chain as it stood at one moment."""

    head: ChainHead | None
    links: Iterator[SealedEpisode]
    """By sequence; to be read while the chain is open. Raises `StoreError` at a row that is none of ours."""


class EpisodeStore(Protocol):
    """The append-only log. What is acknowledged is on disk."""

    def append(self, chains: Iterable[ChainKey], link: Callable[[Mapping[ChainKey, ChainHead]], Links]) -> Links:
        """Lock the chains, let `link` make the next links from their heads, store them; all or nothing.

        Args:
            chains: The chains that `link` adds to.
            link: Given the heads that exist (a chain without episodes has none), returns what to write.

        Raises:
            DuplicateError: An episode_id is already stored; nothing is changed.
        """
        ...

    def find(self, query: EpisodeQuery) -> list[SealedEpisode]:
        """Return the episodes in the order of their appending (or newest first); empty if none."""
        ...

    def open_chain(self, chain: ChainKey) -> AbstractContextManager[ChainReading]:
        """Open one chain in a snapshot that no append changes."""
        ...

    def walk_all(self, learner_id: str | None) -> Iterator[SealedEpisode]:
        """Yield every episode of one learner, or with an explicit `None` of all, in the order of appending."""
        ...

    def heads(self, learner_id: str | None) -> list[ChainHead]:
        """Return the stored heads of one learner, or with an explicit `None` of all, by learner and subject."""
        ...

    def chains(self) -> list[ChainKey]:
        """Return every chain that has a head or an episode, sorted."""
        ...

    def dialogues(self, learner_id: str, *, limit: int) -> list[DialogueSpan]:
        """Return a learner's dialogues, the latest active first; empty if unknown."""
        ...

    def latest_of_kind(self, kind: str, *, limit: int) -> list[SealedEpisode]:
        """Return the newest episodes of one kind over all learners, for the instructor's queues."""
        ...

    def search(self, learner_id: str, words: Sequence[str], *, limit: int) -> list[str]:
        """Return ids of episodes whose summary holds any of `words` (see `record.search_words`), best first."""
        ...

    def erase(
        self,
        chains: Iterable[ChainKey],
        episode_ids: Sequence[str],
        link: Callable[[Mapping[ChainKey, ChainHead]], Links],
        *,
        learner_id: str,
        dialogue_ids: Sequence[str],
    ) -> Links:
        """Delete payloads, nonces, search rows and drafts, and append what records it; all or nothing.

        The bytes may still lie in free pages: `scrub` is owed, and stays owed across a crash.
        """
        ...

    def scrub(self) -> bool:
        """Make the database's files forget what was deleted; `True` when nothing of it can be left in them."""
        ...

    def scrub_is_owed(self) -> bool:
        """Whether an erasure was stored whose bytes have not been scrubbed."""
        ...


class ProblemStore(Protocol):
    """The problem bank."""

    def add(self, problem: Problem) -> None:
        """Store one problem.

        Raises:
            DuplicateError: If `problem_id` is already stored; nothing is changed.
        """
        ...

    def put_many(self, problems: Sequence[Problem]) -> int:
        """Store or replace problems in one transaction; return how many were new."""
        ...

    def get(self, problem_id: str) -> Problem:
        """Return one problem.

        Raises:
            NotFoundError: No problem has this id.
        """
        ...

    def find(
        self,
        *,
        limit: int,
        offset: int = 0,
        subject_id: str | None = None,
        language: str | None = None,
        text: str = "",
    ) -> list[Problem]:
        """Return problems in the order they were added, those whose text contains `text`, whatever its case."""
        ...

    def count(self) -> int:
        """Return how many problems are stored."""
        ...

    def remove(self, problem_id: str) -> None:
        """Forget one problem; nothing happens if there is none. Dialogues keep their own snapshot of it."""
        ...


@dataclass(frozen=True, kw_only=True)
class TurnDraft:
    """A reply in mid-stream, as far as it came."""

    learner_id: str
    dialogue_id: str
    turn: int
    text: str
    last_event_id: int
    """Highest event id the text includes; 0: none."""
    updated_at: datetime
    events: tuple[Mapping[str, object], ...] = ()
    """The turn's events so far as JSON objects, for a page that resumes after one of them."""


class TurnDraftStore(Protocol):
    """Replies in mid-stream. Appending the whole reply's turn record drops its draft in the same transaction."""

    def put(self, draft: TurnDraft) -> None:
        """Store or replace the draft of one turn."""
        ...

    def get(self, learner_id: str, dialogue_id: str, turn: int) -> TurnDraft | None:
        """Return the draft of one turn; `None` if there is none."""
        ...

    def list_for_learner(self, learner_id: str) -> list[TurnDraft]:
        """Return a learner's drafts, oldest first."""
        ...

    def drop(self, learner_id: str, dialogue_id: str, turn: int) -> None:
        """Forget one draft; nothing happens if there is none."""
        ...


@dataclass(frozen=True, kw_only=True)
class Access:
    """Someone opened a transcript that carries a safety flag. Holds no learner text."""

    reader_id: str
    """Who opened it: the reader's own learner_id."""
    learner_id: str
    """Whose transcript it is."""
    dialogue_id: str
    accessed_at: datetime


class AccessLog(Protocol):
    """Who opened which flagged transcript; append-only."""

    def add(self, access: Access) -> None:
        """Store one access."""
        ...

    def list_for_dialogue(self, learner_id: str, dialogue_id: str) -> list[Access]:
        """Return who opened one transcript, oldest first."""
        ...
