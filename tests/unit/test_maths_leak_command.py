"""`preceptor leak check`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from preceptor.cli.leak import leak
from preceptor.errors import InputError

LINE: dict[str, Any] = {
    "problem": "Tom has 4 crates with 12 jars. He breaks 5 jars. How many whole jars are left?",
    "solution": "4*12=<<4*12=48>>48\n48-5=<<48-5=43>>43\n#### 43",
    "history": [{"learner": "I start with 4 times 12", "tutor": None}],
}


def _run(*replies: str, options: tuple[str, ...] = ("--json",)) -> list[dict[str, Any]]:
    lines = "\n".join(json.dumps({**LINE, "reply": reply}) for reply in replies)
    result = CliRunner().invoke(leak, ["check", "-", *options], input=lines, catch_exceptions=False)
    assert result.exit_code == 0
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_each_line_gets_its_verdict() -> None:
    replies = ("What is 4 times 12?", "That is 48.", "So forty-three jars.", "How many did he break?")
    assert [row["leak"] for row in _run(*replies)] == ["none", "unreached_step", "final_answer", "none"]


def test_the_evidence_stands_in_the_reply() -> None:
    assert _run("So forty-three jars.")[0]["evidence"] == "forty-three"


def test_the_raters_notion_lets_a_question_pass() -> None:
    assert _run("How do you get from 48 to 43?", options=("--json", "--notion", "rater"))[0]["leak"] == "none"


def test_a_line_without_reply_is_named() -> None:
    with pytest.raises(InputError, match=r"line 1: reply"):
        CliRunner().invoke(leak, ["check", "-"], input=json.dumps(LINE), catch_exceptions=False)


def test_plain_output_names_the_line() -> None:
    lines = json.dumps({**LINE, "reply": "It is 43."})
    result = CliRunner().invoke(leak, ["check", "-"], input=lines, catch_exceptions=False)
    assert result.stdout == "1: final_answer (digits): 43\n"
