"""From dialogues to entries: rounds, gate, buckets, and the same repository however often it is run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.domain.dialogue import Dialogue, Turn
from preceptor.domain.experience import Experience
from preceptor.domain.problem import Problem
from preceptor.domain.rubric import Critique, RubricScores, Score
from preceptor.errors import ModelError
from preceptor.experience.abstract_text import NOWHERE, dialogue_surroundings, experience_faults
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.dialogue_reviews import builtin_roles, review_in_processes, review_together
from preceptor.experience.distillation import BUCKETS, Distillation, DistillationProgress, funnel_of
from preceptor.experience.mentor import Revision
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.turn_review import DialogueReview, ReviewRule, Roles, TurnReview
from preceptor.experience.turn_reviewer import TurnReviewer, turn_digest
from preceptor.stores.experiences import ExperienceQuery
from preceptor.stores.sql.database import Database, open_database
from preceptor.stores.sql.distilled_turns import SqlDistilledTurnStore
from preceptor.stores.sql.experiences import SqlExperienceStore

TEXT = "Nora fills 6 crates with 14 jars each and gives 20 jars away. How many jars are left?"
SOLUTION = "6 crates hold 6 * 14 = 84 jars.\nAfter giving 20 away, 84 - 20 = 64 jars are left."
PROBLEM = Problem(problem_id="jars", text=TEXT, solution=SOLUTION, answer="64")


def dialogue(name: str, *turns: tuple[str, str | None]) -> Dialogue:
    return Dialogue(
        dialogue_id=name,
        problem=PROBLEM,
        turns=tuple(Turn(learner=learner, tutor=tutor) for learner, tutor in turns),
    )


TALKS = (
    dialogue("d1", ("6 + 14 = 20 jars", "The answer is 64 jars."), ("6 * 14 = 84", "Good. So how many are left?")),
    dialogue("d2", ("6 * 14 = 74 jars", "Your plan may stand. What is 6 * 14, once more?"), ("ok", "Well done!")),
    dialogue("d3", ("84 - 20 = 54", "No, 84 - 20 = 64."), ("84 - 20 = 54 I am sure", "It is 64."), ("hm", None)),
)


def critique(*values: int) -> Critique:
    names = ("scaffolding", "attribution", "empathy", "teaching_focus")
    scores = {name: Score.of(value) for name, value in zip(names, values, strict=True)}
    return Critique(scores=RubricScores(**scores, strategy_adaptation=Score.not_applicable("first")))


GOOD, DIRECT, WEAK = critique(4, 4, 4, 3), critique(4, 4, 3, 3), critique(1, 2, 3, 2)


class ListedCritic:
    """Gives listed critiques by reply, and one for all others."""

    def __init__(self, default: Critique, **by_reply: Critique) -> None:
        self.default = default
        self.by_reply = by_reply
        self.seen: list[ReviewedTurn] = []

    async def critique(self, turn: ReviewedTurn) -> Critique:
        self.seen.append(turn)
        return self.by_reply.get(turn.reply, self.default)


class CountingMentor:
    """Offers r1, r2, r3, … and remembers what it was told of earlier rounds."""

    def __init__(self, *, most: int = 9) -> None:
        self.most = most
        self.told: list[int] = []

    async def revise(
        self, turn: ReviewedTurn, critique: Critique, *, earlier: Sequence[tuple[Revision, Critique]] = ()
    ) -> Revision | None:
        self.told.append(len(earlier))
        number = len(earlier) + 1
        return None if number > self.most else Revision(flaws=(), reply=f"r{number}", template="")


def roles(critic: ListedCritic, mentor: CountingMentor) -> Roles:
    return replace(builtin_roles(), critic=critic, mentor=mentor)


def review(one: Roles, *, gate: bool = True, rounds: int = 3) -> DialogueReview:
    reviewer = TurnReviewer(one, ReviewRule(gate=gate, rounds=rounds))
    return asyncio.run(reviewer.review(dialogue("d", ("6 + 14 = 20 jars", "Hm, look again."))))


@pytest.mark.parametrize("passes_in", [1, 2, 3])
def test_a_revision_is_seen_again_and_scored_again_until_it_passes(passes_in: int) -> None:
    critic, mentor = ListedCritic(WEAK, **{f"r{passes_in}": GOOD}), CountingMentor()
    turn = review(roles(critic, mentor)).turns[0]
    assert turn.rounds == passes_in
    assert turn.routed
    assert turn.candidate is not None
    assert turn.candidate.provenance.rounds == passes_in
    assert turn.candidate.provenance.original_percent == WEAK.percent
    assert turn.candidate.provenance.admission_percent == GOOD.percent
    assert mentor.told == list(range(passes_in))
    revised = critic.seen[-1]
    assert revised.evidence is not None
    assert revised.evidence != critic.seen[0].evidence


def test_after_three_rounds_without_success_the_turn_is_dropped() -> None:
    mentor = CountingMentor()
    turn = review(roles(ListedCritic(WEAK), mentor)).turns[0]
    assert (turn.ending, turn.rounds, turn.candidate) == ("dropped_after_rounds", 3, None)
    assert len(mentor.told) == 3


def test_a_reply_between_rule_and_gate_is_neither_revised_nor_admitted() -> None:
    turn = review(roles(ListedCritic(DIRECT), CountingMentor())).turns[0]
    assert DIRECT.percent == 87.5
    assert (turn.ending, turn.routed, turn.rounds) == ("dropped_direct", False, 0)


def test_a_mentor_that_has_nothing_to_offer_ends_the_turn() -> None:
    turn = review(roles(ListedCritic(WEAK), CountingMentor(most=0))).turns[0]
    assert (turn.ending, turn.rounds) == ("dropped_no_revision", 0)


def test_without_the_gate_the_mentor_still_runs_and_everything_scored_is_admitted() -> None:
    mentor = CountingMentor()
    turn = review(roles(ListedCritic(WEAK), mentor), gate=False).turns[0]
    assert len(mentor.told) == 3
    assert turn.candidate is not None
    assert turn.candidate.provenance.admission_percent == WEAK.percent
    direct = review(roles(ListedCritic(DIRECT), CountingMentor()), gate=False).turns[0]
    assert direct.candidate is not None


def test_an_unscored_reply_is_neither_routed_nor_admitted_even_without_the_gate() -> None:
    unscored = replace(GOOD, scores=replace(GOOD.scores, empathy=Score.unscored("failed")))
    turn = review(roles(ListedCritic(unscored), CountingMentor()), gate=False).turns[0]
    assert (turn.ending, turn.routed) == ("unscored", False)


def test_a_revision_that_could_not_be_scored_is_not_admitted_even_without_the_gate() -> None:
    unscored = replace(GOOD, scores=replace(GOOD.scores, empathy=Score.unscored("failed")))
    turn = review(roles(ListedCritic(WEAK, r3=unscored), CountingMentor()), gate=False).turns[0]
    assert (turn.ending, turn.candidate, turn.rounds) == ("dropped_after_rounds", None, 3)
    scored = review(roles(ListedCritic(WEAK, r2=unscored), CountingMentor()), gate=False).turns[0]
    assert scored.candidate is not None
    assert scored.candidate.provenance.admission_percent == WEAK.percent


def test_a_critic_whose_opinion_differs_from_the_rule_is_counted() -> None:
    turn = review(roles(ListedCritic(replace(GOOD, revision_wanted=True)), CountingMentor())).turns[0]
    assert turn.disagrees
    assert not turn.routed


class FailingCritic(ListedCritic):
    """Fails at every call."""

    async def critique(self, turn: ReviewedTurn) -> Critique:
        raise ModelError("no answer")


def open_stores(home: Path) -> tuple[Database, SqlExperienceStore, SqlDistilledTurnStore]:
    database = open_database(home=home, url=None)
    return database, SqlExperienceStore(database), SqlDistilledTurnStore(database)


def run(
    home: Path, talks: Iterable[Dialogue], *, one: Roles | None = None, stop_after: int | None = None
) -> tuple[DistillationProgress | None, dict[str, int], list[Experience]]:
    """Distil by words, without an embedder; where `stop_after` is given, break off after so many dialogues."""
    database, store, done = open_stores(home)

    async def stopped(reviews: AsyncIterator[DialogueReview]) -> AsyncIterator[DialogueReview]:
        number = 0
        async for found in reviews:
            if stop_after is not None and number >= stop_after:
                raise KeyboardInterrupt
            number += 1
            yield found

    repository = ExperienceRepository(store, None)
    reviewer = TurnReviewer(one or builtin_roles(), batch="b")
    ended: DistillationProgress | None = None
    try:
        reviews = stopped(review_together(talks, reviewer, done.digests, concurrency=2))
        ended = asyncio.run(Distillation(repository, done, batch="b").run(reviews))
    except KeyboardInterrupt:
        assert stop_after is not None
    funnel = funnel_of(done.tally())
    entries = store.find(ExperienceQuery(statuses=("active", "disabled", "superseded")))
    database.close()
    return ended, funnel, entries


def content(entries: Iterable[Experience]) -> list[object]:
    return [(one.experience_id, one.status, one.sentence, one.value, one.utility) for one in entries]


def test_every_turn_ends_in_exactly_one_bucket(tmp_path: Path) -> None:
    ended, funnel, entries = run(tmp_path, TALKS)
    assert ended is not None
    assert funnel["turns_seen"] == ended.turns == 6
    assert sum(funnel[bucket] for bucket in BUCKETS) == 6
    assert funnel["meaningful"] + funnel["not_meaningful"] == 6
    assert funnel["passed_gate"] == funnel["distilled"] + funnel["nothing_to_learn"]
    assert funnel["inserted"] >= 1
    assert {one.provenance.made_by for one in entries} == {"builtin"}


def test_a_second_run_adds_nothing(tmp_path: Path) -> None:
    _, funnel, entries = run(tmp_path, TALKS)
    ended, again, after = run(tmp_path, TALKS)
    assert ended is not None
    assert (ended.turns, ended.known, ended.added) == (0, 6, 0)
    assert again == funnel
    assert content(after) == content(entries)


@pytest.mark.parametrize("stop_after", [0, 1, 2])
def test_killed_and_resumed_it_gives_the_same_repository(tmp_path: Path, stop_after: int) -> None:
    _, funnel, entries = run(tmp_path / "whole", TALKS)
    ended, _, _ = run(tmp_path / "parts", TALKS, stop_after=stop_after)
    assert ended is None
    _, again, resumed = run(tmp_path / "parts", TALKS)
    assert again == funnel
    assert content(resumed) == content(entries)


def test_a_dialogue_that_goes_on_is_distilled_from_where_it_was(tmp_path: Path) -> None:
    begun = replace(TALKS[0], turns=TALKS[0].turns[:1])
    run(tmp_path, [begun])
    ended, funnel, _ = run(tmp_path, TALKS[:1])
    assert ended is not None
    assert (ended.turns, ended.known, funnel["turns_seen"]) == (1, 1, 2)


def test_a_turn_whose_model_failed_is_tried_again_next_time(tmp_path: Path) -> None:
    failing = replace(builtin_roles(), critic=FailingCritic(GOOD))
    ended, funnel, entries = run(tmp_path, TALKS[:1], one=failing)
    assert ended is not None
    assert ended.failed >= 1
    assert ended.reasons["ModelError"] == ended.failed
    assert funnel["turns_seen"] == 2 - ended.failed
    assert entries == []
    _, healed, _ = run(tmp_path, TALKS[:1])
    assert healed["turns_seen"] == 2


def test_what_a_run_added_is_what_was_inserted_or_merged_and_no_duplicate() -> None:
    ends = ("inserted", "merged", "duplicate", "rejected", "merged", "failed", "dropped_direct")
    turns = [(TurnReview(turn=place, digest=str(place)), bucket) for place, bucket in enumerate(ends)]
    found = DialogueReview(dialogue_id="d", surroundings=NOWHERE, turns=tuple(turn for turn, _ in turns))
    progress = DistillationProgress().after(found, turns).after(found, turns[:2])
    assert (progress.added, progress.failed, progress.turns, progress.dialogues) == (5, 1, 9, 2)


@pytest.mark.parametrize(
    ("engines", "made_by"),
    [
        ((), "builtin"),
        ((("observer", "builtin"), ("mentor", "builtin")), "builtin"),
        ((("observer", "builtin"), ("mentor", "a-model")), "llm"),
        ((("observer", "a-model"), ("mentor", "builtin")), "llm"),
    ],
)
def test_one_part_by_a_model_makes_an_entry_a_model_s(engines: tuple[tuple[str, str], ...], made_by: str) -> None:
    one = replace(roles(ListedCritic(GOOD), CountingMentor()), engines=engines)
    turn = review(one).turns[0]
    assert turn.candidate is not None
    assert (turn.candidate.provenance.made_by, turn.candidate.provenance.engines) == (made_by, engines)


def test_processes_and_one_process_find_the_same() -> None:
    async def collect(reviews: AsyncIterator[DialogueReview]) -> list[DialogueReview]:
        return [found async for found in reviews]

    here = asyncio.run(collect(review_together(TALKS, TurnReviewer(builtin_roles()), lambda _: (), concurrency=1)))
    there = asyncio.run(collect(review_in_processes(TALKS, lambda _: (), processes=2)))
    assert there == here


def test_scripted_learners_are_marked(tmp_path: Path) -> None:
    scripted = [replace(talk, persona="careless") for talk in TALKS]
    _, _, entries = run(tmp_path, scripted)
    assert entries
    assert all(one.provenance.simulated for one in entries)


def test_no_entry_names_problem_or_learner(tmp_path: Path) -> None:
    _, _, entries = run(tmp_path, TALKS)
    for talk in TALKS:
        for one in entries:
            assert experience_faults(one, dialogue_surroundings(talk)) == ()


def test_a_turn_that_reads_otherwise_has_another_digest() -> None:
    changed = replace(TALKS[0], turns=(Turn(learner="6 + 14 = 20 jars", tutor="Other."), TALKS[0].turns[1]))
    assert turn_digest(TALKS[0], 0) != turn_digest(changed, 0)
    assert turn_digest(TALKS[0], 1) != turn_digest(changed, 1)
    assert turn_digest(TALKS[0], 0) == turn_digest(replace(TALKS[0], turns=TALKS[0].turns[:1]), 0)


TALLY = st.lists(st.tuples(st.sampled_from(BUCKETS), st.booleans(), st.integers(0, 5), st.integers(1, 50)), max_size=20)


@given(TALLY)
def test_the_funnel_adds_up_whatever_the_turns(tally: list[tuple[str, bool, int, int]]) -> None:
    funnel = funnel_of(tally)
    assert sum(funnel[bucket] for bucket in BUCKETS) == funnel["turns_seen"] == sum(n for *_, n in tally)
    assert (
        funnel["dropped"] + funnel["passed_gate"] + funnel["unscored"] + funnel["no_difficulty"] + funnel["unread"]
        == funnel["meaningful"]
    )
    rounds = [n for name, n in funnel.items() if name.startswith("revised_round_")]
    assert rounds == sorted(rounds, reverse=True)
