"""What of a learner's past a question brings back. No language model; at most one embedding, and that can be given."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np

from preceptor.domain.episode import Episode
from preceptor.domain.scope import Scope
from preceptor.memory.entry import LAYOUT, digest64, microseconds
from preceptor.memory.indexing import EpisodeIndexer
from preceptor.memory.matching import Question, match
from preceptor.memory.phrase_table import is_about_us, likely_language
from preceptor.memory.record_questions import MAX_CHARS, RecordQuestion, record_question, record_silent_words
from preceptor.memory.row_filter import EVERYTHING, RowFilter, counts_of
from preceptor.memory.scope_index import Mask, ScopeIndex, ScopeIndexes
from preceptor.memory.scoring import Ranking, kind_mask, rank
from preceptor.memory.time_phrases import TimeReading, TimeWindow, read_time, zone_of
from preceptor.memory.word_forms import content_words
from preceptor.models.embedder import Embedder, Vector
from preceptor.record.episode_log import opened
from preceptor.settings import MemorySettings
from preceptor.stores.memory import MemoryState, MemoryStore
from preceptor.stores.protocols import EpisodeQuery, EpisodeStore

CATCH_UP = 200
"""Episodes indexed inside a recall at most; more wait for `EpisodeIndexer.catch_up`. (chosen: 20 ms)"""
NOT_REMINDERS = frozenset({"question"})
"""A learner's own question is a correct recall and a useless reminder. (seed: A Tutor That Remembers)"""

VectorUse = Literal["used", "declined", "none"]
TimeUse = Literal["applied", "none", "unread", "told"]


@dataclass(frozen=True, kw_only=True)
class RecalledEpisode:
    """One memory."""

    episode: Episode
    score: float
    """Comparable within one recall only."""
    relevance: float
    """[0, 1]: how well it fits by words and vector alone."""
    count: int
    """How many identical episodes it stands for, itself included."""
    pools: tuple[str, ...]
    """Which pools found it: "recent", "words", "concepts", "vectors"."""


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """What a question brought back, and what was done to find it."""

    episodes: tuple[RecalledEpisode, ...]
    """Best first."""
    window: TimeWindow | None
    """Days the recall was kept to; `None`: no time filter."""
    time: TimeReading
    """How the question's time phrase was read."""
    time_use: TimeUse
    """`applied`: recall was kept to the window; `none`: no time was named; `unread`: one was named that could not be
    read (`time.unread`), so there was no filter: say so; `told`: it belongs to what is told ("Ana ran 5 km last
    week"), not to the two who talk, and was no filter."""
    window_is_empty: bool
    """A window was asked for and nothing that can be recalled lies in it: say that there is no record of it."""
    asked_about: bool
    """The question has words, beside those of time and of asking, that a memory could match."""
    matched: bool
    """Something matched. False: these are the most recent, for want of better."""
    record_question: RecordQuestion | None
    """The question is about the record itself."""
    unindexed: int
    """Links of the chain not looked at yet; 0: the whole history was searched."""
    vectors: VectorUse
    """`declined`: the embedder does not judge this language, words alone were used; `none`: there is no embedder."""
    counts: dict[str, int]
    """What there is to recall, in the window where there is one: kind → episodes, and "right" and "wrong" for checks
    and quiz items by verdict. Repeats count each time."""
    stages: dict[str, int]
    """How many episodes each stage saw."""
    timings_ms: dict[str, float]


