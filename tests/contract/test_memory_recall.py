"""Recall over a real log, on both databases: scope, windows, narrations, reminders, catching up."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from preceptor.domain.episode import Episode
from preceptor.domain.reply import Move, Reply
from preceptor.domain.scope import Scope
from preceptor.memory.recall import Recall, Recalled
from preceptor.models.embedder import Vector
from preceptor.record.episode_log import EpisodeLog
from preceptor.record.kinds import AnswerBody, Body, QuestionBody, TurnRecordBody, new_episode
from preceptor.record.memory_kinds import QuizBody, TaughtBody
from preceptor.record.record_key import RecordKey
from preceptor.settings import MemorySettings
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.episodes import SqlEpisodeStore
from preceptor.stores.sql.memory import SqlMemoryStore

ANA = Scope(learner_id="ana", subject_id="maths")
NOW = datetime(2026, 11, 11, 9, tzinfo=UTC)


class LetterEmbedder:
    """A stand-in: a vector of letter counts, for English only."""

    fingerprint = "letters"
    languages = ("en",)
    dimensions = 26

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        if language is not None and language != "en":
            return [None] * len(texts)
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> Vector:
        counts = np.array([text.lower().count(chr(97 + n)) for n in range(26)], dtype=np.float32)
        return counts / max(float(np.linalg.norm(counts)), 1e-6)


@pytest.fixture
def log(database: Database) -> EpisodeLog:
    return EpisodeLog(SqlEpisodeStore(database), RecordKey(bytes(32)))


@pytest.fixture
def memory(database: Database) -> Recall:
    return Recall(SqlEpisodeStore(database), SqlMemoryStore(database), None, MemorySettings())


def _add(log: EpisodeLog, body: Body, *, scope: Scope = ANA, at: datetime = NOW, **fields: Any) -> Episode:
    fields.setdefault("dialogue_id", str(random.random()))
    new = new_episode(body, learner_id=scope.learner_id, subject_id=scope.subject_id, occurred_at=at, **fields)
    return log.append(new)


def _say(log: EpisodeLog, words: str, **fields: Any) -> Episode:
    return _add(log, AnswerBody(text=words), **fields)


def _recall(memory: Recall, query: str, scope: Scope = ANA, language: str = "en", **fields: Any) -> Recalled:
    return memory.recall(scope, query, now=NOW, time_zone="Europe/Berlin", language=language, **fields)


def _ids(found: Recalled) -> list[str]:
    return [one.episode.episode_id for one in found.episodes]


def test_no_path_of_recall_ever_returns_a_foreign_episode(database: Database, log: EpisodeLog) -> None:
    words = "ratio slope circle area prime factor root angle".split()
    scopes = [Scope(learner_id=learner, subject_id=subject) for learner in ("ana", "ben") for subject in ("m", "n")]
    source = random.Random(7)
    owner: dict[str, Scope] = {}
    embedder = LetterEmbedder()
    memory = Recall(SqlEpisodeStore(database), SqlMemoryStore(database), embedder, MemorySettings(cached_scopes=2))
    queries = ["", *words, "what did we do in July", "what did I get wrong last week", "qqq", "ratio slope again"]
    for block in range(3):
        for _ in range(30):
            scope = source.choice(scopes)
            told = _say(
                log,
                " ".join(source.choices(words, k=3)),
                scope=scope,
                at=NOW - timedelta(days=source.randint(0, 200)),
                concept_ids=("c1",) if source.random() < 0.3 else (),
                dialogue_id="the same for all",
            )
            owner[told.episode_id] = scope
        for scope in scopes:
            memory.indexer.catch_up(scope)
            memory.indexer.embed(scope, limit=10 * block)
        for scope in scopes:
            for query in queries:
                found = _recall(memory, query, scope, concept_ids=("c1",), as_reminder=source.random() < 0.5)
                assert {owner[one] for one in _ids(found)} <= {scope}
                assert len(set(_ids(found))) == len(found.episodes)


def test_a_month_is_a_filter_and_an_empty_month_is_said_to_be_empty(log: EpisodeLog, memory: Recall) -> None:
    july = _say(log, "ratios and tables", at=datetime(2026, 7, 12, 10, tzinfo=UTC))
    _say(log, "ratios again", at=datetime(2026, 9, 18, 10, tzinfo=UTC))
    found = _recall(memory, "what did we do in July about ratios?")
    assert (_ids(found), found.time_use, found.window_is_empty) == ([july.episode_id], "applied", False)
    empty = _recall(memory, "what did we cover in August?")
    assert (_ids(empty), empty.window_is_empty) == ([], True)
    assert empty.window is not None
    assert empty.window.first_day.isoformat() == "2026-08-01"


def test_the_window_is_the_learners_own_days(log: EpisodeLog, memory: Recall) -> None:
    late = _say(log, "angles", at=datetime(2026, 7, 31, 22, 30, tzinfo=UTC))  # 1 August in Berlin
    assert _ids(_recall(memory, "what did we do in July")) == []
    assert _ids(_recall(memory, "what did we do in August")) == [late.episode_id]


def test_a_time_that_cannot_be_read_is_no_filter_and_is_said(log: EpisodeLog, memory: Recall) -> None:
    told = _say(log, "ratios and tables")
    found = _recall(memory, "what did we do the other day about ratios")
    assert (found.time_use, found.time.unread, found.window) == ("unread", "the other day", None)
    assert _ids(found) == [told.episode_id]


def test_a_time_inside_a_told_problem_is_no_filter(log: EpisodeLog, memory: Recall) -> None:
    told = _say(log, "Anna sells apples", at=datetime(2026, 3, 1, tzinfo=UTC))
    found = _recall(memory, "Last week Anna sold 30 apples. How many apples were left?")
    assert (found.time_use, found.window) == ("told", None)
    assert _ids(found) == [told.episode_id]


@pytest.mark.parametrize(
    ("language", "question", "kind"),
    [
        ("en", "what did I get wrong?", "got_wrong"),
        ("de", "was habe ich letzte Woche gelernt", "what_done"),
        ("ar", "ماذا أخطأت", "got_wrong"),
    ],
)
def test_a_question_about_the_record_and_its_answer_are_no_memories(
    log: EpisodeLog, memory: Recall, language: str, question: str, kind: str
) -> None:
    work = _say(log, "3/4 + 1/8 = 4/12", at=NOW - timedelta(days=7))
    asked = _say(log, question, dialogue_id="d", turn=1, language=language)
    told = _add(log, TurnRecordBody(reply=_reply("In July we did fractions.")), dialogue_id="d", turn=1)
    found = _recall(memory, question, language="en")
    assert found.record_question is not None
    assert found.record_question.kind == kind
    assert _ids(found) == [work.episode_id]
    everything = _ids(_recall(memory, "July fractions"))
    assert asked.episode_id not in everything
    assert told.episode_id not in everything


def test_recalled_text_is_not_taken_in_again(log: EpisodeLog, memory: Recall) -> None:
    _say(log, "osmosis as it was recalled", provenance="recalled")
    assert _ids(_recall(memory, "osmosis")) == []


def test_a_reminder_is_never_the_learners_own_question(log: EpisodeLog, memory: Recall) -> None:
    asked = _add(log, QuestionBody(text="what is osmosis?"))
    worked = _say(log, "osmosis moves water")
    assert set(_ids(_recall(memory, "osmosis"))) == {asked.episode_id, worked.episode_id}
    assert _ids(_recall(memory, "osmosis", as_reminder=True)) == [worked.episode_id]


def test_the_kinds_of_memory_are_found_by_their_words_with_their_salience(log: EpisodeLog, memory: Recall) -> None:
    taught = _add(log, TaughtBody(note="a bundle is ten", utterance="Remember: a bundle is ten", concept="Place value"))
    missed = _add(log, QuizBody(item="How many in a bundle?", answer="9", verdict="wrong"))
    passed = _add(log, QuizBody(item="Two bundles are?", answer="20", verdict="right"))
    assert (taught.salience, missed.salience, passed.salience) == (0.85, 0.7, 0.6)
    assert set(_ids(_recall(memory, "bundle"))) == {taught.episode_id, missed.episode_id, passed.episode_id}


def test_words_are_found_by_their_forms_in_the_languages_that_have_them(log: EpisodeLog, memory: Recall) -> None:
    german = _say(log, "Die Gleichungen haben zwei Lösungen", language="de")
    chinese = _say(log, "我们学习了分数加法", language="zh")
    arabic = _say(log, "درسنا الكسور اليوم", language="ar")
    assert _ids(_recall(memory, "Gleichung", language="de")) == [german.episode_id]
    assert _ids(_recall(memory, "分数", language="zh")) == [chinese.episode_id]
    assert _ids(_recall(memory, "كسور", language="ar")) == [arabic.episode_id]


def test_vectors_find_what_words_do_not_and_are_left_out_in_other_languages(
    database: Database, log: EpisodeLog
) -> None:
    memory = Recall(SqlEpisodeStore(database), SqlMemoryStore(database), LetterEmbedder(), MemorySettings())
    told = _say(log, "listen")
    _say(log, "zzz")
    assert not _recall(memory, "silent").matched, "words find until the vector is there, and there are none"
    assert memory.indexer.embed(ANA) == 2
    found = _recall(memory, "silent")
    assert (found.matched, found.vectors, _ids(found)[0]) == (True, "used", told.episode_id)
    assert "vectors" in found.episodes[0].pools
    assert _recall(memory, "分数", language="zh").vectors == "declined"
    again = _say(log, "enlist")
    memory.indexer.catch_up(ANA)
    memory.indexer.embed(ANA)
    assert again.episode_id in _ids(_recall(memory, "silent"))


def test_a_backlog_is_caught_up_and_what_is_not_yet_seen_is_counted(log: EpisodeLog, memory: Recall) -> None:
    new = [new_episode(AnswerBody(text=f"word{n}"), learner_id="ana", subject_id="maths") for n in range(450)]
    log.append_many(new)
    found = _recall(memory, "word3")
    assert (found.unindexed, len(_ids(found))) == (250, 1)
    memory.indexer.catch_up(ANA)
    assert _recall(memory, "word449").unindexed == 0
    assert len(_ids(_recall(memory, "word449"))) == 1


def test_a_dialogue_that_goes_on_waits_until_something_else_came(log: EpisodeLog, memory: Recall) -> None:
    _say(log, "ribbons", dialogue_id="past")
    _say(log, "marbles", dialogue_id="now")
    assert memory.up_to_date(ANA, but_for="now").indexed_sequence == 2
    _say(log, "tickets", dialogue_id="now")
    _say(log, "someone else's", dialogue_id="theirs", scope=Scope(learner_id="ben", subject_id="maths"))
    assert memory.up_to_date(ANA, but_for="now").indexed_sequence == 2
    taught = TaughtBody(note="a note", utterance="remember: a note", concept="note", is_new_concept=True)
    _add(log, taught, dialogue_id="now")
    assert memory.up_to_date(ANA, but_for="now").indexed_sequence == 4
    _say(log, "coins", dialogue_id="now")
    assert memory.up_to_date(ANA, but_for="past").indexed_sequence == 5


def test_a_scope_without_episodes_gives_nothing(memory: Recall) -> None:
    found = _recall(memory, "what did we do in July")
    assert (found.episodes, found.matched, found.window_is_empty) == ((), False, True)
    with pytest.raises(ValueError, match="scope"):
        Scope(learner_id="", subject_id="maths")


def _reply(words: str) -> Reply:
    return Reply(text=words, move=Move.FREE)
