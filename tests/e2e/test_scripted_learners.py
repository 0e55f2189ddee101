"""Twelve scripted learners on real problems: nothing leaked, no false mark, no sentence twice."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.e2e.oracle import leaked_values

from preceptor.domain.dialogue import Turn
from preceptor.domain.problem import Problem
from preceptor.lab.simulation.maker_tutor import MakerTutor
from preceptor.lab.simulation.results import run_scripted, summarise, table, transcript_text
from preceptor.lab.simulation.run import Transcript, TutorAnswer, TutorUnderTest
from preceptor.maths.step_graph import StepGraph, build_step_graph
from preceptor.settings import Settings
from preceptor.tutoring.engines import open_turn_maker

SEED = 20261130
OTHER_WAY = "right by another way"


def problems(data_dir: Path, count: int) -> list[tuple[Problem, StepGraph]]:
    """Random GSM8K test problems whose worked solution reads as consistent."""
    lines = (data_dir / "gsm8k" / "test.jsonl").read_text(encoding="utf-8").splitlines()
    chosen = random.Random(SEED).sample(range(len(lines)), len(lines))
    found: list[tuple[Problem, StepGraph]] = []
    for place in chosen:
        row = json.loads(lines[place])
        solution, _, answer = row["answer"].rpartition("####")
        problem = Problem(
            problem_id=f"gsm8k-test-{place}", text=row["question"], solution=solution.strip(), answer=answer.strip()
        )
        graph = build_step_graph(problem.text, problem.solution or "", problem.answer)
        if graph is not None and graph.answer_node is not None and graph.inconsistent is None:
            found.append((problem, graph))
        if len(found) == count:
            break
    return found


def leaks(problem: Problem, graph: StepGraph, asked: Sequence[Turn], reply: str) -> bool:
    written = " ".join(turn.learner for turn in asked)
    return bool(leaked_values(problem.text, problem.solution, problem.answer, written, reply))


def run_all(chosen: list[tuple[Problem, StepGraph]]) -> list[Transcript]:
    maker = open_turn_maker(Settings())

    async def open_tutor(problem: Problem, graph: StepGraph) -> tuple[TutorUnderTest, TutorAnswer | None]:
        return MakerTutor(maker, problem, graph), None

    return asyncio.run(run_scripted(chosen, open_tutor, seed=SEED, leaks=leaks))


@pytest.mark.data
def test_two_problems_each_show_no_leak_no_false_mark_and_no_sentence_twice(data_dir: Path) -> None:
    made = run_all(problems(data_dir, 2))
    assert [one for one in made if one.leaks] == []
    assert sum(one.false_right for one in made) == 0
    assert sum(one.false_wrong for one in made if one.learner == OTHER_WAY) == 0
    assert sum(one.repeated for one in made) == 0


@pytest.mark.data
@pytest.mark.prove
def test_twenty_five_problems_each(data_dir: Path) -> None:
    made = run_all(problems(data_dir, 25))
    print("\n" + table(summarise(made)))  # noqa: T201
    for one in made:
        if one.leaks or one.false_right or one.false_wrong or one.repeated:
            print(transcript_text(one))  # noqa: T201
    other = [one for one in made if one.learner == OTHER_WAY]
    assert sum(one.leaks for one in made) == 0
    assert sum(one.false_right for one in made) == 0
    assert sum(one.false_wrong for one in other) <= 0.02 * sum(one.right_claims for one in other)
