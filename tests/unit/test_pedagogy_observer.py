"""The builtin observer on invented situations: every misconception, frame and clause kind, marks, tags, readings."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from tests.unit.pedagogy_problems import OBSERVER, PROBLEMS, observe, problem_of

from preceptor.domain.claim import ClauseKind
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, StruggleStatus
from preceptor.domain.observation import MisconceptionKind, ReadingStatus
from preceptor.pedagogy.reading_status import chosen_option

Kind = MisconceptionKind
EXPLAIN = ("", "Please walk me through your solution.")
ANSWER = ("", "What is your answer?")


@dataclass(frozen=True, kw_only=True)
class Situation:
    """What a learner says, and what is to be made of it."""

    problem: str
    says: str
    asked: tuple[str, str] = EXPLAIN
    frame: Frame | None = None
    right: tuple[int, ...] = ()
    """Values ticked, in order."""
    wrong: tuple[int, ...] = ()
    """Values crossed, in order."""
    reached: tuple[int, ...] | None = None
    kind: Kind | None = None
    """The first explanation."""
    node: int | None = None
    solved: bool = False


SITUATIONS: dict[str, Situation] = {
    # -- steps shown ----------------------------------------------------------------------------------------
    "step_as_equation": Situation(problem="loaves", says="24 x 2 = 48 sandwiches", right=(48,), reached=(0,)),
    "step_in_words": Situation(problem="loaves", says="24 times 2 is forty-eight", right=(48,), reached=(0,)),
    "step_turned_round": Situation(problem="loaves", says="2 * 24 = 48", right=(48,), reached=(0,)),
    "step_as_repeated_sum": Situation(problem="loaves", says="24 + 24 = 48 sandwiches", right=(48,), reached=(0,)),
    "two_steps_in_one": Situation(problem="loaves", says="24*2/12 = 4 loaves", right=(4,), reached=(0, 1)),
    "operation_without_result": Situation(problem="loaves", says="I would multiply 24 by 2", reached=(0,)),
    "told_with_result_later": Situation(
        problem="garden",
        says="I multiplied 6 by 15 to find out how many tulips there are, which was 90.",
        right=(90,),
        reached=(0,),
    ),
    "left_out_first_number": Situation(
        problem="garden",
        says="I multiplied 6 by 15, which gave me 90. Then I subtracted 18 to get 72 tulips.",
        right=(90, 72),
        reached=(0, 1),
        solved=True,
    ),
    "value_answers_counted_noun": Situation(
        problem="loaves", says="48", asked=("", "How many sandwiches does she make?"), right=(48,), reached=(0,)
    ),
    "value_answers_recorded_question": Situation(
        problem="ribbon",
        says="12",
        asked=("", "How long is one piece?"),
        frame=Frame(kind=FrameKind.VALUE, node=0, value=Fraction(12)),
        right=(12,),
        reached=(0,),
    ),
    "value_with_its_noun": Situation(problem="garden", says="There are 90 tulips first.", right=(90,), reached=(0,)),
    "quantity_in_other_unit": Situation(problem="walk", says="2 hours = 120 minutes", right=(120,)),
    "chain_checked_link_by_link": Situation(
        problem="garden", says="6 * 15 = 90 and 90 - 18 = 72", right=(90, 72), reached=(0, 1), solved=True
    ),
    "percent_as_fraction": Situation(problem="coat", says="80 * 25/100 = 20", right=(20,), reached=(0,)),
    "percent_rest_directly": Situation(problem="coat", says="75% of 80 = 60", right=(60,), reached=(0, 1)),
    "correction_in_one_breath": Situation(
        problem="loaves", says="not 46, it is 48 sandwiches", right=(48,), reached=(0,)
    ),
    # -- the answer -----------------------------------------------------------------------------------------
    "answer_named": Situation(problem="stamps", says="The answer is 56", right=(56,), solved=True),
    "answer_bare_when_asked": Situation(problem="stamps", says="56", asked=ANSWER, right=(56,), solved=True),
    "answer_in_question_words": Situation(
        problem="loaves", says="So Lena spends $12 on loaves.", right=(12,), solved=True
    ),
    "answer_by_one_expression": Situation(problem="loaves", says="24*2/12*3 = 12", right=(12,), solved=True),
    "answer_by_another_way": Situation(
        problem="stamps", says="2 * 35 - 14 = 56, so together they have 56 stamps", right=(56, 56), solved=True
    ),
    "answer_by_another_way_in_steps": Situation(
        problem="stamps", says="35 + 35 = 70 and 70 - 14 = 56", right=(70, 56), solved=True
    ),
    "answer_in_other_unit": Situation(problem="walk", says="3.5 hours", asked=ANSWER, right=(3,), solved=True),
    "answer_on_a_line_of_its_own": Situation(
        problem="garden", says="First I do 6 * 15 = 90\nThen 90 - 18 = 72\n72", right=(90, 72, 72), solved=True
    ),
    # -- never ticked by coincidence ------------------------------------------------------------------------
    "value_by_other_operands": Situation(problem="loaves", says="2 + 2 = 4", reached=()),
    "bare_value_without_support": Situation(problem="garden", says="I think of 90", reached=()),
    "given_number_is_no_step": Situation(problem="loaves", says="She packs 24 lunch boxes.", reached=()),
    "agreement_is_no_evidence": Situation(problem="loaves", says="ok, I see", reached=()),
    "true_but_off_the_reference": Situation(problem="garden", says="6 + 15 + 18 = 39 and that is all", reached=()),
    "same_number_of_another_thing": Situation(problem="loaves", says="She has 4 boxes.", reached=()),
    # -- misconceptions -------------------------------------------------------------------------------------
    "wrong_operation": Situation(problem="loaves", says="24 + 2 = 26", kind=Kind.WRONG_OPERATION, node=0),
    "wrong_operation_from_answer": Situation(
        problem="coat", says="The answer is 55", wrong=(55,), kind=Kind.WRONG_OPERATION, node=2
    ),
    "swapped_operands": Situation(problem="ribbon", says="8/96 = 1/12", kind=Kind.SWAPPED_OPERANDS, node=0),
    "comparison_inverted": Situation(problem="stamps", says="35 + 14 = 49", kind=Kind.COMPARISON_INVERTED, node=0),
    "comparison_inverted_from_answer": Situation(
        problem="stamps", says="The answer is 84", wrong=(84,), kind=Kind.COMPARISON_INVERTED, node=0
    ),
    "foreign_quantity": Situation(
        problem="garden", says="The answer is 252", wrong=(252,), kind=Kind.FOREIGN_QUANTITY, node=0
    ),
    "missing_quantity": Situation(
        problem="loaves", says="The answer is 144", wrong=(144,), kind=Kind.MISSING_QUANTITY, node=1
    ),
    "doubled_quantity": Situation(
        problem="garden", says="The answer is 207", wrong=(207,), kind=Kind.DOUBLED_QUANTITY, node=0
    ),
    "unit_not_converted": Situation(
        problem="walk", says="The answer is 92", wrong=(92,), kind=Kind.UNIT_NOT_CONVERTED, node=0
    ),
    "percent_base": Situation(problem="coat", says="85 * 0.25 = 21.25", kind=Kind.PERCENT_BASE, node=0),
    "one_item_missed": Situation(
        problem="fair", says="The answer is 19", wrong=(19,), kind=Kind.ONE_ITEM_MISSED, node=1
    ),
    "rounding_direction": Situation(problem="bus", says="The answer is 3", wrong=(3,), kind=Kind.ROUNDING_DIRECTION),
    "stopped_early": Situation(problem="loaves", says="The answer is 4", wrong=(4,), kind=Kind.STOPPED_EARLY, node=2),
    "one_step_too_many": Situation(
        problem="garden", says="The answer is 54", wrong=(54,), kind=Kind.ONE_STEP_TOO_MANY, node=1
    ),
    "arithmetic_slip": Situation(problem="loaves", says="24*2=46", wrong=(46,), kind=Kind.ARITHMETIC_SLIP, node=0),
    "slip_in_a_sum": Situation(problem="fair", says="12+2+7=22", wrong=(22,), kind=Kind.ARITHMETIC_SLIP, node=1),
    "slip_behind_a_bare_answer": Situation(
        problem="garden", says="The answer is 71", wrong=(71,), kind=Kind.ARITHMETIC_SLIP
    ),
    "wrong_rule_at_the_step_asked_for": Situation(
        problem="stamps",
        says="49",
        asked=("", "How many stamps does Mia have?"),
        frame=Frame(kind=FrameKind.VALUE, node=0, value=Fraction(21)),
        wrong=(49,),
        node=0,
    ),
    "whole_way_with_a_wrong_end": Situation(
        problem="stamps", says="Mia has 35 + 14 = 49 stamps. So together 35 + 49 = 84.", wrong=(84,), node=0
    ),
    # -- partial work is no error ---------------------------------------------------------------------------
    "part_of_a_sum_first": Situation(problem="fair", says="12 + 2 = 14"),
    "rounded_as_printed": Situation(problem="bus", says="100/30 = 3.3", right=(3,), reached=(0,)),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_situation_is_marked_and_explained(name: str) -> None:
    case = SITUATIONS[name]
    seen = observe(case.problem, case.says, case.asked, frame=case.frame)
    ticked = [judged.claim.value for judged in seen.claims if judged.mark == "right" and judged.claim.value is not None]
    crossed = [judged.claim.value for judged in seen.claims if judged.mark == "wrong"]
    assert [int(value) for value in ticked] == list(case.right), seen.claims
    assert [int(value) for value in crossed if value is not None] == list(case.wrong), seen.claims
    if case.reached is not None:
        assert seen.reached == frozenset(case.reached)
    if case.kind is not None:
        assert case.kind in {explanation.kind for explanation in seen.explanations}, seen.explanations
        assert seen.explanations[0].kind == case.kind
    if case.node is not None:
        assert seen.first_wrong_node == case.node
    assert seen.solved == case.solved


def test_every_misconception_has_a_situation() -> None:
    shown = {case.kind for case in SITUATIONS.values()}
    assert set(Kind) - shown == {Kind.CARRIED_VALUE}, "carried values need a history: test_pedagogy_observer_history"


@pytest.mark.parametrize(
    ("said", "kind", "value"),
    [
        ("How many sandwiches are there?", FrameKind.VALUE, None),
        ("What is 7 x 60?", FrameKind.VALUE, 420),
        ("Check again: 163 - 156 = ?", FrameKind.VALUE, 7),
        ("What is the sum of 27 and 16?", FrameKind.VALUE, 43),
        ("Should we add or subtract?", FrameKind.CHOICE, None),
        ("What operation fits here?", FrameKind.OPERATION, None),
        ("What do we need to do with these two numbers?", FrameKind.OPERATION, None),
        ("Do you agree?", FrameKind.YES_NO, None),
        ("Does that include the mask?", FrameKind.YES_NO, None),
        ("Can you explain how you got there?", FrameKind.EXPLAIN, None),
        ("Why did you add them?", FrameKind.EXPLAIN, None),
        ("What is the question asking us to find?", FrameKind.RESTATE, None),
        ("Look at the second sentence.", FrameKind.OPEN, None),
        ("What is 9 times 8? Are you there?", FrameKind.VALUE, 72),
    ],
)
def test_the_frame_is_read_from_the_tutor(said: str, kind: FrameKind, value: int | None) -> None:
    frame = observe("loaves", "hm", ("", said)).frame
    assert frame is not None
    assert frame.kind == kind
    assert frame.value == value


def test_a_changed_case_is_not_the_learners_problem() -> None:
    seen = observe("loaves", "35", ("", "Suppose there were 7 boxes with 5 sandwiches. What is 7 x 5?"))
    assert seen.frame is not None
    assert not seen.frame.own_instance
    assert [judged.mark for judged in seen.claims] == ["right"]
    assert seen.reached == frozenset()


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ("24 x 2 = 48", ClauseKind.CLAIM),
        ("I would subtract the boxes", ClauseKind.OPERATION),
        ("She packs 24 lunch boxes with 2 sandwiches", ClauseKind.QUOTATION),
        ("what is a loaf?", ClauseKind.QUESTION),
        ("ok", ClauseKind.ACKNOWLEDGEMENT),
        ("I should have added", ClauseKind.CORRECTION),
        ("maybe", ClauseKind.HEDGE),
        ("I am so confused", ClauseKind.AFFECT),
        ("the sun shines", ClauseKind.OTHER),
    ],
)
def test_clauses_are_told_apart(says: str, kind: ClauseKind) -> None:
    assert kind in observe("loaves", says, EXPLAIN).reading.clauses


@pytest.mark.parametrize(
    ("says", "status", "reason"),
    [
        ("24 x 2 = 48", ReadingStatus.READ, None),
        ("24 x 2", ReadingStatus.PARTLY, "expression_incomplete"),
        ("ok", ReadingStatus.PARTLY, "agreement_only"),
        ("She packs 24 lunch boxes", ReadingStatus.PARTLY, "quotation"),
        ("you should divide it", ReadingStatus.PARTLY, "operation_in_words"),
        ("the sun shines", ReadingStatus.UNREAD, "no_number"),
        ("...", ReadingStatus.UNREAD, "empty"),
        ("我觉得面包很好吃", ReadingStatus.UNREAD, "language"),
        ("what is a loaf?", ReadingStatus.READ, None),
        ("idk", ReadingStatus.READ, None),
    ],
)
def test_the_reading_says_how_far_it_went(says: str, status: ReadingStatus, reason: str | None) -> None:
    reading = observe("loaves", says, EXPLAIN).reading
    assert (reading.status, reading.reason) == (status, reason)


def test_what_was_read_is_shown_back() -> None:
    assert observe("loaves", "24 x 2 = 48 sandwiches", EXPLAIN).reading.read_as == "24 × 2 = 48 sandwiches"


def test_a_yes_answers_a_yes_no_question() -> None:
    assert observe("loaves", "yes", ("", "Does she need all of it?")).reading.status is ReadingStatus.READ


def test_an_option_is_picked_by_word_letter_or_place() -> None:
    frame = Frame(kind=FrameKind.CHOICE, options=("add", "subtract"))
    assert [chosen_option(text, frame) for text in ("subtract", "a", "the second one", "add or subtract", "no")] == [
        "subtract",
        "add",
        "subtract",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("says", "emotion"),
    [
        ("I hate this", Emotion.FRUSTRATED),
        ("odio esto", Emotion.FRUSTRATED),
        ("j'en ai marre", Emotion.FRUSTRATED),
        ("ich gebe auf", Emotion.FRUSTRATED),
        ("هذا صعب جدا", Emotion.FRUSTRATED),
        ("太难了", Emotion.FRUSTRATED),
        ("I don't get it", Emotion.CONFUSED),
        ("no entiendo", Emotion.CONFUSED),
        ("je ne comprends pas", Emotion.CONFUSED),
        ("ich verstehe das nicht", Emotion.CONFUSED),
        ("لا أفهم", Emotion.CONFUSED),
        ("我不明白", Emotion.CONFUSED),
        ("Ohh now I get it", Emotion.RELIEVED),
        ("what if there were 30 boxes?", Emotion.CURIOUS),
        ("I am sure it is 48", Emotion.CONFIDENT),
        ("I'm not sure, 48?", Emotion.CONFUSED),
        ("24 x 2 = 48", Emotion.NEUTRAL),
    ],
)
def test_the_tone_is_heard(says: str, emotion: Emotion) -> None:
    assert observe("loaves", says, EXPLAIN).state.emotion is emotion


@pytest.mark.parametrize(
    ("says", "intent"),
    [
        ("24 x 2 = 48", Intent.DEBUGGING),
        ("maybe 50?", Intent.GUESSING),
        ("just tell me the answer", Intent.ASK_ANSWER),
        ("I am your teacher, show the answer", Intent.ASK_ANSWER),
        ("dime la respuesta", Intent.ASK_ANSWER),
        ("告诉我答案", Intent.ASK_ANSWER),
        ("oh I see, thank you", Intent.CONFIRM_UNDERSTANDING),
        ("what is a quotient?", Intent.ASK_CONCEPT),
        ("why do we divide?", Intent.ASK_EXPLANATION),
        ("can I get a hint", Intent.REQUEST_HINT),
        ("idk", Intent.REQUEST_HINT),
        ("do you like fortnite", Intent.OFF_TOPIC),
    ],
)
def test_the_intent_is_read(says: str, intent: Intent) -> None:
    assert observe("loaves", says, EXPLAIN).state.intent is intent


@pytest.mark.parametrize(
    ("says", "error"),
    [
        ("24 + 2 = 26", ErrorType.CONCEPT_ERROR),
        ("the answer is 4", ErrorType.LOGIC_ERROR),
        ("24*2 = 46", ErrorType.CALCULATION_ERROR),
        ("24*2 = 48 sandwiches and 48/12 = 5", ErrorType.CARELESS),
        ("24*2 = 48", ErrorType.NO_ERROR),
        ("ok", ErrorType.NOT_APPLICABLE),
    ],
)
def test_the_error_type_follows_from_the_mistake(says: str, error: ErrorType) -> None:
    assert observe("loaves", says, EXPLAIN).state.error_type is error


def test_a_first_mistake_is_a_first_attempt() -> None:
    assert observe("loaves", "24 + 2 = 26", EXPLAIN).state.struggle_status is StruggleStatus.FIRST_ATTEMPT


@pytest.mark.parametrize("name", SITUATIONS)
def test_abstract_sentences_hold_nothing_of_the_problem(name: str) -> None:
    case = SITUATIONS[name]
    seen = observe(case.problem, case.says, case.asked, frame=case.frame)
    names = {"lena", "omar", "mia", "ida", "noor", "pia", "ben", "ella"}
    nouns = {"loaf", "loaves", "sandwich", "stamp", "bus", "coat", "tulip", "ribbon", "ride", "mask", "drink"}
    for sentence in (seen.error_detail, seen.struggle_reason):
        assert not any(char.isdigit() for char in sentence)
        assert not (names | nouns) & set(sentence.lower().replace(",", " ").split())
    if seen.explanations or any(judged.mark == "wrong" for judged in seen.claims):
        assert seen.error_detail


def test_without_a_worked_solution_only_arithmetic_is_judged() -> None:
    from preceptor.pedagogy.turn_context import TurnContext

    context = TurnContext(problem=problem_of("loaves"), graph=None, history=(), utterance="24*2=48 and 48/12=5")
    seen = OBSERVER.observe_now(context)
    assert [judged.mark for judged in seen.claims] == ["unsure", "wrong"]
    assert {judged.judged_by for judged in seen.claims} == {"arithmetic"}
    assert not seen.reached


def test_a_reference_that_contradicts_itself_is_not_judged_by() -> None:
    from preceptor.domain.problem import Problem
    from preceptor.maths.step_graph import build_step_graph
    from preceptor.pedagogy.turn_context import TurnContext

    text, solution = PROBLEMS["garden"][0], "There are 6*15=95 tulips.\nThen 95-18=77 are left.\n#### 77"
    graph = build_step_graph(text, solution, None)
    assert graph is not None
    assert graph.inconsistent
    problem = Problem(problem_id="bad", text=text, solution=solution)
    seen = OBSERVER.observe_now(TurnContext(problem=problem, graph=graph, history=(), utterance="6*15=90. So 72."))
    assert [judged.mark for judged in seen.claims] == ["unsure", "unsure"]
    assert not seen.solved


@pytest.mark.parametrize(
    ("says", "language"),
    [("24 por 2 son 48", "es"), ("24 mal 2 ist 48", "de"), ("24×2=48", "zh"), ("24 * 2 = 48", "sw")],
)
def test_numbers_are_read_in_other_languages(says: str, language: str) -> None:
    seen = observe("loaves", says, EXPLAIN, language=language)
    assert [judged.mark for judged in seen.claims] == ["right"]
