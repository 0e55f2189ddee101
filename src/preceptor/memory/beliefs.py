"""What the tutor thinks of a learner, concept by concept, derived from checks and never claimed beyond them.

A row is never updated into another claim: the next row supersedes it. Everything here can be made again from the log;
what a learner denies is an episode too. Nothing is done on the request path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from preceptor.domain.belief import Belief
from preceptor.domain.scope import Scope
from preceptor.errors import InputError, StoreError
from preceptor.memory.belief_chain import BeliefChain
from preceptor.memory.checks import CheckEvent, CheckReader, DenialEvent, MapOf
from preceptor.record.episode_log import EpisodeLog
from preceptor.record.kinds import new_episode
from preceptor.record.memory_kinds import DenialBody
from preceptor.settings import MemorySettings
from preceptor.stores.beliefs import BeliefStore
from preceptor.stores.protocols import EpisodeStore

ATTEMPTS = 5
"""Times a chain is read again after another process or an erasure changed it meanwhile. (chosen)"""


@dataclass(frozen=True, kw_only=True)
class Rederived:
    """What replaying the record under today's rules did."""

    unchanged: int
    """Concepts whose checks came out as they did: their chains stay as they are."""
    changed: tuple[str, ...]
    """Ids of concepts whose chain was retired and replayed."""


@dataclass(frozen=True, kw_only=True)
class CheckTally:
    """How many checks there are, and how many of them say something about a concept."""

    on_record: int
    """Checks and quiz items with a verdict."""
    tied: int
    """Those that stand behind a row of some belief."""

    @property
    def words(self) -> str:
        """The sentence for block and report: never "no checks yet" where there are some (seed)."""
        if not self.on_record:
            return "no checks are on record yet"
        checks = "1 check is" if self.on_record == 1 else f"{self.on_record} checks are"
        if not self.tied:
            none = "it could not" if self.on_record == 1 else "none could"
            return f"{checks} on record, but {none} be tied to a concept in the map yet"
        return f"{checks} on record, {self.tied} of them count for a concept in the map"


