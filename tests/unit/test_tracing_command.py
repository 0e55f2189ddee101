"""`preceptor trace`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.unit.tracing_messy import ASTAR

from preceptor.cli.trace import trace
from preceptor.errors import InputError

MISSED = "1. S: open A(8), B(10)\n2. A: open B(10), C(11)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.txt").write_text(ASTAR, encoding="utf-8")
    (tmp_path / "t.txt").write_text(MISSED, encoding="utf-8")
    (tmp_path / "r.toml").write_text('ties = "alphabetical"\n', encoding="utf-8")
    return tmp_path


def call(folder: Path, *options: str, text: str | None = None) -> str:
    command = [options[0], "--problem", str(folder / "p.txt"), *options[1:]]
    result = CliRunner().invoke(trace, command, input=text, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_json_names_step_line_and_kind_and_holds_no_solution(folder: Path) -> None:
    said = call(folder, "check", "--trace", str(folder / "t.txt"), "--rules", str(folder / "r.toml"), "--json")
    found = json.loads(said)
    assert (found["verdict"], found["wrong_step"], found["line"], found["kind"]) == ("wrong", 2, 2, "missed_g_update")
    assert "look at B" in found["feedback"]
    assert found["state"]["step"] == 1
    assert '"G"' not in said


def test_prose_names_the_step_and_asks(folder: Path) -> None:
    said = call(folder, "check", "--trace", "-", "--tier", "nudge", text=MISSED)
    assert said.splitlines()[0] == "wrong, step 2 (line 2): missed_g_update"
    assert said.splitlines()[1].endswith("?")


def test_run_says_on_stderr_that_it_is_the_solution(folder: Path) -> None:
    result = CliRunner().invoke(trace, ["run", "--problem", str(folder / "p.txt")], catch_exceptions=False)
    assert "solution" in result.stderr
    assert result.stdout.splitlines()[-1] == "path S A B C G, cost 8"
    found = json.loads(call(folder, "run", "--json"))
    assert (found["solution"], found["path"], found["cost"]) == (True, ["S", "A", "B", "C", "G"], "8")


def test_bad_files_are_named(folder: Path) -> None:
    with pytest.raises(InputError, match=r"none\.txt"):
        call(folder, "check", "--trace", str(folder / "none.txt"))
    (folder / "p.txt").write_text("start: A\nA-B x\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"p\.txt: line 2: cost of A-B"):
        call(folder, "run")
    (folder / "p.txt").write_text("start: A\ngoal: B\nA-B 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="names no algorithm; give --algorithm"):
        call(folder, "run")
