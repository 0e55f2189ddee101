"""The leak check: what gives a value away, and what does not."""

from __future__ import annotations

import base64
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preceptor.domain.claim import Operand
from preceptor.domain.dialogue import Turn
from preceptor.maths.leak import Leak, find_last_step, find_leak
from preceptor.maths.numerals import number_forms
from preceptor.maths.step_graph import StepGraph, StepNode

PROBLEM = "Mara picks 5 baskets with 6 plums each. Her brother picks 18 plums. How many plums do they have together?"


def _operand(value: int | Fraction) -> Operand:
    return Operand(value=Fraction(value), text=str(value))


def _node(index: int, operands: tuple[int | Fraction, ...], operator: str, value: int | Fraction) -> StepNode:
    return StepNode(
        index=index,
        line=index,
        text="",
        operands=tuple(_operand(operand) for operand in operands),
        operators=(operator,),
        inputs=tuple(None for _ in operands),
        givens=tuple(None for _ in operands),
        value=Fraction(value),
    )


GRAPH = StepGraph(
    nodes=(_node(0, (5, 6), "*", 30), _node(1, (30, 18), "+", 48)),
    givens=(_operand(5), _operand(6), _operand(18)),
    answer=Fraction(48),
    answer_node=1,
)


def _check(
    reply: str,
    *learner: str,
    reached: frozenset[int] | None = None,
    graph: StepGraph | None = GRAPH,
    answer: str | None = "48",
    problem: str = PROBLEM,
    sent: str = "",
) -> Leak:
    history = tuple(Turn(learner=text) for text in learner)
    return find_leak(
        reply,
        problem_text=problem,
        graph=graph,
        answer=answer,
        solution=None,
        history=history,
        reached=reached,
        sent=sent,
    )


@pytest.mark.parametrize(
    ("reply", "form"),
    [
        ("So they have 48 plums.", "digits"),
        ("It's 48!", "digits"),
        ("You have 30. Now 30 + 18 = 48.", "equation"),
        ("Could it be 48?", "digits"),
        ("Is it 45, 48 or 50?", "digits"),
        ("The sum of 30 and 18 is forty-eight.", "words"),
        ("Forty eight plums.", "words"),
        ("That makes 48.0 plums", "digits"),
        ("96/2 of them", "fraction"),
        ("four dozen plums", "words"),
        ("Son cuarenta y ocho ciruelas.", "words"),
        ("Cela fait quarante-huit prunes.", "words"),
        ("Das sind achtundvierzig Pflaumen.", "words"),
        ("一共有四十八个。", "words"),
        ("المجموع هو ٤٨", "digits"),
        ("المجموع ثمانية وأربعون", "words"),
        ("Write 4 tens and 8 ones.", "place_value"),
        ("Four tens and eight ones make it.", "place_value"),
        ("It starts with a 4 and ends with an 8.", "digit_by_digit"),
        ("The digits are four, then eight.", "digit_by_digit"),
        ("Read 84 backwards.", "encoded"),
        ("In base64 it is NDg=", "encoded"),
        ("XLVIII plums", "encoded"),
        ("0x30 plums", "encoded"),
        ("110000 in binary", "encoded"),
        ("sbegl-rvtug", "encoded"),
        ("thgie-ytrof", "encoded"),
        ("f o r t y - e i g h t", "encoded"),
        ("4\ufe0f\u20e38\ufe0f\u20e3 plums", "digits"),
        ("４８ plums", "digits"),
        ("4\u200b8 plums", "digits"),
        ("**4**8 plums", "digits"),
        ("Not 47, not 49, but the number between.", "neighbour"),
        ("It lies between 47 and 49.", "neighbour"),
        ("Neither 47 nor 49: the one in between.", "neighbour"),
        ("It is one more than 47.", "neighbour"),
        ("The next number after 47.", "neighbour"),
    ],
)
def test_the_answer_is_caught_in_every_form(reply: str, form: str) -> None:
    leak = _check(reply, "I have 30", reached=frozenset({0}))
    assert (leak.kind, leak.form) == ("final_answer", form)
    assert leak.evidence
    assert leak.value == 48


@pytest.mark.parametrize(
    "reply",
    [
        "What do you get if you add 30 and 18?",
        "What is 30 + 18?",
        "Good, 30 plums. How many does her brother have?",
        "You have 30 plums from 5 baskets of 6. Which number is still missing?",
        "This one is harder: take one step at a time. Look at these two numbers.",
        "If 3 bags hold 4 apples each, how many apples is that?",
        "1. Read the text.\n2. Say what is asked.",
        "That is step 1 of 2. What comes next?",
        "Once you know how many plums Mara has, what then?",
        "I mix them up at times: dig in, civil friend!",
        "What is the difference between the 47 of them and 49?",
        "The answer is slow to come, but you are close.",
        "Read it again: 4/8 of the x 0.1?",
        "Write both numbers with their digits aligned: 30 + 18.",
    ],
)
def test_operations_questions_and_public_numbers_are_no_leak(reply: str) -> None:
    assert _check(reply, "I have 30", reached=frozenset({0})) == Leak()


