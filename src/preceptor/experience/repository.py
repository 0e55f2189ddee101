"""The repository of teaching experience: what is let in, merged, used, disabled, and why (REAT, Algorithm 2).

Each decision is one commit with its line in the audit log. A candidate that came before gets the same answer again
and changes nothing, so a distillation can be killed and run again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from anyio import to_thread

from preceptor.domain.experience import Experience
from preceptor.errors import InputError, ModelError
from preceptor.experience.abstract_text import NOWHERE, Fault, Surroundings, experience_faults
from preceptor.experience.calibration import Thresholds, require_same_embedder, thresholds_of
from preceptor.experience.repository_index import Hit, SentenceIndex
from preceptor.experience.repository_merger import BuiltinMerger, Merge, Merger, merged_experience
from preceptor.experience.repository_vectors import VectorIndex
from preceptor.experience.repository_words import WordIndex
from preceptor.experience.source_erasure import erase_sources
from preceptor.experience.utility import UtilityRule, should_disable, update_mean, update_utility
from preceptor.models.embedder import Embedder
from preceptor.record.episode_log import Clock, utc_now
from preceptor.stores.experiences import (
    DecisionOutcome,
    ExperienceChange,
    ExperienceDecision,
    ExperienceQuery,
    ExperienceStore,
    ExperienceUse,
)


@dataclass(frozen=True, kw_only=True)
class _Weighed:
    """What comparing a candidate came to, at one revision."""

    revision: int
    outcome: DecisionOutcome
    hit: Hit | None = None
    known: Experience | None = None
    """The entry to merge with."""
    reason: str = ""


class ExperienceRepository:
    """Admits, merges and disables experiences. Safe to use from several threads and processes."""

    def __init__(
        self,
        store: ExperienceStore,
        embedder: Embedder | None,
        *,
        merger: Merger | None = None,
        merges: bool = True,
        rule: UtilityRule | None = None,
        thresholds: Thresholds | None = None,
        clock: Clock = utc_now,
        folder: Path | None = None,
    ) -> None:
        """Load the active entries.

        Args:
            store: Where they are kept.
            embedder: `None`: sentences are compared by words, with thresholds of their own.
            merger: `None`: the builtin one.
            merges: `False` in the ablation without merging: what would be merged is inserted.
            rule: The values of utility and pruning; `None`: the defaults.
            thresholds: `None`: those stored for the embedder, else the defaults.
            clock: Gives the time.
            folder: Where a memory-mapped file may lie.

        Raises:
            SettingsError: The entries were compared by another embedder; the message names the way out.
        """
        self.store = store
        self._merger = merger or BuiltinMerger()
        self._merges = merges
        self._rule = rule or UtilityRule()
        self._given = thresholds
        self._clock = clock
        self._lock = threading.RLock()
        self._index: SentenceIndex = VectorIndex(embedder, folder=folder) if embedder else WordIndex()
        require_same_embedder(store, self.fingerprint)
        self._revision = self._index.load(store)

    @property
    def fingerprint(self) -> str:
        """What compares the sentences."""
        return self._index.fingerprint

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds in force."""
        return self._given or thresholds_of(self.store, self.fingerprint)

    @contextmanager
    def reading(self) -> Iterator[SentenceIndex]:
        """Hold the index as of the latest commit; nobody changes it meanwhile."""
        with self._lock:
            self.refresh()
            yield self._index

    def can_read(self, sentence: str) -> bool:
        """Whether a sentence can be compared; what that takes is remembered for the search."""
        return self._index.can_read(sentence)

    def stored_form(self, sentence: str) -> bytes | None:
        """Return what is stored beside an entry with this sentence; `None`: nothing is."""
        return self._index.stored_form(sentence)

    def now(self) -> datetime:
        """Return the time, for the audit log."""
        return self._clock()

    async def add(self, candidate: Experience, around: Surroundings = NOWHERE) -> ExperienceDecision:
        """Decide on a candidate that passed the gate: inserted, duplicate, merged or rejected.

        Args:
            candidate: See `domain.experience.new_experience`; its `embedder` is the repository's fingerprint.
            around: The dialogue it was distilled from, whose words it must not carry.

        Returns:
            The line of the audit log; for a candidate that came before, the line of that time.
        """
        while True:
            known = await to_thread.run_sync(self.store.first_decision, candidate.experience_id)
            if known is not None:
                return known
            weighed = await to_thread.run_sync(self._weigh, candidate, around)
            merge, reason = await self._merged_words(candidate, weighed)
            decision = await to_thread.run_sync(self._settle, candidate, around, weighed, merge, reason)
            if decision is not None:
                return decision

    def record_use(
        self, experience_id: str, *, dialogue_id: str, turn: int, score: float | None, baseline: float | None = None
    ) -> Experience:
        """Update utility from the turn that was told of an experience, and disable it where it is repeatedly weak.

        Args:
            experience_id: What the turn was told.
            dialogue_id: The turn's dialogue.
            turn: 0-based.
            score: The critic's score of the turn, percent; `None`: not scored, so nothing changes (A37).
            baseline: The score without experience for the same problem and persona, percent, where it is known.

        Raises:
            NotFoundError: No experience has this id.
        """
        while True:
            revision = self.store.revision()
            before = self.store.get(experience_id)
            seen = any((use.dialogue_id, use.turn) == (dialogue_id, turn) for use in self.store.uses(experience_id))
            if score is None or seen:
                return before
            after = self._after_use(before, score, baseline)
            use = ExperienceUse(
                experience_id=experience_id,
                dialogue_id=dialogue_id,
                turn=turn,
                score=score,
                baseline_score=baseline,
                utility_after=after.utility,
                used_at=self._clock(),
            )
            decisions = () if after.status == before.status else (self._line(after, "disabled", after.status_reason),)
            change = ExperienceChange(put=(after,), uses=(use,), decisions=decisions)
            if self.store.commit(change, expected_revision=revision) is not None:
                self.refresh()
                return after

    def disable(self, experience_id: str, *, reason: str) -> Experience:
        """Leave an active entry out of retrieval; it is kept.

        Raises:
            NotFoundError: No experience has this id.
            InputError: It is not active, or no reason was given.
        """
        return self._switch(experience_id, "active", "disabled", reason)

    def enable(self, experience_id: str, *, reason: str) -> Experience:
        """Take a disabled entry back into retrieval.

        Raises:
            NotFoundError: No experience has this id.
            InputError: It is not disabled, its sentence cannot be compared, or no reason was given.
        """
        return self._switch(experience_id, "disabled", "active", reason)

    def erase_sources(self, dialogue_ids: Sequence[str]) -> tuple[str, ...]:
        """Remove every link to erased dialogues; entries with no other source are disabled and named in the audit log.

        Returns:
            The ids of what was disabled.
        """
        disabled = erase_sources(self.store, dialogue_ids, clock=self._clock)
        self.refresh()
        return disabled

    def refresh(self) -> None:
        """Take in what other threads or processes committed."""
        with self._lock:
            latest = self.store.revision()
            if latest == self._revision:
                return
            everything = ExperienceQuery(statuses=("active", "disabled", "superseded"), changed_after=self._revision)
            for experience in self.store.find(everything):
                if experience.status == "active" and experience.embedder == self.fingerprint:
                    self._index.put(experience)
                else:
                    self._index.remove(experience.experience_id)
            self._revision = latest

    def _weigh(self, candidate: Experience, around: Surroundings) -> _Weighed:
        if candidate.embedder != self.fingerprint:
            raise InputError(f"the candidate is for {candidate.embedder!r}, the repository for {self.fingerprint!r}")
        faults = experience_faults(candidate, around)
        readable = self.can_read(candidate.sentence)
        with self.reading() as index:
            revision = self._revision
            if faults or not readable:
                reason = _kinds(faults) or "its sentence cannot be compared"
                return _Weighed(revision=revision, outcome="rejected", reason=reason)
            hit = index.nearest(candidate.state, candidate.sentence)
        limits = self.thresholds
        if hit is None or hit.similarity < limits.tau_merge:
            return _Weighed(revision=revision, outcome="inserted", hit=hit)
        if hit.similarity >= limits.tau_dup:
            return _Weighed(revision=revision, outcome="duplicate", hit=hit)
        if not self._merges:
            return _Weighed(revision=revision, outcome="inserted", hit=hit, reason="merging is switched off")
        return _Weighed(revision=revision, outcome="merged", hit=hit, known=self.store.get(hit.experience_id))

    async def _merged_words(self, candidate: Experience, weighed: _Weighed) -> tuple[Merge | None, str]:
        if weighed.known is None:
            return None, weighed.reason
        try:
            return await self._merger.merge(weighed.known, candidate), ""
        except ModelError as error:
            return None, f"the merger failed: {type(error).__name__}"

    def _settle(
        self, candidate: Experience, around: Surroundings, weighed: _Weighed, merge: Merge | None, reason: str
    ) -> ExperienceDecision | None:
        """Commit the decision; `None` where another commit came first and all must be weighed again."""
        outcome = weighed.outcome
        merged: Experience | None = None
        if outcome == "merged":
            merged, reason = self._checked_merge(candidate, around, weighed, merge, reason)
            outcome = "merged" if merged else "inserted"
        put, result_id = self._entries(candidate, weighed, merged, outcome)
        line = ExperienceDecision(
            candidate_id=candidate.experience_id,
            outcome=outcome,
            other_id=weighed.hit.experience_id if weighed.hit else None,
            result_id=result_id,
            similarity=weighed.hit.similarity if weighed.hit else None,
            threshold=self._deciding_threshold(outcome, weighed),
            reason=reason,
            embedder=self.fingerprint,
            decided_at=self._clock(),
        )
        vectors = {one.experience_id: self._index.stored_form(one.sentence) for one in put if one.status == "active"}
        change = ExperienceChange(
            put=put,
            vectors={key: vector for key, vector in vectors.items() if vector is not None},
            decisions=(line,),
        )
        if self.store.commit(change, expected_revision=weighed.revision) is None:
            return None
        self.refresh()
        return line

    def _checked_merge(
        self, candidate: Experience, around: Surroundings, weighed: _Weighed, merge: Merge | None, reason: str
    ) -> tuple[Experience | None, str]:
        """Return the merged entry, or `None` with why both stay apart: a merge must pass the validator too (A34)."""
        if merge is None or weighed.known is None:
            return None, f"not merged: {reason}"
        merged = merged_experience(weighed.known, candidate, merge, self._clock())
        faults = experience_faults(merged, around)
        if faults:
            return None, f"not merged: {_kinds(faults)}"
        if not self._index.can_read(merged.sentence):
            return None, "not merged: its sentence cannot be compared"
        return merged, ""

    def _entries(
        self, candidate: Experience, weighed: _Weighed, merged: Experience | None, outcome: DecisionOutcome
    ) -> tuple[tuple[Experience, ...], str | None]:
        if outcome == "inserted":
            return (candidate,), candidate.experience_id
        if merged is not None and weighed.known is not None:
            why = f"merged into {merged.experience_id}"
            parents = [replace(one, status="superseded", status_reason=why) for one in (weighed.known, candidate)]
            return (*parents, merged), merged.experience_id
        return (), weighed.hit.experience_id if outcome == "duplicate" and weighed.hit else None

    def _deciding_threshold(self, outcome: DecisionOutcome, weighed: _Weighed) -> float | None:
        if outcome == "rejected" or weighed.hit is None:
            return None
        limits = self.thresholds
        return limits.tau_dup if outcome == "duplicate" else limits.tau_merge

    def _after_use(self, before: Experience, score: float, baseline: float | None) -> Experience:
        known_gains = sum(use.baseline_score is not None for use in self.store.uses(before.experience_id))
        gain = before.mean_gain
        if baseline is not None:
            gain = update_mean(before.mean_gain, n=known_gains, value=score - baseline)
        after = replace(
            before,
            utility=update_utility(before.utility, outcome_score=score, alpha=self._rule.alpha),
            scored_uses=before.scored_uses + 1,
            mean_gain=gain,
        )
        if after.status != "active" or not should_disable(after, self._rule):
            return after
        known = "not known" if gain is None else f"{gain:.1f}"
        reason = (
            f"utility {after.utility:.1f} below {self._rule.tau_prune:g} after {after.scored_uses} scored uses, "
            f"mean gain {known}"
        )
        return replace(after, status="disabled", status_reason=reason)

    def _switch(self, experience_id: str, now: str, wanted: str, reason: str) -> Experience:
        if not reason.strip():
            raise InputError(f"{experience_id}: expected a reason")
        outcome: DecisionOutcome = "disabled" if wanted == "disabled" else "enabled"
        while True:
            revision = self.store.revision()
            before = self.store.get(experience_id)
            if before.status != now:
                raise InputError(f"{experience_id} is {before.status}, expected {now}")
            after = replace(
                before,
                status="disabled" if wanted == "disabled" else "active",
                status_reason=reason if wanted == "disabled" else "",
            )
            change = ExperienceChange(put=(after,), decisions=(self._line(after, outcome, reason),))
            if wanted == "active":
                change = replace(change, vectors=self._vector_of(after))
            if self.store.commit(change, expected_revision=revision) is not None:
                self.refresh()
                return after

    def _vector_of(self, experience: Experience) -> dict[str, bytes]:
        if experience.embedder != self.fingerprint or not self._index.can_read(experience.sentence):
            raise InputError(f"{experience.experience_id} was made for {experience.embedder}: run `experience reembed`")
        vector = self._index.stored_form(experience.sentence)
        return {} if vector is None else {experience.experience_id: vector}

    def _line(self, experience: Experience, outcome: DecisionOutcome, reason: str) -> ExperienceDecision:
        return ExperienceDecision(
            candidate_id=experience.experience_id,
            outcome=outcome,
            result_id=experience.experience_id,
            reason=reason,
            embedder=self.fingerprint,
            decided_at=self._clock(),
        )


def _kinds(faults: Sequence[Fault]) -> str:
    """Return what kinds of fault a text has, without its words: the audit log must not keep them."""
    return ", ".join(sorted({fault.kind for fault in faults}))
