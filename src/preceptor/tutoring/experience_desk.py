"""The instructor's desk for teaching experience: look into the repository, tend it, distil, and see where it was used.

Every call asks for the principal and is closed to learners. A transcript is opened only where the experience was used
in it, and that it was opened is stored first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from anyio import to_thread

from preceptor.domain.experience import Experience, ExperienceStatus
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus
from preceptor.domain.principal import Principal
from preceptor.errors import InputError, NotFoundError
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.retrieval import ExperienceRetrieval, RetrievalRule, Retrieved
from preceptor.record.episode_log import opened
from preceptor.record.kinds import TurnRecordBody, body_of
from preceptor.record.record import Record
from preceptor.stores.experiences import ExperienceDecision, ExperienceQuery, ExperienceUse
from preceptor.stores.protocols import Access, EpisodeQuery
from preceptor.tutoring.distillation_schedule import DistillationRun, DistillationSchedule
from preceptor.tutoring.live_repository import EMPTY, LOADING, LiveRepository
from preceptor.tutoring.stored_dialogue import dialogue_view, load_dialogue
from preceptor.tutoring.views import DialogueView

Origin = Literal["builtin", "llm", "simulated", "learners"]
"""Who made an entry (rules or a model), or from whose dialogues (scripted learners or real ones)."""
LOOKED_BACK = 500
"""Latest turns that are looked through for uses that have no score yet. (chosen: scores come within seconds)"""
FOUND_AT_MOST = 20
"""Entries that a search by meaning shows. (chosen: two screens)"""
LOOKED_THROUGH = 500
"""Nearest entries that a search narrows down. (chosen: reading them takes a quarter of a second)"""
_EVERY_STATUS: tuple[ExperienceStatus, ...] = ("active", "disabled", "superseded")


@dataclass(frozen=True, kw_only=True)
class ExperienceFilter:
    """Which entries; `None` does not narrow."""

    emotion: Emotion | None = None
    intent: Intent | None = None
    error_type: ErrorType | None = None
    struggle_status: StruggleStatus | None = None
    status: ExperienceStatus | None = "active"
    origin: Origin | None = None

    @property
    def state(self) -> LearnerState | None:
        """The learner's state that a live turn would ask with; `None`: the two tags that decide are not both given."""
        if self.error_type is None or self.struggle_status is None:
            return None
        return LearnerState(
            emotion=self.emotion or Emotion.NEUTRAL,
            intent=self.intent or Intent.DEBUGGING,
            error_type=self.error_type,
            struggle_status=self.struggle_status,
        )

    def passes(self, entry: Experience) -> bool:
        """Whether an entry is for exactly these tags, of this status and origin."""
        state, made = entry.state, entry.provenance
        wanted = (self.emotion, self.intent, self.error_type, self.struggle_status)
        tags = (state.emotion, state.intent, state.error_type, state.struggle_status)
        origins: tuple[Origin, Origin] = (made.made_by, "simulated" if made.simulated else "learners")
        return (
            all(one is None or one is tag for one, tag in zip(wanted, tags, strict=True))
            and self.status in (None, entry.status)
            and (self.origin is None or self.origin in origins)
        )

    def query(self, *, limit: int, offset: int) -> ExperienceQuery:
        """Return this as a question to the store."""
        origin = self.origin
        return ExperienceQuery(
            statuses=(self.status,) if self.status else _EVERY_STATUS,
            error_type=self.error_type,
            struggle_status=self.struggle_status,
            emotion=self.emotion,
            intent=self.intent,
            made_by=origin if origin in ("builtin", "llm") else None,
            simulated={"simulated": True, "learners": False}.get(origin or ""),
            limit=limit,
            offset=offset,
        )


@dataclass(frozen=True, kw_only=True)
class UsedIn:
    """One turn whose reply used an experience. Holds no learner's words."""

    dialogue_id: str
    turn: int
    score: float | None
    """The critic's, percent; `None`: not scored yet."""
    utility_after: float | None
    used_at: datetime
    accesses: tuple[Access, ...]
    """Who opened the transcript so far, oldest first."""


@dataclass(frozen=True, kw_only=True)
class EntryView:
    """One experience with all that is known about it."""

    entry: Experience
    parents: tuple[Experience, ...]
    missing_parents: tuple[str, ...]
    """Ids that are named and not stored here."""
    children: tuple[Experience, ...]
    uses: tuple[ExperienceUse, ...]
    """The scored ones, oldest first."""
    used_in: tuple[UsedIn, ...]
    """Scored or not, newest first."""
    decisions: tuple[ExperienceDecision, ...]
    """Oldest first."""
    prune_below: float
    """Utility below which it may be disabled, percent."""


