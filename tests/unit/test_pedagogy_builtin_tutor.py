"""The builtin tutor: the right move for the situation, nothing given away, nothing said twice."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from preceptor.domain.claim import Claim, ClauseKind, Operand
from preceptor.domain.dialogue import Turn
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.learner_state import Emotion, Intent, LearnerState
from preceptor.domain.observation import (
    Explanation,
    JudgedClaim,
    Mark,
    MisconceptionKind,
    Observation,
    Reading,
    ReadingStatus,
)
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Move, Rung
from preceptor.maths.step_graph import StepGraph, StepNode, build_step_graph
from preceptor.pedagogy.builtin_tutor import BuiltinTutor
from preceptor.pedagogy.speaker import normal_form
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor import TutorTurn
from preceptor.pedagogy.wording import sentences_of

TEXT = (
    "A baker fills 6 trays with 14 rolls each. She gives 19 rolls to a school. "
    "She packs the rest into bags of 5. How many bags does she fill?"
)
"""6 × 14 = 84 rolls, 84 - 19 = 65 rolls, 65 ÷ 5 = 13 bags."""
GIVENS = tuple(
    Operand(value=Fraction(value), text=str(value), noun=noun)
    for value, noun in ((6, "tray"), (14, "roll"), (19, "roll"), (5, None))
)


def node(index: int, text: str, left: Operand, sign: str, right: Operand, value: int, noun: str) -> StepNode:
    places = {given.value: place for place, given in enumerate(GIVENS)}
    return StepNode(
        index=index,
        line=index,
        text=text,
        operands=(left, right),
        operators=(sign,),
        inputs=(None if left.value in places else index - 1, None),
        givens=(places.get(left.value), places.get(right.value)),
        value=Fraction(value),
        noun=noun,
    )


def made(value: int) -> Operand:
    return Operand(value=Fraction(value), text=str(value), noun="roll")


GRAPH = StepGraph(
    nodes=(
        node(0, "The trays hold 6 * 14 = 84 rolls.", GIVENS[0], "*", GIVENS[1], 84, "roll"),
        node(1, "After the school has its share she has 84 - 19 = 65 rolls.", made(84), "-", GIVENS[2], 65, "roll"),
        node(2, "So she fills 65 / 5 = 13 bags.", made(65), "/", GIVENS[3], 13, "bag"),
    ),
    givens=GIVENS,
    answer=Fraction(13),
    answer_node=2,
)
PROBLEM = Problem(problem_id="rolls", text=TEXT, solution="own", answer="13")


def claim(text: str, value: int, operands: tuple[int, ...] = (), signs: str = "", computed: int | None = None) -> Claim:
    return Claim(
        start=0,
        end=len(text),
        text=text,
        operands=tuple(Operand(value=Fraction(one), text=str(one)) for one in operands),
        operators=tuple(signs),
        computed=None if computed is None else Fraction(computed),
        value=Fraction(value),
        noun="roll",
    )


def judged(one: Claim, mark: Mark, at: int | None = None) -> JudgedClaim:
    return JudgedClaim(claim=one, mark=mark, node=at, read_as=one.text)


def observed(
    *claims: JudgedClaim,
    status: ReadingStatus = ReadingStatus.READ,
    clauses: tuple[ClauseKind, ...] = (),
    state: LearnerState | None = None,
    **more: Any,
) -> Observation:
    base = Observation(
        state=state or LearnerState(),
        error_detail="",
        struggle_reason="",
        reading=Reading(status=status, read_as="", clauses=clauses),
        claims=claims,
    )
    return replace(base, **more)


def asked(
    utterance: str, observation: Observation, history: tuple[Turn, ...] = (), rung: Rung = Rung.NONE, **more: Any
) -> TutorTurn:
    context = TurnContext(problem=PROBLEM, graph=GRAPH, history=history, utterance=utterance)
    return TutorTurn(context=context, observation=observation, rung=rung, **more)


SLIP = judged(claim("6 * 14 = 82", 82, (6, 14), "*", 84), "wrong", 0)
RIGHT = judged(claim("6 * 14 = 84", 84, (6, 14), "*", 84), "right", 0)
ADDED = judged(claim("84 + 19 = 103", 103, (84, 19), "+", 103), "wrong")
REACHED: dict[str, Any] = {"reached": frozenset({0}), "newly_reached": (0,)}
WRONG_WAY = (Explanation(kind=MisconceptionKind.WRONG_OPERATION, node=1),)
ASKING = LearnerState(intent=Intent.ASK_ANSWER)

SITUATIONS = [
    ("", observed(), Move.GREET),
    ("6*14=82", observed(SLIP, first_wrong_node=0), Move.ISOLATE_COMPUTATION),
    ("6*14=84", observed(RIGHT, **REACHED), Move.CONFIRM_AND_ADVANCE),
    (
        "84+19=103",
        observed(ADDED, first_wrong_node=1, reached=frozenset({0}), explanations=WRONG_WAY),
        Move.QUESTION_DIRECTION,
    ),
    ("84+19=103", observed(ADDED, first_wrong_node=1, reached=frozenset({0}), repeats=1), Move.CLASHING_FACT),
    ("84+19=103", observed(ADDED, first_wrong_node=1, reached=frozenset({0}), repeats=2), Move.SMALLER_CASE),
    ("84+19=103", observed(ADDED, first_wrong_node=1, reached=frozenset({0}), repeats=3), Move.WORKED_PARALLEL),
    ("tell me the answer", observed(state=ASKING), Move.DECLINE_ANSWER),
    ("nice weather", observed(state=LearnerState(intent=Intent.OFF_TOPIC)), Move.BACK_TO_TASK),
    ("7", observed(bare_guesses=3), Move.ASK_FOR_WORK),
    ("zzz", observed(status=ReadingStatus.UNREAD, unread_streak=1), Move.REQUEST_FORM),
    ("zzz", observed(status=ReadingStatus.UNREAD, unread_streak=2), Move.OFFER_CHOICES),
    ("zzz", observed(status=ReadingStatus.UNREAD, unread_streak=3), Move.MEANING_OF_PHRASE),
    ("zzz", observed(status=ReadingStatus.UNREAD, unread_streak=4), Move.WORKED_PARALLEL),
    ("zzz", observed(status=ReadingStatus.UNREAD, unread_streak=5), Move.CANNOT_FOLLOW),
    ("ok I see", observed(clauses=(ClauseKind.ACKNOWLEDGEMENT,)), Move.ASK_NEXT_QUANTITY),
    ("how many trays were there?", observed(clauses=(ClauseKind.QUESTION,)), Move.ANSWER_QUESTION),
]


@pytest.mark.parametrize(("utterance", "observation", "move"), SITUATIONS)
def test_the_move_fits_the_situation(utterance: str, observation: Observation, move: Move) -> None:
    assert BuiltinTutor().compose(asked(utterance, observation)).move is move


@pytest.mark.parametrize(("utterance", "observation", "move"), SITUATIONS)
@pytest.mark.parametrize("turns", range(12))
def test_a_hidden_value_is_never_said(utterance: str, observation: Observation, move: Move, turns: int) -> None:
    history = tuple(Turn(learner="ok", tutor=f"Question {turns}-{place}?") for place in range(turns))
    reply = BuiltinTutor().compose(asked(utterance, observation, history))
    said = {int(digits) for digits in re.findall(r"\d+", reply.text)}
    public = {6, 14, 19, 5} | {int(digits) for digits in re.findall(r"\d+", utterance)}
    hidden = {84, 65, 13} - public - {GRAPH.nodes[index].value for index in observation.reached}
    assert not said & hidden, reply.text


@pytest.mark.parametrize(
    "observation",
    [
        observed(clauses=(ClauseKind.ACKNOWLEDGEMENT,)),
        observed(SLIP, first_wrong_node=0),
        observed(ADDED, first_wrong_node=1, reached=frozenset({0})),
        observed(state=ASKING),
        observed(state=LearnerState(intent=Intent.OFF_TOPIC)),
    ],
)
def test_no_sentence_comes_twice_in_twelve_turns_alike(observation: Observation) -> None:
    history: tuple[Turn, ...] = ()
    said: list[str] = []
    for _ in range(12):
        reply = BuiltinTutor().compose(asked("hm", observation, history))
        said += [normal_form(sentence) for sentence in sentences_of(reply.text)]
        history = (*history, Turn(learner="hm", tutor=reply.text, frame=reply.frame))
    assert len(said) == len(set(said))


def test_stuck_climbs_one_rung_a_turn_and_never_gives_the_last_step() -> None:
    reached = observed(reached=frozenset({0, 1}))
    rungs = []
    for rung in (Rung.NONE, Rung.NUDGE, Rung.LOCATE, Rung.NEXT_SUBSTEP, Rung.WORKED_PARALLEL):
        reply = BuiltinTutor().compose(asked("", reached, (Turn(learner="", tutor="Hello."),), rung, stuck=True))
        rungs.append(reply.rung)
        assert "65 ÷ 5" not in reply.text
    assert rungs == [1, 2, 3, 4, 4]


def test_the_highest_rung_is_the_instructors_to_set() -> None:
    reply = BuiltinTutor(highest_rung=2).compose(asked("help", observed(), rung=Rung.LOCATE, stuck=True))
    assert reply.rung is Rung.LOCATE


def test_a_right_answer_after_another_first_try_asks_for_the_difference() -> None:
    final = judged(replace(claim("13", 13), noun="bag"), "right", 2)
    observation = observed(final, solved=True, first_answer=Fraction(16), reached=frozenset({0, 1, 2}))
    reply = BuiltinTutor().compose(asked("13 bags", observation))
    assert reply.move is Move.COMPARE_FIRST_TRY
    assert "16" in reply.text
    assert "13 bags" in reply.text


def test_numbers_of_a_worked_parallel_are_in_neither_problem_nor_solution() -> None:
    observation = observed(ADDED, first_wrong_node=1, reached=frozenset({0}), repeats=3)
    reply = BuiltinTutor().compose(asked("84 + 19 = 103", observation))
    story = re.search(r"[:,] (.*?\.)", reply.text)
    assert reply.rung is Rung.WORKED_PARALLEL
    assert story is not None
    assert not {int(one) for one in re.findall(r"\d+", story.group())} & {6, 14, 19, 5, 84, 65, 13, 103}


def test_feeling_is_met_in_one_clause_before_the_work() -> None:
    state = LearnerState(emotion=Emotion.FRUSTRATED)
    calm = BuiltinTutor().compose(asked("argh 82", observed(SLIP, first_wrong_node=0)))
    met = BuiltinTutor().compose(asked("argh 82", observed(SLIP, first_wrong_node=0, state=state)))
    assert len(sentences_of(met.text)) == len(sentences_of(calm.text)) + 1


def test_without_a_reference_only_arithmetic_is_confirmed() -> None:
    context = TurnContext(problem=PROBLEM, graph=None, history=(), utterance="6 * 14 = 84")
    reply = BuiltinTutor().compose(TutorTurn(context=context, observation=observed(replace(RIGHT, mark="unsure"))))
    assert reply.move is Move.PLANNING_QUESTION
    assert "6 * 14 = 84" in reply.text
    assert not re.search(r"method|right way|solution is", reply.text)


def test_a_reply_in_chinese_has_no_english_sentence() -> None:
    problem = Problem(problem_id="zh", text="每袋有5个苹果，共6袋。卖掉9个。还剩多少个苹果？", language="zh")
    context = TurnContext(problem=problem, graph=None, history=(), utterance="不会", language="zh")
    reply = BuiltinTutor().compose(TutorTurn(context=context, observation=observed(), stuck=True))
    assert reply.language == "zh"
    assert not re.search(r"[A-Za-z]{4}", reply.text)


def test_every_reply_carries_a_frame_for_the_next_turn() -> None:
    reply = BuiltinTutor().compose(asked("6*14=84", observed(RIGHT, **REACHED)))
    assert reply.frame == Frame(kind=FrameKind.VALUE, node=1, value=Fraction(65))


def test_in_a_language_without_phrases_the_limit_is_said_once_in_that_language() -> None:
    context = TurnContext(problem=PROBLEM, graph=GRAPH, history=(), utterance="hola", language="es")
    first = BuiltinTutor().compose(TutorTurn(context=context, observation=observed()))
    later = replace(context, history=(Turn(learner="hola", tutor=first.text),))
    second = BuiltinTutor().compose(TutorTurn(context=later, observation=observed()))
    assert "solo hablo" in first.text
    assert "solo hablo" not in second.text


@pytest.mark.parametrize("turns", range(6))
def test_with_a_chinese_reference_no_english_words_slip_in(turns: int) -> None:
    problem = Problem(
        problem_id="zh",
        text="每盒有6支笔，共8盒。送出9支。还剩多少支笔？",
        solution="共有 6 × 8 = 48 支笔。\n还剩 48 - 9 = 39 支笔。",
        answer="39",
        language="zh",
    )
    graph = build_step_graph(problem.text, problem.solution or "", problem.answer, "zh")
    history = tuple(Turn(learner="嗯", tutor=f"问题{turns}{place}？") for place in range(turns))
    context = TurnContext(problem=problem, graph=graph, history=history, utterance="嗯", language="zh")
    for rung in Rung:
        reply = BuiltinTutor().compose(TutorTurn(context=context, observation=observed(), rung=rung, stuck=True))
        assert not re.search(r"[A-Za-z]{3}", reply.text), reply.text


def test_points_in_numbers_and_abbreviations_end_no_sentence() -> None:
    text = "It cost $1.50 at first. How much did Mr. Low pay at 8 a.m. on Monday?\nShow it"
    assert sentences_of(text) == (
        "It cost $1.50 at first.",
        "How much did Mr. Low pay at 8 a.m. on Monday?",
        "Show it",
    )