class Beliefs:
    """The beliefs of every scope; each call names one."""

    def __init__(
        self,
        log: EpisodeLog,
        episodes: EpisodeStore,
        store: BeliefStore,
        map_of: MapOf,
        settings: MemorySettings,
        clock: Callable[[], datetime],
    ) -> None:
        """Keep the log, the store, where maps come from, today's rules and the clock."""
        self._log = log
        self._store = store
        self._map_of = map_of
        self._settings = settings
        self._clock = clock
        self._reader = CheckReader(episodes, map_of)

    # -- reading ------------------------------------------------------------------------------------------

    def current(self, scope: Scope) -> tuple[Belief, ...]:
        """Return what is believed now: no row that is superseded or unsettled; the surest first.

        Their `evidence` is not read: this is for a live turn. `shown` reads it.
        """
        return _held(self._store.heads(scope))

    def shown(self, scope: Scope) -> tuple[Belief, ...]:
        """Return what is believed now with everything it stands on, the surest first."""
        return _held(one for one in self._store.rows(scope) if one.superseded_by is None)

    def chain(self, scope: Scope, belief_id: str) -> tuple[Belief, ...]:
        """Return everything that was ever thought of the concept of a row, oldest first: what changed, and why.

        Raises:
            NotFoundError: The scope has no such row.
        """
        return tuple(self._store.chain(scope, belief_id))

    def rows(self, scope: Scope, concept_id: str | None = None) -> tuple[Belief, ...]:
        """Return every row, superseded ones included, in the order they were recorded."""
        return tuple(self._store.rows(scope, concept_id))

    def as_of(self, scope: Scope, at: datetime, *, known_at: datetime | None = None) -> tuple[Belief, ...]:
        """Return what held at an instant, as far as it was known at another.

        Args:
            scope: Whose.
            at: When it held of the learner.
            known_at: Only rows recorded by then count; `None`: all, so today's knowledge of that time.
        """
        if at.utcoffset() is None or (known_at is not None and known_at.utcoffset() is None):
            raise ValueError("as_of needs timezone-aware times")
        latest: dict[tuple[str, str], Belief] = {}
        for one in self._store.rows(scope):
            if one.valid_from <= at and (known_at is None or one.recorded_at <= known_at):
                latest[one.concept_id, one.predicate] = one
        return tuple(one for one in latest.values() if one.claim != "unsettled")

    def tally(self, scope: Scope) -> CheckTally:
        """Return how many checks are on record and how many of them are tied to a concept."""
        return CheckTally(on_record=self._store.checks_on_record(scope), tied=self._store.checks_tied(scope))

    # -- deriving -----------------------------------------------------------------------------------------

    def update_after_turn(self, scope: Scope, dialogue_id: str, turn: int) -> tuple[Belief, ...]:
        """Add what a turn's checks say; return the rows added. Again for the same turn: nothing."""
        return self._apply(scope, lambda: self._reader.of_turn(scope, dialogue_id, turn))

    def catch_up(self, scope: Scope, *, after_sequence: int = 0) -> tuple[Belief, ...]:
        """Add what every check after a link says that no row stands on yet, such as those of an import."""
        return self._apply(scope, lambda: self._reader.of_scope(scope, after_sequence=after_sequence))

    def rederive(self, scope: Scope) -> Rederived:
        """Replay every check and denial on record under today's rules and map; touch no episode.

        A concept whose checks all come out as they did keeps its chain. Otherwise the chain is retired, never deleted,
        and the replayed rows follow, valid from when their checks were made, recorded now.
        """
        now = self._clock()
        unchanged, changed = 0, []
        by_concept = _by_concept(self._reader.of_scope(scope))
        concepts = dict.fromkeys((*by_concept, *(one.concept_id for one in self._store.heads(scope))))
        for concept_id in concepts:
            for _ in range(ATTEMPTS):
                chain = self._chain(scope, concept_id, now)
                replayed = BeliefChain(scope, concept_id, (), self._settings, recorded_at=now)
                replayed.replay(by_concept.get(concept_id, ()))
                if chain.says_the_same(replayed):
                    unchanged += 1
                    break
                chain.retire()
                chain.replay(by_concept.get(concept_id, ()))
                chain.fade(now)
                if self._store.add(scope, chain.new, chain.stored_head):
                    changed.append(concept_id)
                    break
                by_concept = _by_concept(self._reader.of_scope(scope))
            else:
                raise StoreError(f"the beliefs of concept {concept_id} are being changed by another process")
        return Rederived(unchanged=unchanged, changed=tuple(changed))

    def deny(
        self, scope: Scope, belief_id: str, *, note: str = "", language: str = "en", time_zone: str = "UTC"
    ) -> Belief:
        """Record that the learner says a belief is not true, and return the row that closes it.

        The count of checks for its concept begins anew; the denied claim comes back only once new checks outweigh the
        denial (`memory.denial_checks`).

        Raises:
            NotFoundError: The scope has no such row.
            InputError: It is not what is believed now.
        """
        chain = self._store.chain(scope, belief_id)
        believed = chain[-1]
        if believed.belief_id != belief_id or believed.claim == "unsettled":
            raise InputError(f"belief {belief_id} is not held any more: see its chain for what came after")
        concept = self._map_of(scope.subject_id).by_id.get(believed.concept_id)
        episode = self._log.append(
            new_episode(
                DenialBody(
                    belief_id=belief_id,
                    concept_id=believed.concept_id,
                    concept=concept.name if concept is not None else believed.concept_id,
                    claim=believed.claim,
                    note=note,
                ),
                learner_id=scope.learner_id,
                subject_id=scope.subject_id,
                concept_ids=(believed.concept_id,),
                language=language,
                time_zone=time_zone,
            )
        )
        self.catch_up(scope, after_sequence=episode.sequence - 1)
        return self._store.rows(scope, believed.concept_id)[-1]

    def fade(self, scope: Scope, now: datetime) -> tuple[Belief, ...]:
        """Add what time did to beliefs that nothing touched for `memory.decay_days`; return the rows added."""
        added: list[Belief] = []
        for head in self._store.heads(scope):
            chain = self._chain(scope, head.concept_id, now)
            chain.fade(now)
            if chain.new and self._store.add(scope, chain.new, chain.stored_head):
                added += chain.new
        return tuple(added)

    def _apply(self, scope: Scope, read: Callable[[], list[CheckEvent | DenialEvent]]) -> tuple[Belief, ...]:
        added: list[Belief] = []
        for _ in range(ATTEMPTS):
            now = self._clock()
            missed = False
            for concept_id, events in _by_concept(read()).items():
                chain = self._chain(scope, concept_id, now)
                chain.replay(events)
                if self._store.add(scope, chain.new, chain.stored_head):
                    added += chain.new
                else:
                    missed = True
            if not missed:
                return tuple(added)
        raise StoreError(f"the beliefs of {scope.learner_id} are being changed by another process")

    def _chain(self, scope: Scope, concept_id: str, now: datetime) -> BeliefChain:
        rows = self._store.rows(scope, concept_id)
        return BeliefChain(scope, concept_id, rows, self._settings, recorded_at=now)


def _by_concept(
    events: Sequence[CheckEvent | DenialEvent],
) -> dict[str, list[CheckEvent | DenialEvent]]:
    found: dict[str, list[CheckEvent | DenialEvent]] = {}
    for event in events:
        for concept_id in event.concept_ids:
            found.setdefault(concept_id, []).append(event)
    return found


def _held(heads: Iterable[Belief]) -> tuple[Belief, ...]:
    believed = [one for one in heads if one.claim != "unsettled"]
    return tuple(sorted(believed, key=lambda one: (-(one.confidence or 0), one.concept_id)))
