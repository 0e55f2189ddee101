"""The block: the small, ranked slice of a learner's memory that one turn is told, inside a token budget.

No language model, at most one embedding, the same text for the same record and question. Layout: "A Tutor That
Remembers", one turn within a budget; order by the kind of question.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from preceptor.concepts.routing import route
from preceptor.concepts.vectors import ConceptVectors
from preceptor.domain.belief import Belief
from preceptor.domain.concept import ConceptMap
from preceptor.domain.scope import Scope
from preceptor.memory.block_concepts import ConceptLines
from preceptor.memory.block_items import BeliefItem, EpisodeItem, episode_item
from preceptor.memory.block_layout import Layout, Written, write
from preceptor.memory.block_lines import belief_line, episode_line, time_lines, untied_line
from preceptor.memory.entry import repeat_digest
from preceptor.memory.episode_text import episode_text
from preceptor.memory.phrase_table import likely_language
from preceptor.memory.recall import Recall, Recalled, RecalledEpisode
from preceptor.memory.record_questions import MAX_CHARS, RecordQuestion, record_question, record_silent_words
from preceptor.memory.row_filter import EVERYTHING, RowFilter
from preceptor.memory.teaching import TaughtNotes
from preceptor.memory.time_phrases import TimeWindow, zone_of
from preceptor.memory.word_forms import content_words
from preceptor.models.embedder import Embedder, Vector
from preceptor.settings import MemorySettings
from preceptor.stores.memory import MemoryState, MemoryStore

ACTIVITY = frozenset({"question", "answer", "check", "reveal", "turn_record", "correction", "quiz", "taught"})
"""Kinds that are work with the learner: a file's arrival or the night's note make no session."""
WANTED: dict[str, RowFilter] = {
    "got_wrong": RowFilter(verdict="wrong"),
    "got_right": RowFilter(verdict="right"),
    "what_taught": RowFilter(kinds=frozenset({"taught"})),
    "what_done": RowFilter(kinds=frozenset({"question", "quiz", "taught"})),
}
"""What a question about the record is answered from first; conversation fills what is left (M29)."""


class CurrentBeliefs(Protocol):
    """What is believed of a learner now. `memory.beliefs.Beliefs` is one."""

    def current(self, scope: Scope) -> Sequence[Belief]:
        """Return the rows that nothing supersedes and that claim something, the surest first."""
        ...

    def rows(self, scope: Scope) -> Sequence[Belief]:
        """Return every row there ever was; empty: no check could be tied to a concept."""
        ...


class SubjectMapSource(Protocol):
    """Where the subject's map comes from. `concepts.subject_maps.SubjectMaps` is one."""

    def map(self, subject_id: str) -> ConceptMap:
        """Return a subject's map; empty where none was built."""
        ...

    def vectors(self, concepts: ConceptMap) -> ConceptVectors | None:
        """Return the vectors of a map that `map` gave; `None` without an embedder."""
        ...


@dataclass(frozen=True, kw_only=True)
class MemoryBlock:
    """What one turn is told of the learner's memory, and what it is made of."""

    text: str
    """Empty: there is nothing to say."""
    tokens: int
    """Estimated."""
    beliefs: tuple[BeliefItem, ...] = ()
    episodes: tuple[EpisodeItem, ...] = ()
    """Oldest first."""
    concept_ids: tuple[str, ...] = ()
    """Concepts that the question was routed to."""
    record_question: RecordQuestion | None = None
    window: TimeWindow | None = None
    window_is_empty: bool = False
    asked_about: bool = False
    """The question has words that a memory could match; see `Recalled.asked_about`."""
    matched: bool = False
    """Something did. False: the memories are the latest, for want of better."""
    unread_time: str = ""
    """A phrase of time that could not be read; "": none."""
    counts: dict[str, int] = field(default_factory=dict)
    """What is on record, in the window where there is one; see `Recalled.counts`."""
    untied_checks: int = 0
    """Checks on record, where a record question found that none of them could be tied to a concept (M33)."""
    similarities: tuple[float, ...] = ()
    """Relevance of each episode, [0, 1]."""
    today: date
    """In the learner's time zone."""
    unindexed: int = 0
    """Links of the chain that were not looked at yet."""
    duration_ms: float = 0.0

    @property
    def episode_ids(self) -> tuple[str, ...]:
        """Ids of the memories, oldest first: stored on the answer."""
        return tuple(item.episode_id for item in self.episodes)


