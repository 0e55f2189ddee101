"""Which of a learner's lines the turn record names as the first that goes off."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from tests.unit.pedagogy_problems import observe

from preceptor.domain.dialogue import Turn
from preceptor.domain.problem import Problem
from preceptor.maths.step_graph import build_step_graph
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.wording import written_lines

WALK = ("", "Please walk me through your solution.")
ATTEMPT = "She makes 24 * 2 = 48 sandwiches.\nShe needs 48 / 2 = 24 loaves.\nSo they cost 24 * 3 = $72."


def test_the_line_is_given_as_the_learner_wrote_it() -> None:
    assert observe("loaves", ATTEMPT, WALK).wrong_line == "She needs 48 / 2 = 24 loaves."


def test_an_account_is_ranked_even_where_no_claim_is_called_wrong() -> None:
    says = "There are 6 * 15 = 90 tulips. Then I halved them, 90 / 2 = 45."
    seen = observe("garden", says, ("", "Hello, ready to begin?"))
    assert all(judged.mark != "wrong" for judged in seen.claims)
    assert seen.wrong_line == "Then I halved them, 90 / 2 = 45."


def test_a_right_way_so_far_is_not_accused() -> None:
    says = "She makes 24 * 2 = 48 sandwiches.\nShe needs 48 / 12 = 4 loaves."
    assert observe("loaves", says, WALK).wrong_line is None


def test_a_whole_right_way_is_not_accused() -> None:
    says = "She makes 24 * 2 = 48 sandwiches.\nShe needs 48 / 12 = 4 loaves.\nThey cost 4 * 3 = $12."
    assert observe("loaves", says, WALK).wrong_line is None


def test_a_bare_wrong_answer_names_the_line_of_the_account_before_it() -> None:
    seen = observe("loaves", "the answer is 72", WALK, (ATTEMPT, "What is your answer?"))
    assert seen.wrong_line == "She needs 48 / 2 = 24 loaves."


def test_a_new_slip_is_named_itself() -> None:
    seen = observe("loaves", "oh, 48 / 12 = 5", WALK, (ATTEMPT, "How many loaves are that?"))
    assert seen.wrong_line == "oh, 48 / 12 = 5"


@pytest.mark.data
def test_a_whole_wrong_solution_names_the_labelled_step_or_its_neighbour(data_dir: Path) -> None:
    """Every solution of StepVerify, said line by line after the teacher's opening: at least .75 within one step.

    In sample: the weights of the ranking (`maths/first_wrong_step_weights.json`) were fitted on part of these rows, so
    this holds the wiring from turn to record; it is no estimate for other solutions.
    """
    observer = BuiltinObserver()
    near = total = 0
    with gzip.open(data_dir / "stepverify" / "stepverify.jsonl.gz", "rt", encoding="utf-8") as rows:
        for number, line in enumerate(rows):
            row = json.loads(line)
            problem = Problem(problem_id=f"sv-{number}", text=row["problem"], solution=row["reference_solution"])
            utterance = "\n".join(row["student_incorrect_solution"])
            opening = Turn(learner="", tutor=row["dialog_history"][0]["text"])
            seen = observer.observe_now(
                TurnContext(
                    problem=problem,
                    graph=build_step_graph(problem.text, problem.solution or "", None),
                    history=(opening,),
                    utterance=utterance,
                )
            )
            total += 1
            if seen.wrong_line is not None:
                near += abs(written_lines(utterance).index(seen.wrong_line) - row["incorrect_index"]) <= 1
    assert total >= 695
    assert near >= 0.75 * total
