"""Worked solutions as step graphs."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.maths.step_graph import StepGraph, build_step_graph, recompute

PROBLEM = "Mia packs 14 bags with 6 plums each. She gives 20% of the plums away. How many plums are left?"
MARKS = "She packs 14*6=<<14*6=84>>84 plums.\nShe gives away 84*20/100=<<84*20/100=16.8>>16.8 plums.\n#### 67.2"
PROSE = (
    "She packs 14 * 6 = 84 plums.\nShe gives away 20% of 84 = 16.8 plums.\nThat leaves 84 - 16.8 = 67.2 plums.\n67.2"
)


def built(problem: str, solution: str, answer: str | None = None) -> StepGraph:
    graph = build_step_graph(problem, solution, answer)
    assert graph is not None
    return graph


def test_prose_gives_values_inputs_givens_and_the_answer() -> None:
    graph = built(PROBLEM, PROSE)
    assert [node.value for node in graph.nodes] == [84, Fraction(84, 5), Fraction(336, 5)]
    assert [node.inputs for node in graph.nodes] == [(None, None), (None, 0), (0, 1)]
    assert [graph.givens[place or 0].text for place in graph.nodes[0].givens] == ["14", "6"]
    assert (graph.answer, graph.answer_node, graph.inconsistent) == (Fraction(336, 5), 2, None)
    assert (graph.nodes[0].noun, graph.nodes[2].line) == ("plum", 2)


def test_an_answer_said_nowhere_is_a_contradiction_and_one_said_in_words_is_not() -> None:
    assert built(PROBLEM, MARKS).inconsistent == "answer"
    said = MARKS.replace("\n####", " So 67.2 plums stay.\n####")
    assert built(PROBLEM, said).inconsistent is None


def test_a_result_that_its_expression_does_not_give_is_a_contradiction() -> None:
    graph = built(PROBLEM, "She packs 14 * 6 = 86 plums.\n86")
    assert (graph.inconsistent, graph.nodes[0].consistent) == ("arithmetic", False)


def test_a_mark_outweighs_a_misprint_in_the_prose() -> None:
    graph = built("6 cups at $3 each", "They cost 6*2.5 = $<<6*3=18>>18.\n#### 18")
    assert (graph.inconsistent, [operand.value for operand in graph.nodes[0].operands]) == (
        None,
        [Fraction(6), Fraction(3)],
    )


def test_one_formula_is_cut_into_its_operations() -> None:
    graph = build_step_graph("甲有324本,借出240本,平均分给21人", "x=(324-240)/21", "4", "zh")
    assert graph is not None
    assert [(node.operators, node.value) for node in graph.nodes] == [(("-",), Fraction(84)), (("/",), Fraction(4))]
    assert (graph.nodes[1].inputs, graph.answer_node) == ((0, None), 1)


@pytest.mark.parametrize(
    ("answer", "value"), [("(3/5)", "3/5"), ("1((4)/(15))", "19/15"), ("$1,200", "1200"), ("20%", "1/5")]
)
def test_answers_are_read_as_their_authors_write_them(answer: str, value: str) -> None:
    assert built("a problem", "1 + 2 = 3", answer).answer == Fraction(value)


def test_a_changed_step_runs_forward_to_the_answer() -> None:
    graph = built(PROBLEM, PROSE)
    assert recompute(graph, 2, operator="+") == Fraction(504, 5)
    assert recompute(graph, 0, operands=[Fraction(14), Fraction(5)]) == 56
    assert recompute(graph, 0, value=Fraction(100)) == 80


def test_equal_values_of_other_origin_differ_in_the_worlds() -> None:
    graph = built("2 boxes of 3, and 12 pens for 2 pupils", "2 * 3 = 6\n12 / 2 = 6")
    first, second = graph.nodes
    assert first.value == second.value
    assert first.worlds != second.worlds


def test_an_equation_is_solved_and_recomputed() -> None:
    graph = built("a sum of 35, one 11 more", "Let x be the smaller. x + x + 11 = 35 gives x = 12.\n12")
    assert graph.nodes[0].value == 12
    assert recompute(graph, 0, operands=[Fraction(11), Fraction(41)]) == 15


def test_a_solution_without_numbers_has_no_graph() -> None:
    assert build_step_graph(PROBLEM, "Think about it.", None) is None


@given(st.integers(2, 60), st.integers(2, 60), st.integers(2, 60))
def test_a_right_solution_never_contradicts_itself(first: int, second: int, third: int) -> None:
    solution = f"{first} * {second} = {first * second}\n{first * second} + {third} = {first * second + third}"
    graph = built(f"{first} rows of {second} and {third} more", solution, str(first * second + third))
    assert (graph.inconsistent, graph.answer) == (None, Fraction(first * second + third))
    assert recompute(graph, graph.nodes[-1].index, operator="+") == graph.answer


@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=30))
def test_any_text_is_read_or_refused(problem: str, solution: str, answer: str) -> None:
    graph = build_step_graph(problem, solution, answer)
    assert graph is None or graph.nodes
