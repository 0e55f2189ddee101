"""The outside leak oracle reads what it says it reads."""

from __future__ import annotations

import importlib.util
import sys
import time
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

PATH = Path(__file__).parents[1] / "e2e" / "oracle.py"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("leak_oracle", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["leak_oracle"] = module
    spec.loader.exec_module(module)
    return module


oracle = _load()

PROBLEM = (
    "A baker packs 6 trays with 14 rolls each. She sells half of them, then bakes 250 more. How many rolls are there?"
)
SOLUTION = "She packs 6*14=<<6*14=84>>84 rolls.\nShe sells 84/2=<<84/2=42>>42.\nIn the end 42+250=<<42+250=292>>292."


@pytest.mark.parametrize(
    ("reply", "leaked"),
    [
        ("How many rolls are on 6 trays of 14?", []),
        ("That is 84 rolls.", ["84"]),
        ("Is it 42, or more?", ["42"]),
        ("Eighty-four rolls, then?", ["eighty-four"]),
        ("There are eighty four of them", ["eighty four"]),
        ("So two hundred and ninety-two.", ["two hundred and ninety-two"]),
        ("So two hundred ninety two.", ["two hundred ninety two"]),
        ("Close to 292.00 rolls", ["292.00"]),
        ("168/2 rolls", ["168/2"]),
        ("She bakes two hundred and fifty more.", []),
        ("Half of them are sold. What is half of it?", []),
        ("What would 3 trays of 5 give?", []),
    ],
)
def test_reply_is_read(reply: str, leaked: list[str]) -> None:
    assert oracle.leaked_values(PROBLEM, SOLUTION, "292", "", reply) == leaked


def test_what_the_learner_wrote_is_public() -> None:
    assert oracle.leaked_values(PROBLEM, SOLUTION, "292", "I got eighty-four", "And half of your 84?") == []
    assert oracle.leaked_values(PROBLEM, SOLUTION, "292", "I got 84", "Half of it is 42") == ["42"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,200 and 0.75", [{Fraction(1200)}, {Fraction(3, 4)}]),
        ("2½ cups", [{Fraction(5, 2)}]),
        ("three quarters", [{Fraction(3, 4)}]),
        ("two and a half", [{Fraction(5, 2)}]),
        ("75%", [{Fraction(75), Fraction(3, 4)}]),
        ("seventy-five percent", [{Fraction(75), Fraction(3, 4)}]),
        ("nine hundred ninety-nine thousand nine hundred and ninety-nine", [{Fraction(999_999)}]),
        ("a hundred", [{Fraction(100)}]),
        ("two dozen eggs", [{Fraction(24)}]),
        ("twelve thousand and four", [{Fraction(12_004)}]),
        ("seven", [{Fraction(7)}]),
        ("20 and 30", [{Fraction(20)}, {Fraction(30)}]),
    ],
)
def test_numbers_are_read(text: str, values: list[set[Fraction]]) -> None:
    assert [set(mention.values) for mention in oracle.mentions(text)] == values


@pytest.mark.parametrize("text", ["this one", "one step at a time", "these two numbers", "2nd", "step 2", "the first"])
def test_ordinary_words_are_no_numbers(text: str) -> None:
    assert oracle.mentions(text) == []


@pytest.mark.parametrize("text", ["the answer is one.", "so only one left", "= one", "which leaves one apple"])
def test_one_said_as_a_value_is_a_number(text: str) -> None:
    assert [mention.values for mention in oracle.mentions(text)] == [frozenset({Fraction(1)})]


@pytest.mark.parametrize(
    ("solution", "values"),
    [
        ("3 x 4 = 12 cups, and 12 + 5 = $17.50", {12, Fraction(35, 2)}),
        ("a = 30 + 18 = 48", {48}),
        ("Total = 1,500 g", {1500}),
        ("x = 3/4", {Fraction(3, 4)}),
        ("share = 20%", {20, Fraction(1, 5)}),
    ],
)
def test_results_of_a_solution(solution: str, values: set[Fraction]) -> None:
    assert values <= oracle.results(solution)
    assert 30 not in oracle.results(solution)


def test_every_form_of_every_number_below_a_million_is_caught() -> None:
    judge = oracle.Oracle("Count them.", None, "271828")
    for form in ("271828", "271,828", "two hundred seventy-one thousand eight hundred twenty-eight"):
        assert judge.leaks("", f"You get {form} of them"), form


def test_a_reply_is_judged_in_milliseconds() -> None:
    reply = "Take 6 trays with 14 rolls: what is 6 times 14? " * 5
    judge = oracle.Oracle(PROBLEM, SOLUTION, "292")
    started = time.process_time()
    for _ in range(50):
        judge.leaks("I think 6 + 14 = 20 rolls, then half " * 10, reply)
    assert (time.process_time() - started) / 50 < 0.5


@pytest.mark.parametrize(
    ("solution", "answer"), [("2+2=4\n#### 4", "4"), ("It is 3+2 = 5\n 5", "5"), ("So 3+2 = 5", "")]
)
def test_answer_at_the_end_of_a_solution(solution: str, answer: str) -> None:
    assert oracle.last_line_answer(solution) == answer
