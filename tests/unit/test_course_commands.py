"""`preceptor course`, from making a course to taking a file out of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from preceptor.cli.main import cli
from preceptor.errors import InputError, NotFoundError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRECEPTOR_HOME", str(tmp_path / "home"))
    made = tmp_path / "notes"
    made.mkdir()
    (made / "a.md").write_text("# Queues\n\nA queue holds nodes. The official answer is 4. <!-- and 5 too -->\n")
    (made / "b.exe").write_bytes(b"MZ")
    return made


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["course", *arguments], catch_exceptions=True)


def rows(result: Result) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_folder_goes_in_with_one_command_and_comes_out_again(folder: Path) -> None:
    added = run("add", "search", str(folder), "--create", "--json")
    assert added.exit_code == 0
    assert [(row["name"], row["status"]) for row in rows(added)] == [
        ("notes/a.md", "added"),
        ("notes/b.exe", "refused"),
    ]
    assert "1 added, 0 changed, 0 unchanged, 1 refused; 1 passages read" in added.stderr
    listed = rows(run("list", "--json"))
    assert [(row["subject_id"], row["n_documents"], row["n_passages"]) for row in listed] == [("search", 1, 1)]
    assert run("show", "search", "notes/a.md", "--page", "1").stdout == (
        "Queues\n\nA queue holds nodes. The official answer is 4.\n"
    )
    shown = rows(run("show", "search", "notes/a.md", "--json"))[0]
    assert isinstance(shown["problems"], list)
    assert [problem["kind"] for problem in shown["problems"]] == ["comment", "addresses_tutor"]
    assert shown["official"] is False
    assert rows(run("official", "search", "notes/a.md", "--json"))[0]["official"] is True
    assert rows(run("official", "search", "notes/a.md", "--off", "--json"))[0]["official"] is False
    assert run("remove", "search", "notes/a.md").stdout == "notes/a.md was removed from search\n"
    assert isinstance(run("remove", "search", "notes/a.md").exception, NotFoundError)


def test_where_no_file_can_be_read_the_command_says_so(folder: Path) -> None:
    run("create", "search", "--title", "Search")
    result = run("add", "search", str(folder / "b.exe"), "--no-vectors")
    assert isinstance(result.exception, InputError)
    assert "b.exe: .exe is not read; expected one of" in result.stderr


def test_a_course_is_made_once_and_by_a_plain_id(folder: Path) -> None:
    assert run("create", "search", "--title", "Search").stdout == "course search (Search)\n"
    assert isinstance(run("create", "search").exception, InputError)
    assert isinstance(run("create", "../x").exception, InputError)
    assert isinstance(run("add", "other", str(folder)).exception, NotFoundError)
