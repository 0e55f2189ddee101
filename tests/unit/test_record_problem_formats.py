"""Problems are read from each format, and a line in none of them is named."""

from __future__ import annotations

import ast
import operator
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from preceptor.cli.json_lines import read_lines
from preceptor.errors import InputError
from preceptor.record.problem_bank import sample_problems
from preceptor.record.problem_formats import ProblemFormat, parse_problem


def test_gsm8k_keeps_the_marked_steps_and_takes_the_answer_without_commas() -> None:
    line = {"question": " How much? ", "answer": "First 2*600=<<2*600=1200>>1,200.\nDone.\n#### 1,200", "_i": 4}
    problem = parse_problem(line, "gsm8k")
    assert (problem.text, problem.answer, problem.language) == ("How much?", "1200", "en")
    assert problem.solution == "First 2*600=<<2*600=1200>>1,200.\nDone."
    assert problem.problem_id == parse_problem({**line, "_i": 99}, "gsm8k").problem_id
    assert problem.problem_id != parse_problem({**line, "question": "How many?"}, "gsm8k").problem_id


@pytest.mark.parametrize("form", ["math23k", "ape210k"])
def test_equation_sets_are_chinese_and_keep_the_equation_as_solution(form: ProblemFormat) -> None:
    line = {"id": "17", "original_text": "多少？", "segmented_text": "多少 ？", "equation": "x=(1/5)*50%", "ans": "10%"}
    problem = parse_problem(line, form)
    assert (problem.problem_id, problem.text, problem.language) == (f"{form}-17", "多少？", "zh")
    assert (problem.solution, problem.answer) == ("x=(1/5)*50%", "10%")


def test_our_own_lines_are_the_problem_of_the_exchange_format() -> None:
    line = {"problem_id": "p", "text": "t", "solution": None, "answer": None, "language": "ar", "source": None}
    problem = parse_problem({**line, "policy": {"tolerance": "1/100"}}, "jsonl")
    assert (problem.language, problem.subject_id, problem.policy.tolerance) == ("ar", "maths", Fraction(1, 100))


@pytest.mark.parametrize(
    ("form", "line", "message"),
    [
        ("gsm8k", {"question": "How many?"}, "answer: Field required"),
        ("gsm8k", {"question": "How many?", "answer": "12"}, "expected a last line '#### N'"),
        ("gsm8k", {"question": "How many?", "answer": "12\n####"}, "expected a last line '#### N'"),
        ("gsm8k", {"question": "  ", "answer": "#### 12"}, "text must not be empty"),
        ("gsm8k", {"question": "nul \x00", "answer": "#### 12"}, "must not contain NUL"),
        ("math23k", {"id": "1", "original_text": "多少", "equation": "x=1"}, "ans: Field required"),
        ("ape210k", {"id": "1", "original_text": "多少", "equation": "x=1", "ans": ""}, "ans: expected a number"),
        ("jsonl", {"problem_id": "p", "text": "t", "sollution": "s"}, "sollution: Extra inputs"),
        ("jsonl", {"problem_id": "p", "text": "t", "policy": {"tolerance": "-1"}}, "tolerance must be 0 or more"),
    ],
)
def test_a_line_in_another_shape_is_refused_by_the_field_s_name(
    form: ProblemFormat, line: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        parse_problem(line, form)


@pytest.mark.data
@pytest.mark.parametrize("form", ["gsm8k", "math23k", "ape210k"])
def test_every_line_of_the_published_files_is_read(data_dir: Path, form: ProblemFormat) -> None:
    lines = [line for _, line in read_lines(str(data_dir / form / "test.jsonl"))]
    problems = [parse_problem(line, form) for line in lines]
    assert len({problem.problem_id for problem in problems}) == len(lines)
    assert all(problem.answer and problem.solution for problem in problems)


SAMPLES = sample_problems()
_OPERATORS: dict[type[ast.operator], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _value(node: ast.AST) -> Fraction:
    if isinstance(node, ast.Expression):
        return _value(node.body)
    if isinstance(node, ast.BinOp):
        return Fraction(_OPERATORS[type(node.op)](_value(node.left), _value(node.right)))
    assert isinstance(node, ast.Constant)
    return Fraction(str(node.value))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.problem_id)
def test_each_step_of_a_sample_is_true_and_the_last_gives_the_answer(sample: Any) -> None:
    marks = re.findall(r"<<([^=>]+)=([^>]+)>>", sample.solution)
    for expression, stated in marks:
        assert _value(ast.parse(expression, mode="eval")) == _value(ast.parse(stated, mode="eval"))
    assert len(marks) == len(sample.solution.splitlines())
    assert _value(ast.parse(marks[-1][1], mode="eval")) == Fraction(sample.answer)


def test_the_samples_are_ours_and_varied() -> None:
    assert len(SAMPLES) >= 12
    assert len({sample.problem_id for sample in SAMPLES}) == len(SAMPLES)
    assert sum(sample.language == "zh" for sample in SAMPLES) == 2
    assert {(sample.source, sample.licence) for sample in SAMPLES} == {("Preceptor", "Apache-2.0")}
