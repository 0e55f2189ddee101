"""Which checks count for which concept, and what becomes of beliefs when their store or their map changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.contract.memory_world import ANA, START, World

from preceptor.domain.belief import Belief
from preceptor.domain.concept import ConceptMap
from preceptor.domain.learner_state import LearnerState
from preceptor.domain.observation import Observation, Reading, ReadingStatus
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Move, Reply
from preceptor.errors import InputError, StoreError
from preceptor.memory.beliefs import ATTEMPTS, Beliefs
from preceptor.record.kinds import QuestionBody, TurnRecordBody
from preceptor.settings import MemorySettings
from preceptor.stores.sql.database import open_database

COAT = Problem(
    problem_id="coat",
    text="A coat costs 80 dollars. It is sold at 25% off. How much is taken off?",
    solution="The discount is 80 * 25 / 100 = 20 dollars.",
    answer="20",
)
PENS = Problem(problem_id="pens", text="Tom has 3 boxes of 4 pens.", solution="3 * 4 = 12 pens.", answer="12")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    database = open_database(home=tmp_path, url=None)
    yield World(database)
    database.close()


def observed(world: World, turn: int, **fields: Any) -> None:
    """Add a turn's record whose reply names no concept."""
    observation = Observation(
        state=LearnerState(),
        error_detail="",
        struggle_reason="",
        reading=Reading(status=ReadingStatus.READ, read_as=""),
        **fields,
    )
    world.add(
        TurnRecordBody(reply=Reply(text="Good.", move=Move.FREE), observation=observation), dialogue_id="d", turn=turn
    )


def claims(world: World) -> dict[str, str]:
    world.beliefs.catch_up(ANA)
    return {name: claim for name, claim, _ in world.believed()}


# -- checks -------------------------------------------------------------------------------------------------


def test_right_and_wrong_in_one_message_are_two_checks(world: World) -> None:
    world.check("right", turn=1)
    world.check("wrong", turn=1, reply="That is the percent.")
    assert claims(world) == {}
    (head,) = [one for one in world.beliefs.rows(ANA) if one.superseded_by is None]
    assert [part.verdict for part in head.evidence] == ["right", "wrong"]


def test_two_quiz_items_of_one_turn_are_two_checks(world: World) -> None:
    for item in ("What is 20 percent of 50?", "What is 10 percent of 90?"):
        world.quiz("percent", True, item=item, dialogue_id="d", turn=1)
    world.beliefs.catch_up(ANA)
    assert world.believed() == [("percent", "understands", round(4 / 6, 6))]


def test_a_check_that_recall_told_of_is_no_evidence(world: World) -> None:
    world.quiz("percent", True, provenance="recalled")
    assert claims(world) == {}
    assert world.beliefs.rows(ANA) == ()


def test_a_step_that_only_names_an_operation_counts_for_the_operation(world: World) -> None:
    world.add(QuestionBody(problem=PENS), dialogue_id="d", turn=0)
    world.check("right", turn=1, node=0, reply="Good.")
    assert claims(world) == {"multiplication": "understands"}


def test_the_steps_are_those_of_the_reference_that_was_put_on_record_last(world: World) -> None:
    bare = Problem(problem_id="coat", text=COAT.text)
    for problem in (bare, COAT):
        world.add(QuestionBody(problem=problem), dialogue_id="d", turn=0)
    world.check("right", turn=1, node=0, reply="Good.")
    assert "discount" in claims(world)


@pytest.mark.parametrize(("mark", "held"), [("wrong", "struggles"), ("right", None)])
def test_a_wrong_claim_off_the_reference_counts_for_the_step_that_went_off_and_a_right_one_does_not(
    world: World, mark: str, held: str | None
) -> None:
    world.add(QuestionBody(problem=COAT), dialogue_id="d", turn=0)
    world.check(mark, turn=1)
    observed(world, 1, first_wrong_node=0)
    assert claims(world).get("discount") == held


def test_a_step_that_is_wrong_again_is_evidence_again(world: World) -> None:
    world.add(QuestionBody(problem=PENS), dialogue_id="d", turn=0)
    for turn in (1, 2):
        world.check("wrong", turn=turn, node=0)
        observed(world, turn)
    assert claims(world) == {"multiplication": "struggles"}
    assert len(world.beliefs.rows(ANA)) == 2