@dataclass(frozen=True, kw_only=True)
class RepositoryGlance:
    """The repository in a few figures that cost little at any size."""

    n_active: int
    why_off: str
    """Why no turn reads it; empty: it is read, there is nothing to read, or it is being loaded."""
    is_loading: bool
    fingerprint: str
    """What compares its sentences; empty: it is not loaded."""
    outcomes: Mapping[str, int]
    funnel: Mapping[str, int]
    """Over every turn that was ever distilled here; empty: none was."""
    n_allowing: int
    """Learners who allow their dialogues to be used."""
    distil_every_turns: int


class ExperienceDesk:
    """What the instructor's pages about experience ask."""

    def __init__(
        self,
        *,
        record: Record,
        repository: LiveRepository,
        distillation: DistillationSchedule,
        distil_every_turns: int,
        prune_below: float,
    ) -> None:
        """Take what a running program has open."""
        self._record = record
        self._repository = repository
        self._distillation = distillation
        self._distil_every_turns = distil_every_turns
        self._prune_below = prune_below

    def glance(self, principal: Principal) -> RepositoryGlance:
        """Return the repository at a glance.

        Raises:
            InputError: The principal is no instructor; so for every method here.
        """
        _require_instructor(principal)
        repository, why = self._repository.look()
        store = self._record.experiences
        return RepositoryGlance(
            n_active=sum(store.embedders().values()),
            why_off="" if why in (EMPTY, LOADING) else why,
            is_loading=why == LOADING,
            fingerprint=repository.fingerprint if repository else "",
            outcomes=store.outcome_counts(),
            funnel=store.counts(),
            n_allowing=len(self._record.consents.learners()),
            distil_every_turns=self._distil_every_turns,
        )

    def entries(
        self, principal: Principal, chosen: ExperienceFilter, *, limit: int, offset: int = 0
    ) -> list[Experience]:
        """Return entries in the order in which they were admitted."""
        _require_instructor(principal)
        return self._record.experiences.find(chosen.query(limit=limit, offset=offset))

    async def search(
        self, principal: Principal, chosen: ExperienceFilter, text: str, *, related: bool = False
    ) -> Retrieved:
        """Return the active entries nearest in meaning, best first, by the turn's own search without its threshold.

        Args:
            principal: Who is asking.
            chosen: What is found must pass it; among the `LOOKED_THROUGH` nearest.
            text: The difficulty, in abstract words.
            related: Take the four tags as a learner's state, as a live turn does: entries for related states are found
                too, and of the filter only status and origin count.

        Raises:
            InputError: The principal is no instructor, the repository cannot be read (the message says why), or a
                state is wanted and kind of mistake or struggle is missing.
        """
        _require_instructor(principal)
        repository = await to_thread.run_sync(self._open)
        state = chosen.state if related else None
        if related and state is None:
            raise InputError("a live turn's state needs a kind of mistake and a struggle: choose both")
        rule = RetrievalRule(k=LOOKED_THROUGH, tau=-1.0, filters_state=related)
        retrieval = ExperienceRetrieval(repository, rule=rule)
        found = await retrieval.find(state or LearnerState(), error_detail=text, struggle_reason="")
        exact = ExperienceFilter(status=chosen.status, origin=chosen.origin) if related else chosen
        pairs = zip(found.chosen, found.similarities, strict=True)
        passed = [(entry, similarity) for entry, similarity in pairs if exact.passes(entry)][:FOUND_AT_MOST]
        return replace(
            found,
            chosen=tuple(entry for entry, _ in passed),
            similarities=tuple(similarity for _, similarity in passed),
        )

    def threshold(self, principal: Principal) -> float:
        """Return the least similarity that a turn asks for.

        Raises:
            InputError: The principal is no instructor, or the repository cannot be read.
        """
        _require_instructor(principal)
        return self._open().thresholds.tau

    def entry(self, principal: Principal, experience_id: str) -> EntryView:
        """Return one entry with lineage, uses and audit lines.

        Raises:
            InputError: The principal is no instructor.
            NotFoundError: No experience has this id.
        """
        _require_instructor(principal)
        store = self._record.experiences
        entry = store.get(experience_id)
        parents, missing = [], []
        for parent_id in entry.provenance.parents:
            try:
                parents.append(store.get(parent_id))
            except NotFoundError:
                missing.append(parent_id)
        named = store.decisions(experience_id)
        uses = store.uses(experience_id)
        return EntryView(
            entry=entry,
            parents=tuple(parents),
            missing_parents=tuple(missing),
            children=tuple(store.children(experience_id)),
            uses=tuple(uses),
            used_in=self._used_in(experience_id, uses),
            decisions=tuple(line for line in named if line.candidate_id == experience_id or line.outcome != "inserted"),
            prune_below=self._prune_below,
        )

    def disable(self, principal: Principal, experience_id: str, *, reason: str) -> Experience:
        """Leave an active entry out of retrieval; the reason stands in the audit log.

        Raises:
            InputError: The principal is no instructor, the entry is not active, or no reason was given.
            NotFoundError: No experience has this id.
        """
        _require_instructor(principal)
        return self._open().disable(experience_id, reason=reason.strip())

    def enable(self, principal: Principal, experience_id: str, *, reason: str) -> Experience:
        """Take a disabled entry back; the reason stands in the audit log.

        Raises:
            InputError: The principal is no instructor, the entry is not disabled, or no reason was given.
            NotFoundError: No experience has this id.
        """
        _require_instructor(principal)
        return self._open().enable(experience_id, reason=reason.strip())

    def distil(self, principal: Principal) -> bool:
        """Have the dialogues distilled that may be, in the background; `False`: a run is under way already.

        Raises:
            InputError: The principal is no instructor, or no learner allows it.
        """
        _require_instructor(principal)
        if not self._record.consents.learners():
            raise InputError("no learner allows their dialogues to be used: there is nothing to distil")
        return self._distillation.distil_now()

    def distillation(self, principal: Principal) -> DistillationRun:
        """Return how far the latest run of this program is."""
        _require_instructor(principal)
        return self._distillation.latest

    def open_use(self, principal: Principal, experience_id: str, *, dialogue_id: str, turn: int) -> DialogueView:
        """Return the dialogue of a turn that used an experience; that it was opened is stored first.

        Raises:
            InputError: The principal is no instructor, or this experience was not used in this turn.
            NotFoundError: The dialogue was erased.
        """
        _require_instructor(principal)
        uses = self._record.experiences.uses(experience_id)
        places = {(use.dialogue_id, use.turn) for use in uses} | set(self._unscored(experience_id))
        if (dialogue_id, turn) not in places:
            raise InputError(f"{experience_id} was not used in turn {turn} of this dialogue: it is its learner's only")
        learner_id = self._learner_of(dialogue_id)
        access = Access(
            reader_id=principal.learner_id,
            learner_id=learner_id,
            dialogue_id=dialogue_id,
            accessed_at=self._record.clock(),
        )
        self._record.accesses.add(access)
        return dialogue_view(load_dialogue(self._record.log, learner_id, dialogue_id))

    def _open(self) -> ExperienceRepository:
        repository, why = self._repository.open()
        if repository is None:
            raise InputError(f"the repository is not read: {why}")
        return repository

    def _used_in(self, experience_id: str, uses: list[ExperienceUse]) -> tuple[UsedIn, ...]:
        scored = {(use.dialogue_id, use.turn): use for use in uses}
        at = {place: use.used_at for place, use in scored.items()}
        at |= {place: when for place, when in self._unscored(experience_id).items() if place not in scored}
        found = []
        for (dialogue_id, turn), when in sorted(at.items(), key=lambda pair: (pair[1], pair[0]), reverse=True):
            use = scored.get((dialogue_id, turn))
            found.append(
                UsedIn(
                    dialogue_id=dialogue_id,
                    turn=turn,
                    score=use.score if use else None,
                    utility_after=use.utility_after if use else None,
                    used_at=when,
                    accesses=self._accesses(dialogue_id),
                )
            )
        return tuple(found)

    def _unscored(self, experience_id: str) -> dict[tuple[str, int], datetime]:
        """Return (dialogue, turn) → time of the latest turns that used it, scored or not."""
        found = {}
        for sealed in self._record.episodes.latest_of_kind(TurnRecordBody.kind, limit=LOOKED_BACK):
            episode = opened(sealed)
            body = body_of(episode, TurnRecordBody)
            if body is None or episode.dialogue_id is None or episode.turn is None:
                continue
            if experience_id in body.reply.used_experience_ids:
                found[episode.dialogue_id, episode.turn] = episode.recorded_at
        return found

    def _accesses(self, dialogue_id: str) -> tuple[Access, ...]:
        try:
            return tuple(self._record.accesses.list_for_dialogue(self._learner_of(dialogue_id), dialogue_id))
        except NotFoundError:
            return ()

    def _learner_of(self, dialogue_id: str) -> str:
        for learner_id in sorted({learner_id for learner_id, _ in self._record.episodes.chains()}):
            query = EpisodeQuery(learner_id=learner_id, dialogue_id=dialogue_id, limit=1)
            if self._record.episodes.find(query):
                return learner_id
        raise NotFoundError("this dialogue was erased")


def _require_instructor(principal: Principal) -> None:
    if not principal.may_instruct:
        raise InputError("teaching experience is the instructor's to see: this principal holds other roles only")
