"""`preceptor log` and `preceptor problem`, as typed."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from preceptor.cli.main import cli
from preceptor.domain.episode import NewEpisode
from preceptor.errors import ChainError, InputError, NotFoundError
from preceptor.record.kinds import AnswerBody, new_episode
from preceptor.record.record import open_record
from preceptor.settings import Settings

Run = Callable[..., Result]
GOOD = json.dumps({"question": "How many?", "answer": "1+1=<<1+1=2>>2\n#### 2"})
OTHER = json.dumps({"question": "How much?", "answer": "#### 3"})


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRECEPTOR_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PRECEPTOR_CONFIG", raising=False)
    return tmp_path / "home"


@pytest.fixture
def run(home: Path) -> Run:
    def invoke(*arguments: str, typed: str | None = None) -> Result:
        return CliRunner().invoke(cli, list(arguments), input=typed)

    return invoke


@pytest.fixture
def told(home: Path) -> list[str]:
    """Three episodes of the local owner, one of them of a kind of a later version."""
    later = NewEpisode(
        learner_id="local",
        subject_id="maths",
        kind="dream",
        kind_version=7,
        actor="system",
        provenance="system",
        summary="a later kind",
        body={"any": ["thing"]},
    )
    with open_record(Settings(home=home)) as record:
        said = [
            new_episode(AnswerBody(text=words), learner_id="local", subject_id="maths", dialogue_id=dialogue, turn=0)
            for words, dialogue in (("the purple walrus", "d1"), ("seven", "d2"))
        ]
        return [episode.episode_id for episode in record.log.append_many([*said, later])]


def test_a_bad_line_is_named_and_the_rest_is_imported(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text("\n".join([GOOD, "nonsense", "", "[]", '{"question": "x"}', GOOD, OTHER]), encoding="utf-8")
    result = run("problem", "import", str(file), "--format", "gsm8k", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"file": str(file), "added": 2, "replaced": 0, "refused": 4}
    named = [line.removeprefix(f"{file} line ").partition(":")[0] for line in result.stderr.splitlines()]
    assert named == ["2", "4", "5", "6"]


def test_a_packed_file_and_standard_input_are_read(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl.gz"
    file.write_bytes(gzip.compress(GOOD.encode()))
    assert "1 problems added" in run("problem", "import", str(file), "--format", "gsm8k").stdout
    result = run("problem", "import", "-", "--format", "gsm8k", typed=f"{GOOD}\n{OTHER}\n")
    assert "1 problems added, 1 replaced, 0 lines refused" in result.stdout


@pytest.mark.parametrize("content", [b"", b"nonsense\n", gzip.compress(b"x" * 5000, mtime=0)[:-20], b"\xff\xfe\n"])
def test_importing_nothing_is_refused(run: Run, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "p.jsonl"
    file.write_bytes(content)
    assert isinstance(run("problem", "import", str(file), "--format", "gsm8k").exception, InputError)
    assert isinstance(run("problem", "import", str(tmp_path / "none"), "--format", "gsm8k").exception, InputError)


def test_problems_are_listed_and_shown(run: Run) -> None:
    lines = run("problem", "list", "--json", "--language", "zh").stdout.splitlines()
    assert [json.loads(line)["problem_id"] for line in lines] == ["sample-zh-notebooks", "sample-zh-road"]
    assert len(run("problem", "list", "--limit", "3").stdout.splitlines()) == 3
    assert "sample-ribbon-bows" in run("problem", "list", "--search", "RIBBON").stdout
    shown = json.loads(run("problem", "show", "sample-ribbon-bows", "--json").stdout)
    assert (shown["answer"], shown["policy"]["tolerance"]) == ("120", "0")
    assert "Answer: 120" in run("problem", "show", "sample-ribbon-bows").stdout
    assert isinstance(run("problem", "show", "no-such").exception, NotFoundError)


def test_an_intact_log_is_said_to_be(run: Run, told: list[str]) -> None:
    result = run("log", "verify", "--json")
    assert (result.exit_code, json.loads(result.stdout)["intact"], json.loads(result.stdout)["episodes"]) == (
        0,
        True,
        3,
    )


def test_the_first_break_is_named_and_refused(run: Run, told: list[str], home: Path) -> None:
    with sqlite3.connect(home / "preceptor.sqlite3") as connection:
        connection.execute("UPDATE episode SET actor = 'tutor' WHERE sequence = 2")
    connection.close()
    result = run("log", "verify")
    assert isinstance(result.exception, ChainError)
    assert "learner local, subject maths, link 2: edited" in result.stdout
    (found,) = json.loads(run("log", "verify", "--json").stdout)["breaks"]
    assert (found["learner_id"], found["subject_id"], found["sequence"]) == ("local", "maths", 2)


def test_an_export_holds_every_episode_whatever_its_kind(run: Run, told: list[str]) -> None:
    episodes = [json.loads(line) for line in run("log", "export").stdout.splitlines()]
    assert [episode["episode_id"] for episode in episodes] == told
    assert (episodes[2]["kind"], episodes[2]["kind_version"], episodes[2]["body"]) == ("dream", 7, {"any": ["thing"]})
    assert episodes[0]["recorded_at"].endswith("Z")
    assert run("log", "export", "--learner", "nobody").stdout == ""


def test_a_checkpoint_is_written_and_verified_against(run: Run, told: list[str], tmp_path: Path) -> None:
    file = tmp_path / "heads.json"
    assert run("log", "checkpoint", "--output", str(file)).exit_code == 0
    assert "walrus" not in file.read_text(encoding="utf-8")
    assert run("log", "verify", "--against", str(file)).exit_code == 0
    changed = file.read_text(encoding="utf-8").replace('"sequence": 3', '"sequence": 2')
    assert isinstance(run("log", "verify", "--against", "-", typed=changed).exception, ChainError)
    assert isinstance(run("log", "verify", "--against", str(tmp_path / "none")).exception, InputError)


def test_an_erasure_asks_first_and_then_leaves_no_trace(run: Run, told: list[str], home: Path) -> None:
    assert run("log", "erase", "--dialogue", "d1", typed="n\n").exit_code == 1
    assert "walrus" in run("log", "export").stdout
    result = run("log", "erase", "--dialogue", "d1", "--yes", "--json")
    assert json.loads(result.stdout) == {"episodes": 1, "scrubbed": True, "experiences_disabled": []}
    assert "walrus" not in run("log", "export").stdout
    assert not any(b"walrus" in file.read_bytes() for file in home.iterdir())
    assert run("log", "verify").exit_code == 0


@pytest.mark.parametrize("scope", [[], ["--all", "--dialogue", "d1"]])
def test_an_erasure_that_could_be_read_in_two_ways_is_refused(run: Run, told: list[str], scope: list[str]) -> None:
    assert isinstance(run("log", "erase", "--yes", *scope).exception, InputError)
    assert isinstance(run("log", "erase", "--yes", "--learner", "nobody", "--all").exception, NotFoundError)
    assert "walrus" in run("log", "export").stdout