class BlockBuilder:
    """Builds blocks; safe to use from several threads."""

    def __init__(
        self,
        recall: Recall,
        store: MemoryStore,
        maps: SubjectMapSource,
        taught: TaughtNotes,
        settings: MemorySettings,
        *,
        beliefs: CurrentBeliefs | None = None,
        embedder: Embedder | None = None,
        budget: int,
    ) -> None:
        """Keep what the block is made of.

        Args:
            recall: Finds memories.
            store: Knows what verification found.
            maps: The subjects' maps.
            taught: Lays a learner's own notes over them.
            settings: How many lines of each kind.
            beliefs: What is believed; `None`: nothing is.
            embedder: The one of `recall`: one vector serves routing and recall.
            budget: Most tokens of a block.
        """
        self._recall = recall
        self._store = store
        self._maps = maps
        self._taught = taught
        self._settings = settings
        self._beliefs = beliefs
        self._embedder = embedder
        self._budget = budget
        self._concepts = ConceptLines(settings)

    def build(
        self,
        scope: Scope,
        query: str,
        *,
        now: datetime,
        time_zone: str,
        language: str,
        dialogue_id: str | None = None,
        may_ask_record: bool = True,
    ) -> MemoryBlock:
        """Return the block for one question.

        Args:
            scope: Whose; nothing of anyone else stands in it.
            query: The learner's words.
            now: The moment of asking, timezone-aware.
            time_zone: The learner's IANA zone.
            language: The query's language as far as known, BCP 47.
            dialogue_id: The dialogue that is going on. It stands in the prompt anyway, so that an ordinary question
                brings back none of it; a question about the record does.
            may_ask_record: False: the words of a question about the record were meant of what was just said.

        Raises:
            InputError: The time zone is not known.
        """
        started = time.perf_counter()
        zone = zone_of(time_zone)
        today = now.astimezone(zone).date()
        asked = record_question(query, language) if may_ask_record else None
        state = self._recall.up_to_date(scope, whole=asked is not None, but_for=dialogue_id if asked is None else None)
        subject_map = self._maps.map(scope.subject_id)
        concepts = self._taught.over(scope, subject_map, state)
        vector = self._vector(query, asked, language)
        vectors = None if vector is None else self._maps.vectors(subject_map)
        hits = () if len(query) > MAX_CHARS else route(query, concepts, language, vector, vectors=vectors)
        routed = tuple(hit.concept_id for hit in hits)
        found, recalled = self._recalled(
            scope, query, asked, now, time_zone, language, routed, vector, dialogue_id, state
        )
        beliefs = self._current(scope, concepts, routed)
        unread = recalled.time.unread if recalled.time_use == "unread" else ""
        untied = self._untied_checks(scope, recalled) if asked and not beliefs else 0
        if asked is None and not (found or beliefs or recalled.window or unread):
            return MemoryBlock(text="", tokens=0, concept_ids=routed, today=today, duration_ms=_since(started))
        citing = [one.episode.episode_id for one in found if one.episode.evidence]
        status = self._store.verifications(scope, citing) if citing else {}
        items = [
            episode_item(one, zone, status[one.episode.episode_id].status if one.episode.episode_id in status else None)
            for one in found
        ]
        order = {one.episode.episode_id: (one.episode.occurred_at, one.episode.sequence) for one in found}
        relevance = {one.episode.episode_id: one.relevance for one in found}
        told = time_lines(
            recalled.window,
            empty=recalled.window_is_empty,
            nothing_of_the_kind=not found,
            unread=unread,
            counts=recalled.counts,
        )
        if untied:
            told.append(untied_line(untied))
        written = self._written(asked, told, beliefs, items, order, today, concepts, routed)
        kept = [items[place] for place in sorted(written.episodes, key=lambda place: order[items[place].episode_id])]
        return MemoryBlock(
            text=written.text,
            tokens=written.tokens,
            beliefs=tuple(beliefs[place] for place in written.beliefs),
            episodes=tuple(kept),
            concept_ids=routed,
            record_question=asked,
            window=recalled.window,
            window_is_empty=recalled.window_is_empty,
            asked_about=recalled.asked_about,
            matched=recalled.matched,
            unread_time=unread,
            counts=recalled.counts,
            untied_checks=untied,
            similarities=tuple(round(relevance[item.episode_id], 4) for item in kept),
            today=today,
            unindexed=recalled.unindexed,
            duration_ms=_since(started),
        )

    def _vector(self, query: str, asked: RecordQuestion | None, language: str) -> Vector | None:
        if self._embedder is None:
            return None
        likely = compared_in(query, asked, language)
        return None if likely is None else self._embedder.embed([query], language=likely)[0]

    def _recalled(
        self,
        scope: Scope,
        query: str,
        asked: RecordQuestion | None,
        now: datetime,
        time_zone: str,
        language: str,
        routed: tuple[str, ...],
        vector: Vector | None,
        dialogue_id: str | None,
        state: MemoryState,
    ) -> tuple[list[RecalledEpisode], Recalled]:
        """Return the memories, the most telling first, and the recall that knows of the time.

        Where the answer may be that there is no record of a time, the whole record is looked at, with the dialogue
        that is going on.
        """
        most = self._settings.block_episodes if asked is None else self._settings.block_record_episodes

        def once(only: RowFilter, seen: MemoryState) -> Recalled:
            return self._recall.recall(
                scope,
                query,
                now=now,
                time_zone=time_zone,
                language=language,
                concept_ids=routed,
                limit=max(most, 1),
                vector=vector,
                as_reminder=asked is None,
                without_dialogue=going_on,
                kinds=ACTIVITY,
                only=only,
                state=seen,
            )

        wanted = WANTED.get(asked.kind, EVERYTHING) if asked else EVERYTHING
        going_on = dialogue_id if asked is None else None
        first = once(wanted, state)
        if first.window is not None and (first.unindexed or going_on is not None):
            state, going_on = self._recall.up_to_date(scope, whole=True), None
            first = once(wanted, state)
        if asked is not None and asked.kind == "what_done" and first.asked_about and not first.matched:
            talk = once(EVERYTHING, state)  # what was only talked about was done too
            if talk.matched:
                return list(talk.episodes[:most]), talk
        found = list(first.episodes[:most])
        if wanted is not EVERYTHING and len(found) < most and not first.window_is_empty:
            told = {_repeat(one) for one in found}
            found += [one for one in once(EVERYTHING, state).episodes if _repeat(one) not in told]
            found = found[:most]
        return found, first

    def _untied_checks(self, scope: Scope, recalled: Recalled) -> int:
        checks = 0 if recalled.window else recalled.counts.get("right", 0) + recalled.counts.get("wrong", 0)
        return checks if checks and not (self._beliefs and self._beliefs.rows(scope)) else 0

    def _current(self, scope: Scope, concepts: ConceptMap, routed: tuple[str, ...]) -> list[BeliefItem]:
        """Return beliefs on concepts of the map, those on the question's concepts first, then the surest."""
        held = [one for one in self._beliefs.current(scope)] if self._beliefs is not None else []
        held.sort(key=lambda one: one.concept_id not in routed)
        return [
            BeliefItem(
                belief_id=one.belief_id,
                concept=concepts.by_id[one.concept_id].name,
                claim=one.claim,
                confidence=one.confidence,
                to_confirm=one.to_confirm,
                evidence_ids=one.evidence_ids,
            )
            for one in held
            if one.confidence is not None and one.concept_id in concepts.by_id
        ]

    def _written(
        self,
        asked: RecordQuestion | None,
        told: list[str],
        beliefs: Sequence[BeliefItem],
        items: Sequence[EpisodeItem],
        order: dict[str, tuple[datetime, int]],
        today: date,
        concepts: ConceptMap,
        routed: tuple[str, ...],
    ) -> Written:
        most_tokens = self._settings.block_line_tokens
        layout = Layout(
            is_record_question=asked is not None,
            told=tuple(told),
            beliefs=tuple(belief_line(one) for one in beliefs[: self._settings.block_beliefs]),
            episodes=tuple(episode_line(one, today=today, most_tokens=most_tokens) for one in items),
            episode_order=tuple(order[one.episode_id] for one in items),
            map_header=self._concepts.header(concepts),
            map_lines=self._concepts.lines(concepts, routed),
        )
        return write(layout, self._budget)


def compared_in(query: str, asked: RecordQuestion | None, language: str) -> str | None:
    """Return the language in which a question is compared with memories; `None`: it says nothing to compare.

    Args:
        query: The learner's words.
        asked: What they ask of the record.
        language: As far as known, BCP 47.
    """
    likely = likely_language(query, language)
    silent = record_silent_words(asked.language) if asked else frozenset()
    return None if all(word in silent for word in content_words(query, likely)) else likely


def _repeat(recalled: RecalledEpisode) -> int:
    return repeat_digest(recalled.episode, episode_text(recalled.episode) or "")


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)