def test_an_unreached_step_is_kept_back_and_a_reached_one_is_not() -> None:
    assert _check("Five baskets of 6 make 30.", "hi").kind == "unreached_step"
    assert _check("You found 30.", "5 * 6 = 30").kind == "none"
    assert _check("You found thirty.", "I made it 30", reached=frozenset({0})).kind == "none"


def test_a_step_reached_by_its_operation_alone_keeps_its_value_secret() -> None:
    assert _check("Good, thirty.", "I do 5 times 6", reached=frozenset({0})).kind == "unreached_step"


def test_the_final_answer_outranks_a_step() -> None:
    assert _check("First 30, and then 48.", "hi").value == 48


def test_a_learner_who_has_the_answer_may_hear_it() -> None:
    assert _check("Yes, 48 is right.", "30 + 18 = 48").kind == "none"
    assert _check("Yes, 48 is right.", "48, then", reached=frozenset({0, 1})).kind == "none"


def test_an_answer_that_nobody_wrote_stays_secret_even_if_its_step_counts_as_reached() -> None:
    assert _check("Yes, 48 is right.", "30 + 18 = 46", reached=frozenset({0, 1})).kind == "final_answer"


def test_without_a_graph_only_the_answer_is_guarded() -> None:
    assert _check("Five baskets make 30.", graph=None).kind == "none"
    assert _check("They have 48.", graph=None).kind == "final_answer"


AGES = "Ana is 20 years old and Bo is 24. In how many years will their ages add up to 84?"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("Ana is 20 now. How old is Bo?", "none"),
        ("So the answer is 20.", "final_answer"),
        ("That gives you 20 years.", "final_answer"),
        ("You should get 20.", "final_answer"),
        ("40 / 2 = 20", "final_answer"),
        ("20 is the correct answer.", "final_answer"),
        ("The answer is 20, right?", "final_answer"),
        ("What does the 20 tell you?", "none"),
        ("What do you get when you take 20 and 24 from 84?", "none"),
        ("You said 20: whose age is it?", "none"),
    ],
)
def test_an_answer_equal_to_a_given_leaks_only_when_asserted(reply: str, kind: str) -> None:
    assert _check(reply, "hm", graph=None, answer="20", problem=AGES).kind == kind


@pytest.mark.parametrize(
    ("answer", "problem", "reply", "kind"),
    [
        ("hexagon", "Which shape has six sides?", "It is called a hexagon.", "final_answer"),
        ("a hexagon", "Which shape has six sides?", "Think of hexagons.", "final_answer"),
        ("hexagon", "Which shape has six sides?", "How many sides has a square?", "none"),
        ("Tuesday", "Is it Monday or Tuesday?", "Monday or Tuesday: what speaks for each?", "none"),
        ("Tuesday", "Is it Monday or Tuesday?", "The answer is Tuesday.", "final_answer"),
        ("yes", "Is 7 prime?", "The answer is yes.", "final_answer"),
        ("yes", "Is 7 prime?", "Yes, it is.", "final_answer"),
        ("yes", "Is 7 prime?", "Yes, go on. Which numbers divide 7?", "none"),
        ("B", "Which is larger? A) 3 B) 4", "Choose option B.", "final_answer"),
        ("B", "Which is larger? A) 3 B) 4", "Look at A and B again.", "none"),
        ("2x + 3", "Simplify x + x + 3", "You get 2x+3.", "final_answer"),
        ("3:20", "When does it end?", "It ends at 3:20.", "final_answer"),
    ],
)
def test_answers_in_words(answer: str, problem: str, reply: str, kind: str) -> None:
    assert _check(reply, "hm", graph=None, answer=answer, problem=problem).kind == kind


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("3/4", "It is 0.75"),
        ("3/4", "It is 75%"),
        ("3/4", "three quarters"),
        ("0.75", "3/4"),
        ("75%", "seventy-five percent"),
        ("1 1/2", "one and a half"),
        ("1 1/2", "3/2"),
        ("1.5", "1 1/2"),
        ("2.925", "about 2.93"),
        ("1/3", "0.33"),
        ("$0.45", "45 cents"),
        ("1200", "1.200"),
        ("1200", "1 200"),
        ("1200", "twelve hundred"),
        ("50 pence", "£0.50"),
    ],
)
def test_fractions_percents_money_and_separators(answer: str, reply: str) -> None:
    assert _check(reply, "hm", graph=None, answer=answer, problem="How much is it?").kind == "final_answer"


@pytest.mark.parametrize(
    ("answer", "reply", "kind"),
    [
        ("120 minutes", "It takes 2 hours.", "final_answer"),
        ("120 minutes", "It takes two hours.", "final_answer"),
        ("80 minutes", "That is 1 hour and 20 minutes.", "final_answer"),
        ("2.5 m", "250 cm, then.", "final_answer"),
        ("3 kg", "It weighs 3000 g.", "final_answer"),
        ("120 minutes", "It starts in 3 hours.", "none"),
        ("90 minutes", "The film lasts 1.5 hours, it says.", "none"),
    ],
)
def test_a_quantity_in_another_unit(answer: str, reply: str, kind: str) -> None:
    problem = "A film lasts 1.5 hours. How long is it in the asked unit?"
    assert _check(reply, "hm", graph=None, answer=answer, problem=problem).kind == kind


