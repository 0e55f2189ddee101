"""`preceptor observe`."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner
from tests.unit.pedagogy_problems import PROBLEMS

from preceptor.cli.observe import observe


def _file(tmp_path: Path) -> Path:
    text, solution = PROBLEMS["garden"]
    record = {
        "dialogue_id": "g",
        "problem": {"problem_id": "garden", "text": text, "solution": solution, "answer": "72"},
        "turns": [{"learner": "", "tutor": "Begin."}, {"learner": "6*15=90", "tutor": "Next?"}, {"learner": "80"}],
    }
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    return path


def test_one_json_line_a_learner_turn(tmp_path: Path) -> None:
    result = CliRunner().invoke(observe, [str(_file(tmp_path)), "--json"])
    assert result.exit_code == 0, result.output
    lines = [json.loads(line) for line in result.output.splitlines()]
    assert [(line["dialogue_id"], line["turn"]) for line in lines] == [("g", 1), ("g", 2)]
    assert set(lines[0]) >= {
        *("dialogue_id", "turn", "emotion", "intent", "error_type", "struggle_status"),
        *("error_detail", "struggle_reason", "reading", "claims"),
    }
    assert lines[0]["claims"][0] | {"text": ""} == {
        "text": "",
        "value": "90",
        "unit": None,
        "noun": None,
        "mark": "right",
        "step": 0,
        "judged_by": "reference",
        "read_as": "6 × 15 = 90",
    }
    assert lines[0]["reading"]["status"] == "read"


def test_prose_is_one_line_a_turn(tmp_path: Path) -> None:
    result = CliRunner().invoke(observe, [str(_file(tmp_path))])
    assert result.output.splitlines()[0].startswith(
        "g turn 1: Neutral / Debugging / No_Error / First_Attempt · read · ✓ 6 ×"
    )


def test_a_bad_line_ends_it_with_its_number() -> None:
    result = CliRunner().invoke(observe, ["-"], input='{"dialogue_id": "x"}\n')
    assert result.exit_code != 0
    assert "line 1" in str(result.exception)
