"""`preceptor answer check`: one pair, JSON lines, policies, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from preceptor.cli.answer import answer
from preceptor.errors import InputError


def _run(*arguments: str, stdin: str | None = None) -> str:
    result = CliRunner().invoke(answer, ["check", "--no-symbolic", *arguments], input=stdin, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_one_pair_is_checked_and_read() -> None:
    said = json.loads(_run("--reference", "3.5 km", "--answer", "3 1/2 km", "--json"))
    assert said == {"verdict": "equal", "answer_read_as": "3 1/2 km", "reference_read_as": "3.5 km", "reason": ""}


def test_without_json_it_is_a_sentence() -> None:
    assert _run("--reference", "1/2", "--answer", "12") == "not equal: read as 12\n"


def test_options_and_policy_object_decide() -> None:
    pair = ("--reference", "1/2", "--answer", "2/4", "--json")
    assert json.loads(_run(*pair))["verdict"] == "equal"
    assert json.loads(_run(*pair, "--form", "reduced"))["verdict"] == "not_equal"
    assert json.loads(_run(*pair, "--policy", '{"form": "reduced"}'))["verdict"] == "not_equal"
    near = ("--reference", "1/3", "--answer", "0.333", "--json")
    assert json.loads(_run(*near, "--tolerance", "1/100"))["verdict"] == "equal"


def test_lines_are_checked_in_order_each_with_its_policy(tmp_path: Path) -> None:
    rows = [
        {"reference": "12", "answer": "twelve"},
        {"reference": "12", "answer": "12 or 13", "name": "kept aside"},
        {"reference": "50%", "answer": "50", "policy": {"percent_as": "number"}},
        {"reference": 12, "answer": "12\ud800"},
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "rows.jsonl").write_text(lines, encoding="utf-8")
    for said in (_run(str(tmp_path / "rows.jsonl"), "--json"), _run("-", "--json", stdin=lines)):
        verdicts = [json.loads(line)["verdict"] for line in said.splitlines()]
        assert verdicts == ["equal", "not_equal", "equal", "unread"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--policy", '{"form": "nice"}'], "form"),
        (["--policy", '{"shape": "any"}'], "shape"),
        (["--policy", "["], "JSON"),
        (["--tolerance", "-1"], "tolerance"),
        (["--tolerance", "1e999"], "tolerance"),
    ],
)
def test_a_wrong_policy_is_named(arguments: list[str], named: str) -> None:
    with pytest.raises(InputError, match=named):
        _run("--reference", "1", "--answer", "1", *arguments)


def test_a_bad_line_is_named() -> None:
    with pytest.raises(InputError, match="line 2: answer"):
        _run("-", "--json", stdin='{"reference": "1", "answer": "1"}\n{"reference": "1"}\n')
