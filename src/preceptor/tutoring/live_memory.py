"""Learner memory in a running program: what a turn reads, and what is brought up to date after its reply."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from preceptor.concepts.from_problems import concepts_of_problem
from preceptor.concepts.routing import route
from preceptor.concepts.subject_maps import SubjectMaps
from preceptor.domain.belief import Belief
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Move
from preceptor.domain.scope import Scope
from preceptor.errors import PreceptorError
from preceptor.memory.beliefs import Beliefs
from preceptor.memory.block import BlockBuilder, CurrentBeliefs, MemoryBlock
from preceptor.memory.phrase_table import LANGUAGES, likely_language, phrase_table
from preceptor.memory.recall import Recall, Recalled
from preceptor.memory.record_phrases import record_phrases
from preceptor.memory.record_questions import MAX_CHARS
from preceptor.memory.teaching import TaughtNotes, Teaching, may_teach, teaching_of
from preceptor.models.embedder import Embedder
from preceptor.record.record import Record
from preceptor.settings import Settings
from preceptor.stores.memory import Stance
from preceptor.tutoring.running_turns import RunningTurns
from preceptor.tutoring.turn import TurnTrace
from preceptor.tutoring.waiting_replies import WaitingReplies

CLOSE_WITHIN_S = 5.0
"""Longest wait for what is still to be brought up to date when the program ends. (chosen: as outcomes)"""
VECTORS_AT_ONCE = 4
"""Episodes that get their vectors in one go; then it is seen whether a turn has begun. (chosen: some 50 ms of CPU)"""
QUIET_S = 0.5
"""So long no turn has run before memory is brought up to date. (chosen: less than a learner takes to answer)"""
WAIT_AT_MOST_S = 20.0
"""Where turns never pause, stance, words and beliefs follow after so long all the same; vectors wait. (chosen)"""
_STANCES: dict[str, Stance] = {
    "answered": "answered",
    "partial": "partial",
    "nothing": "cannot",
    "grounded": "answered",
    "mostly_ungrounded": "partial",
    "not_in_course": "cannot",
}
logger = logging.getLogger("preceptor.memory")


class LiveBeliefs(CurrentBeliefs, Protocol):
    """Beliefs that follow the checks. `memory.beliefs.Beliefs` is one."""

    def update_after_turn(self, scope: Scope, dialogue_id: str, turn: int) -> tuple[Belief, ...]:
        """Add what a turn's checks say."""
        ...


@dataclass(frozen=True, kw_only=True)
class StoredReply:
    """A turn whose reply is on record."""

    scope: Scope
    dialogue_id: str
    turn: int
    record_id: str
    """Of its turn record."""
    stance: Stance | None
    """What the reply came to by its grounding; `None`: it made no claim that could be grounded."""


@dataclass(frozen=True, kw_only=True)
class _Tools:
    """What reads memory; made when it is first needed, since the embedder takes its time."""

    recall: Recall
    taught: TaughtNotes
    maps: SubjectMaps
    builder: BlockBuilder


