"""The episode log on both databases: what is appended is found again, sealed, and only in its own scope."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from typing import Any

import pytest
from sqlalchemy import text

from preceptor.domain.episode import Episode, Evidence, NewEpisode
from preceptor.errors import DuplicateError, InputError, NotFoundError
from preceptor.record.episode_log import EpisodeLog
from preceptor.record.kinds import AnswerBody, new_episode
from preceptor.record.record_key import RecordKey
from preceptor.record.verification import verify
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.episodes import SqlEpisodeStore

KEY = RecordKey(bytes(range(32)))
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def store(database: Database) -> SqlEpisodeStore:
    return SqlEpisodeStore(database)


@pytest.fixture
def log(store: SqlEpisodeStore) -> EpisodeLog:
    seconds = count()
    return EpisodeLog(store, KEY, clock=lambda: NOON + timedelta(seconds=next(seconds)))


def _note(text: str, learner_id: str = "ana", subject_id: str = "maths", **fields: Any) -> NewEpisode:
    return NewEpisode(
        learner_id=learner_id,
        subject_id=subject_id,
        kind=fields.pop("kind", "note"),
        actor="learner",
        provenance="learner",
        summary=text,
        body={"text": text},
        **fields,
    )


def test_an_episode_comes_back_as_it_was_appended(log: EpisodeLog) -> None:
    new = _note(
        "½ von 3,50 € — 一半",
        dialogue_id="d1",
        turn=3,
        parent_id="p1",
        language="de",
        time_zone="Pacific/Chatham",
        salience=0.7,
        concept_ids=("halves", "money"),
        evidence=(Evidence(document_id="book", page=None, fingerprint="f0"),),
        occurred_at=datetime(2026, 3, 1, 23, 30, tzinfo=timezone(timedelta(hours=13, minutes=45))),
        episode_id="mine",
    )
    stored = log.append(new)
    assert log.get("ana", "mine") == stored
    assert (stored.summary, dict(stored.body or {})) == ("½ von 3,50 € — 一半", {"text": "½ von 3,50 € — 一半"})
    assert (stored.sequence, stored.previous_hash) == (1, "0" * 64)
    assert stored.occurred_at == datetime(2026, 3, 1, 9, 45, tzinfo=UTC)
    assert (stored.recorded_at, stored.time_zone, stored.evidence) == (NOON, "Pacific/Chatham", new.evidence)


def test_each_learner_and_subject_has_its_own_chain(log: EpisodeLog) -> None:
    made = log.append_many([_note("1"), _note("2", subject_id="physics"), _note("3"), _note("4", learner_id="ben")])
    assert [episode.sequence for episode in made] == [1, 1, 2, 1]
    assert made[2].previous_hash == made[0].chain_hash


def test_listing_narrows_by_every_field(log: EpisodeLog) -> None:
    log.append_many(
        [
            _note("1", dialogue_id="d1", turn=0),
            _note("2", dialogue_id="d1", turn=1, kind="other"),
            _note("3", dialogue_id="d2", turn=0),
            _note("4", subject_id="physics"),
        ]
    )

    def found(**narrow: Any) -> str:
        return "".join(str(episode.summary) for episode in log.list("ana", **narrow))

    assert found() == "1234"
    assert found(newest_first=True, limit=2) == "43"
    assert found(subject_id="maths", after_sequence=1) == "23"
    assert found(dialogue_id="d1") == "12"
    assert found(dialogue_id="d1", turn=1) == "2"
    assert found(kinds=("other", "none")) == "2"
    assert log.list("ben") == ()


def test_a_sequence_means_nothing_without_its_subject(log: EpisodeLog) -> None:
    with pytest.raises(ValueError, match="needs subject_id"):
        log.list("ana", after_sequence=1)


def test_another_learner_s_episode_is_not_found(log: EpisodeLog) -> None:
    log.append(_note("secret", episode_id="e1"))
    with pytest.raises(NotFoundError):
        log.get("ben", "e1")
    assert log.search("ben", "secret") == ()


def test_a_duplicate_id_is_refused_and_changes_nothing(log: EpisodeLog, store: SqlEpisodeStore) -> None:
    log.append(_note("first", episode_id="e1"))
    with pytest.raises(DuplicateError):
        log.append_many([_note("second"), _note("third", episode_id="e1")])
    assert [episode.summary for episode in log.list("ana")] == ["first"]
    assert verify(store, KEY).intact


@pytest.mark.parametrize(
    "bad",
    [
        {"text": "NUL \x00 inside"},
        {"text": "half a character \ud83d"},
        {"text": "fine", "dialogue_id": "nul \x00"},
        {"text": "fine", "episode_id": ""},
        {"text": "fine", "parent_id": "long" * 60},
        {"text": "fine", "turn": -1},
    ],
)
def test_what_only_one_database_would_keep_is_refused_by_both(log: EpisodeLog, bad: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        log.append(_note(**bad))
    assert log.list("ana") == ()


@pytest.mark.parametrize("body", [{"n": float("nan")}, {"n": {1, 2}}, {"deep": {"n": ["\x00"]}}])
def test_a_payload_that_is_not_json_is_refused(log: EpisodeLog, body: dict[str, Any]) -> None:
    new = NewEpisode(learner_id="a", subject_id="s", kind="note", actor="x", provenance="system", summary="", body=body)
    with pytest.raises(InputError):
        log.append(new)


def test_a_backslash_and_u0000_in_words_is_no_nul(log: EpisodeLog) -> None:
    assert log.append(_note("\\u0000")).summary == "\\u0000"


def test_words_find_an_episode_whatever_case_accent_or_script(log: EpisodeLog) -> None:
    log.append_many([_note("The café costs 12 euros"), _note("三角形的面积是多少"), _note("apples AND pears")])

    def found(words: str) -> list[str | None]:
        return [episode.summary for episode in log.search("ana", words)]

    assert found("CAFE") == ["The café costs 12 euros"]
    assert found("面积") == ["三角形的面积是多少"]
    assert found('and "pears) OR NEAR(') == ["apples AND pears"]
    assert found("zebra") == found("") == found("…") == []
    assert len(log.search("ana", "12 apples", limit=1)) == 1


def test_the_best_match_comes_first(log: EpisodeLog) -> None:
    log.append_many([_note("one red apple"), _note("one green apple pie"), _note("one blue plum")])
    assert [episode.summary for episode in log.search("ana", "green apple")][0] == "one green apple pie"


def test_dialogues_are_listed_the_latest_active_first(log: EpisodeLog) -> None:
    log.append(_note("1", dialogue_id="d1"))
    log.append(_note("2", dialogue_id="d2", turn=0))
    log.append(_note("3", dialogue_id="d1", turn=4))
    first, second = log.dialogues("ana", limit=9)
    assert (first.dialogue_id, first.last_turn, first.started_at) == ("d1", 4, NOON)
    assert (second.dialogue_id, second.last_activity_at) == ("d2", NOON + timedelta(seconds=1))
    assert len(log.dialogues("ana", limit=1)) == 1
    assert log.dialogues("ben", limit=9) == ()


def test_threads_that_append_at_once_make_unbroken_chains(log: EpisodeLog, store: SqlEpisodeStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: log.append(_note(str(n), learner_id=f"l{n % 3}")), range(60)))
    assert sorted(episode.sequence for episode in made if episode.learner_id == "l0") == list(range(1, 21))
    result = verify(store, KEY)
    assert (result.intact, result.chains, result.episodes) == (True, 3, 60)


def test_two_programs_that_append_at_once_make_one_chain(database: Database, store: SqlEpisodeStore) -> None:
    logs = [EpisodeLog(store, KEY), EpisodeLog(SqlEpisodeStore(Database(database.engine)), KEY)]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda one: [one.append(_note(str(n))) for n in range(15)], logs))
    assert (verify(store, KEY).intact, verify(store, KEY).episodes) == (True, 30)


def test_walking_yields_every_kind_known_or_not(log: EpisodeLog) -> None:
    log.append(new_episode(AnswerBody(text="7"), learner_id="ana", subject_id="maths"))
    log.append(_note("later", kind="kind_of_a_later_version", learner_id="ben"))
    assert [episode.kind for episode in log.walk(None)] == ["answer", "kind_of_a_later_version"]
    assert [episode.kind for episode in log.walk("ben")] == ["kind_of_a_later_version"]


@pytest.fixture
def five(log: EpisodeLog) -> tuple[Episode, ...]:
    return log.append_many([_note(f"episode {n}") for n in range(1, 6)])


TAMPERINGS = {
    "an edited field": ("UPDATE episode SET actor = 'tutor' WHERE sequence = 3", 3, "edited"),
    "an edited time": ("UPDATE episode SET recorded_at = 'soon' WHERE sequence = 3", 3, "edited"),
    "a time in another spelling": ("UPDATE episode SET recorded_at = replace(recorded_at, 'T', ' ')", 1, "edited"),
    "a list in another spelling": ("UPDATE episode SET concept_ids = ' []' WHERE sequence = 3", 3, "edited"),
    "an edited number": ("UPDATE episode SET salience = 9e307 * 10 WHERE sequence = 3", 3, "edited"),
    "an edited text": ("UPDATE payload SET content = '{}' WHERE episode_id = :three", 3, "payload_edited"),
    "an edited nonce": ("UPDATE payload SET nonce = content_nonce WHERE episode_id = :three", 3, "payload_edited"),
    "a deleted text": ("DELETE FROM payload WHERE episode_id = :three", 3, "payload_missing"),
    "a deleted episode": ("DELETE FROM episode WHERE sequence = 3", 3, "deleted"),
    "a cut tail": ("DELETE FROM episode WHERE sequence > 3", 4, "cut_tail"),
    "a deleted head": ("DELETE FROM chain_head", 5, "head"),
    "an edited head": ("UPDATE chain_head SET sequence = 6", 5, "head"),
}


@pytest.mark.parametrize(("statement", "sequence", "kind"), TAMPERINGS.values(), ids=TAMPERINGS.keys())
def test_tampering_is_found_at_the_right_link(
    database: Database, store: SqlEpisodeStore, five: tuple[Episode, ...], statement: str, sequence: int, kind: str
) -> None:
    assert verify(store, KEY).intact
    sqlite = database.engine.dialect.name == "sqlite"
    statement = statement.replace("content_nonce", "x'00'" if sqlite else "'\\x00'::bytea")
    statement = statement.replace("9e307 * 10", "9e999" if sqlite else "'Infinity'")
    with database.maintain() as connection:
        _lift_foreign_keys(connection, sqlite)
        connection.execute(text(statement), {"three": five[2].episode_id} if ":three" in statement else {})
    (found,) = verify(store, KEY).breaks
    assert (found.learner_id, found.subject_id, found.sequence, found.kind) == ("ana", "maths", sequence, kind)


def _lift_foreign_keys(connection: Any, sqlite: bool) -> None:
    """Whoever tampers would do it too."""
    if sqlite:
        connection.execute(text("PRAGMA foreign_keys=OFF"))
    else:
        connection.execute(text("SET session_replication_role = replica"))
