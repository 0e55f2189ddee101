"""`preceptor critique` and `preceptor heads`: lines out, refusals, the shipped card."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from preceptor.cli.critique import critique
from preceptor.cli.heads import heads
from preceptor.errors import InputError

DIALOGUE = {
    "dialogue_id": "d1",
    "problem": {
        "problem_id": "pond",
        "text": "A pond holds 90 fish. A third of them are carp. After 8 carp are sold, how many carp are left?",
        "solution": "There were 90 / 3 = 30 carp\nThere are 30 - 8 = 22 carp left",
        "answer": "22",
    },
    "turns": [
        {"learner": "", "tutor": "Hello! How would you start?"},
        {"learner": "90 - 8 = 82, so 82 carp", "tutor": "No, 90 / 3 = 30 and 30 - 8 = 22. The answer is 22."},
        {"learner": "ok", "tutor": None},
    ],
}


def test_one_line_a_turn_with_the_agreed_fields(tmp_path: Path) -> None:
    file = tmp_path / "dialogues.jsonl"
    file.write_text(json.dumps(DIALOGUE) + "\n", encoding="utf-8")
    done = CliRunner().invoke(critique, [str(file), "--json"])
    assert done.exit_code == 0
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["dialogue_id"], line["turn"]) for line in lines] == [("d1", 1)]
    line = lines[0]
    assert set(line["scores"]) == {"scaffolding", "attribution", "empathy", "teaching_focus", "strategy_adaptation"}
    assert line["scores"]["scaffolding"] == 0
    assert line["scores"]["strategy_adaptation"] == "N/A"
    assert "answer_given" in line["flags"]
    assert line["needs_revision"] is True
    assert line["passes_gate"] is False
    values = [value for value in line["scores"].values() if value != "N/A"]
    assert line["percent"] == pytest.approx(100 * sum(values) / (4 * len(values)), abs=1e-3)


def test_text_goes_to_stdout_and_the_sum_to_stderr() -> None:
    done = CliRunner().invoke(critique, ["-"], input=json.dumps(DIALOGUE))
    assert done.stdout.startswith("d1 turn 1: ")
    assert "revise" in done.stdout
    assert "1 replies" in done.stderr


def test_a_line_that_is_no_dialogue_is_refused() -> None:
    done = CliRunner().invoke(critique, ["-"], input='{"dialogue_id": "d1"}')
    assert isinstance(done.exception, InputError)
    assert "line 1" in str(done.exception)


def test_the_card_names_source_and_licence() -> None:
    done = CliRunner().invoke(heads, ["show", "--json"])
    card = json.loads(done.stdout)["card"]
    assert "MRBench" in card["fitted_on"]
    assert "CC BY-SA 4.0" in card["licence"]


def test_training_needs_the_labelled_set(tmp_path: Path) -> None:
    done = CliRunner().invoke(heads, ["train", "--data", str(tmp_path)])
    assert isinstance(done.exception, InputError)
    assert "mrbench/v3_dev.jsonl" in str(done.exception)
