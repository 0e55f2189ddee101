"""Readers of dialogue formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from preceptor.domain.dialogue import Dialogue
from preceptor.errors import InputError
from preceptor.pedagogy.dialogue_formats import UNKNOWN_PROBLEM, dialogues_of, problem_of, read_dialogues

OURS: dict[str, Any] = {
    "dialogue_id": "d1",
    "problem": {"problem_id": "p1", "text": "Two and two?", "solution": "2+2=4", "answer": "4", "language": "en"},
    "persona": None,
    "turns": [{"learner": "", "tutor": "Begin."}, {"learner": "4", "tutor": None}],
    "source": "own",
    "licence": "CC0",
}
MATHDIAL: dict[str, Any] = {
    "qid": 7,
    "scenario": 2,
    "question": "Two and three?",
    "ground_truth": "2+3=5\n 5",
    "student_profile": "guesses",
    "conversation": "Teacher: (generic)Hi|EOM|Teacher: (probing)Well?|EOM|Student: 6|EOM|Teacher: (telling)No"
    "|EOM|Student: 5",
}
BRIDGE: dict[str, Any] = {
    "c_id": "9_1",
    "lesson_topic": "Sums",
    "c_h": [
        {"text": "What is 2+2?", "user": "tutor"},
        {"text": "3", "user": "student"},
        {"text": "no 4", "user": "student"},
    ],
}


def one(record: dict[str, Any], form: str) -> Dialogue:
    """Read one record."""
    return next(dialogues_of([(1, record)], form=form))


def test_own_lines_are_read_whole() -> None:
    dialogue = one(OURS, "jsonl")
    assert dialogue.dialogue_id == "d1"
    assert dialogue.problem is not None
    assert (dialogue.problem.solution, dialogue.problem.answer, dialogue.subject_id) == ("2+2=4", "4", "maths")
    assert [(turn.learner, turn.tutor) for turn in dialogue.turns] == [("", "Begin."), ("4", None)]


def test_mathdial_loses_its_move_names_and_joins_messages() -> None:
    dialogue = one(MATHDIAL, "mathdial")
    assert dialogue.dialogue_id == "7-2"
    assert dialogue.problem is not None
    assert (dialogue.problem.solution, dialogue.problem.answer) == ("2+3=5", "5")
    assert [(turn.learner, turn.tutor) for turn in dialogue.turns] == [("", "Hi\nWell?"), ("6", "No"), ("5", None)]
    assert dialogue.persona == "guesses"


def test_bridge_has_no_problem_and_joins_messages() -> None:
    dialogue = one(BRIDGE, "bridge")
    assert dialogue.problem is None
    assert problem_of(dialogue).text == UNKNOWN_PROBLEM
    assert [(turn.learner, turn.tutor) for turn in dialogue.turns] == [("", "What is 2+2?"), ("3\nno 4", None)]


def test_dialogues_named_alike_are_told_apart() -> None:
    names = [dialogue.dialogue_id for dialogue in dialogues_of([(1, MATHDIAL), (2, MATHDIAL)], form="mathdial")]
    assert names == ["7-2", "7-2-2"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"turns": []}, "turns must be a list"),
        ({"turns": [{"learner": "a", "tutor": None}, {"learner": "b", "tutor": "c"}]}, r"turns\[0\].tutor"),
        ({"turns": ["hello"]}, r"turns\[0\] must be an object"),
        ({"problem": {"text": ""}}, "text must be non-empty"),
        ({"dialogue_id": None}, "dialogue_id must be non-empty"),
        ({"problem": 5}, "problem must be an object"),
    ],
)
def test_a_bad_line_is_named(change: dict[str, Any], expected: str) -> None:
    with pytest.raises(InputError, match=f"line 3: not a jsonl dialogue .*{expected}"):
        list(dialogues_of([(3, OURS | change)], form="jsonl"))


def test_a_line_of_another_format_is_named() -> None:
    with pytest.raises(InputError, match="line 1: not a bridge dialogue .c_id is missing"):
        one(OURS, "bridge")


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(InputError, match="one of jsonl, mathdial, bridge"):
        one(OURS, "csv")


def test_files_are_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(OURS) + "\n\n{not json\n", encoding="utf-8")
    reading = read_dialogues(str(path))
    assert next(reading).dialogue_id == "d1"
    with pytest.raises(InputError, match="line 3: not JSON"):
        next(reading)
    with pytest.raises(InputError, match="No such file"):
        list(read_dialogues(str(tmp_path / "none")))
