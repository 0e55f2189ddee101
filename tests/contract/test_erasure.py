"""What is erased is gone: from every table, every search and, on SQLite, from every file."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from preceptor.domain.episode import Episode
from preceptor.errors import InputError, NotFoundError
from preceptor.record.episode_log import EpisodeLog
from preceptor.record.erasure_scope import ErasureScope
from preceptor.record.kinds import AnswerBody, ErasureBody, body_of, new_episode
from preceptor.record.record_key import RecordKey
from preceptor.record.verification import verify
from preceptor.stores.protocols import TurnDraft
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import open_sqlite
from preceptor.stores.sql.episodes import SqlEpisodeStore
from preceptor.stores.sql.turn_drafts import SqlTurnDraftStore

KEY = RecordKey(bytes(range(32)))
SENTENCE = "my zebra-striped grandmother lives in Wolverhampton"
CHINESE = "我家的斑马奶奶住在很远的村子里"


@pytest.fixture
def store(database: Database) -> SqlEpisodeStore:
    return SqlEpisodeStore(database)


@pytest.fixture
def log(store: SqlEpisodeStore) -> EpisodeLog:
    return EpisodeLog(store, KEY)


def _say(
    log: EpisodeLog, words: str, dialogue_id: str = "d1", learner_id: str = "ana", subject_id: str = "maths"
) -> Episode:
    new = new_episode(
        AnswerBody(text=words), learner_id=learner_id, subject_id=subject_id, dialogue_id=dialogue_id, turn=0
    )
    return log.append(new)


def _files_with(folder: Path, words: str) -> list[str]:
    needles = [words.encode(), words.encode("utf-16-le"), words.encode("utf-16-be"), words.casefold().encode()]
    return [
        file.name
        for file in sorted(folder.rglob("*"))
        if file.is_file() and any(needle in file.read_bytes() for needle in needles)
    ]


def _dump(database: Database) -> str:
    with database.read() as connection:
        tables = inspect(connection).get_table_names()
        return "\n".join(str(row) for name in tables for row in connection.execute(text(f"SELECT * FROM {name}")))


def _fill(log: EpisodeLog) -> None:
    """Enough rows that pages split, are freed and are used again."""
    for block in range(10):
        log.append_many(
            [
                new_episode(
                    AnswerBody(text=f"filler {block} {n} " + "x" * (n * 7 % 400)), learner_id="ben", subject_id="maths"
                )
                for n in range(60)
            ]
        )


@pytest.mark.parametrize("words", [SENTENCE, CHINESE])
def test_no_file_of_the_database_holds_an_erased_sentence(
    database: Database, log: EpisodeLog, store: SqlEpisodeStore, tmp_path: Path, words: str
) -> None:
    _fill(log)
    told = [_say(log, words) for _ in range(5)]
    SqlTurnDraftStore(database).put(
        TurnDraft(
            learner_id="ana", dialogue_id="d1", turn=0, text=words, last_event_id=1, updated_at=told[0].recorded_at
        )
    )
    _fill(log)
    _say(log, "something else stays", dialogue_id="d2")
    if database.engine.dialect.name == "sqlite":
        assert _files_with(tmp_path, words), "the test must be able to see the sentence before"
    assert words in _dump(database)

    erasure = log.erase("ana", ErasureScope(dialogue_id="d1"))

    assert (erasure.episodes, erasure.scrubbed) == (5, True)
    assert _files_with(tmp_path, words) == []
    assert words not in _dump(database)
    for part in (words[:14], words[-12:]):
        assert _files_with(tmp_path, part) == []
    assert log.search("ana", words.split()[0]) == ()
    assert [episode.summary for episode in log.search("ana", "something")] == ["something else stays"]
    assert SqlTurnDraftStore(database).get("ana", "d1", 0) is None
    result = verify(store, KEY)
    assert (result.intact, result.erased) == (True, 5)


def test_an_erased_episode_keeps_its_envelope_and_says_so(log: EpisodeLog) -> None:
    told = _say(log, SENTENCE)
    log.erase("ana", ErasureScope(episode_ids=(told.episode_id,)), actor="owner")
    left = log.get("ana", told.episode_id)
    assert (left.summary, left.body, left.chain_hash) == (None, None, told.chain_hash)
    (record,) = log.list("ana", kinds=("erasure",))
    assert body_of(record, ErasureBody) == ErasureBody(scope="episodes", sequences=((1, 1),))
    assert record.actor == "owner"


@pytest.mark.parametrize(
    ("scope", "left"),
    [
        (ErasureScope(dialogue_id="d1"), ["b", "c"]),
        (ErasureScope(subject_id="physics"), ["a", "b"]),
        (ErasureScope(whole_learner=True), []),
    ],
)
def test_only_the_scope_is_erased(
    log: EpisodeLog, store: SqlEpisodeStore, scope: ErasureScope, left: list[str]
) -> None:
    _say(log, "a", "d1")
    _say(log, "b", "d2")
    _say(log, "c", "d3", subject_id="physics")
    _say(log, "other learner", "d1", learner_id="ben")
    log.erase("ana", scope)
    assert [episode.summary for episode in log.list("ana", kinds=("answer",)) if episode.body] == left
    assert [episode.summary for episode in log.list("ben")] == ["other learner"]
    assert verify(store, KEY).intact


def test_another_learner_s_episode_cannot_be_erased(log: EpisodeLog) -> None:
    told = _say(log, "keep me")
    with pytest.raises(NotFoundError):
        log.erase("ben", ErasureScope(episode_ids=(told.episode_id,)))
    assert log.get("ana", told.episode_id).summary == "keep me"


def test_erasing_twice_erases_nothing_more_and_the_record_of_it_stays(log: EpisodeLog, store: SqlEpisodeStore) -> None:
    _say(log, SENTENCE)
    log.erase("ana", ErasureScope(whole_learner=True))
    assert log.erase("ana", ErasureScope(whole_learner=True)).episodes == 0
    assert len([episode for episode in log.list("ana", kinds=("erasure",)) if episode.body]) == 1
    assert verify(store, KEY).intact


def test_a_scope_names_exactly_one_thing() -> None:
    for fields in ({}, {"dialogue_id": "d", "whole_learner": True}):
        with pytest.raises(InputError, match="exactly one"):
            ErasureScope(**fields)  # type: ignore[arg-type]


def test_an_erasure_that_a_reader_held_back_stays_owed_until_it_is_done(tmp_path: Path) -> None:
    database = Database(open_sqlite(tmp_path / "preceptor.sqlite3"))
    store = SqlEpisodeStore(database)
    _say(EpisodeLog(store, KEY), SENTENCE)
    with database.read() as reader:
        reader.execute(text("SELECT COUNT(*) FROM episode")).all()
        with database.maintain() as connection:
            connection.execute(text("PRAGMA busy_timeout=50"))
        assert EpisodeLog(store, KEY).erase("ana", ErasureScope(whole_learner=True)).scrubbed is False
        assert store.scrub_is_owed()
    assert store.scrub()
    assert not store.scrub_is_owed()
    assert _files_with(tmp_path, SENTENCE) == []
    database.close()
