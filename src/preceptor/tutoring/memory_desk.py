"""What is remembered of a learner, for whoever it is about: to look at, to deny, to forget, to take along.

Every call takes its scope from the principal; nobody reads another's. What is erased goes with all that was derived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date

from preceptor.domain.belief import Belief
from preceptor.domain.concept import ConceptMap
from preceptor.domain.episode import Episode
from preceptor.domain.principal import Principal
from preceptor.domain.scope import Scope
from preceptor.errors import InputError, NotFoundError
from preceptor.memory.consolidation import zone_or_utc
from preceptor.memory.export import export_learner
from preceptor.memory.learner_memory import LearnerMemory
from preceptor.memory.teaching import with_notes
from preceptor.record.episode_log import opened
from preceptor.record.erasure_scope import ErasureScope
from preceptor.record.kinds import body_of
from preceptor.record.memory_kinds import ConsolidationBody
from preceptor.record.record import Record
from preceptor.settings import Settings
from preceptor.stores.protocols import EpisodeQuery
from preceptor.tutoring.erasure import LearnerErasure, erase_of_learner
from preceptor.tutoring.memory_beliefs import belief_views, change_views, concept_name, denied_views
from preceptor.tutoring.memory_lines import days_of, months_of, record_line, record_lines
from preceptor.tutoring.memory_views import (
    DayView,
    LearnerMap,
    MemoryPage,
    MemoryReport,
    NoteView,
    RecordLine,
)

HOME_SUBJECT = "maths"
"""Where a learner without any record begins."""
NOTES_SHOWN = 7
"""Days' notes in the instructor's report. (chosen: a week)"""
CHANGES_SHOWN = 12
"""(chosen: half a screen)"""


class MemoryDesk:
    """A learner's view of their memory, and the instructor's of how far to trust it. It holds nothing open itself."""

    def __init__(
        self,
        record: Record,
        settings: Settings,
        release: Callable[[str], None],
        settle: Callable[[], None] = lambda: None,
    ) -> None:
        """Take the open record.

        Args:
            record: Stays the caller's to close.
            settings: Rules and time zone.
            release: Called with a learner before anything of theirs is erased: lets go of what is held of them in
                memory, or refuses with `BusyError`.
            settle: Called before memory is shown: takes up the replies that wait for it.
        """
        self._record = record
        self._settings = settings
        self._release = release
        self._settle = settle
        self._memory = LearnerMemory(record, settings.memory)

    # -- looking ------------------------------------------------------------------------------------------

    def subjects(self, principal: Principal) -> tuple[str, ...]:
        """Return the subjects in which the learner has a record; maths first."""
        found = {head.subject_id for head in self._record.episodes.heads(principal.learner_id)}
        return tuple(sorted(found or {HOME_SUBJECT}, key=lambda one: (one != HOME_SUBJECT, one)))

    def page(self, principal: Principal, subject_id: str, *, whole_map: bool = False) -> MemoryPage:
        """Return everything that is remembered of the learner's subject; empty where there is no record.

        Args:
            principal: Who is asking, and of whom.
            subject_id: Which subject.
            whole_map: All concepts of the subject and not only those the learner has to do with.
        """
        self._settle()
        scope = self._scope(principal, subject_id)
        episodes = self._episodes(scope)
        lines = {line.episode_id: line for line in record_lines(episodes)}
        concepts = with_notes(self._memory.maps.map(subject_id), [one for one in episodes if one.kind == "taught"])
        rows = self._memory.beliefs.rows(scope)
        beliefs = belief_views(rows, concepts, lines)
        return MemoryPage(
            subject_id=subject_id,
            subjects=self.subjects(principal),
            beliefs=beliefs,
            denied=denied_views(rows, concepts, lines),
            months=months_of(list(lines.values()), self._today(episodes)),
            taught=tuple(reversed([line for line in lines.values() if line.kind == "taught"])),
            map=LearnerMap(
                concepts=concepts if whole_map else _own_part(concepts, rows, episodes),
                n_whole=len(concepts.concepts),
                beliefs={one.concept_id: one for one in beliefs},
            ),
            tally=self._memory.beliefs.tally(scope),
            calibration=self._memory.nightly.calibration(scope),
        )

    def month(self, principal: Principal, subject_id: str, month: date) -> tuple[DayView, ...]:
        """Return what is on record of one month, day by day; empty: nothing."""
        return days_of(record_lines(self._episodes(self._scope(principal, subject_id))), month)

    def episode(self, principal: Principal, episode_id: str) -> tuple[RecordLine, tuple[RecordLine, ...]]:
        """Return one episode of the learner's and everything that belongs to its moment, in order.

        Raises:
            NotFoundError: The learner has no such episode, it was erased, or it is none to read.
        """
        episode = self._record.log.get(principal.learner_id, episode_id)
        line = record_line(episode)
        if line is None:
            raise NotFoundError(f"nothing is kept of episode {episode_id!r}")
        return line, tuple(record_lines(self._moment(principal, episode)))

    def report(self, principal: Principal, subject_id: str) -> MemoryReport:
        """Return how far to trust what is remembered, and what the last nights did.

        Raises:
            InputError: The principal is no instructor.
        """
        if not principal.may_instruct:
            raise InputError("the report on memory is the instructor's to see: this principal holds other roles only")
        self._settle()
        scope = self._scope(principal, subject_id)
        concepts = self._memory.maps.map(subject_id)
        rows = self._memory.beliefs.rows(scope)
        held = [one for one in rows if one.superseded_by is None and one.claim != "unsettled"]
        return MemoryReport(
            subject_id=subject_id,
            subjects=self.subjects(principal),
            calibration=self._memory.nightly.calibration(scope),
            tally=self._memory.beliefs.tally(scope),
            n_beliefs=len(held),
            to_confirm=tuple(concept_name(concepts, one.concept_id) for one in held if one.to_confirm),
            night=self._record.nights.last(scope),
            citations=dict(self._record.nights.verification_counts(scope)),
            notes=self._notes(scope),
            changes=change_views(rows, concepts)[:CHANGES_SHOWN],
        )

    # -- the learner's rights -----------------------------------------------------------------------------

    def deny(
        self, principal: Principal, subject_id: str, belief_id: str, *, note: str = "", language: str = ""
    ) -> None:
        """Put on record that a belief is not true; it is held no more.

        Raises:
            NotFoundError: The learner has no such belief.
            InputError: It is not held any more.
        """
        scope = self._scope(principal, subject_id)
        self._memory.beliefs.deny(
            scope,
            belief_id,
            note=note,
            language=language or self._settings.language,
            time_zone=self._zone(self._episodes(scope, newest=1)),
        )

    def forget_belief(self, principal: Principal, subject_id: str, belief_id: str) -> LearnerErasure:
        """Erase the moments of the checks that a belief stands on; what is left is thought over again.

        Raises:
            NotFoundError: The learner has no such belief, or nothing of its evidence is left.
            BusyError: A reply to the learner is being made.
        """
        scope = self._scope(principal, subject_id)
        chain = self._memory.beliefs.chain(scope, belief_id)
        (belief,) = (one for one in chain if one.belief_id == belief_id)
        ids = {part.episode_id for part in belief.evidence if part.verdict in {"right", "wrong"}}
        found = [one for one in self._episodes(scope) if one.episode_id in ids and one.body is not None]
        moments = [one.episode_id for episode in found for one in self._moment(principal, episode)]
        return self._erase(principal, tuple(dict.fromkeys(moments)))

    def forget_moment(self, principal: Principal, episode_id: str) -> LearnerErasure:
        """Erase an episode with everything of its turn: what was written, what was checked, what the tutor replied.

        Raises:
            NotFoundError: The learner has no such episode.
            BusyError: A reply to the learner is being made.
        """
        episode = self._record.log.get(principal.learner_id, episode_id)
        if episode.turn == 0 and episode.dialogue_id is not None:
            return self.forget_dialogue(principal, episode.dialogue_id)
        return self._erase(principal, tuple(one.episode_id for one in self._moment(principal, episode)))

    def forget_dialogue(self, principal: Principal, dialogue_id: str) -> LearnerErasure:
        """Erase a whole conversation.

        Raises:
            NotFoundError: The learner has no such conversation.
            BusyError: A reply to the learner is being made.
        """
        return self._erase_scope(principal, ErasureScope(dialogue_id=dialogue_id))

    def forget_everything(self, principal: Principal) -> LearnerErasure:
        """Erase everything of the learner, in every subject.

        Raises:
            NotFoundError: There is nothing.
            BusyError: A reply to the learner is being made.
        """
        return self._erase_scope(principal, ErasureScope(whole_learner=True))

    def export(self, principal: Principal) -> Iterator[dict[str, object]]:
        """Yield everything that is kept about the learner, as JSON objects."""
        return export_learner(self._record, principal.learner_id)

    # -- inside -------------------------------------------------------------------------------------------

    def _scope(self, principal: Principal, subject_id: str) -> Scope:
        return Scope(learner_id=principal.learner_id, subject_id=subject_id)

    def _episodes(self, scope: Scope, *, newest: int | None = None) -> list[Episode]:
        query = EpisodeQuery(
            learner_id=scope.learner_id, subject_id=scope.subject_id, newest_first=newest is not None, limit=newest
        )
        return [opened(sealed) for sealed in self._record.episodes.find(query)]

    def _moment(self, principal: Principal, episode: Episode) -> list[Episode]:
        """Return what belongs to an episode's turn and is not erased; outside a dialogue the episode alone."""
        if episode.dialogue_id is None or episode.turn is None:
            return [episode] if episode.body is not None else []
        found = self._record.log.list(principal.learner_id, dialogue_id=episode.dialogue_id, turn=episode.turn)
        return [one for one in found if one.body is not None and one.kind != "erasure"]

    def _erase(self, principal: Principal, ids: tuple[str, ...]) -> LearnerErasure:
        if not ids:
            raise NotFoundError("nothing of this is kept any more")
        return self._erase_scope(principal, ErasureScope(episode_ids=ids))

    def _erase_scope(self, principal: Principal, scope: ErasureScope) -> LearnerErasure:
        self._release(principal.learner_id)
        whose = principal.learner_id
        return erase_of_learner(self._record, whose, scope, actor=whose, settings=self._settings.memory)

    def _notes(self, scope: Scope) -> tuple[NoteView, ...]:
        found = self._record.log.list(
            scope.learner_id,
            subject_id=scope.subject_id,
            kinds=("consolidation",),
            newest_first=True,
            limit=NOTES_SHOWN,
        )
        bodies = [body for body in (body_of(one, ConsolidationBody) for one in found) if body is not None]
        return tuple(
            NoteView(day=body.day, counts=body.counts, right=body.checks_right, wrong=body.checks_wrong)
            for body in sorted(bodies, key=lambda body: body.day, reverse=True)
        )

    def _zone(self, episodes: Sequence[Episode]) -> str:
        return episodes[-1].time_zone if episodes else self._settings.time_zone

    def _today(self, episodes: Sequence[Episode]) -> date:
        return self._record.clock().astimezone(zone_or_utc(self._zone(episodes))).date()


def _own_part(concepts: ConceptMap, rows: Sequence[Belief], episodes: Sequence[Episode]) -> ConceptMap:
    """Return the concepts that the learner had to do with and what these build on directly."""
    named = {one for episode in episodes if episode.body is not None for one in episode.concept_ids}
    own = {one for one in named | {row.concept_id for row in rows} if one in concepts.by_id}
    own |= {note.concept_id for note in concepts.concepts if note.notes}
    own |= {edge.prerequisite_id for edge in concepts.edges if edge.concept_id in own}
    return ConceptMap(
        subject_id=concepts.subject_id,
        concepts=tuple(one for one in concepts.concepts if one.concept_id in own),
        edges=tuple(one for one in concepts.edges if one.concept_id in own and one.prerequisite_id in own),
    )
