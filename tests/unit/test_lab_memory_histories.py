"""Histories and questions as files: what is whole is read, what is not is refused with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from preceptor.cli.main import cli
from preceptor.errors import InputError
from preceptor.lab.memory_histories import read_histories, read_questions

HISTORY: dict[str, Any] = {
    "learner": "ana",
    "subject": "cells",
    "time_zone": "Asia/Kolkata",
    "episodes": [
        {"episode_id": "e1", "kind": "question", "text": "Why?", "at": "2026-07-31T20:00:00Z", "concepts": ["Osmosis"]},
        {"episode_id": "e2", "kind": "check", "text": "Salt moves.", "at": "2026-08-01T08:00:00Z", "verdict": "wrong"},
    ],
    "concepts": [{"name": "Osmosis", "builds_on": ["Membrane"]}, {"name": "Membrane"}],
}
QUESTION: dict[str, Any] = {
    "question_id": "q1",
    "learner": "ana",
    "subject": "cells",
    "kind": "got_wrong",
    "text": "What did I get wrong?",
    "language": "en",
    "asked_at": "2026-09-01T08:00:00Z",
    "required_ids": ["e2"],
}


def _written(folder: Path, name: str, *rows: dict[str, Any]) -> str:
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return str(path)


def test_what_is_whole_is_read(tmp_path: Path) -> None:
    histories = read_histories(_written(tmp_path, "histories", HISTORY))
    (question,) = read_questions(_written(tmp_path, "questions", QUESTION), histories)
    assert question.required == (("e2",),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"time_zone": "Mars/Olympus"}, "line 1: time_zone: .*Mars/Olympus"),
        ({"learner": ""}, "line 1: learner"),
        ({"colour": "blue"}, "line 1: colour"),
        ({"episodes": [*HISTORY["episodes"], HISTORY["episodes"][1]]}, "'e2' stands twice"),
        ({"episodes": list(reversed(HISTORY["episodes"]))}, "in the order of their times"),
        ({"episodes": [{**HISTORY["episodes"][0], "at": "2026-07-31T20:00:00"}]}, "episodes.0.at"),
        ({"episodes": [{**HISTORY["episodes"][0], "verdict": "wrong"}]}, "a question has no verdict"),
        ({"episodes": [{**HISTORY["episodes"][0], "kind": "file"}]}, "a file needs document"),
        ({"concepts": [{"name": "Osmosis", "builds_on": ["Membrane"]}]}, "builds on 'Membrane'"),
    ],
)
def test_a_faulty_history_is_refused_with_line_and_field(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_histories(_written(tmp_path, "histories", {**HISTORY, **change}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"subject": "cats"}, "there is no history of ana/cats"),
        ({"required_ids": ["e9"]}, "'e9' is no episode"),
        ({"required_ids": ["edge:Osmosis->Membrane"]}, ""),
        ({"required_ids": ["edge:Membrane->Osmosis"]}, "no such edge"),
        ({"required_ids": ["concept:Cats"]}, "no such concept"),
        ({"forbidden_window": {"before": "2026-08-02T00:00:00Z"}}, "lies in the forbidden window"),
        ({"forbidden_window": {"before": "2026-08-02T00:00:00Z", "from": "2026-08-01T00:00:00Z"}}, "must lie after"),
        ({"asked_at": "2026-08-01T07:00:00Z"}, "lies after the question"),
        ({"says_no_record": True}, "either there is something"),
    ],
)
def test_a_question_must_be_answerable_from_its_history(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    histories = read_histories(_written(tmp_path, "histories", HISTORY))
    path = _written(tmp_path, "questions", {**QUESTION, **change})
    if not message:
        assert read_questions(path, histories)
        return
    with pytest.raises(InputError, match=message):
        read_questions(path, histories)


def test_files_of_ones_own_run_from_the_command_line(tmp_path: Path) -> None:
    histories, questions = _written(tmp_path, "h", HISTORY), _written(tmp_path, "q", QUESTION)
    arguments = ["lab", "memory", "--histories", histories, "--questions", questions, "--answers", "builtin", "--json"]
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    report = json.loads(done.stdout)
    by_design = {one["design"]: one for one in report["designs"]}
    assert by_design["full"]["required_found"] == 1.0
    assert by_design["retrieval"]["required_found"] == 0.0
    assert {one["flips"] for one in report["designs"]} == {0}
    (answer,) = [one for one in report["answers"] if one["design"] == "full"]
    assert answer["passed"] is True
    assert "Salt moves." in answer["text"]


def test_made_histories_are_the_same_files_again(tmp_path: Path) -> None:
    for name in ("a", "b"):
        arguments = ["lab", "make-histories", "--histories", "6", "--seed", "4", str(tmp_path / name)]
        assert CliRunner().invoke(cli, arguments, catch_exceptions=False).exit_code == 0
    for name in ("histories.jsonl", "questions.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    histories = read_histories(str(tmp_path / "a" / "histories.jsonl"))
    assert len(read_questions(str(tmp_path / "a" / "questions.jsonl"), histories)) > 40
