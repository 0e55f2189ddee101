"""Keeps the word index and the vectors of one scope up with its chain: words at once, vectors afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preceptor.domain.episode import Episode
from preceptor.domain.scope import Scope
from preceptor.memory.entry import LAYOUT, pack_entry
from preceptor.memory.episode_text import episode_text
from preceptor.memory.record_questions import record_question
from preceptor.models.embedder import Embedder
from preceptor.record.episode_log import opened
from preceptor.stores.memory import MemoryState, MemoryStore, StoredEntry
from preceptor.stores.protocols import EpisodeQuery, EpisodeStore

BATCH = 500
"""Episodes read and indexed in one transaction. (chosen: 30 ms of work)"""
VECTOR_BATCH = 64
"""Episodes embedded between two writes. (chosen: about 2 s of work)"""


class EpisodeIndexer:
    """Makes entries and vectors from the log; both can be lost and made again."""

    def __init__(self, episodes: EpisodeStore, store: MemoryStore, embedder: Embedder | None) -> None:
        """Keep the stores; without an embedder there are no vectors and words find everything."""
        self._episodes = episodes
        self._store = store
        self._embedder = embedder

    def catch_up(self, scope: Scope, *, limit: int | None = None) -> MemoryState:
        """Index the words of what was appended since the last time; return how far the index is now.

        Args:
            scope: Whose.
            limit: Look at so many episodes at most; `None`: all.
        """
        state = self._store.state(scope, LAYOUT)
        done = 0
        while state.indexed_sequence < state.head_sequence and (limit is None or done < limit):
            size = BATCH if limit is None else min(BATCH, limit - done)
            batch = self._read(scope, state.indexed_sequence, size)
            if not batch:
                break
            done += len(batch)
            self._store.put_entries(
                scope, self._entries(batch), layout=LAYOUT, through_sequence=max(one.sequence for one in batch)
            )
            state = self._store.state(scope, LAYOUT)
        return state

    def embed(self, scope: Scope, *, limit: int | None = None) -> int:
        """Give indexed episodes their vectors, the oldest first; return how many were looked at.

        A text the embedder must not judge is remembered as declined and not asked for again.
        """
        if self._embedder is None:
            return 0
        done = 0
        while limit is None or done < limit:
            size = VECTOR_BATCH if limit is None else min(VECTOR_BATCH, limit - done)
            ids = self._store.without_vector(scope, self._embedder.fingerprint, limit=size)
            if not ids:
                break
            self._store.put_vectors(scope, self._embedder.fingerprint, self._vectors(scope, ids))
            done += len(ids)
        return done

    def _vectors(self, scope: Scope, ids: Sequence[str]) -> dict[str, bytes]:
        assert self._embedder is not None
        query = EpisodeQuery(learner_id=scope.learner_id, subject_id=scope.subject_id, episode_ids=tuple(ids))
        found = [opened(sealed) for sealed in self._episodes.find(query)]
        content = {episode_id: b"" for episode_id in ids}
        by_language: dict[str, list[tuple[str, str]]] = {}
        for episode in found:
            text = episode_text(episode)
            if text is not None:
                by_language.setdefault(episode.language, []).append((episode.episode_id, text))
        for language, texts in by_language.items():
            vectors = self._embedder.embed([text for _, text in texts], language=language)
            for (episode_id, _), vector in zip(texts, vectors, strict=True):
                if vector is not None:
                    content[episode_id] = vector.astype("<f2").tobytes()
        return content

    def _read(self, scope: Scope, after_sequence: int, limit: int) -> list[Episode]:
        query = EpisodeQuery(
            learner_id=scope.learner_id, subject_id=scope.subject_id, after_sequence=after_sequence, limit=limit
        )
        return [opened(sealed) for sealed in self._episodes.find(query)]

    def _entries(self, batch: Sequence[Episode]) -> list[StoredEntry]:
        asked = self._asked(batch)
        entries = []
        for episode in batch:
            text = episode_text(episode)
            if text is None:
                continue
            content = pack_entry(episode, text, narration=_is_narration(episode, text, asked))
            entries.append(StoredEntry(sequence=episode.sequence, episode_id=episode.episode_id, content=content))
        return entries

    def _asked(self, batch: Iterable[Episode]) -> set[tuple[str, int]]:
        """Return (dialogue, turn) of the learner's questions about the record, those before the batch included."""
        asked: set[tuple[str, int]] = set()
        seen: set[tuple[str, int]] = set()
        for episode in batch:
            turn = _turn(episode)
            if turn is None:
                continue
            if episode.kind == "turn_record" and turn not in seen:
                query = EpisodeQuery(
                    learner_id=episode.learner_id,
                    subject_id=episode.subject_id,
                    dialogue_id=turn[0],
                    turn=turn[1],
                    kinds=("answer", "question"),
                )
                earlier = [opened(sealed) for sealed in self._episodes.find(query)]
            else:
                earlier = [episode] if episode.kind in {"answer", "question"} else []
            for one in earlier:
                seen.add(turn)
                text = episode_text(one)
                if text is not None and _asks(one, text):
                    asked.add(turn)
        return asked


def _is_narration(episode: Episode, text: str, asked: set[tuple[str, int]]) -> bool:
    """Whether an episode asks what is on record, or is the tutor's answer to that."""
    if episode.kind == "turn_record":
        return _turn(episode) in asked
    return _asks(episode, text)


def _asks(episode: Episode, text: str) -> bool:
    """Whether the learner asks about the record in it; a problem's own question is none."""
    if episode.kind == "question" and episode.body is not None and episode.body.get("problem"):
        return False
    return episode.kind in {"answer", "question"} and record_question(text, episode.language) is not None


def _turn(episode: Episode) -> tuple[str, int] | None:
    if episode.dialogue_id is None or episode.turn is None:
        return None
    return episode.dialogue_id, episode.turn
