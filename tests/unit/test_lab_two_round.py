"""Two rounds: every transition has its cell, the control arm shares the first round, and no failure becomes a grade."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner

from preceptor.cli.main import cli
from preceptor.domain.problem import Problem
from preceptor.errors import InputError, ModelOutputError, ModelTimeoutError
from preceptor.lab.protocols.llm_learner import LlmLearner
from preceptor.lab.protocols.maths_task import MathsTask
from preceptor.lab.protocols.round_report import report_text, round_report
from preceptor.lab.protocols.scripted_learner import open_scripted_learner
from preceptor.lab.protocols.scripted_maths_learner import ScriptedMathsLearner
from preceptor.lab.protocols.scripted_trace_learner import ScriptedTraceLearner
from preceptor.lab.protocols.trace_task import TraceTask, sample_trace_tasks
from preceptor.lab.protocols.transitions import (
    Cell,
    Grade,
    Standing,
    cell_of,
    grade_of,
    transition_table,
)
from preceptor.lab.protocols.two_round import (
    MECHANISM_CHECK,
    REVISION_ONLY,
    Feedback,
    RevisingLearner,
    RoundTask,
    TwoRoundRun,
    run_two_rounds,
)
from preceptor.settings import RolesSettings, Settings, TutoringSettings
from preceptor.testing.scripted_model import ScriptedModel
from preceptor.tutoring.engines import open_turn_maker

KITE = {
    Cell.INCORRECT_CORRECT: 1,
    Cell.INCORRECT_PARTIAL: 3,
    Cell.ALREADY_CORRECT: 17,
    Cell.PARTIAL_CORRECT: 14,
    Cell.PARTIAL_IMPROVED: 6,
    Cell.NOT_APPLICABLE: 3,
}
"""The published table."""


def grade(share: float | None) -> Grade:
    return grade_of(share, correct=share == 1)


class StatedTask:
    """A task whose works are their own grades, and whose tutor says what it was given."""

    language = "en"
    text = "Do it."

    def __init__(self, said: Feedback, *, engine: str = "school/model", task_id: str = "t") -> None:
        self._said, self.tutor_engine, self.task_id = said, engine, task_id

    def grade(self, work: str) -> Grade:
        return grade(None if work == "?" else float(work))

    async def feedback(self, work: str) -> Feedback:
        return self._said


class StatedLearner:
    """Hands in what it was given: after feedback, and after anything else."""

    engine = "school/learner"

    def __init__(self, first: str, after_feedback: str, after_control: str) -> None:
        self._first, self._words = first, (after_feedback, after_control)
        self.attempts = 0

    async def attempt(self) -> str:
        self.attempts += 1
        return self._first

    async def revise(self, work: str, said: str) -> str:
        assert work == self._first
        return self._words["check your work" in said]


def run(task: RoundTask, *learners: RevisingLearner) -> TwoRoundRun:
    waiting = list(learners)
    return anyio.run(lambda: run_two_rounds([task], lambda _, number: waiting[number], n_learners=len(learners)))


def test_every_pair_of_grades_has_one_cell_and_harm_is_never_an_improvement() -> None:
    shares = (None, 0.0, 0.2, 0.5, 0.8, 1.0)
    for before, after in itertools.product(shares, shares):
        cell = cell_of(grade(before), grade(after))
        table = transition_table([cell])
        if before is None or after is None:
            assert cell is Cell.NOT_APPLICABLE
            continue
        assert table.harmed.count == (after < before), (before, after)
        assert table.improved.count <= (after > before)
        assert table.improved.of == (before < 1)
    assert cell_of(grade(1.0), grade(0.8)) is Cell.CORRECT_PARTIAL
    assert cell_of(grade(0.8), grade(0.2)) is Cell.PARTIAL_INCORRECT
    assert cell_of(grade(0.5), grade(0.5)) is Cell.PARTIAL_SAME
    assert cell_of(grade(0.2), None) is Cell.NOT_APPLICABLE


def test_a_whole_share_without_the_right_end_is_partly_correct() -> None:
    assert grade_of(1.0, correct=False).standing is Standing.PARTIAL


def test_the_published_table_gives_its_own_denominator_and_ours() -> None:
    table = transition_table([cell for cell, count in KITE.items() for _ in range(count)])
    assert table.n == 44
    published = table.improved_as_published
    assert (published.count, published.of) == (24, 27)
    assert published.share == pytest.approx(0.8889, abs=1e-4)
    assert (table.improved.count, table.improved.of) == (24, 24)
    assert (table.harmed.count, table.harmed.of) == (0, 41)


def test_both_arms_share_one_first_round_and_only_the_difference_is_credited() -> None:
    learners = [StatedLearner("0.5", "1", "1"), StatedLearner("0.5", "1", "0.5"), StatedLearner("1", "0.2", "1")]
    done = run(StatedTask(Feedback(text="Look at line 2.", leak=None)), *learners)
    assert [learner.attempts for learner in learners] == [1, 1, 1]
    report = round_report(done, seed=1, resamples=2_000)
    assert report.difference is not None
    assert report.difference.improved.point == pytest.approx(1 / 3)
    assert report.difference.gain.point == pytest.approx((0 + 0.5 - 0.8) / 3)
    assert (report.difference.correct.only_first, report.difference.correct.only_second) == (1, 1)
    assert report.tables["feedback"].harmed.count == 1
    assert report.label == REVISION_ONLY


def test_what_the_screen_found_is_counted_and_named() -> None:
    done = run(StatedTask(Feedback(text="It is 4.", leak="4")), StatedLearner("0", "1", "0"))
    report = round_report(done, seed=1, resamples=2_000)
    assert (report.screened, [row.leak for row in report.leaks]) == (1, ["4"])
    assert "t, learner 0: 4" in report_text(report)


def test_a_failure_is_unscored_and_counted_never_a_grade() -> None:
    task = StatedTask(Feedback(text="Hm?", leak=None))
    answers: list[str | dict[str, str] | Exception] = [
        {"work": "0.5"},
        ModelTimeoutError("too late"),
        {"work": "1"},
        ModelOutputError("not the output type"),
    ]
    model = ScriptedModel(answers, role="learner")
    done = run(task, LlmLearner(model, task), LlmLearner(model, task))
    assert [row.cell for row in done.rows] == [Cell.NOT_APPLICABLE, Cell.PARTIAL_CORRECT, *[Cell.NOT_APPLICABLE] * 2]
    report = round_report(done, seed=1, resamples=2_000)
    assert report.difference is None
    assert (report.unscored, report.parse_failures, report.parse_failure_rate) == (3, 2, 0.5)
    assert report.unscored_by_reason == {"too late": 1, "not the output type": 2}
    assert "<said>Hm?</said>" in re.sub(r"\s", "", model.prompts[1].user)
    assert "<work></work>" in re.sub(r"\s", "", model.prompts[0].user)


def test_no_task_or_learner_is_refused() -> None:
    with pytest.raises(ValueError, match="one learner, got 1 and 0"):
        run(StatedTask(Feedback(text="", leak=None)))


# -- traces ------------------------------------------------------------------------------------------------


def test_a_trace_without_mistakes_is_correct_and_its_mistakes_are_found_at_their_step() -> None:
    seen = set()
    for task, number in itertools.product(sample_trace_tasks(), range(4)):
        learner = ScriptedTraceLearner(task, number, seed=3)
        work = anyio.run(learner.attempt)
        verdict = task.verdict(work)
        if not learner.mistakes:
            assert verdict.status == "complete", work
            continue
        first = learner.mistakes[0]
        assert verdict.status == "wrong", work
        said = anyio.run(task.feedback, work)
        assert said.leak is None
        if len(learner.mistakes) == 1 and first.kind != "stopped_early":
            assert re.search(rf"[Ss]tep {first.step}\b", said.text), (learner.mistakes, said.text)
            seen.add(first.kind)
    assert seen >= {"missing", "wrong_value", "left_in_open"}


def test_a_learner_told_the_place_sees_it_more_often_than_one_told_to_check() -> None:
    task = sample_trace_tasks()[1]
    repaired = {"feedback": 0, "control": 0}
    for number in range(40):
        learner = ScriptedTraceLearner(task, number, seed=5)
        if len(learner.mistakes) != 1:
            continue
        work = anyio.run(learner.attempt)
        told = f"In step {learner.mistakes[0].step}, look at {learner.mistakes[0].node}."
        for arm, said in (("feedback", told), ("control", "Please check your work again.")):
            repaired[arm] += task.grade(anyio.run(learner.revise, work, said)).standing is Standing.CORRECT
    assert repaired["feedback"] > repaired["control"] + 3


def test_words_that_name_a_right_step_as_wrong_do_harm_that_the_table_shows() -> None:
    class Misleading(TraceTask):
        async def feedback(self, work: str) -> Feedback:
            return Feedback(text="Look at step 2 again.", leak=None)

    task = Misleading("m", sample_trace_tasks()[1].text)
    done = anyio.run(
        lambda: run_two_rounds([task], lambda one, number: open_scripted_learner(one, number, seed=2), n_learners=24)
    )
    report = round_report(done, seed=1, resamples=2_000)
    harmed = report.tables["feedback"].harmed.count
    assert harmed > report.tables["control"].harmed.count
    assert report.label == MECHANISM_CHECK


def test_a_trace_that_nobody_can_read_has_no_grade() -> None:
    task = sample_trace_tasks()[0]
    assert task.grade("I have no idea.") == Grade(standing=Standing.NOT_APPLICABLE, share=None)


def test_a_problem_without_an_algorithm_is_refused() -> None:
    with pytest.raises(InputError, match="names no algorithm"):
        TraceTask("x", "start: A\ngoal: B\nA-B 1\n")


# -- word problems -----------------------------------------------------------------------------------------


def maths_task() -> MathsTask:
    problem = Problem(
        problem_id="rolls",
        text="A baker fills 6 trays with 24 rolls each and sells 100 rolls. How many rolls are left?",
        solution="The baker makes 6*24=<<6*24=144>>144 rolls.\nThen 144-100=<<144-100=44>>44 rolls are left.\n#### 44",
        answer="44",
    )
    maker = open_turn_maker(Settings(roles=RolesSettings(), tutoring=TutoringSettings()))
    return MathsTask(problem, maker, tutor_engine="builtin tutor")


@pytest.mark.parametrize(
    ("work", "standing", "share"),
    [
        ("6 * 24 = 144\n144 - 100 = 44\nAnswer: 44", Standing.CORRECT, 1.0),
        ("6 * 24 = 144\n144 + 100 = 244\nAnswer: 244", Standing.PARTIAL, 0.5),
        ("6 + 24 = 30\n100 - 30 = 70\nAnswer: 70", Standing.INCORRECT, 0.0),
        ("6 * 24 = 145\n144 - 100 = 44\nAnswer: 44", Standing.PARTIAL, 0.5),
        ("no idea", Standing.NOT_APPLICABLE, None),
    ],
)
def test_a_solution_is_graded_by_its_values(work: str, standing: Standing, share: float | None) -> None:
    assert maths_task().grade(work) == Grade(standing=standing, share=share)


def test_scripted_solutions_are_as_right_as_their_ideas_and_feedback_gives_nothing_away() -> None:
    task = maths_task()
    for number in range(12):
        learner = ScriptedMathsLearner(task, number, seed=4)
        work = anyio.run(learner.attempt)
        assert (task.grade(work).standing is Standing.CORRECT) == (learner.idea is None), work
        if number < 4:
            assert anyio.run(task.feedback, work).leak is None


def test_the_screen_of_word_problems_finds_a_reply_that_tells() -> None:
    task = maths_task()

    class Telling:
        async def take(self, utterance: str) -> Feedback:
            return Feedback(text="The answer is 44.", leak=None)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("preceptor.lab.protocols.maths_task.MakerTutor", lambda *_, **__: Telling())
        said = anyio.run(task.feedback, "6 * 24 = 144")
    assert said.leak is not None
    assert said.leak.startswith("final_answer")


def test_the_command_prints_both_arms_and_its_label() -> None:
    called = ["lab", "two-round", "--tasks", "traces", "--learners", "2", "--json"]
    done = CliRunner().invoke(cli, called)
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["label"] == MECHANISM_CHECK
    assert report["arms"]["feedback"]["rows"] == report["arms"]["control"]["rows"] == 16
    assert set(report["arms"]["control"]["transitions"]) == {cell.value for cell in Cell}
    assert report["screened"] == 16
    assert report["leaks"] == []
    assert CliRunner().invoke(cli, called).stdout == done.stdout


def test_the_command_takes_problems_of_ones_own_and_names_those_it_leaves_out(tmp_path: Path) -> None:
    trace = tmp_path / "mine.txt"
    trace.write_text("algorithm: BFS\nstart: A\ngoal: C\nA: B\nB: C\nC:\n", encoding="utf-8")
    lines = [
        {"problem_id": "good", "text": "Al has 3 bags of 4 figs. How many?", "solution": "3*4=12", "answer": "12"},
        {"problem_id": "bare", "text": "How many moons has Mars?", "answer": "2"},
    ]
    problems = tmp_path / "mine.jsonl"
    problems.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    called = ["lab", "two-round", "--trace-file", str(trace), "--problems", str(problems), "--learners", "1"]
    done = CliRunner().invoke(cli, [*called, "--rows", "--json"])
    assert done.exit_code == 0, done.output
    assert "line 2: left out: problem bare" in done.stderr
    assert {row["task_id"] for row in json.loads(done.stdout)["rows"]} == {"trace-mine", "maths-good"}
    twice = CliRunner().invoke(cli, [*called, "--trace-file", str(trace)])
    assert "'trace-mine' stands twice" in str(twice.exception)


def test_a_learner_whose_work_is_called_good_is_not_misled_by_a_question_how_to_check_it() -> None:
    task = maths_task()
    kept = {"good": 0, "wrong": 0}
    words = {"good": "Good work: 44. How could you check it?", "wrong": "Look at 44 again."}
    right = [one for n in range(40) if (one := ScriptedMathsLearner(task, n, seed=6)).idea is None]
    for learner in right:
        work = anyio.run(learner.attempt)
        for name, said in words.items():
            kept[name] += task.grade(anyio.run(learner.revise, work, said)).standing is Standing.CORRECT
    assert kept["good"] == len(right) > kept["wrong"] > 0
