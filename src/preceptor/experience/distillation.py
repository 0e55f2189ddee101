"""Distillation: reviewed dialogues go into the repository in a fixed order, and every turn ends in exactly one bucket.

A turn that is done is stored with where it ended, so that a run that was killed goes on where it stopped, a second run
adds nothing, and the funnel adds up. Source: REAT, Figure 2 (b) and (c); the funnel is A26.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from anyio import to_thread

from preceptor.domain.experience import Experience, new_experience
from preceptor.experience.abstract_text import Surroundings
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.turn_review import MOST_ROUNDS, Candidate, DialogueReview, TurnReview
from preceptor.record.episode_log import Clock, utc_now
from preceptor.stores.distilled_turns import DistilledTurn, DistilledTurnStore

DROPPED = ("dropped_direct", "dropped_no_revision", "dropped_after_rounds")
"""Buckets of turns whose reply did not pass the gate."""
OFFERED = ("rejected", "duplicate", "merged", "inserted")
"""Buckets of turns whose candidate was offered to the repository."""
BUCKETS = ("not_meaningful", "unread", "no_difficulty", "unscored", *DROPPED, "nothing_to_learn", *OFFERED)
"""Where a turn can end; the buckets sum to the turns seen."""
STORED_FUNNEL = "distilled turns"
"""Name under which the funnel over all distilled turns is kept for the repository's figures."""


@dataclass(frozen=True, kw_only=True)
class DistillationProgress:
    """How far a run is."""

    dialogues: int = 0
    turns: int = 0
    """Turns reviewed in this run."""
    known: int = 0
    """Turns that an earlier run had done."""
    failed: int = 0
    """Turns at which a model failed; the next run tries them again."""
    added: int = 0
    """Candidates that were inserted or merged."""
    disagreements: int = 0
    """Turns where the critic's own opinion on revision differs from equation 5 (A18)."""
    calls: int = 0
    """Answered model calls."""
    cost_usd: float = 0.0
    """Of the calls whose price is known."""
    reasons: Mapping[str, int] = field(default_factory=dict)
    """Why turns were not meaningful, or what failed → turns."""

    def after(self, review: DialogueReview, turns: Sequence[tuple[TurnReview, str]]) -> DistillationProgress:
        """Return the progress after one more dialogue, given each turn with its bucket."""
        reasons = dict(self.reasons)
        for turn, _ in turns:
            if turn.reason:
                reasons[turn.reason] = reasons.get(turn.reason, 0) + 1
        return replace(
            self,
            dialogues=self.dialogues + 1,
            turns=self.turns + len(turns),
            known=self.known + review.known,
            failed=self.failed + sum(bucket == "failed" for _, bucket in turns),
            added=self.added + sum(bucket in ("inserted", "merged") for _, bucket in turns),
            disagreements=self.disagreements + sum(turn.disagrees for turn, _ in turns),
            calls=self.calls + sum(turn.calls for turn, _ in turns),
            cost_usd=self.cost_usd + sum(turn.cost_usd for turn, _ in turns),
            reasons=reasons,
        )


class Distillation:
    """Admits what a review found. One run at a time for one repository keeps the order fixed."""

    def __init__(
        self,
        repository: ExperienceRepository,
        done: DistilledTurnStore,
        *,
        batch: str,
        clock: Clock = utc_now,
        progress: Callable[[DistillationProgress], None] | None = None,
    ) -> None:
        """Take the repository and the record of what is done.

        Args:
            repository: Decides on each candidate.
            done: Keeps where each turn ended.
            batch: Names the run.
            clock: Gives the time.
            progress: Called after each dialogue.
        """
        self._repository = repository
        self._done = done
        self._batch = batch
        self._clock = clock
        self._progress = progress

    async def run(self, reviews: AsyncIterator[DialogueReview]) -> DistillationProgress:
        """Take in all reviews in their order, and return how the run went."""
        so_far = DistillationProgress()
        async for review in reviews:
            so_far = so_far.after(review, await self._take(review))
            if self._progress is not None:
                self._progress(so_far)
        await to_thread.run_sync(self._store_funnel)
        return so_far

    async def _take(self, review: DialogueReview) -> list[tuple[TurnReview, str]]:
        """Offer a dialogue's candidates and store where its turns ended, together at the end.

        A run that is killed before that offers the same candidates again, and gets the same answers.
        """
        ended = [(turn, await self._ended(turn, review.surroundings)) for turn in review.turns]
        rows = [self._row(review.dialogue_id, turn, *end) for turn, end in ended if end[0] != "failed"]
        if rows:
            await to_thread.run_sync(self._done.add, rows)
        return [(turn, bucket) for turn, (bucket, _) in ended]

    async def _ended(self, turn: TurnReview, around: Surroundings) -> tuple[str, str | None]:
        """Return the bucket of a turn and the id of its candidate."""
        if turn.candidate is None:
            assert turn.ending is not None
            return turn.ending, None
        candidate = self._candidate(turn.candidate)
        decision = await self._repository.add(candidate, around)
        return decision.outcome, candidate.experience_id

    def _candidate(self, made: Candidate) -> Experience:
        return new_experience(
            state=made.state,
            sentence=made.sentence,
            embedder=self._repository.fingerprint,
            value=made.value,
            provenance=made.provenance,
            created_at=self._clock(),
        )

    def _row(self, dialogue_id: str, turn: TurnReview, bucket: str, experience_id: str | None) -> DistilledTurn:
        return DistilledTurn(
            dialogue_id=dialogue_id,
            turn=turn.turn,
            digest=turn.digest,
            bucket=bucket,
            routed=turn.routed,
            rounds=turn.rounds,
            experience_id=experience_id,
            batch=self._batch,
            done_at=self._clock(),
        )

    def _store_funnel(self) -> None:
        self._repository.store.put_counts(STORED_FUNNEL, funnel_of(self._done.tally()))


def funnel_of(tally: Sequence[tuple[str, bool, int, int]]) -> dict[str, int]:
    """Return the counts of A26 from (bucket, routed, rounds, n), in the order in which a turn meets them."""
    by_bucket = {bucket: sum(n for name, _, _, n in tally if name == bucket) for bucket in BUCKETS}
    seen = sum(n for _, _, _, n in tally)
    routed = sum(n for _, was_routed, _, n in tally if was_routed)
    before_rule = ("not_meaningful", "unread", "no_difficulty", "unscored")
    most = max([MOST_ROUNDS, *(rounds for _, _, rounds, _ in tally)])
    passed = by_bucket["nothing_to_learn"] + sum(by_bucket[bucket] for bucket in OFFERED)
    return {
        "turns_seen": seen,
        "not_meaningful": by_bucket["not_meaningful"],
        "meaningful": seen - by_bucket["not_meaningful"],
        "unread": by_bucket["unread"],
        "no_difficulty": by_bucket["no_difficulty"],
        "unscored": by_bucket["unscored"],
        "direct": seen - sum(by_bucket[bucket] for bucket in before_rule) - routed,
        "routed": routed,
        **{f"revised_round_{k}": sum(n for _, _, rounds, n in tally if rounds >= k) for k in range(1, most + 1)},
        "passed_gate": passed,
        **{bucket: by_bucket[bucket] for bucket in DROPPED},
        "dropped": sum(by_bucket[bucket] for bucket in DROPPED),
        "nothing_to_learn": by_bucket["nothing_to_learn"],
        "distilled": passed - by_bucket["nothing_to_learn"],
        **{bucket: by_bucket[bucket] for bucket in OFFERED},
    }
