"""Traces in a dialogue: the step that is off, help that grows at it, the state on the page, nothing of the rest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.course_folder import SUBJECT, add_course
from tests.unit.test_tutoring_course_turn import bodies, record, session_of, settings, talk

from preceptor.errors import InputError
from preceptor.record.record import Record
from preceptor.settings import Settings
from preceptor.tutoring.course_dialogue import is_course_conversation
from preceptor.tutoring.tracing_tutor import course_rules, states_problem

__all__ = ["record", "settings"]

ASTAR = """Run A* from S to G.
S: A 1, B 4
A: B 2, C 5
B: C 2
C: G 3
h: S=7, A=6, B=4, C=2, G=0"""
FIRST = "expand S: OPEN: A(g=1,f=7), B(g=4,f=8); CLOSED: S"
MISSED = f"{FIRST}\nexpand A: OPEN: B(g=4,f=8), C(g=6,f=8); CLOSED: S, A"
MENDED = "expand A: OPEN: B(g=3,f=7), C(g=6,f=8); CLOSED: S, A"


def test_a_missed_update_is_asked_about_by_its_node_and_the_state_stands_before_it(
    record: Record, settings: Settings
) -> None:
    dialogue_id, turns = talk(session_of(record, settings), MISSED, text=ASTAR)
    view = turns[-1]
    assert "look at B. Is there now another way to reach it" in (view.reply or "")
    assert (view.route, view.rung, view.status) == ("tracing", 2, "read")
    state = view.trace_state
    assert state is not None
    assert [one["node"] for one in state["open"]] == ["A", "B"]
    assert [one["node"] for one in state["closed"]] == ["S"]
    shown = json.dumps(state) + (view.reply or "")
    assert not any(value in shown for value in ('"3"', '"5"', "C(", '"C"', '"G"'))
    assert bodies(record, dialogue_id)[-1].reply.node == 2


def test_help_grows_at_the_same_step_and_begins_anew_at_the_next(record: Record, settings: Settings) -> None:
    wrong_later = f"{FIRST}\n{MENDED}\nexpand C: OPEN: G(g=9,f=9); CLOSED: S, A, C"
    _, turns = talk(session_of(record, settings), MISSED, MISSED, "/stuck", wrong_later, text=ASTAR)
    assert [one.rung for one in turns[1:]] == [2, 3, 4, 2]
    assert len({one.reply for one in turns}) == 5
    assert all(" 3" not in (one.reply or "").replace("step 3", "") for one in turns[1:3])


def test_a_trace_may_come_line_by_line(record: Record, settings: Settings) -> None:
    _, turns = talk(session_of(record, settings), FIRST, MENDED, text=ASTAR)
    assert all("is right" in (one.reply or "") for one in turns[1:])
    state = turns[-1].trace_state
    assert state is not None
    assert (state["step"], [one["node"] for one in state["open"]]) == (2, ["B", "C"])


def test_an_unread_line_is_unread_and_not_wrong(record: Record, settings: Settings) -> None:
    _, turns = talk(session_of(record, settings), f"{FIRST}\nthen I guess something with the second one", text=ASTAR)
    assert turns[-1].status == "partly"
    assert turns[-1].reason == "unread_lines"
    assert "could not be read" in (turns[-1].reply or "")
    assert not turns[-1].steps


@pytest.mark.parametrize("asked", ["give me the full trace", "tell me the answer", "/stuck"])
def test_the_trace_is_never_written_for_the_learner(record: Record, settings: Settings, asked: str) -> None:
    _, turns = talk(session_of(record, settings), asked, text=ASTAR)
    reply = turns[-1].reply or ""
    assert "one step a line" in reply
    assert not any(f"expand {node}" in reply for node in "SABCG")
    assert turns[-1].trace_state is None


def test_a_problem_pasted_into_a_conversation_about_a_course_is_traced_there_and_questions_go_to_the_files(
    record: Record, settings: Settings
) -> None:
    _, turns = talk(
        session_of(record, settings), f"{ASTAR}\nMy trace:\n{MISSED}", "What is a queue?", MENDED, subject_id=SUBJECT
    )
    assert [one.route for one in turns[1:]] == ["tracing", "direct", "tracing"]
    assert "look at B" in (turns[1].reply or "")
    assert "first in, first out" in (turns[2].reply or "")


def test_a_courses_rules_are_read_from_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "trace_rules"
    folder.mkdir()
    (folder / f"{SUBJECT}.toml").write_text('ties = "alphabetical"\ngoal_test = "generation"\n', encoding="utf-8")
    assert course_rules(tmp_path, SUBJECT).ties == ("alphabetical",)
    assert course_rules(tmp_path, "other").ties == "any"
    (folder / "bad.toml").write_text("colour = 3\n", encoding="utf-8")
    with pytest.raises(InputError, match="colour"):
        course_rules(tmp_path, "bad")


def test_word_problems_state_no_search(record: Record, settings: Settings) -> None:
    add_course(record.courses, {"a.md": ("One sentence about graphs.",)}, "graphs")
    session = session_of(record, settings)
    for problem in session._record.problems.find(subject_id="maths", limit=50):
        assert not states_problem(problem)
        assert not is_course_conversation(problem)