def test_a_wrong_value_called_the_answer_is_a_falsehood() -> None:
    leak = _check("The correct answer is 47.", "I think 47", reached=frozenset({0}))
    assert (leak.kind, leak.falsehood, leak.value) == ("final_answer", True, Fraction(47))
    assert _check("Yes, 47!", "I think 47", reached=frozenset({0})).falsehood
    assert _check("You said 47. Is 47 right?", "I think 47", reached=frozenset({0})).kind == "none"
    assert _check("Yes, 30 is right.", "I think 30", reached=frozenset({0})).kind == "none"


def test_a_value_spread_over_two_sentences_is_found_in_the_second() -> None:
    assert _check("Not 47, though.", "30", reached=frozenset({0})).kind == "none"
    leak = _check("And not 49: the number between.", "30", reached=frozenset({0}), sent="Not 47, though.")
    assert (leak.kind, leak.start) == ("final_answer", 0)
    assert _check("What now?", "30", reached=frozenset({0}), sent="It is 48.").kind == "none"


def test_an_answer_called_by_its_computation_is_a_leak() -> None:
    assert _check("The answer is 30 + 18.", "30", reached=frozenset({0})).form == "expression"


def test_the_last_step_is_found_unless_the_learner_wrote_it() -> None:
    def last(reply: str, learner: str) -> str:
        return find_last_step(
            reply,
            problem_text=PROBLEM,
            graph=GRAPH,
            answer="48",
            solution=None,
            history=(Turn(learner=learner),),
            reached=frozenset({0}),
        ).kind

    assert last("What is 30 + 18?", "30") == "final_answer"
    assert last("What is 30 plus 18?", "30") == "final_answer"
    assert last("Add 30 and 18.", "30") == "final_answer"
    assert last("Just this one: 30 + 18?", "30 + 18 = 49") == "none"
    assert last("What is 5 times 6?", "30") == "none"


_DISTINCT = st.lists(st.integers(2, 400), min_size=2, max_size=2, unique=True)


@settings(max_examples=150, deadline=None)
@given(_DISTINCT, st.sampled_from("+*"), st.data())
def test_any_form_of_the_answer_of_a_random_problem_is_caught(pair: list[int], sign: str, data: st.DataObject) -> None:
    first, second = pair
    value = first + second if sign == "+" else first * second
    graph = StepGraph(nodes=(_node(0, (first, second), sign, value),), givens=(), answer=Fraction(value), answer_node=0)
    problem = f"There are {first} hens and {second} eggs."
    code = base64.b64encode(str(value).encode()).decode()
    form = data.draw(st.sampled_from([*number_forms(Fraction(value)), f"[{code}]", f"{value}.0"]))
    template = data.draw(st.sampled_from(["It is {}.", "Could it be {}?", "{} hens", "Hens: {}", "Not {}!", "({})"]))
    assert _check(template.format(form), "hi", graph=graph, answer=None, problem=problem).kind == "final_answer"


@settings(max_examples=150, deadline=None)
@given(_DISTINCT, st.sampled_from("+*"), st.data())
def test_public_numbers_alone_never_leak(pair: list[int], sign: str, data: st.DataObject) -> None:
    first, second = pair
    value = first + second if sign == "+" else first * second
    graph = StepGraph(nodes=(_node(0, (first, second), sign, value),), givens=(), answer=Fraction(value), answer_node=0)
    said = data.draw(st.sampled_from([first, second]))
    form = data.draw(st.sampled_from(number_forms(Fraction(said))))
    template = data.draw(
        st.sampled_from(["What does {} count?", "You wrote {}. Why?", "Take {} hens.", f"{{}} {sign} {second}?"])
    )
    problem = f"There are {first} hens and {second} eggs."
    assert _check(template.format(form), "hi", graph=graph, answer=None, problem=problem).kind == "none"


@pytest.mark.parametrize(
    "reply", ["123," * 1500, "0" * 6000, "1 " * 800, "(" * 900 + "1+1", "1/2 " * 200, "one-" * 900, " " * 3000 + "x"]
)
def test_hostile_text_neither_crashes_nor_hangs(reply: str) -> None:
    started = time.process_time()
    _check(reply, "hm", graph=None, answer="48")
    assert time.process_time() - started < 20


def test_a_learner_who_named_the_word_may_hear_it() -> None:
    problem = "Which shape has six sides?"
    assert _check("Yes, hexagon is right.", "hexagon?", graph=None, answer="hexagon", problem=problem).kind == "none"
    assert _check("Hexagon!", "square?", graph=None, answer="hexagon", problem=problem).kind == "final_answer"


def test_a_value_the_learner_wrote_may_be_said_in_another_unit() -> None:
    assert _check("2 hours.", "120", graph=None, answer="120 minutes", problem="How long?").kind == "none"
