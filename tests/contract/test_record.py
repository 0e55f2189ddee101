"""The record's front door: what a first start makes, and what a later one refuses."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from preceptor.errors import SettingsError, StoreError, UnsafePathError
from preceptor.record.erasure_scope import ErasureScope
from preceptor.record.kinds import AnswerBody, new_episode
from preceptor.record.problem_bank import sample_problems
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings, StoreSettings
from preceptor.stores.sql import file_systems
from preceptor.stores.sql.dialects import open_sqlite

if TYPE_CHECKING:
    from tests.contract.conftest import EmptyDatabase


@pytest.fixture
def settings(empty_database: EmptyDatabase) -> Settings:
    return Settings(home=empty_database.home / "home", store=StoreSettings(url=empty_database.url))


def _say(record: Record, words: str) -> str:
    return record.log.append(new_episode(AnswerBody(text=words), learner_id="ana", subject_id="maths")).episode_id


def test_a_first_start_makes_key_and_samples_and_a_second_finds_them(settings: Settings) -> None:
    with open_record(settings) as record:
        said = _say(record, "7")
        assert list(record.problems.find(limit=99)) == list(sample_problems())
    assert stat.S_IMODE((settings.home / "key").stat().st_mode) == 0o600
    with open_record(settings) as record:
        assert record.log.get("ana", said).summary == "7"
        assert record.problems.count() == len(sample_problems())
        assert record.verify().intact


def test_samples_that_were_removed_do_not_come_back(settings: Settings) -> None:
    with open_record(settings) as record:
        record.problems.remove(sample_problems()[0].problem_id)
    with open_record(settings) as record:
        assert record.problems.count() == len(sample_problems()) - 1


def test_a_record_whose_key_is_gone_or_another_is_refused(settings: Settings) -> None:
    with open_record(settings) as record:
        _say(record, "7")
    (settings.home / "key").unlink()
    with pytest.raises(SettingsError, match="from your backup"):
        open_record(settings)
    (settings.home / "key").write_bytes(bytes(32))
    (settings.home / "key").chmod(0o600)
    with pytest.raises(SettingsError, match="put the right key back"):
        open_record(settings)


def test_a_checkpoint_finds_a_database_file_that_was_put_back(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    with open_record(settings) as record:
        _say(record, "6")
    old = (settings.home / "preceptor.sqlite3").read_bytes()
    with open_record(settings) as record:
        _say(record, "7")
        checkpoint = json.dumps(record.checkpoint())
        assert record.verify(checkpoint).intact
    (settings.home / "preceptor.sqlite3").write_bytes(old)
    with open_record(settings) as record:
        assert record.verify().intact
        (found,) = record.verify(checkpoint).breaks
    assert (found.sequence, found.kind) == (2, "rolled_back")


def test_an_erasure_that_a_crash_interrupted_is_finished_at_the_next_start(settings: Settings) -> None:
    with open_record(settings) as record:
        _say(record, "the purple walrus")
        record.episodes.scrub = lambda: False  # type: ignore[method-assign]
        assert record.log.erase("ana", ErasureScope(whole_learner=True)).scrubbed is False
    with open_record(settings) as record:
        assert not record.episodes.scrub_is_owed()
    assert not any(b"walrus" in file.read_bytes() for file in settings.home.iterdir())


def test_a_home_on_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = [f"22 1 0:26 / {tmp_path} rw - nfs4 files:/home rw"]
    monkeypatch.setattr(file_systems, "_own_mounts", lambda: table)
    with pytest.raises(UnsafePathError, match="nfs4"):
        open_record(Settings(home=tmp_path / "home"))


def test_only_the_owner_can_read_what_the_home_holds(tmp_path: Path) -> None:
    with open_record(Settings(home=tmp_path / "home")) as record:
        _say(record, "7")
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "home").iterdir()}
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
    assert modes == dict.fromkeys(["key", "preceptor.sqlite3", "preceptor.sqlite3-shm", "preceptor.sqlite3-wal"], 0o600)


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "preceptor.sqlite3").write_bytes(b"these are the notes of somebody else " * 40)
    with pytest.raises(StoreError, match="not a database"):
        open_record(Settings(home=tmp_path))
    assert (tmp_path / "preceptor.sqlite3").read_bytes().startswith(b"these are the notes")


def test_a_home_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StoreError, match="preceptor.sqlite3"):
        open_record(Settings(home=tmp_path / "file" / "home"))


@pytest.mark.parametrize(
    ("url", "error", "message"),
    [
        ("postgresql://nobody@127.0.0.1:1/none", StoreError, "cannot write to the database"),
        ("mysql://localhost/x", SettingsError, "expected a postgresql address, got 'mysql'"),
        ("nonsense", SettingsError, "expected postgresql://"),
    ],
)
def test_an_address_without_a_postgresql_server_is_refused(
    tmp_path: Path, url: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        open_record(Settings(home=tmp_path, store=StoreSettings(url=url)))


def test_sqlite_is_opened_for_durability(tmp_path: Path) -> None:
    engine = open_sqlite(tmp_path / "x.sqlite3")
    expected = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1, "busy_timeout": 5000}
    with engine.connect() as connection:
        found = {name: connection.execute(text(f"PRAGMA {name}")).scalar_one() for name in expected}
    engine.dispose()
    assert found == expected