class Recall:
    """Finds memories of one scope."""

    def __init__(
        self,
        episodes: EpisodeStore,
        store: MemoryStore,
        embedder: Embedder | None,
        settings: MemorySettings,
    ) -> None:
        """Keep the stores; indexes are read when first asked for."""
        self._episodes = episodes
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._indexes = ScopeIndexes(store, limit=settings.cached_scopes)
        self.indexer = EpisodeIndexer(episodes, store, embedder)

    def recall(
        self,
        scope: Scope,
        query: str,
        *,
        now: datetime,
        time_zone: str,
        language: str,
        concept_ids: Sequence[str] = (),
        limit: int = 12,
        vector: Vector | None = None,
        window: TimeWindow | None = None,
        read_the_time: bool = True,
        as_reminder: bool = False,
        without_dialogue: str | None = None,
        kinds: Collection[str] | None = None,
        only: RowFilter = EVERYTHING,
        state: MemoryState | None = None,
    ) -> Recalled:
        """Return the memories a question brings back, best first.

        Args:
            scope: Whose; nothing of anyone else, or of another subject, is ever returned.
            query: The learner's words; empty: the most recent.
            now: The moment of asking, timezone-aware.
            time_zone: The learner's IANA zone.
            language: The query's language as far as known, BCP 47.
            concept_ids: Concepts it was routed to.
            limit: Most memories, 1 or more.
            vector: The query's vector where the turn has one; `None`: made here, if the embedder speaks the language.
            window: Days to keep to, whatever the query says; `None`: those it names, if any.
            read_the_time: False: the query's time phrase is no filter.
            as_reminder: Ask "what does this remind me of": the learner's own questions are left out.
            without_dialogue: A dialogue to leave out, such as the one that is going on.
            kinds: Kinds that count at all, for the window too; `None`: every kind that is recalled.
            only: Of those, which are wanted; does not change `window_is_empty` and `counts`.
            state: What `up_to_date` gave just now; `None`: it is asked here.

        Raises:
            InputError: The time zone is not known.
            ValueError: `now` is naive or the limit is below 1.
        """
        if now.utcoffset() is None or limit < 1:
            raise ValueError("recall needs a timezone-aware now and a limit of 1 or more")
        zone_of(time_zone)
        clock = _Clock()
        reading = (
            read_time(query, language=language, now=now, time_zone=time_zone)
            if read_the_time and window is None
            else TimeReading(window=None)
        )
        asked = record_question(query, language)
        time_use = _time_use(query, language, reading, asked, window)
        kept_window = window or (reading.window if time_use == "applied" else None)
        clock.lap("read")
        state = state or self.up_to_date(scope)
        clock.lap("index_words")
        question, use = self._question(
            query, reading if kept_window or time_use == "unread" else None, asked, language, concept_ids, vector
        )
        clock.lap("embed")
        fingerprint = self._embedder.fingerprint if self._embedder is not None and question.vector is not None else None
        index = self._indexes.index(scope, state, fingerprint)
        clock.lap("load")
        if index.size:
            allowed = self._allowed(index, kept_window, as_reminder, without_dialogue, kinds)
            ranking = self._ranked(index, question, kept_window, allowed & only.mask(index), now, limit)
            inside, counts = int(allowed.sum()), counts_of(index, allowed)
            found = self._opened(scope, index, ranking)
        else:
            ranking, inside, counts, found = None, 0, {}, ()
        clock.lap("rank_and_open")
        return Recalled(
            episodes=found,
            window=kept_window,
            time=reading,
            time_use=time_use,
            window_is_empty=kept_window is not None and inside == 0,
            asked_about=not question.is_empty,
            matched=ranking is not None and ranking.matched,
            record_question=asked,
            unindexed=state.head_sequence - state.indexed_sequence,
            vectors=use,
            counts=counts,
            stages=_stages(index, ranking, inside, len(found)),
            timings_ms=clock.laps,
        )

    def ids_of_kind(self, scope: Scope, kind: str, state: MemoryState | None = None) -> tuple[str, ...]:
        """Return the ids of every episode of one kind that can be recalled, oldest first; `state` as in `recall`."""
        index = self._indexes.index(scope, state or self.up_to_date(scope), None)
        rows = np.flatnonzero(kind_mask(index, frozenset({kind})) & index.recallable)
        return tuple(index.episode_ids[row] for row in rows.tolist())

    def forget(self, scope: Scope | None = None) -> None:
        """Drop what is kept in memory of one scope, or of all."""
        self._indexes.forget(scope)

    def up_to_date(self, scope: Scope, *, whole: bool = False, but_for: str | None = None) -> MemoryState:
        """Index what was appended since; return how far the index is.

        Args:
            scope: Whose.
            whole: Index everything; else at most `CATCH_UP` episodes.
            but_for: A dialogue that is not asked for: where nothing but its own links wait, taught notes apart, they
                go on waiting.
        """
        state = self._store.state(scope, LAYOUT)
        after = state.indexed_sequence
        if after < state.head_sequence and (
            but_for is None or self._store.waits_elsewhere(scope, after_sequence=after, dialogue_id=but_for)
        ):
            state = self.indexer.catch_up(scope, limit=None if whole else CATCH_UP)
        return state

    def _question(
        self,
        query: str,
        applied: TimeReading | None,
        asked: RecordQuestion | None,
        language: str,
        concept_ids: Sequence[str],
        vector: Vector | None,
    ) -> tuple[Question, VectorUse]:
        likely = likely_language(query, language)
        text = query
        if applied is not None and applied.span is not None:
            text = f"{query[: applied.span[0]]} {query[applied.span[1] :]}"
        elif applied is not None and applied.unread:
            text = query.replace(applied.unread, " ")
        words = content_words(text, likely)
        if asked is not None:
            silent = record_silent_words(asked.language)
            words = tuple(word for word in words if word not in silent)
        use: VectorUse = "none" if self._embedder is None else "declined"
        if words and vector is None and self._embedder is not None:
            vector = self._embedder.embed([text], language=likely)[0]
        if not words:
            vector = None
        return (
            Question(words=words, language=likely, concept_ids=tuple(concept_ids), vector=vector),
            "used" if vector is not None else use,
        )

    def _allowed(
        self,
        index: ScopeIndex,
        window: TimeWindow | None,
        as_reminder: bool,
        without_dialogue: str | None,
        kinds: Collection[str] | None,
    ) -> Mask:
        allowed = index.recallable.copy()
        if kinds is not None:
            allowed &= kind_mask(index, frozenset(kinds))
        if as_reminder:
            allowed &= ~kind_mask(index, NOT_REMINDERS)
        if without_dialogue is not None:
            allowed &= index.headers["dialogue"] != digest64(without_dialogue)
        if window is not None:
            at = index.headers["occurred_us"]
            allowed &= (at >= microseconds(window.starts_at)) & (at < microseconds(window.ends_at))
        return allowed

    def _ranked(
        self,
        index: ScopeIndex,
        question: Question,
        window: TimeWindow | None,
        allowed: Mask,
        now: datetime,
        limit: int,
    ) -> Ranking:
        return rank(
            index,
            question,
            match(index, question, self._settings),
            allowed,
            self._settings,
            now_us=microseconds(now),
            in_window=window is not None,
            limit=limit,
        )

    def _opened(self, scope: Scope, index: ScopeIndex, ranking: Ranking) -> tuple[RecalledEpisode, ...]:
        """Return the ranked episodes with their payload; one that was erased meanwhile is left out."""
        ids = [index.episode_ids[row] for row in ranking.rows]
        query = EpisodeQuery(learner_id=scope.learner_id, subject_id=scope.subject_id, episode_ids=tuple(ids))
        stored = {sealed.envelope.episode_id: opened(sealed) for sealed in self._episodes.find(query)} if ids else {}
        return tuple(
            RecalledEpisode(
                episode=stored[episode_id],
                score=float(score),
                relevance=float(relevance),
                count=int(count),
                pools=tuple(name for name, mask in ranking.pools.items() if mask[row]),
            )
            for episode_id, row, score, relevance, count in zip(
                ids, ranking.rows, ranking.scores, ranking.relevance, ranking.counts, strict=True
            )
            if episode_id in stored and stored[episode_id].body is not None
        )


def _time_use(
    query: str, language: str, reading: TimeReading, asked: RecordQuestion | None, window: TimeWindow | None
) -> TimeUse:
    if window is not None:
        return "applied"
    if reading.window is None and not reading.unread:
        return "none"
    if asked is None and (len(query) > MAX_CHARS or not is_about_us(query, language)):
        return "told"
    return "unread" if reading.unread else "applied"


class _Clock:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round(1000 * (now - self._last), 3)
        self._last = now


def _stages(index: ScopeIndex, ranking: Ranking | None, inside: int, returned: int) -> dict[str, int]:
    stages = {"indexed": index.size, "allowed": inside}
    if ranking is not None:
        stages |= {f"pool_{name}": int(mask.sum()) for name, mask in ranking.pools.items()}
        stages |= {"candidates": ranking.considered, "after_gate": ranking.kept}
    return stages | {"returned": returned}
