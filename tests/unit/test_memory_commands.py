"""`preceptor memory …`: beliefs with evidence, not true, nights, verification, report, export, forget."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from preceptor.cli.main import cli
from preceptor.errors import PreceptorError
from preceptor.record.kinds import new_episode
from preceptor.record.memory_kinds import QuizBody
from preceptor.record.record import open_record
from preceptor.settings import Settings

FIRST_DAY = datetime(2026, 3, 2, 10, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRECEPTOR_HOME", str(tmp_path))
    with open_record(Settings(home=tmp_path), lambda: FIRST_DAY) as record:
        for n in range(3):
            body = QuizBody(item=f"What is {n} percent of 50?", answer="4", verdict="wrong", topic="percent")
            record.log.append(new_episode(body, learner_id="local", subject_id="maths"))
    return tmp_path


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(cli, ["memory", *arguments])
    assert result.exit_code == 0, result.output
    return result


def lines(*arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(*arguments, "--json").stdout.splitlines()]


def night(at: str) -> list[dict[str, Any]]:
    return lines("nightly", "--at", at)


def test_a_night_a_belief_and_not_true(home: Path) -> None:
    (done,) = night("2026-03-03T03:00:00+00:00")
    assert (done["consolidated"], done["beliefs_added"], done["verified"]) == (["2026-03-02"], 3, {"unverifiable": 3})
    assert night("2026-03-03T04:00:00+00:00") == []
    (held,) = lines("beliefs")
    assert (held["claim"], held["concept"], held["confidence"]) == ("struggles", "percent", 0.714286)
    assert [part["verdict"] for part in held["evidence"]] == ["wrong"] * 3
    assert len(lines("beliefs", "--chain", held["belief_id"])) == 3
    assert lines("beliefs", "--as-of", "2026-03-01T00:00:00+00:00") == []
    (closed,) = lines("not-true", held["belief_id"], "--note", "I was ill")
    assert (closed["claim"], closed["provenance"]) == ("unsettled", "learner")
    assert lines("beliefs") == []
    (made,) = lines("report")
    assert [one["reason"] for one in made["denied"]] == ["not_true"]
    assert made["checks"]["words"] == "3 checks are on record, 3 of them count for a concept in the map"
    assert made["months"][0]["checks_wrong"] == 3
    assert lines("rederive") == [{"unchanged": 1, "changed": []}]
    assert "I was ill" in run("export").stdout


def test_verify_and_prose(home: Path) -> None:
    assert lines("verify") == [{"looked_up": 3, "statuses": {"unverifiable": 3}}]
    assert "3 memories looked up" in run("verify").stdout
    night("2026-03-03T03:00:00+00:00")
    assert "struggles percent (0.71)" in run("beliefs").stdout
    assert "treat confidence as a ranking" in run("report").stdout


def test_recall_prints_what_a_question_brings_back_of_whom_and_when(home: Path) -> None:
    found = lines("recall", "What is 2 percent of 50?", "--limit", "1", "--at", "2026-04-01T09:00:00Z")
    assert [(one["kind"], one["count"], one["occurred_at"]) for one in found] == [
        ("quiz", 1, "2026-03-02T10:00:00+00:00")
    ]
    assert "2 percent" in found[0]["summary"]
    result = run("recall", "what did I get wrong in February?", "--at", "2026-04-01T09:00:00Z")
    assert result.stdout == ""
    assert result.stderr.startswith("time: 2026-02-01 to 2026-02-28; no record of that time; 0 links")
    assert len(run("recall", "percent").stdout.splitlines()) == 3
    assert lines("recall", "percent", "--learner", "ben") == lines("recall", "percent", "--subject", "physics") == []


def test_a_block_tells_its_text_and_the_builtin_answer_in_the_language_and_zone_asked_in(home: Path) -> None:
    at = ("--at", "2026-04-01T09:00:00Z")
    (built,) = lines("block", "what did I get wrong in March?", *at)
    assert (built["record_question"], built["window"]) == ("got_wrong", ["2026-03-01", "2026-03-31"])
    assert (built["counts"], len(built["episode_ids"])) == ({"quiz": 3, "wrong": 3}, 3)
    assert "2 March 2026: “What is 2 percent of 50?: 4”: not right" in built["builtin_answer"]
    assert run("block", "what did I get wrong in March?", *at).stdout == built["text"] + "\n"
    (german,) = lines("block", "Was habe ich gestern falsch gemacht?", "--language", "de", *at)
    assert german["builtin_answer"] == "Ich habe am 31. März 2026 nichts aufgezeichnet."
    (west,) = lines("block", "what did I get wrong today?", "--time-zone", "Pacific/Honolulu", *at)
    assert west["window"] == ["2026-03-31", "2026-03-31"]
    assert run("block", "hello", "--learner", "ben").stdout == "(nothing on record)\n"


def test_forgetting_one_episode_and_everything(home: Path) -> None:
    night("2026-03-03T03:00:00+00:00")
    held = lines("beliefs")[0]
    (done,) = lines("forget", "--episode", held["evidence"][0]["episode_id"], "--yes")
    assert done["episodes"] == 2
    assert len(lines("beliefs")[0]["evidence"]) == 2
    run("forget", "--all", "--yes")
    assert lines("beliefs") == []
    assert "percent of 50" not in run("export").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("beliefs", "--as-of", "yesterday"),
        ("recall", "percent", "--at", "yesterday"),
        ("block", "percent", "--at", "2026-04-01T09:00"),
        ("block", "percent", "--time-zone", "Mars/Olympus"),
        ("beliefs", "--as-of", "2026-03-01"),
        ("beliefs", "--learner", ""),
        ("beliefs", "--chain", "nothing"),
        ("forget", "--yes"),
        ("forget", "--episode", "nothing", "--yes"),
    ],
)
def test_bad_input_is_named(home: Path, arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(cli, ["memory", *arguments])
    assert isinstance(result.exception, PreceptorError)
