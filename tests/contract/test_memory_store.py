"""Memory's derived rows on both databases: inside their scope, and gone with their episode."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from preceptor.domain.episode import Episode
from preceptor.domain.scope import Scope
from preceptor.memory.recall import Recall
from preceptor.record.episode_log import EpisodeLog
from preceptor.record.erasure_scope import ErasureScope
from preceptor.record.kinds import AnswerBody, new_episode
from preceptor.record.record_key import RecordKey
from preceptor.settings import MemorySettings
from preceptor.stores.memory import StoredEntry, Verification
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.episodes import SqlEpisodeStore
from preceptor.stores.sql.memory import SqlMemoryStore
from preceptor.stores.sql.memory_tables import MEMORY_ENTRY, MEMORY_STANCE, MEMORY_VECTOR, MEMORY_VERIFICATION

ANA = Scope(learner_id="ana", subject_id="maths")
BEN = Scope(learner_id="ben", subject_id="maths")
NOW = datetime(2026, 11, 11, tzinfo=UTC)


@pytest.fixture
def store(database: Database) -> SqlMemoryStore:
    return SqlMemoryStore(database)


@pytest.fixture
def log(database: Database) -> EpisodeLog:
    return EpisodeLog(SqlEpisodeStore(database), RecordKey(bytes(32)))


def _say(log: EpisodeLog, words: str, scope: Scope = ANA, dialogue_id: str = "d") -> Episode:
    body = AnswerBody(text=words)
    new = new_episode(body, learner_id=scope.learner_id, subject_id=scope.subject_id, dialogue_id=dialogue_id)
    return log.append(new)


def _entry(episode: Episode, content: bytes = b"1234") -> StoredEntry:
    return StoredEntry(sequence=episode.sequence, episode_id=episode.episode_id, content=content)


def test_progress_and_entries_are_kept_by_scope_and_layout(store: SqlMemoryStore, log: EpisodeLog) -> None:
    first, second = _say(log, "one"), _say(log, "two")
    assert (store.state(ANA, 1).head_sequence, store.state(ANA, 1).indexed_sequence) == (2, 0)
    store.put_entries(ANA, [_entry(first), _entry(second)], layout=1, through_sequence=2)
    assert store.state(ANA, 1).indexed_sequence == 2
    assert [(row.sequence, row.content) for row in store.entries(ANA)] == [(1, b"1234"), (2, b"1234")]
    assert [row.sequence for row in store.entries(ANA, after_sequence=1)] == [2]
    assert store.entries(BEN) == []
    assert store.state(BEN, 1).head_sequence == 0
    assert store.state(ANA, 2).indexed_sequence == 0
    store.put_entries(ANA, [_entry(first, b"new4")], layout=2, through_sequence=1)
    assert [row.content for row in store.entries(ANA)] == [b"new4"]


def test_an_entry_of_another_scope_or_without_payload_is_not_taken(store: SqlMemoryStore, log: EpisodeLog) -> None:
    mine, gone, foreign = _say(log, "one"), _say(log, "two"), _say(log, "three", BEN)
    log.erase("ana", ErasureScope(episode_ids=(gone.episode_id,)))
    entries = [_entry(mine), _entry(gone), _entry(foreign)]
    store.put_entries(ANA, entries, layout=1, through_sequence=3)
    store.put_vectors(ANA, "e", {entry.episode_id: b"\0\0" for entry in entries})
    for entry in entries:
        store.set_stance(ANA, entry.episode_id, "partial", decided_at=NOW)
    assert [row.episode_id for row in store.entries(ANA)] == [mine.episode_id]
    assert store.vectors(ANA, "e") == [(1, b"\0\0")]
    assert store.stances(ANA, [entry.episode_id for entry in entries]) == {mine.episode_id: "partial"}
    assert store.entries(BEN) == []
    assert store.vectors(BEN, "e") == []


def test_what_was_indexed_by_another_process_first_is_left_alone(store: SqlMemoryStore, log: EpisodeLog) -> None:
    first = _say(log, "one")
    store.put_entries(ANA, [_entry(first)], layout=1, through_sequence=1)
    store.put_entries(ANA, [_entry(first, b"late")], layout=1, through_sequence=1)
    assert [row.content for row in store.entries(ANA)] == [b"1234"]


def test_vectors_declined_are_remembered_and_others_come_oldest_first(store: SqlMemoryStore, log: EpisodeLog) -> None:
    told = [_say(log, f"words {n}") for n in range(3)]
    store.put_entries(ANA, [_entry(one) for one in told], layout=1, through_sequence=3)
    assert store.without_vector(ANA, "e", limit=2) == [told[0].episode_id, told[1].episode_id]
    before = store.state(ANA, 1).vector_writes
    store.put_vectors(ANA, "e", {told[0].episode_id: b"", told[1].episode_id: b"\1\2"})
    assert store.state(ANA, 1).vector_writes > before
    assert store.without_vector(ANA, "e", limit=9) == [told[2].episode_id]
    assert store.without_vector(ANA, "other", limit=1) == [told[0].episode_id]
    assert store.vectors(ANA, "e") == [(1, b""), (2, b"\1\2")]
    assert store.vectors(ANA, "e", after_sequence=1) == [(2, b"\1\2")]


def test_later_facts_are_replaced_and_read_inside_their_scope(store: SqlMemoryStore, log: EpisodeLog) -> None:
    told = _say(log, "one")
    found = Verification(episode_id=told.episode_id, status="holds", note="", checked_at=NOW)
    store.set_verification(ANA, found)
    changed = Verification(episode_id=told.episode_id, status="changed", note="replaced", checked_at=NOW)
    store.set_verification(ANA, changed)
    store.set_verification(BEN, found)
    assert store.verifications(ANA, [told.episode_id]) == {told.episode_id: changed}
    assert store.verifications(BEN, [told.episode_id]) == {}


def test_an_erasure_takes_every_derived_row_with_it(database: Database, store: SqlMemoryStore, log: EpisodeLog) -> None:
    told, kept = _say(log, "my zebra grandmother"), _say(log, "something else")
    for episode in (told, kept):
        store.set_stance(ANA, episode.episode_id, "answered", decided_at=NOW)
        found = Verification(episode_id=episode.episode_id, status="unverifiable", note="", checked_at=NOW)
        store.set_verification(ANA, found)
    store.put_entries(ANA, [_entry(told), _entry(kept)], layout=1, through_sequence=2)
    store.put_vectors(ANA, "e", {told.episode_id: b"\1\2", kept.episode_id: b"\1\2"})
    before = store.state(ANA, 1).revision
    log.erase("ana", ErasureScope(episode_ids=(told.episode_id,)))
    with database.read() as connection:
        for table in (MEMORY_ENTRY, MEMORY_VECTOR, MEMORY_STANCE, MEMORY_VERIFICATION):
            assert connection.execute(select(table.c.episode_id)).scalars().all() == [kept.episode_id]
    assert store.state(ANA, 1).revision > before


def test_an_erased_episode_is_not_recalled_from_an_index_in_memory(database: Database, log: EpisodeLog) -> None:
    recall = Recall(SqlEpisodeStore(database), SqlMemoryStore(database), None, MemorySettings())
    told = _say(log, "a zebra came to class")
    _say(log, "we drew triangles", dialogue_id="other")

    def ids() -> list[str]:
        found = recall.recall(ANA, "zebra", now=NOW, time_zone="UTC", language="en")
        return [one.episode.episode_id for one in found.episodes if found.matched]

    assert ids() == [told.episode_id]
    log.erase("ana", ErasureScope(episode_ids=(told.episode_id,)))
    assert ids() == []