def test_a_step_that_the_reference_does_not_have_goes_by_the_reply(world: World) -> None:
    world.add(QuestionBody(problem=COAT), dialogue_id="d", turn=0)
    world.check("right", turn=1, node=7, reply="That is the ratio.")
    assert claims(world) == {"ratio": "understands"}


# -- beliefs ------------------------------------------------------------------------------------------------


def test_what_is_believed_is_one_row_a_concept_the_surest_first(world: World) -> None:
    world.quiz("ratio", False)
    world.check_percent(True, 3)
    order = [("percent", "understands", round(5 / 7, 6)), ("ratio", "struggles", 0.6)]
    assert world.believed() == order
    names = {one.concept_id: one.name for one in world.map.concepts}
    assert [(names[one.concept_id], one.claim, one.confidence) for one in world.beliefs.shown(ANA)] == order


def test_an_earlier_row_of_what_is_believed_cannot_be_denied(world: World) -> None:
    world.check_percent(True, 2)
    old, _ = world.beliefs.rows(ANA)
    with pytest.raises(InputError, match="not held any more"):
        world.beliefs.deny(ANA, old.belief_id)
    assert world.believed() == [("percent", "understands", round(4 / 6, 6))]


def test_as_of_counts_what_was_recorded_at_that_very_moment(world: World) -> None:
    world.check_percent(True)
    assert [one.claim for one in world.beliefs.as_of(ANA, START, known_at=START)] == ["understands"]
    assert world.beliefs.as_of(ANA, START, known_at=START - timedelta(microseconds=1)) == ()


def test_what_is_derived_again_has_faded_as_long_as_what_it_replaces(world: World) -> None:
    world.check_percent(True, 2)
    world.pass_time(days=50)
    later = World(world.database, MemorySettings(belief_prior=1.0), world.clock)
    assert later.beliefs.rederive(ANA).changed == (world.concept("percent"),)
    last = later.beliefs.rows(ANA)[-1]
    assert (last.reason, last.valid_from, last.confidence) == ("decay", START + timedelta(days=45), 0.6375)


def test_a_belief_on_a_concept_that_the_map_lost_is_retired_when_derived_again(world: World) -> None:
    world.check_percent(True)
    without = _beliefs(world, lambda subject_id: ConceptMap(subject_id=subject_id))
    assert without.rederive(ANA).changed == (world.concept("percent"),)
    assert world.believed() == []
    assert world.beliefs.rederive(ANA).changed == (world.concept("percent"),)
    assert world.believed() == [("percent", "understands", 0.6)]


class BusyStore:
    """The store of beliefs, of which another process was ahead so many times."""

    def __init__(self, world: World, refusals: int) -> None:
        self._store = world.record.beliefs
        self.refusals = refusals

    def add(self, scope: Any, rows: Sequence[Belief], head: str | None) -> bool:
        if self.refusals and rows:
            self.refusals -= 1
            return False
        return self._store.add(scope, rows, head)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def _beliefs(world: World, map_of: Any, store: Any = None) -> Beliefs:
    record = world.record
    return Beliefs(record.log, record.episodes, store or record.beliefs, map_of, world.settings, record.clock)


def test_a_chain_that_another_process_changed_meanwhile_is_read_again(world: World) -> None:
    world.quiz("percent", True)
    store = BusyStore(world, ATTEMPTS - 1)
    assert len(_beliefs(world, world.memory.maps.map, store).catch_up(ANA)) == 1
    assert (store.refusals, world.believed()) == (0, [("percent", "understands", 0.6)])


def test_a_chain_that_is_always_being_changed_is_an_error_and_nothing_is_lost(world: World) -> None:
    world.quiz("percent", True)
    with pytest.raises(StoreError, match="being changed by another process"):
        _beliefs(world, world.memory.maps.map, BusyStore(world, ATTEMPTS)).catch_up(ANA)
    assert world.beliefs.rows(ANA) == ()
    assert claims(world) == {"percent": "understands"}