class LiveMemory:
    """Reads for turns from several threads, and one thread of its own that brings memory up to date."""

    def __init__(
        self, record: Record, settings: Settings, beliefs: LiveBeliefs, embedder: Callable[[], Embedder | None]
    ) -> None:
        """Take the record; nothing is loaded or started yet.

        Args:
            record: The log and what is derived from it; stays the caller's to close.
            settings: Budget and weights.
            beliefs: Current beliefs, and their update.
            embedder: Gives the one that is shared; `None`: words must do.
        """
        self._record = record
        self._settings = settings
        self._beliefs = beliefs
        self._embedder = embedder
        self._names = SubjectMaps(record.concept_maps, clock=record.clock)
        self.turns = RunningTurns()
        """Turns that are being answered, counted by whoever answers them: what is made afterwards waits for a pause."""
        self._lock = threading.Lock()
        self._made: _Tools | None = None
        self._waiting: WaitingReplies[StoredReply] = WaitingReplies()
        self._catching_up = threading.Lock()
        self._owed: dict[Scope, None] = {}
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name="learner memory", daemon=True)

    # -- reading ------------------------------------------------------------------------------------------

    def block(
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
        """Return the block for one message; see `BlockBuilder.build`. Who may ask of the record gets all of it."""
        if may_ask_record:
            self.settle()
        return self._tools().builder.build(
            scope,
            query,
            now=now,
            time_zone=time_zone,
            language=language,
            dialogue_id=dialogue_id,
            may_ask_record=may_ask_record,
        )

    def recall(self, scope: Scope, query: str, *, now: datetime, time_zone: str, language: str, limit: int) -> Recalled:
        """Return the memories that a question brings back; see `Recall.recall`."""
        routed = self.concept_ids(scope, query, language)
        return self._tools().recall.recall(
            scope, query, now=now, time_zone=time_zone, language=language, concept_ids=routed, limit=limit
        )

    def teaching(self, scope: Scope, text: str, language: str) -> Teaching | None:
        """Return what a message teaches this learner's tutor; `None`: nothing."""
        if not may_teach(text, language):
            return None
        tools = self._tools()
        return teaching_of(text, tools.taught.over(scope, tools.maps.map(scope.subject_id)), language)

    def concept_ids(self, scope: Scope, text: str, language: str) -> tuple[str, ...]:
        """Return the concepts that a text names, the surest first: they go with its episode."""
        if len(text) > MAX_CHARS:
            return ()
        hits = route(text, self._names.map(scope.subject_id), likely_language(text, language))
        return tuple(hit.concept_id for hit in hits)

    def problem_concepts(self, problem: Problem) -> tuple[str, ...]:
        """Return the concepts of a problem: those its text names, and those its steps need, as far as on the map."""
        concepts = self._names.map(problem.subject_id)
        named = [hit.concept_id for hit in route(problem.text, concepts, problem.language)]
        needed = [one.concept_id for one in concepts_of_problem(problem)]
        return tuple(one for one in dict.fromkeys((*named, *needed)) if one in concepts.by_id)

    # -- after the reply ----------------------------------------------------------------------------------

    def start(self) -> None:
        """Load what a first question would wait for, then wait for turns, in the background."""
        self._thread.start()

    def put(self, stored: StoredReply) -> None:
        """Have memory brought up to date with a turn; returns at once."""
        self._waiting.put(stored)

    def settle(self) -> None:
        """Bring memory up to date with every reply that waits: who looks at the record sees the last turn too."""
        with self._catching_up:
            while not self._stopped.is_set() and (stored := self._waiting.take()) is not None:
                try:
                    self.catch_up(stored)
                except PreceptorError as error:
                    logger.warning("memory was not brought up to date: %s", type(error).__name__)
                self._owed[stored.scope] = None

    def close(self, *, within_s: float = CLOSE_WITHIN_S) -> None:
        """Finish what waits, for at most so many seconds. What is left is made at the next turn or at night."""
        if self._thread.ident is None:
            return
        self._waiting.close()
        self.turns.over()
        self._thread.join(within_s)
        self._stopped.set()

    def catch_up(self, stored: StoredReply) -> None:
        """Bring memory up to date with one turn: stance, words, beliefs. Vectors are made in pauses.

        Raises:
            PreceptorError: The database failed; nothing on record is touched.
        """
        if stored.stance is not None:
            self._record.memory.set_stance(
                stored.scope, stored.record_id, stored.stance, decided_at=self._record.clock()
            )
        self._tools().recall.indexer.catch_up(stored.scope)
        self._beliefs.update_after_turn(stored.scope, stored.dialogue_id, stored.turn)

    def _tools(self) -> _Tools:
        with self._lock:
            if self._made is None:
                self._made = self._opened()
            return self._made

    def _opened(self) -> _Tools:
        try:
            embedder = self._embedder()
        except PreceptorError as error:
            logger.warning("memory goes by words alone: %s", type(error).__name__)
            embedder = None
        record, settings = self._record, self._settings
        recall = Recall(record.episodes, record.memory, embedder, settings.memory)
        taught = TaughtNotes(recall, record.episodes)
        maps = SubjectMaps(record.concept_maps, embedder, clock=record.clock)
        builder = BlockBuilder(
            recall,
            record.memory,
            maps,
            taught,
            settings.memory,
            beliefs=self._beliefs,
            embedder=embedder,
            budget=settings.tutoring.memory_tokens,
        )
        return _Tools(recall=recall, taught=taught, maps=maps, builder=builder)

    def _work(self) -> None:
        self._tools()
        for language in LANGUAGES:
            phrase_table(language)
            record_phrases(language)
        while not self._stopped.is_set():
            if not self._owed and not self._waiting.wait():
                return
            quiet = self.turns.wait_for_quiet(quiet_s=QUIET_S, at_most_s=WAIT_AT_MOST_S)
            self.settle()
            if self._waiting.is_closed:
                return
            if quiet:
                self._make_vectors()

    def _make_vectors(self) -> None:
        """Make some of the first scope's vectors; it is owed none any more where that was all, or where it failed."""
        scope = next(iter(tuple(self._owed)), None)
        if scope is None:
            return
        try:
            made = self._tools().recall.indexer.embed(scope, limit=VECTORS_AT_ONCE)
        except PreceptorError as error:
            logger.warning("vectors were not made: %s", type(error).__name__)
            made = 0
        if made < VECTORS_AT_ONCE:
            self._owed.pop(scope, None)


def stance_of(trace: TurnTrace) -> Stance | None:
    """Return what a turn's reply came to, from the record where it was asked, else from the course's grounding."""
    reply = trace.reply
    read = trace.reads.get("memory")
    if reply is None:
        return None
    if reply.move is Move.RECORD_ANSWER and read is not None and read.memory is not None and read.memory.found:
        return _STANCES[read.memory.found]
    return _STANCES.get(reply.grounding.status) if reply.grounding is not None else None


def open_memory(settings: Settings, record: Record, embedder: Callable[[], Embedder | None]) -> LiveMemory:
    """Return learner memory over an installation's record; nothing is started yet.

    Args:
        settings: Budget and weights.
        record: The log.
        embedder: Gives the one that is shared with experience and course.
    """
    maps = SubjectMaps(record.concept_maps, clock=record.clock)
    beliefs = Beliefs(record.log, record.episodes, record.beliefs, maps.map, settings.memory, record.clock)
    return LiveMemory(record, settings, beliefs, embedder)
