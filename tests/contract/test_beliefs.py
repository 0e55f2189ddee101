"""Beliefs on both databases: derived from checks, never updated, walked, denied, derived again, forgotten."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from tests.contract.memory_world import ANA, ANA_PHYSICS, BEN, START, World

from preceptor.domain.belief import Belief
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus
from preceptor.domain.observation import Observation, Reading, ReadingStatus
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Move, Reply
from preceptor.errors import InputError, NotFoundError
from preceptor.memory.beliefs import CheckTally
from preceptor.memory.learner_memory import LearnerMemory
from preceptor.record.erasure_scope import ErasureScope
from preceptor.record.kinds import QuestionBody, TurnRecordBody
from preceptor.settings import MemorySettings
from preceptor.stores.sql.database import Database


@pytest.fixture
def world(database: Database) -> World:
    return World(database)


def _as_stored(rows: tuple[Belief, ...]) -> list[tuple[Any, ...]]:
    return [(one.belief_id, one.claim, one.confidence, one.valid_from, one.recorded_at, one.added) for one in rows]


def test_four_right_checks_give_the_posterior_mean_and_their_evidence(world: World) -> None:
    made = world.check_percent(True, 4)
    assert world.believed() == [("percent", "understands", 0.75)]
    assert world.beliefs.shown(ANA)[0].evidence_ids == tuple(one.episode_id for one in made)


def test_a_wrong_check_opens_another_row_and_leaves_the_old_one_as_it_was(world: World) -> None:
    world.check_percent(True)
    (old,) = world.beliefs.rows(ANA)
    world.pass_time(days=1)
    world.check_percent(False, 3)
    rows = world.beliefs.rows(ANA)
    assert [one.claim for one in rows] == ["understands", "unsettled", "unsettled", "struggles"]
    assert _as_stored(rows[:1]) == _as_stored((old,))
    assert [one.superseded_by for one in rows] == [*(one.belief_id for one in rows[1:]), None]
    assert rows[0].valid_to == rows[1].valid_from == START + timedelta(days=1)
    assert world.believed() == [("percent", "struggles", round(1 - 3 / 8, 6))]
    assert world.beliefs.chain(ANA, rows[0].belief_id) == rows


def test_the_same_turn_twice_adds_nothing(world: World) -> None:
    world.check("right", reply="Yes, you used the percent well.", turn=1)
    assert len(world.beliefs.update_after_turn(ANA, "d", 1)) == 1
    before = world.beliefs.rows(ANA)
    assert world.beliefs.update_after_turn(ANA, "d", 1) == ()
    assert world.beliefs.catch_up(ANA) == ()
    assert world.beliefs.rows(ANA) == before


def test_a_claim_said_twice_in_one_message_is_one_check(world: World) -> None:
    for _ in range(3):
        world.check("right", turn=1)
    world.check("right", reply="Yes: that is the percent.", turn=1)
    world.beliefs.update_after_turn(ANA, "d", 1)
    assert world.believed() == [("percent", "understands", 0.6)]


def test_a_check_at_a_step_counts_for_what_the_step_tells(world: World) -> None:
    problem = Problem(
        problem_id="p",
        text="A coat costs 80 dollars. It is sold at 25% off. How much is taken off?",
        solution="The discount is 80 * 25 / 100 = 20 dollars.",
        answer="20",
    )
    world.add(QuestionBody(problem=problem), dialogue_id="d", turn=0)
    world.check("right", turn=1, node=0, reply="Good.")
    world.beliefs.update_after_turn(ANA, "d", 1)
    assert "discount" in [name for name, _, _ in world.believed()]
    assert "multiplication" not in [name for name, _, _ in world.believed()]


def test_a_step_said_again_in_a_later_turn_is_no_new_evidence(world: World) -> None:
    problem = Problem(problem_id="p", text="Tom has 3 boxes of 4 pens.", solution="3 * 4 = 12 pens.", answer="12")
    world.add(QuestionBody(problem=problem), dialogue_id="d", turn=0)
    for turn, reached in ((1, (0,)), (2, ()), (3, ())):
        world.check("right", turn=turn, node=0)
        observation = Observation(
            state=LearnerState(
                emotion=Emotion.NEUTRAL,
                intent=Intent.CONFIRM_UNDERSTANDING,
                error_type=ErrorType.NO_ERROR,
                struggle_status=StruggleStatus.PROGRESSING,
            ),
            error_detail="",
            struggle_reason="",
            reading=Reading(status=ReadingStatus.READ, read_as="3 * 4 = 12"),
            newly_reached=reached,
        )
        record = TurnRecordBody(reply=Reply(text="Multiplication it is.", move=Move.FREE), observation=observation)
        world.add(record, dialogue_id="d", turn=turn)
        world.beliefs.update_after_turn(ANA, "d", turn)
    assert world.believed() == [("multiplication", "understands", 0.6)]


@pytest.mark.parametrize("seed", [1, 2])
def test_turn_by_turn_and_all_at_once_come_to_the_same(world: World, seed: int) -> None:
    source = random.Random(seed)
    for turn in range(1, 25):
        for scope in (ANA, BEN):
            topic = source.choice(["percent", "ratio", "average"])
            world.check(source.choice(["right", "wrong"]), scope, reply=f"That is the {topic}.", turn=turn)
        world.beliefs.update_after_turn(ANA, "d", turn)
    world.beliefs.catch_up(BEN)
    assert world.beliefs.rederive(ANA).changed == ()
    assert world.beliefs.rederive(BEN).changed == ()
    assert world.beliefs.tally(ANA) == CheckTally(on_record=24, tied=24)
    assert world.beliefs.tally(BEN) == CheckTally(on_record=24, tied=24)


@pytest.mark.parametrize(
    ("topic", "language"),
    [
        ("ask me the questions", "en"),
        ("bueno ahora explícame todos los pasos", "es"),
        ("اسألني الأسئلة", "ar"),
        ("kannst du mir das nochmal erklären", "de"),
        ("je ne comprends pas la question", "fr"),
        ("你可以再给我讲一遍吗", "zh"),
    ],
)
def test_an_utterance_is_kept_as_evidence_and_becomes_no_belief(world: World, topic: str, language: str) -> None:
    world.quiz(topic, False, language=language)
    world.beliefs.catch_up(ANA)
    assert world.beliefs.rows(ANA) == ()
    assert world.beliefs.tally(ANA).words == (
        "1 check is on record, but it could not be tied to a concept in the map yet"
    )


def test_an_utterance_as_topic_goes_by_the_evaluation_s_exact_name(world: World) -> None:
    world.quiz("ask me the questions", False, item="What is a percent?")
    world.beliefs.catch_up(ANA)
    assert world.believed() == [("percent", "struggles", 0.6)]


def test_the_tally_tells_checks_that_could_not_be_tied_from_no_checks(world: World) -> None:
    assert world.beliefs.tally(ANA).words == "no checks are on record yet"
    for _ in range(32):
        world.quiz("explain it to me please", False)
    world.beliefs.catch_up(ANA)
    assert world.beliefs.tally(ANA).words == (
        "32 checks are on record, but none could be tied to a concept in the map yet"
    )


def test_only_the_same_learner_subject_and_concept_supersede_each_other(world: World) -> None:
    world.check_percent(True)
    world.check_percent(False, scope=BEN)
    world.quiz("percent", False, ANA_PHYSICS, concept_ids=(world.concept("percent"),))
    world.quiz("ratio", False)
    for scope in (ANA, BEN, ANA_PHYSICS):
        world.beliefs.catch_up(scope)
    assert sorted(world.believed()) == [("percent", "understands", 0.6), ("ratio", "struggles", 0.6)]
    assert world.believed(BEN) == [("percent", "struggles", 0.6)]
    assert world.beliefs.rows(ANA_PHYSICS) == ()  # the map of physics has no such concept
    (mine,) = [one for one in world.beliefs.rows(ANA) if one.concept_id == world.concept("percent")]
    with pytest.raises(NotFoundError):
        world.beliefs.chain(BEN, mine.belief_id)
    with pytest.raises(NotFoundError):
        world.beliefs.deny(BEN, mine.belief_id)


def test_as_of_a_date_gives_what_held_then_as_known_now_or_as_known_then(world: World) -> None:
    world.check_percent(True)
    first_day = START + timedelta(hours=1)
    world.pass_time(days=10)
    world.check_percent(False, 4)
    assert [one.claim for one in world.beliefs.as_of(ANA, first_day)] == ["understands"]
    assert [one.claim for one in world.beliefs.as_of(ANA, world.clock())] == ["struggles"]
    assert world.beliefs.as_of(ANA, START - timedelta(days=1)) == ()
    strict = World(world.database, MemorySettings(understands_from=0.7), world.clock)
    world.pass_time(days=1)
    strict.beliefs.rederive(ANA)
    assert strict.beliefs.as_of(ANA, first_day) == ()
    assert [one.claim for one in strict.beliefs.as_of(ANA, first_day, known_at=first_day)] == ["understands"]


def test_deriving_again_under_the_same_rules_leaves_every_chain_alone(world: World) -> None:
    world.check_percent(True, 3)
    world.quiz("ratio", False)
    world.beliefs.catch_up(ANA)
    world.beliefs.deny(ANA, world.beliefs.current(ANA)[0].belief_id)
    world.check_percent(True)
    before = world.beliefs.rows(ANA)
    done = world.beliefs.rederive(ANA)
    assert (done.unchanged, done.changed) == (2, ())
    assert world.beliefs.rows(ANA) == before


def test_deriving_again_under_other_rules_retires_replays_and_touches_no_episode(world: World) -> None:
    world.check_percent(True, 2)
    before, episodes = world.beliefs.rows(ANA), world.record.log.list("ana")
    strict = World(world.database, MemorySettings(understands_from=0.65), world.clock)
    done = strict.beliefs.rederive(ANA)
    assert done.changed == (world.concept("percent"),)
    rows = strict.beliefs.rows(ANA)
    assert _as_stored(rows[: len(before)]) == _as_stored(before)
    assert [(one.claim, one.reason) for one in rows[len(before) :]] == [
        ("unsettled", "rederived"),
        ("unsettled", "check"),
        ("understands", "check"),
    ]
    assert world.record.log.list("ana") == episodes
    assert strict.beliefs.rederive(ANA).changed == ()


def test_not_true_is_kept_until_new_checks_outweigh_it(world: World) -> None:
    world.check_percent(False, 5)
    (held,) = world.beliefs.current(ANA)
    closed = world.beliefs.deny(ANA, held.belief_id, note="I was ill that week")
    assert (closed.claim, closed.provenance, closed.reason) == ("unsettled", "learner", "not_true")
    assert world.beliefs.current(ANA) == ()
    world.beliefs.rederive(ANA)
    assert world.beliefs.current(ANA) == ()
    world.check_percent(False, 2)
    assert world.beliefs.current(ANA) == ()
    world.check_percent(False)
    assert world.believed() == [("percent", "struggles", round(1 - 2 / 7, 6))]
    assert world.beliefs.chain(ANA, held.belief_id)[4].belief_id == held.belief_id


def test_after_not_true_the_opposite_needs_no_more_than_usual(world: World) -> None:
    world.check_percent(False, 5)
    world.beliefs.deny(ANA, world.beliefs.current(ANA)[0].belief_id)
    world.check_percent(True)
    assert world.believed() == [("percent", "understands", 0.6)]


def test_only_what_is_believed_now_can_be_denied(world: World) -> None:
    world.check_percent(True, 2)
    old, held = world.beliefs.rows(ANA)
    for belief_id in (old.belief_id, world.beliefs.deny(ANA, held.belief_id).belief_id, held.belief_id):
        with pytest.raises(InputError, match="not held any more"):
            world.beliefs.deny(ANA, belief_id)


def test_a_belief_goes_with_the_episode_it_stands_on_and_the_rest_is_replayed(world: World) -> None:
    first, second, third = world.check_percent(True, 3)
    world.record.log.erase("ana", ErasureScope(episode_ids=(second.episode_id,)))
    (left,) = world.beliefs.rows(ANA)
    assert (left.evidence_ids, left.superseded_by, left.valid_to) == ((first.episode_id,), None, None)
    world.beliefs.catch_up(ANA)
    assert world.beliefs.shown(ANA)[0].evidence_ids == (first.episode_id, third.episode_id)
    assert all(second.episode_id not in one.evidence_ids for one in world.beliefs.rows(ANA))


def test_an_erased_denial_gives_the_belief_back(world: World) -> None:
    world.check_percent(False, 3)
    closed = world.beliefs.deny(ANA, world.beliefs.current(ANA)[0].belief_id)
    world.check_percent(True)
    world.record.log.erase("ana", ErasureScope(episode_ids=closed.evidence_ids))
    world.beliefs.catch_up(ANA)
    assert world.believed() == [("percent", "struggles", 0.625)]
    assert len(world.beliefs.rows(ANA)[-1].evidence) == 4


def test_a_row_on_an_erased_episode_is_not_taken(world: World, database: Database) -> None:
    (check,) = world.check_percent(True)
    (row,) = world.beliefs.rows(ANA)
    world.record.log.erase("ana", ErasureScope(episode_ids=(check.episode_id,)))
    assert world.record.beliefs.add(ANA, [row], None) is False
    assert world.beliefs.rows(ANA) == ()


def test_two_writers_of_one_chain_do_not_fork_it(world: World, database: Database) -> None:
    world.check_percent(True)
    (head,) = world.beliefs.rows(ANA)
    world.quiz("percent", False)
    other = LearnerMemory(world.record, world.settings)
    other.beliefs.catch_up(ANA)
    assert world.record.beliefs.add(ANA, [world.beliefs.rows(ANA)[1]], head.belief_id) is False
    assert [one.superseded_by is None for one in world.beliefs.rows(ANA)] == [False, True]
