"""The leak benchmark's own arithmetic, and the guard against the outside oracle on recorded tutor turns."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.leak_guard import Counts, LabelledReply, best_for_recall, by, count, held_out_predictions, read_history
from tests.e2e.oracle import Oracle

from preceptor.domain.dialogue import Turn
from preceptor.maths.leak import find_leak
from preceptor.maths.step_graph import build_step_graph
from preceptor.pedagogy.dialogue_formats import read_dialogues


def _reply(number: int, tutor: str, truth: bool, *, plain: bool, lenient: bool) -> LabelledReply:
    return LabelledReply(
        reply_id=str(number),
        group=str(number % 3),
        source="Bridge",
        tutor=tutor,
        label="",
        reveals=truth,
        predictions={"plain": plain, "lenient": lenient},
        form="",
        reply="",
    )


REPLIES = [
    _reply(0, "a", True, plain=True, lenient=True),
    _reply(1, "a", True, plain=False, lenient=True),
    _reply(2, "b", False, plain=False, lenient=True),
    _reply(3, "b", True, plain=True, lenient=True),
]


def test_scores_are_those_of_a_hand_count() -> None:
    found = count(REPLIES, by("lenient"))
    assert found == Counts(hits=3, alarms=1, missed=0)
    assert (found.precision, found.recall) == (0.75, 1.0)
    assert found.f1 == pytest.approx(6 / 7)


def test_the_point_of_high_recall_keeps_the_precision() -> None:
    assert best_for_recall(REPLIES) == "lenient"
    assert best_for_recall([*REPLIES, _reply(4, "b", False, plain=False, lenient=True)]) == "plain"


def test_a_point_is_chosen_without_the_replies_it_is_scored_on() -> None:
    seen: list[set[str]] = []

    def choose(training: object) -> str:
        assert isinstance(training, list)
        seen.append({reply.tutor for reply in training})
        return "plain"

    held_out_predictions(REPLIES, REPLIES, lambda reply: (reply.tutor,), choose)
    assert seen == [{"b"}, {"a"}]


def test_history_becomes_problem_and_turns() -> None:
    told = ("Tutor: Hi! The question is: Two and two?", "Student: 5", "Tutor: Sure?", "Student: yes")
    text = "\u00a0\n\u00a0".join(told)
    problem, turns = read_history(text)
    assert problem == "Two and two?"
    assert turns[1:] == (Turn(learner="5", tutor="Sure?"), Turn(learner="yes"))


@pytest.mark.data
def test_the_guard_finds_whatever_the_oracle_finds(data_dir: Path) -> None:
    missed, found = [], 0
    for dialogue in read_dialogues(str(data_dir / "mathdial" / "dialogues.jsonl"), "mathdial"):
        problem = dialogue.problem
        assert problem is not None
        assert problem.solution is not None
        graph = build_step_graph(problem.text, problem.solution, problem.answer)
        oracle = Oracle(problem.text, problem.solution, problem.answer)
        for place, turn in enumerate(dialogue.turns):
            history = (*dialogue.turns[:place], Turn(learner=turn.learner))
            if not turn.tutor or not oracle.leaks("\n".join(one.learner for one in history), turn.tutor):
                continue
            found += 1
            leak = find_leak(
                turn.tutor,
                problem_text=problem.text,
                graph=graph,
                answer=problem.answer,
                solution=problem.solution,
                history=history,
            )
            if leak.kind == "none":
                missed.append(f"{dialogue.dialogue_id} turn {place}")
    assert found > 50
    assert not missed
