"""The episode log: append, read, search, erase. One chain per learner and subject."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

from preceptor.domain.episode import Episode, NewEpisode
from preceptor.errors import NotFoundError
from preceptor.record.chain import check_envelope, link_maker, payload_text
from preceptor.record.erasure_scope import Erasure, ErasureScope
from preceptor.record.group_commit import GroupCommit
from preceptor.record.kinds import ErasureBody, check_body, new_episode
from preceptor.record.record_key import RecordKey
from preceptor.record.search_words import search_words
from preceptor.stores.protocols import DialogueSpan, EpisodeQuery, EpisodeStore, SealedEpisode

Clock = Callable[[], datetime]
"""Returns a timezone-aware time."""


_Item = tuple[NewEpisode, str]
"""An episode and its payload's text."""


def utc_now() -> datetime:
    """Return the time of this machine."""
    return datetime.now(UTC)


class EpisodeLog:
    """Everything that happened to each learner, append-only. What `append` returns is on disk."""

    def __init__(self, store: EpisodeStore, key: RecordKey, clock: Clock = utc_now) -> None:
        """Keep store, key and clock."""
        self._store = store
        self._key = key
        self._clock = clock
        self._commits: GroupCommit[_Item, Episode] = GroupCommit(self._write)

    def append(self, episode: NewEpisode) -> Episode:
        """Append one episode and return it as stored.

        Raises:
            InputError: The payload is not in the shape of its kind, or holds what cannot be stored.
            DuplicateError: The given episode_id exists; nothing is changed.
        """
        return self.append_many([episode])[0]

    def append_many(self, episodes: Sequence[NewEpisode]) -> tuple[Episode, ...]:
        """Append episodes in order, all or none, with one commit. See `append`.

        Threads that append at the same time share a commit.
        """
        items = [(new, self._checked(new)) for new in episodes]
        return tuple(self._commits.submit(items)) if items else ()

    def _write(self, items: Sequence[_Item]) -> Sequence[Episode]:
        chains = {(new.learner_id, new.subject_id) for new, _ in items}
        links = self._store.append(chains, link_maker(self._key, items, self._clock()))
        return [opened(sealed) for sealed in links.episodes]

    @staticmethod
    def _checked(new: NewEpisode) -> str:
        check_envelope(new)
        check_body(new.kind, new.kind_version, new.body)
        return payload_text(new)

    def list(
        self,
        learner_id: str,
        *,
        subject_id: str | None = None,
        dialogue_id: str | None = None,
        turn: int | None = None,
        kinds: Sequence[str] | None = None,
        after_sequence: int | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> tuple[Episode, ...]:
        """Return a learner's episodes in the order they were appended; empty if there are none.

        Raises:
            ValueError: `after_sequence` without `subject_id`, or a limit below 1.
        """
        query = EpisodeQuery(
            learner_id=learner_id,
            subject_id=subject_id,
            dialogue_id=dialogue_id,
            turn=turn,
            kinds=None if kinds is None else tuple(kinds),
            after_sequence=after_sequence,
            newest_first=newest_first,
            limit=limit,
        )
        return tuple(opened(sealed) for sealed in self._store.find(query))

    def get(self, learner_id: str, episode_id: str) -> Episode:
        """Return one episode of one learner.

        Raises:
            NotFoundError: This learner has no such episode.
        """
        found = self._store.find(EpisodeQuery(learner_id=learner_id, episode_ids=(episode_id,)))
        if not found:
            raise NotFoundError(f"learner {learner_id!r} has no episode {episode_id!r}")
        return opened(found[0])

    def search(self, learner_id: str, words: str, *, limit: int = 20) -> tuple[Episode, ...]:
        """Return a learner's episodes whose summary holds any of the words, best first."""
        ids = self._store.search(learner_id, search_words(words), limit=limit)
        query = EpisodeQuery(learner_id=learner_id, episode_ids=tuple(ids))
        found = {sealed.envelope.episode_id: sealed for sealed in self._store.find(query)}
        return tuple(opened(found[episode_id]) for episode_id in ids if episode_id in found)

    def dialogues(self, learner_id: str, *, limit: int) -> tuple[DialogueSpan, ...]:
        """Return when each of a learner's dialogues ran, the latest active first."""
        return tuple(self._store.dialogues(learner_id, limit=limit))

    def walk(self, learner_id: str | None) -> Iterator[Episode]:
        """Yield every episode of one learner, or with an explicit `None` of all, in the order of appending."""
        for sealed in self._store.walk_all(learner_id):
            yield opened(sealed)

    def erase(self, learner_id: str, scope: ErasureScope, *, actor: str = "system") -> Erasure:
        """Erase payloads, nonces, search rows and drafts in the scope, for ever; record that it was done.

        The envelopes stay, so the chains still verify. Afterwards the files of a SQLite database hold none of the
        erased text (`stores.sql.dialects.forget_deleted` says what PostgreSQL keeps).

        Args:
            learner_id: Whose episodes.
            scope: Which of them.
            actor: Who asked for it.

        Raises:
            NotFoundError: The learner has nothing in this scope.
        """
        query = EpisodeQuery(
            learner_id=learner_id,
            subject_id=scope.subject_id,
            dialogue_id=scope.dialogue_id,
            episode_ids=scope.episode_ids or None,
        )
        covered = [sealed for sealed in self._store.find(query) if sealed.envelope.kind != ErasureBody.kind]
        if not covered:
            raise NotFoundError(f"learner {learner_id!r} has no episodes in this scope")
        erased = [sealed.envelope for sealed in covered if sealed.payload is not None]
        dialogue_ids = sorted({envelope.dialogue_id for envelope in erased if envelope.dialogue_id})
        if scope.episode_ids:
            dialogue_ids = []
        if erased:
            self._erase(learner_id, scope, erased, dialogue_ids, actor)
        scrubbed = self._store.scrub() if erased or self._store.scrub_is_owed() else True
        return Erasure(episodes=len(erased), scrubbed=scrubbed)

    def _erase(
        self, learner_id: str, scope: ErasureScope, erased: Sequence[Episode], dialogue_ids: Sequence[str], actor: str
    ) -> None:
        by_subject: dict[str, list[int]] = {}
        for envelope in erased:
            by_subject.setdefault(envelope.subject_id, []).append(envelope.sequence)
        records = [
            new_episode(
                ErasureBody(scope=_scope_name(scope), sequences=_ranges(sequences)),
                learner_id=learner_id,
                subject_id=subject_id,
                actor=actor,
            )
            for subject_id, sequences in sorted(by_subject.items())
        ]
        items = [(new, self._checked(new)) for new in records]
        self._store.erase(
            [(learner_id, subject_id) for subject_id in by_subject],
            [envelope.episode_id for envelope in erased],
            link_maker(self._key, items, self._clock()),
            learner_id=learner_id,
            dialogue_ids=dialogue_ids,
        )


def opened(sealed: SealedEpisode) -> Episode:
    """Return an episode with its payload, as far as that was not erased."""
    if sealed.payload is None:
        return sealed.envelope
    payload = json.loads(sealed.payload)
    return replace(sealed.envelope, summary=payload["summary"], body=payload["body"])


def _scope_name(scope: ErasureScope) -> Literal["dialogue", "subject", "learner", "episodes"]:
    if scope.whole_learner:
        return "learner"
    if scope.episode_ids:
        return "episodes"
    return "subject" if scope.subject_id is not None else "dialogue"


def _ranges(sequences: Sequence[int]) -> tuple[tuple[int, int], ...]:
    ranges: list[tuple[int, int]] = []
    for sequence in sorted(sequences):
        if ranges and sequence == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], sequence)
        else:
            ranges.append((sequence, sequence))
    return tuple(ranges)
