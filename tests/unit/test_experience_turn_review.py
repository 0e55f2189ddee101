"""Which turns are reviewed, with what before them, at what cost, and how the counts of a run add up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from tests.unit.test_experience_distillation import (
    DIRECT,
    GOOD,
    PROBLEM,
    TALKS,
    WEAK,
    CountingMentor,
    ListedCritic,
    dialogue,
    review,
    roles,
)

from preceptor.domain.learner_state import LearnerState
from preceptor.domain.rubric import Critique
from preceptor.domain.usage import Usage
from preceptor.experience.abstract_text import NOWHERE
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.dialogue_reviews import builtin_roles, review_together
from preceptor.experience.distillation import DistillationProgress, funnel_of
from preceptor.experience.mentor import Revision
from preceptor.experience.turn_review import DialogueReview, TurnReview
from preceptor.experience.turn_reviewer import TurnReviewer, answered_turns, turn_digest

USAGE = Usage(
    role="critic", engine="p/m", model="m", prompt="critic", prompt_version=1, prompt_digest="0",
    duration_ms=9, cost_usd=0.25,
)  # fmt: skip
SLIP, ASK = "6 + 14 = 20 jars", "What does each number count?"


def test_without_the_gate_a_reply_that_the_mentor_leaves_as_it_is_is_admitted_as_it_is() -> None:
    turn = review(roles(ListedCritic(WEAK), CountingMentor(most=0)), gate=False).turns[0]
    assert turn.candidate is not None
    found = turn.candidate.provenance
    assert (turn.rounds, found.rounds, found.admission_percent, found.original_percent) == (
        0,
        0,
        WEAK.percent,
        WEAK.percent,
    )


def test_only_turns_in_which_a_learner_spoke_and_was_answered_are_reviewed() -> None:
    turns = (("", "Hello!"), (" ", "Are you there?"), (SLIP, None), (SLIP, " "), (SLIP, ASK))
    assert answered_turns(dialogue("d", *turns)) == (4,)


def test_a_turn_is_judged_with_what_came_before_it_and_nothing_after() -> None:
    critic = ListedCritic(GOOD)
    talk = dialogue("d", (SLIP, ASK), ("6 * 14 = 74 jars", "Hm, look again."), ("hm", None))
    found = asyncio.run(TurnReviewer(roles(critic, CountingMentor())).review(talk))
    assert [turn.turn for turn in found.turns] == [0, 1]
    assert [[one.learner for one in seen.context.history] for seen in critic.seen] == [[], [SLIP]]
    assert [seen.context.utterance for seen in critic.seen] == [SLIP, "6 * 14 = 74 jars"]


def test_a_message_that_was_not_read_is_neither_scored_nor_revised() -> None:
    critic, mentor = ListedCritic(WEAK), CountingMentor()
    found = asyncio.run(TurnReviewer(roles(critic, mentor)).review(dialogue("d", ("blorp fizz", ASK))))
    assert [turn.ending for turn in found.turns] == ["unread"]
    assert (critic.seen, mentor.told) == ([], [])


def test_what_is_said_to_be_simulated_is_marked_without_a_persona() -> None:
    for simulated in (True, False):
        reviewer = TurnReviewer(roles(ListedCritic(GOOD), CountingMentor()), simulated=simulated)
        (turn,) = asyncio.run(reviewer.review(dialogue("d", (SLIP, ASK)))).turns
        assert turn.candidate is not None
        assert turn.candidate.provenance.simulated is simulated


def test_a_critic_without_an_opinion_does_not_disagree() -> None:
    assert not review(roles(ListedCritic(WEAK), CountingMentor())).turns[0].disagrees
    assert not review(roles(ListedCritic(replace(WEAK, revision_wanted=True)), CountingMentor())).turns[0].disagrees
    assert review(roles(ListedCritic(replace(WEAK, revision_wanted=False)), CountingMentor())).turns[0].disagrees


def test_every_answered_call_is_counted_with_its_cost() -> None:
    priced, unpriced = replace(WEAK, usage=USAGE), replace(GOOD, usage=replace(USAGE, cost_usd=None))
    turn = review(roles(ListedCritic(priced, r2=unpriced), CountingMentor())).turns[0]
    assert (turn.calls, turn.cost_usd) == (3, 0.5)


@dataclass(frozen=True, kw_only=True)
class Reflection:
    """What one call says in place of three roles."""

    state: LearnerState
    error_detail: str
    struggle_reason: str
    critique: Critique
    revision: Revision | None
    usage: Usage | None


class ScriptedReflector:
    """Says the same of every reply, but for one that is good."""

    def __init__(self, usage: Usage) -> None:
        self._usage = usage
        self.replies: list[str] = []

    async def reflect(self, turn: ReviewedTurn) -> Reflection:
        self.replies.append(turn.reply)
        return Reflection(
            state=turn.observation.state,
            error_detail="adds where the situation multiplies",
            struggle_reason="",
            critique=GOOD if turn.reply == "r1" else WEAK,
            revision=Revision(flaws=(), reply="r1", template=""),
            usage=self._usage,
        )


def test_each_call_of_a_reflection_is_counted_and_its_words_are_the_turn_s() -> None:
    reflector = ScriptedReflector(USAGE)
    turn = review(replace(roles(ListedCritic(WEAK), CountingMentor()), reflector=reflector)).turns[0]
    assert turn.candidate is not None
    assert turn.candidate.sentence == "The learner adds where the situation multiplies."
    assert reflector.replies == ["Hm, look again.", "r1"]
    assert (turn.rounds, turn.calls, turn.cost_usd) == (1, 2, 0.5)


def test_another_reference_solution_is_another_turn() -> None:
    other = replace(TALKS[0], problem=replace(PROBLEM, solution="6 * 14 = 84 jars."))
    assert turn_digest(TALKS[0], 0) != turn_digest(other, 0)


def test_progress_adds_up_over_dialogues() -> None:
    turns = tuple(
        TurnReview(turn=place, digest=str(place), reason=reason, calls=2, cost_usd=0.5, disagrees=place == 0)
        for place, reason in enumerate(("small talk", "small talk", ""))
    )
    first = DialogueReview(dialogue_id="d1", surroundings=NOWHERE, turns=turns, known=2)
    second = replace(first, dialogue_id="d2", known=3)
    ends = [(turn, "not_meaningful" if turn.reason else "inserted") for turn in turns]
    found = DistillationProgress().after(first, ends).after(second, ends)
    assert (found.dialogues, found.turns, found.known, found.added) == (2, 6, 5, 2)
    assert (found.calls, found.cost_usd, found.disagreements) == (12, 3.0, 2)
    assert found.reasons == {"small talk": 4}


def test_the_funnel_of_a_small_run_by_hand() -> None:
    tally = [
        ("not_meaningful", False, 0, 4),
        ("unread", False, 0, 1),
        ("dropped_direct", False, 0, 2),
        ("inserted", False, 0, 3),
        ("inserted", True, 1, 5),
        ("merged", True, 3, 1),
        ("dropped_after_rounds", True, 3, 2),
        ("nothing_to_learn", True, 2, 1),
    ]
    found = funnel_of(tally)
    assert (found["turns_seen"], found["meaningful"], found["routed"], found["direct"]) == (19, 15, 9, 5)
    assert [found[f"revised_round_{k}"] for k in (1, 2, 3)] == [9, 4, 3]
    assert (found["passed_gate"], found["distilled"], found["dropped"]) == (10, 9, 4)


def test_reviews_come_in_the_order_of_the_dialogues_whichever_ends_first() -> None:
    class Uneven(TurnReviewer):
        """Takes longest over the first."""

        async def review(self, dialogue: object, done: object = ()) -> DialogueReview:
            name = dialogue.dialogue_id  # type: ignore[attr-defined]
            await asyncio.sleep({"d1": 0.05, "d2": 0.02}.get(name, 0))
            return DialogueReview(dialogue_id=name, surroundings=NOWHERE, turns=())

    async def collect(reviews: AsyncIterator[DialogueReview]) -> list[str]:
        return [found.dialogue_id async for found in reviews]

    reviews = review_together(TALKS, Uneven(builtin_roles()), lambda _: (), concurrency=2)
    assert asyncio.run(collect(reviews)) == ["d1", "d2", "d3"]


def test_a_direct_reply_that_passes_is_not_shown_to_the_mentor() -> None:
    mentor = CountingMentor()
    assert review(roles(ListedCritic(GOOD), mentor)).turns[0].candidate is not None
    assert review(roles(ListedCritic(DIRECT), mentor)).turns[0].candidate is None
    assert mentor.told == []
