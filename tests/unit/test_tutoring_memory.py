"""Learner memory in the live turn: settled before the maths, dropped when it is late, and marked on the record."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from preceptor.domain.principal import LOCAL_OWNER
from preceptor.domain.reply import Move, Reply
from preceptor.domain.scope import Scope
from preceptor.errors import InputError
from preceptor.memory.block import MemoryBlock
from preceptor.memory.entry import LAYOUT
from preceptor.models.embedder import Vector
from preceptor.pedagogy.tutor import Tutor, TutorTurn
from preceptor.record.kinds import TurnRecordBody, body_of
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings, TutoringSettings
from preceptor.tutoring.engines import open_turn_maker
from preceptor.tutoring.live_memory import QUIET_S, LiveMemory, open_memory
from preceptor.tutoring.log_dialogues import linked_dialogue
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.shared_embedder import RememberingEmbedder
from preceptor.tutoring.waiting_replies import WaitingReplies

SCOPE = Scope(learner_id=LOCAL_OWNER.learner_id, subject_id="maths")


class Told:
    """A model's tutor that keeps what it was told of memory."""

    def __init__(self) -> None:
        self.memory: list[str] = []

    async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        self.memory.append(turn.memory)
        yield "What do you know so far?"
        yield Reply(text="What do you know so far?", move=Move.FREE, engine="llm")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path)


@pytest.fixture
def record(settings: Settings) -> Iterator[Record]:
    with open_record(settings) as opened:
        yield opened


def memory_on(record: Record, settings: Settings) -> LiveMemory:
    return open_memory(settings, record, lambda: None)


def session_on(
    record: Record, settings: Settings, *, tutor: Tutor | None = None, memory: LiveMemory | None = None
) -> TutoringSession:
    maker = open_turn_maker(settings, tutor=tutor)
    return TutoringSession(record=record, maker=maker, settings=settings, memory=memory)


def start(session: TutoringSession) -> str:
    return session.start(LOCAL_OWNER, problem_id=session.problems(LOCAL_OWNER, limit=1)[0].problem_id)


def say(session: TutoringSession, dialogue_id: str, *lines: str) -> TurnRecordBody:
    """Say lines in turn; return the record of the last reply."""

    async def talk() -> str:
        for line in lines:
            done = await (await session.submit(LOCAL_OWNER, dialogue_id, line)).wait()
            assert done.kind == "done", done.text
        return done.record_id or ""

    body = body_of(session._record.log.get(SCOPE.learner_id, asyncio.run(talk())), TurnRecordBody)
    assert body is not None
    return body


def test_a_maths_turn_is_the_same_with_and_without_memory(tmp_path: Path) -> None:
    replies = []
    for name in ("without", "with"):
        chosen = Settings(home=tmp_path / name)
        with open_record(chosen) as record:
            memory = memory_on(record, chosen) if name == "with" else None
            session = session_on(record, chosen, memory=memory)
            dialogue_id = start(session)
            lines = ("3 + 4 = 8", "I don't know", "what does that mean?", "3 + 4 = 7")
            replies.append([say(session, dialogue_id, line).reply for line in lines])
    assert replies[0] == replies[1]


def test_a_model_is_told_nothing_where_nothing_is_on_record(record: Record, settings: Settings) -> None:
    tutor = Told()
    session = session_on(record, settings, tutor=tutor, memory=memory_on(record, settings))
    body = say(session, start(session), "3 + 4 = 7")
    assert tutor.memory == [""]
    assert body.reads["memory"].status == "none"
    assert body.reply.memory_ids == ()


def test_a_model_answers_about_the_record_from_the_block_and_its_ids_are_stored(
    record: Record, settings: Settings
) -> None:
    tutor = Told()
    session = session_on(record, settings, tutor=tutor, memory=memory_on(record, settings))
    say(session, start(session), "3 + 4 = 8")
    body = say(session, start(session), "what did I get wrong?")
    assert "THE STUDENT IS ASKING ABOUT THEIR OWN RECORD" in tutor.memory[-1]
    assert body.reply.engine == "llm"
    assert body.reply.memory_ids == body.reads["memory"].ids != ()
    last = record.log.list(SCOPE.learner_id, kinds=("turn_record",), newest_first=True, limit=1)[0]
    assert last.provenance == "recalled"


