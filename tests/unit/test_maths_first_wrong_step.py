"""The first wrong step of a solution."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from preceptor.cli.solution import solution
from preceptor.errors import InputError
from preceptor.maths.first_wrong_step import compare, find_first_wrong_step, load_weights, rank
from preceptor.maths.first_wrong_step_features import FEATURES
from preceptor.maths.first_wrong_step_training import LabelledSolution, fit
from preceptor.maths.step_graph import build_step_graph

PROBLEM = "A school buys 14 boxes of 25 chairs. 38 chairs are broken. The rest go to 6 rooms. How many chairs per room?"
REFERENCE = "There are 14 * 25 = 350 chairs.\n350 - 38 = 312 chairs are whole.\nEach room gets 312 / 6 = 52 chairs.\n52"


@pytest.mark.parametrize(
    ("steps", "index", "kind"),
    [
        (["14 x 25 = 360 chairs", "360 - 38 = 322", "322 / 6 = 53.67", "53.67"], 0, "arithmetic_slip"),
        (["14 x 25 = 350", "350 + 38 = 388 chairs", "388 / 6 = 64.67", "64.67"], 1, "wrong_operation"),
        (["14 x 25 = 350", "350 - 38 = 312", "312 x 6 = 1872 per room", "1872"], 2, "wrong_operation"),
        (["14 x 25 = 350", "350 - 14 = 336 are whole", "336 / 6 = 56", "56"], 1, "foreign_quantity"),
    ],
)
def test_the_first_wrong_step_and_its_kind(steps: list[str], index: int, kind: str) -> None:
    found = find_first_wrong_step(PROBLEM, REFERENCE, steps)
    assert (found.index, found.kind) == (index, kind)


@pytest.mark.parametrize(
    "steps",
    [
        ["25 x 14 = 350", "350 - 38 = 312", "312 / 6 = 52", "52"],
        ["(14 x 25 - 38) / 6 = 52", "52"],
        ["10 x 25 = 250 and 4 x 25 = 100", "250 + 100 = 350", "350 - 38 = 312, and 312 / 6 = 52", "52 chairs"],
        ["Let c be the chairs per room. 6c + 38 = 350", "6c = 312", "c = 52"],
    ],
)
def test_a_right_final_answer_is_not_accused(steps: list[str]) -> None:
    assert find_first_wrong_step(PROBLEM, REFERENCE, steps).index is None


def test_a_false_equation_is_accused_even_before_a_right_answer() -> None:
    found = find_first_wrong_step(PROBLEM, REFERENCE, ["14 x 25 = 340", "350 - 38 = 312", "312 / 6 = 52"])
    assert (found.index, found.confidence) == (0, 1.0)


def test_a_reference_that_contradicts_itself_leaves_arithmetic_only() -> None:
    broken = REFERENCE.replace("= 312 chairs", "= 322 chairs")
    assert find_first_wrong_step(PROBLEM, broken, ["14 x 25 = 350", "350 + 38 = 388"]).index is None
    assert find_first_wrong_step(PROBLEM, broken, ["14 x 25 = 360"]).kind == "arithmetic_slip"


@given(st.integers(2, 40), st.integers(2, 40), st.integers(41, 90), st.integers(1, 9))
def test_a_slip_is_found_and_its_right_value_never_told(rows: int, seats: int, more: int, slip: int) -> None:
    right = rows * seats
    reference = f"{rows} * {seats} = {right}\n{right} + {more} = {right + more}\n{right + more}"
    steps = [f"{rows} x {seats} = {right}", f"{right} + {more} = {right + more + slip}", str(right + more + slip)]
    found = find_first_wrong_step(f"{rows} rows of {seats} seats and {more} more", reference, steps)
    assert found.index == 1
    assert str(right + more) not in re.findall(r"\d+", found.why)


@given(st.lists(st.text(max_size=80), max_size=6))
def test_any_steps_are_judged(steps: list[str]) -> None:
    found = find_first_wrong_step(PROBLEM, REFERENCE, steps)
    assert found.index is None or 0 <= found.index < len(steps)


def test_shares_sum_to_one_and_every_weight_has_its_feature() -> None:
    graph = build_step_graph(PROBLEM, REFERENCE, None)
    assert graph is not None
    comparison = compare(graph, ["14 + 25 = 39", "39 - 38 = 1"])
    assert sum(rank(comparison)) == pytest.approx(1)
    assert set(load_weights()) == {*FEATURES, "intercept"}


def test_training_learns_which_step_is_labelled() -> None:
    def made(label: int) -> LabelledSolution:
        rows = tuple({**dict.fromkeys(FEATURES, 0.0), "any_hard": float(place == label)} for place in range(3))
        return LabelledSolution(problem=f"p{label}", rows=rows, label=label)

    weights = fit([made(place % 3) for place in range(30)], ridge=1.0)
    assert weights["any_hard"] > 1
    assert all(weight == 0 for name, weight in weights.items() if name not in {"any_hard", "intercept"})


def test_the_command_prints_one_object_a_line() -> None:
    lines = [
        {"problem": PROBLEM, "reference": REFERENCE, "steps": ["14 x 25 = 360", "360"]},
        {"problem": PROBLEM, "reference": REFERENCE, "steps": ["52"]},
    ]
    result = CliRunner().invoke(
        solution, ["check", "-", "--json"], input="\n".join(json.dumps(line) for line in lines), catch_exceptions=False
    )
    first, second = (json.loads(line) for line in result.stdout.splitlines())
    assert (first["first_wrong_step"], first["kind"]) == (0, "arithmetic_slip")
    assert second == {"first_wrong_step": None, "kind": "none", "why": ""}


def test_the_command_names_the_line_it_refuses() -> None:
    result = CliRunner().invoke(solution, ["check", "-"], input='{"problem": "a", "reference": "b", "steps": "c"}')
    assert isinstance(result.exception, InputError)
    assert "line 1: steps" in str(result.exception)
