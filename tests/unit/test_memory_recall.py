"""Recall over a record: the edges of a window, and what is wanted of what may be recalled."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.memory_history import ANA, NOW, History

from preceptor.memory.recall import Recall, Recalled
from preceptor.memory.row_filter import RowFilter
from preceptor.record.erasure_scope import ErasureScope
from preceptor.record.kinds import AnswerBody
from preceptor.record.memory_kinds import QuizBody
from preceptor.settings import MemorySettings


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    opened = History(tmp_path)
    yield opened
    opened.record.close()


def recall(history: History, query: str, **fields: Any) -> Recalled:
    found = Recall(history.record.episodes, history.record.memory, None, MemorySettings())
    return found.recall(ANA, query, now=NOW, time_zone="Europe/Berlin", language="en", **fields)


def ids(found: Recalled) -> set[str]:
    return {one.episode.episode_id for one in found.episodes}


def test_midnight_belongs_to_the_day_that_begins(history: History) -> None:
    first = history.add(AnswerBody(text="first of July"), datetime(2026, 6, 30, 22, tzinfo=UTC))
    last = history.add(AnswerBody(text="last of July"), datetime(2026, 7, 31, 21, 59, 59, 999999, tzinfo=UTC))
    after = history.add(AnswerBody(text="first of August"), datetime(2026, 7, 31, 22, tzinfo=UTC))
    assert ids(recall(history, "what did we do in July?")) == {first.episode_id, last.episode_id}
    assert ids(recall(history, "what did we do in August?")) == {after.episode_id}


def test_what_is_wanted_narrows_the_memories_and_neither_counts_nor_window(history: History) -> None:
    item = "Which part makes energy?"
    missed = history.add(QuizBody(item=item, answer="the membrane", verdict="wrong"), turn=1)
    history.add(QuizBody(item=item, answer="the mitochondria", verdict="right"), turn=2)
    history.add(AnswerBody(text="the energy is made in the mitochondria"), turn=3)
    found = recall(history, "energy", only=RowFilter(verdict="wrong"))
    assert ids(found) == {missed.episode_id}
    assert found.counts == {"answer": 1, "quiz": 2, "right": 1, "wrong": 1}
    taught = recall(history, "what did we do in July?", only=RowFilter(kinds=frozenset({"taught"})))
    assert (ids(taught), taught.window_is_empty) == (set(), False)


def test_the_words_of_asking_and_of_time_are_not_looked_for(history: History) -> None:
    about = history.add(AnswerBody(text="a ratio compares two parts"), turn=1)
    for turn, words in enumerate(("July is a warm month", "the other day was warm", "this is wrong"), start=2):
        history.add(AnswerBody(text=words), turn=turn, dialogue_id=f"d{turn}")
    assert ids(recall(history, "what did we do in July about the ratio?")) == {about.episode_id}
    assert ids(recall(history, "what did we do the other day about the ratio?")) == {about.episode_id}
    nothing_else = recall(history, "what did I get wrong?", vector=np.ones(3, dtype=np.float32))
    assert (nothing_else.asked_about, nothing_else.matched) == (False, False)


def test_what_was_erased_since_the_index_was_read_is_not_returned(history: History) -> None:
    secret = history.add(AnswerBody(text="my cat is called Zibbelmann"))
    kept = history.add(AnswerBody(text="the cat has a membrane"))
    memory = Recall(history.record.episodes, history.record.memory, None, MemorySettings())

    def found(**fields: Any) -> set[str]:
        return ids(memory.recall(ANA, "the cat", now=NOW, time_zone="UTC", language="en", **fields))

    state = memory.up_to_date(ANA)
    assert found(state=state) == {secret.episode_id, kept.episode_id}
    history.record.log.erase("ana", ErasureScope(episode_ids=(secret.episode_id,)))
    assert found(state=state) == {kept.episode_id}
    assert found() == {kept.episode_id}


@pytest.mark.parametrize(("now", "limit"), [(NOW.replace(tzinfo=None), 1), (NOW, 0)])
def test_a_moment_without_zone_and_a_limit_of_none_are_refused(history: History, now: datetime, limit: int) -> None:
    memory = Recall(history.record.episodes, history.record.memory, None, MemorySettings())
    with pytest.raises(ValueError, match="timezone-aware now and a limit of 1"):
        memory.recall(ANA, "cat", now=now, time_zone="UTC", language="en", limit=limit)
