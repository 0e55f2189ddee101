"""A tutor's own private reference: made once where a problem came without one, on record by its maker's name."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.course_folder import SUBJECT, add_course

from preceptor.domain.principal import LOCAL_OWNER
from preceptor.domain.problem import Problem
from preceptor.errors import ModelTimeoutError
from preceptor.pedagogy.solver import PrivateReference
from preceptor.record.kinds import QuestionBody, body_of
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings
from preceptor.tutoring.engines import open_turn_maker
from preceptor.tutoring.session import TutoringSession

TEXT = "Ana has 4 boxes with 12 pens each and 7 loose pens. How many pens does she have?"
FOUND = PrivateReference(solution="4*12=<<4*12=48>>48\n48+7=<<48+7=55>>55", answer="55", engine="scripted/solver")


class ScriptedSolver:
    """Gives its answers in order, and remembers what it was asked."""

    def __init__(self, *answers: PrivateReference | Exception | None) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def solve(self, problem: Problem) -> PrivateReference | None:
        self.asked.append(problem.text)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with open_record(Settings(home=tmp_path)) as opened:
        yield opened


def talk(record: Record, solver: ScriptedSolver, *said: str, **start: str) -> tuple[TutoringSession, str]:
    settings = Settings()
    session = TutoringSession(record=record, maker=open_turn_maker(settings), settings=settings, solver=solver)

    async def turns() -> str:
        dialogue_id = session.start(LOCAL_OWNER, **start)
        for words in said:
            assert (await (await session.submit(LOCAL_OWNER, dialogue_id, words)).wait()).kind == "done"
        return dialogue_id

    return session, asyncio.run(turns())


def references(record: Record, dialogue_id: str) -> list[tuple[str, str, str | None]]:
    """(actor, provenance, solution) of every question of a dialogue but the learner's own."""
    found = record.log.list(LOCAL_OWNER.learner_id, dialogue_id=dialogue_id, kinds=("question",))
    bodies = [(one.actor, one.provenance, body_of(one, QuestionBody)) for one in found[1:]]
    return [(actor, by, body.problem.solution if body and body.problem else None) for actor, by, body in bodies]


def test_a_reference_is_made_once_stored_and_judged_by(record: Record) -> None:
    solver = ScriptedSolver(FOUND)
    session, dialogue_id = talk(record, solver, "4 * 12 = 48", "48 + 7 = 56", text=TEXT)
    assert solver.asked == [TEXT]
    assert references(record, dialogue_id) == [("scripted/solver", "system", FOUND.solution)]
    view = session.dialogue(LOCAL_OWNER, dialogue_id)
    assert view.notice == "tutors_own_reference"
    assert [turn.steps[0].mark for turn in view.turns[1:]] == ["right", "wrong"]
    assert "<<" not in repr(view)


@pytest.mark.parametrize("answer", [None, ModelTimeoutError("too late")])
def test_where_none_can_be_made_the_turn_goes_on_and_the_next_one_asks_again(
    record: Record, answer: Exception | None
) -> None:
    solver = ScriptedSolver(answer, FOUND)
    _, dialogue_id = talk(record, solver, "4 * 12 = 48", "48 + 7 = 55", text=TEXT)
    assert len(solver.asked) == 2
    assert len(references(record, dialogue_id)) == 1


def test_no_reference_is_made_where_one_is_known_or_nothing_is_to_be_solved(record: Record) -> None:
    add_course(record.courses)
    solver = ScriptedSolver()
    _, known = talk(record, solver, "4 * 12 = 48", text=TEXT, answer="55")
    _, course = talk(record, solver, "What is a queue?", subject_id=SUBJECT)
    _, search = talk(record, solver, "hm", text="Run BFS from S to G.\nS: A, B\nA: G\nB: G\nG:")
    assert solver.asked == []
    assert [references(record, one) for one in (known, course, search)] == [[], [], []]
