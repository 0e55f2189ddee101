"""A retrieved strategy chooses among the moves that fit; ladder, rules on asking twice and hidden values stand above.

The problem: 6 trays of 14 rolls (84), 19 given away (65), bags of 5 (13 bags).
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.unit.test_pedagogy_builtin_tutor import (
    ADDED,
    GRAPH,
    RIGHT,
    SITUATIONS,
    SLIP,
    WRONG_WAY,
    asked,
    claim,
    judged,
    observed,
)

from preceptor.domain.dialogue import Turn
from preceptor.domain.experience import Strategy
from preceptor.domain.learner_state import Emotion, LearnerState, StruggleStatus
from preceptor.domain.observation import Observation
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.pedagogy.builtin_tutor import BuiltinTutor
from preceptor.pedagogy.strategy import FITS, MOVE_OF
from preceptor.pedagogy.tutor import ExperienceAdvice

WRONG: dict[str, Any] = {"first_wrong_node": 1, "reached": frozenset({0})}
BARE = judged(claim("103", 103), "wrong")


def advice(strategy: str, name: str = "x1") -> ExperienceAdvice:
    return ExperienceAdvice(experience_id=name, strategy=strategy, text="what to do")


def told(utterance: str, observation: Observation, *strategies: str, **more: Any) -> Reply:
    experience = tuple(advice(strategy, f"x{place}") for place, strategy in enumerate(strategies))
    return BuiltinTutor().compose(asked(utterance, observation, experience=experience, **more))


FOLLOWED = [
    ("structure_first", observed(ADDED, **WRONG), Rung.NONE, Move.PLANNING_QUESTION, Rung.NUDGE),
    ("decompose", observed(ADDED, **WRONG), Rung.NONE, Move.ASK_NEXT_QUANTITY, Rung.NUDGE),
    ("question_quantity", observed(ADDED, **WRONG), Rung.NONE, Move.QUESTION_OPERAND, Rung.LOCATE),
    ("clashing_fact", observed(ADDED, explanations=WRONG_WAY, **WRONG), Rung.NONE, Move.CLASHING_FACT, Rung.LOCATE),
    ("ask_to_explain", observed(BARE, explanations=WRONG_WAY, **WRONG), Rung.NONE, Move.TELL_APART, Rung.NONE),
    ("smaller_numbers", observed(ADDED, repeats=1, **WRONG), Rung.LOCATE, Move.SMALLER_CASE, Rung.NEXT_SUBSTEP),
    ("analogy", observed(ADDED, repeats=1, **WRONG), Rung.LOCATE, Move.SMALLER_CASE, Rung.NEXT_SUBSTEP),
    ("worked_parallel", observed(ADDED, repeats=2, **WRONG), Rung.NEXT_SUBSTEP, Move.WORKED_PARALLEL, 4),
    ("smaller_numbers", observed(SLIP, first_wrong_node=0), Rung.LOCATE, Move.SMALLER_CASE, Rung.NEXT_SUBSTEP),
]


@pytest.mark.parametrize(("strategy", "observation", "given", "move", "rung"), FOLLOWED)
def test_a_strategy_that_fits_chooses_the_move(
    strategy: str, observation: Observation, given: Rung, move: Move, rung: int
) -> None:
    without = told("84 + 19 = 103", observation, rung=given)
    reply = told("84 + 19 = 103", observation, strategy, rung=given)
    assert (without.move is move, reply.move, int(reply.rung)) == (False, move, int(rung))
    assert reply.text != without.text
    assert reply.used_experience_ids == ("x0",)
    assert [(role.part, role.reason) for role in reply.experience_roles] == [("chosen", move.value)]
    assert reply.notes == (f"experience x0: chosen: {move.value}",)


NOT_FOLLOWED = [
    ("other", observed(ADDED, **WRONG), {}, "no move of the builtin tutor"),
    ("not a strategy", observed(ADDED, **WRONG), {}, "no move of the builtin tutor"),
    ("worked_parallel", observed(ADDED, **WRONG), {}, "more help than is due: rung 4, 2 allowed"),
    ("smaller_numbers", observed(ADDED, **WRONG), {"rung": Rung.NUDGE}, "more help than is due: rung 3, 2 allowed"),
    ("decompose", observed(), {"stuck": True, "rung": Rung.NUDGE}, "less help than was asked for: rung 1, 2 due"),
    ("question_quantity", observed(ADDED, repeats=2, **WRONG), {}, "the same mistake came 2 times"),
    ("ask_to_explain", observed(ADDED, **WRONG), {}, "the learner's calculation is known"),
    ("isolate_computation", observed(ADDED, **WRONG), {}, "does not fit: off_reference_error"),
    ("decompose", observed(RIGHT, reached=frozenset({0}), newly_reached=(0,)), {}, "does not fit: step_reached"),
    ("compare_attempts", observed(RIGHT, solved=True), {}, "there is no other first answer"),
    ("clashing_fact", observed(SLIP, first_wrong_node=0), {}, "does not fit: slip"),
    ("structure_first", observed(ADDED, **WRONG), {"avoid": ("final_answer: It is 65.",)}, "an earlier draft"),
    (
        "structure_first",
        observed(ADDED, **WRONG),
        {"earlier_moves": ((Move.PLANNING_QUESTION, 1),)},
        "tried at this step before",
    ),
    ("acknowledge_and_normalise", observed(ADDED, **WRONG), {}, "there is no trouble to acknowledge"),
]


@pytest.mark.parametrize(("strategy", "observation", "more", "why"), NOT_FOLLOWED)
def test_what_cannot_be_followed_leaves_the_reply_as_it_was(
    strategy: str, observation: Observation, more: dict[str, Any], why: str
) -> None:
    without = told("84 + 19 = 103", observation, **more)
    reply = told("84 + 19 = 103", observation, strategy, **more)
    assert (reply.text, reply.move, reply.rung) == (without.text, without.move, without.rung)
    assert reply.used_experience_ids == ()
    assert reply.experience_roles[0].part == "not_followed"
    assert why in reply.experience_roles[0].reason


def test_a_move_tried_at_another_step_may_be_taken_here() -> None:
    observation = observed(ADDED, **WRONG)
    reply = told("84 + 19", observation, "structure_first", earlier_moves=((Move.PLANNING_QUESTION, 0),))
    assert reply.move is Move.PLANNING_QUESTION


def test_the_move_that_comes_anyway_is_not_counted_as_use() -> None:
    observation = observed(SLIP, first_wrong_node=0)
    reply = told("6 * 14 = 82", observation, "isolate_computation")
    assert reply.text == told("6 * 14 = 82", observation).text
    assert reply.experience_roles[0].part == "same_move"
    assert reply.used_experience_ids == ()


def test_the_first_possible_experience_is_followed_and_the_others_are_not() -> None:
    reply = told("84 + 19 = 103", observed(ADDED, **WRONG), "worked_parallel", "decompose", "structure_first")
    assert reply.used_experience_ids == ("x1",)
    assert [role.part for role in reply.experience_roles] == ["not_followed", "chosen", "not_followed"]


def test_the_highest_rung_binds_experience_too() -> None:
    turn = asked("84 + 19", observed(ADDED, repeats=1, **WRONG), rung=Rung.LOCATE, experience=(advice("analogy"),))
    reply = BuiltinTutor(highest_rung=2).compose(turn)
    assert reply.move is Move.CLASHING_FACT
    assert reply.used_experience_ids == ()


TROUBLE = LearnerState(struggle_status=StruggleStatus.REPEATED_ERROR)


def test_a_difficulty_is_made_an_ordinary_one_before_the_move() -> None:
    observation = observed(ADDED, state=TROUBLE, repeats=1, **WRONG)
    without = told("84 + 19 = 103", observation)
    reply = told("84 + 19 = 103", observation, "acknowledge_and_normalise")
    assert reply.text.endswith(without.text)
    assert reply.text != without.text
    assert reply.used_experience_ids == ("x0",)
    history = (Turn(learner="84 + 19", tutor=reply.text),)
    again = told("84 + 19 = 103", observation, "acknowledge_and_normalise", history=history)
    assert again.experience_roles[0].reason == "acknowledged a turn ago"


def test_feeling_that_is_met_anyway_is_no_use_of_experience() -> None:
    state = replace(TROUBLE, emotion=Emotion.CONFUSED)
    reply = told("84 + 19", observed(ADDED, state=state, **WRONG), "acknowledge_and_normalise")
    assert reply.experience_roles[0].part == "same_move"


def test_without_a_worked_solution_no_strategy_opens_a_move() -> None:
    turn = asked("84 + 19 = 103", observed(judged(ADDED.claim, "unsure")), experience=(advice("structure_first"),))
    reply = BuiltinTutor().compose(replace(turn, context=replace(turn.context, graph=None)))
    assert reply.used_experience_ids == ()


@pytest.mark.parametrize(("utterance", "observation", "move"), SITUATIONS)
@pytest.mark.parametrize("strategy", list(Strategy))
def test_no_strategy_gives_a_hidden_value_or_too_much_help(
    utterance: str, observation: Observation, move: Move, strategy: Strategy
) -> None:
    for rung in Rung:
        without = told(utterance, observation, rung=rung)
        reply = told(utterance, observation, strategy.value, rung=rung)
        public = {6, 14, 19, 5} | {int(digits) for digits in re.findall(r"\d+", utterance)}
        hidden = {84, 65, 13} - public - {GRAPH.nodes[index].value for index in observation.reached}
        assert not {Fraction(digits) for digits in re.findall(r"\d+", reply.text)} & {Fraction(h) for h in hidden}
        assert reply.rung <= max(without.rung, min(rung + 1, 4))
        if not reply.used_experience_ids:
            assert reply.text == without.text


def test_every_strategy_is_mapped_and_fits_somewhere() -> None:
    fitting = frozenset().union(*FITS.values())
    assert fitting == MOVE_OF.keys()
    assert set(Strategy) - fitting == {Strategy.ACKNOWLEDGE_AND_NORMALISE, Strategy.OTHER}


@pytest.mark.parametrize(("strategy", "observation", "given", "move", "rung"), FOLLOWED)
def test_the_same_experience_turn_after_turn_is_followed_no_second_time_and_nothing_is_said_twice(
    strategy: str, observation: Observation, given: Rung, move: Move, rung: int
) -> None:
    history: tuple[Turn, ...] = ()
    moves: tuple[tuple[Move, int | None], ...] = ()
    texts = []
    for _ in range(4):
        reply = told("84 + 19 = 103", observation, strategy, rung=given, history=history, earlier_moves=moves)
        history = (*history, Turn(learner="84 + 19 = 103", tutor=reply.text, frame=reply.frame))
        moves = (*moves, (reply.move, reply.node))
        texts.append(reply.text)
    assert reply.used_experience_ids == ()
    assert len(set(texts)) == 4