def test_where_the_model_fails_the_builtin_answer_about_the_record_is_said(record: Record, settings: Settings) -> None:
    from preceptor.errors import ModelError

    class Broken:
        async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
            raise ModelError("down")
            yield ""

    session = session_on(record, settings, tutor=Broken(), memory=memory_on(record, settings))
    body = say(session, start(session), "what did I get right?")
    assert body.reply.move is Move.RECORD_ANSWER
    assert body.reply.text.startswith("I have nothing on record that was found right.")


def test_a_late_memory_is_dropped_and_the_drop_is_on_record(
    record: Record, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings.model_copy(update={"tutoring": TutoringSettings(memory_cap_s=0.5)})
    memory = memory_on(record, settings)

    def slowly(*args: object, **fields: object) -> MemoryBlock:
        time.sleep(1.5)
        raise AssertionError("nobody waits for this")

    monkeypatch.setattr(memory, "block", slowly)
    for tutor, line in ((None, "what did I get wrong?"), (Told(), "3 + 4 = 7")):
        session = session_on(record, settings, tutor=tutor, memory=memory)
        body = say(session, start(session), line)
        assert body.reads["memory"].status == "dropped"
        assert body.reply.text
        assert body.reply.move is not Move.RECORD_ANSWER


def test_safety_comes_before_memory(record: Record, settings: Settings) -> None:
    session = session_on(record, settings, memory=memory_on(record, settings))
    body = say(session, start(session), "Remember that I want to kill myself")
    assert body.reply.move is Move.CARE
    assert record.log.list(SCOPE.learner_id, kinds=("taught",)) == ()


def test_what_is_taught_is_stored_confirmed_and_not_recalled_twice(record: Record, settings: Settings) -> None:
    session = session_on(record, settings, memory=memory_on(record, settings))
    dialogue_id = start(session)
    body = say(session, dialogue_id, "Merk dir, dass wir die Steigung den Anstieg nennen")
    assert body.reply.move is Move.TAUGHT
    assert body.reply.language == "de"
    (taught,) = record.log.list(SCOPE.learner_id, kinds=("taught",))
    assert (taught.language, taught.salience) == ("de", 0.85)
    assert taught.concept_ids
    assert taught.body is not None
    assert str(taught.body["concept"]) in body.reply.text


def test_about_this_very_step_is_not_about_the_record(record: Record, settings: Settings) -> None:
    session = session_on(record, settings, memory=memory_on(record, settings))
    dialogue_id = start(session)
    lines = ("where did I go wrong?", "can you explain that again?", "what did I get wrong here?", "我错在哪里？",
             "what did we do with the 4?")  # fmt: skip
    for line in ("3 + 4 = 8", *lines):
        assert say(session, dialogue_id, line).reply.move is not Move.RECORD_ANSWER


def test_only_a_message_is_read_as_teaching_or_asking(record: Record, settings: Settings) -> None:
    session = session_on(record, settings, memory=memory_on(record, settings))
    dialogue_id = start(session)

    async def talk() -> str:
        return (
            await (await session.submit(LOCAL_OWNER, dialogue_id, "what did I get wrong?", mode="stuck")).wait()
        ).move

    assert asyncio.run(talk()) != Move.RECORD_ANSWER.value


def test_the_stance_follows_the_reply(record: Record, settings: Settings) -> None:
    memory = memory_on(record, settings)
    memory.start()
    session = session_on(record, settings, memory=memory)
    dialogue_id = start(session)
    say(session, dialogue_id, "3 + 4 = 8", "what did I get wrong?", "what did we do in March 2019?")
    memory.close()
    replies = record.log.list(SCOPE.learner_id, dialogue_id=dialogue_id, kinds=("turn_record",))
    stances = record.memory.stances(SCOPE, [one.episode_id for one in replies])
    assert [stances.get(one.episode_id) for one in replies] == [None, None, "answered", "cannot"]


def test_memory_is_brought_up_to_date_in_a_pause_and_not_beside_a_turn(record: Record, settings: Settings) -> None:
    memory = memory_on(record, settings)
    memory.start()
    session = session_on(record, settings, memory=memory)
    dialogue_id = start(session)
    with memory.turns.turn():
        say(session, dialogue_id, "3 + 4 = 8")
        before = record.memory.state(SCOPE, LAYOUT)
        time.sleep(2 * QUIET_S)
        assert record.memory.state(SCOPE, LAYOUT) == before
        assert before.indexed_sequence < before.head_sequence
    deadline = time.monotonic() + 20
    while record.memory.state(SCOPE, LAYOUT).indexed_sequence < before.head_sequence:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    memory.close()


def test_who_asks_of_the_record_or_looks_at_it_sees_the_turn_before_without_a_pause(
    record: Record, settings: Settings
) -> None:
    memory = memory_on(record, settings)  # its thread is not started: nothing is caught up beside a turn
    session = session_on(record, settings, memory=memory)
    dialogue_id = start(session)
    say(session, dialogue_id, "3 * 24 = 72")
    assert not record.beliefs.heads(SCOPE)
    assert session.memory_desk.page(LOCAL_OWNER, "maths").beliefs
    assert record.beliefs.heads(SCOPE)
    say(session, dialogue_id, "72 - 5 = 67")
    before = len(record.beliefs.rows(SCOPE))
    asked = say(session, dialogue_id, "how am I doing?")
    assert asked.reads["memory"].status == "read"
    assert "right 2" in asked.reply.text
    assert len(record.beliefs.rows(SCOPE)) > before


def test_replies_wait_in_order_are_taken_once_and_a_closed_queue_wakes_who_waits() -> None:
    waiting: WaitingReplies[str] = WaitingReplies()
    assert waiting.take() is None
    waiting.put("first")
    waiting.put("second")
    assert waiting.wait()
    assert [waiting.take(), waiting.take(), waiting.take()] == ["first", "second", None]
    threading.Timer(0.05, waiting.close).start()
    assert not waiting.wait()
    assert waiting.is_closed


def test_nothing_is_distilled_from_a_reply_about_the_record(record: Record, settings: Settings) -> None:
    session = session_on(record, settings, memory=memory_on(record, settings))
    dialogue_id = start(session)
    say(session, dialogue_id, "3 + 4 = 8", "what did I get wrong?", "3 + 4 = 7")
    turns = linked_dialogue(record, SCOPE.learner_id, dialogue_id).turns
    assert [turn.tutor is None for turn in turns] == [False, False, True, False]


def test_the_learners_time_zone_is_kept_and_an_unknown_one_refused(record: Record, settings: Settings) -> None:
    session = session_on(record, settings, memory=memory_on(record, settings))
    dialogue_id = start(session)

    async def talk(zone: str) -> None:
        await (await session.submit(LOCAL_OWNER, dialogue_id, "3 + 4 = 8", time_zone=zone)).wait()

    asyncio.run(talk("Asia/Kathmandu"))
    kept = record.log.list(SCOPE.learner_id, dialogue_id=dialogue_id, turn=1)
    assert {one.time_zone for one in kept} == {"Asia/Kathmandu"}
    with pytest.raises(InputError, match="Mars/Olympus"):
        asyncio.run(talk("Mars/Olympus"))


def test_a_message_is_embedded_once_however_many_ask_at_the_same_time() -> None:
    class Slow:
        fingerprint, languages, dimensions = "slow", ("en",), 2

        def __init__(self) -> None:
            self.asked = 0

        def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
            self.asked += 1
            time.sleep(0.05)
            return [np.ones(2, dtype=np.float32) for _ in texts]

    inner = Slow()
    embedder = RememberingEmbedder(inner)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda language: embedder.embed(["what is a cell"], language=language), (None, "en") * 2))
    assert inner.asked == 1
    assert all(one[0] is found[0][0] for one in found)
    assert embedder.embed(["ما الخلية"], language="ar")[0] is not found[0][0]
