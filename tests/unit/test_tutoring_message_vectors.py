"""The vector of a message: made once a turn, while the message is stored, and only where something is compared."""

from __future__ import annotations

import asyncio
import threading
import zlib
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from preceptor.domain.principal import LOCAL_OWNER
from preceptor.domain.reply import Move, Reply
from preceptor.domain.scope import Scope
from preceptor.errors import ModelError
from preceptor.models.embedder import Vector
from preceptor.pedagogy.tutor import Tutor, TutorTurn
from preceptor.record.kinds import TurnRecordBody, body_of
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings
from preceptor.tutoring.engines import open_turn_maker
from preceptor.tutoring.live_memory import StoredReply, open_memory
from preceptor.tutoring.memory_reader import NOT_SHOWN
from preceptor.tutoring.message_vectors import MessageVectors
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.shared_embedder import RememberingEmbedder

SCOPE = Scope(learner_id=LOCAL_OWNER.learner_id, subject_id="maths")
NOW = datetime(2026, 9, 14, 10, tzinfo=UTC)
LINES = (
    "I think we multiply the bags by the apples first",
    "3 + 4 = 8",
    "is that because the bags are full?",
    "what did I get wrong?",
    "I multiply the bags again",
)


class Counted:
    """Vectors of words by their numbers; keeps the texts that were asked for one by one."""

    fingerprint, languages, dimensions = "counted", ("en",), 64

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        if language is not None and language not in self.languages:
            return [None for _ in texts]
        if len(texts) == 1:
            self.asked.append(texts[0])
        found: list[Vector | None] = []
        for text in texts:
            vector = np.full(self.dimensions, 0.01, dtype=np.float32)
            for word in text.lower().split():
                vector[zlib.crc32(word.encode()) % self.dimensions] += 1
            found.append(vector / np.linalg.norm(vector))
        return found


class Told:
    """A model's tutor that keeps what it was told of memory."""

    def __init__(self) -> None:
        self.memory: list[str] = []

    async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        self.memory.append(turn.memory)
        yield "What do you know so far?"
        yield Reply(text="What do you know so far?", move=Move.FREE, engine="llm")


class Talk:
    """One learner's lines through a session with memory; memory is brought up to date behind each reply."""

    def __init__(self, home: Path, *, tutor: Tutor | None, ahead: bool, lines: Sequence[str] = LINES) -> None:
        self.counted = Counted()
        embedder = RememberingEmbedder(self.counted)
        settings = Settings(home=home)
        with open_record(settings, lambda: NOW) as record:
            memory = open_memory(settings, record, lambda: embedder)
            maker = open_turn_maker(settings, tutor=tutor)
            vectors = MessageVectors(lambda: embedder, shows_memory=maker.shows_memory, has_course=lambda _: False)
            session = TutoringSession(
                record=record, maker=maker, settings=settings, memory=memory, vectors=vectors if ahead else None
            )
            self.bodies = asyncio.run(self._say(session, record, lines))
            vectors.close()

    async def _say(self, session: TutoringSession, record: Record, lines: Sequence[str]) -> list[TurnRecordBody]:
        memory = session._memory
        assert memory is not None
        bodies = []
        problem_id = session.problems(LOCAL_OWNER, limit=1)[0].problem_id
        for dialogue_id in [session.start(LOCAL_OWNER, problem_id=problem_id) for _ in range(2)]:
            for turn, line in enumerate(lines, start=1):
                done = await (await session.submit(LOCAL_OWNER, dialogue_id, line)).wait()
                body = body_of(record.log.get(SCOPE.learner_id, done.record_id or ""), TurnRecordBody)
                assert body is not None
                bodies.append(body)
                memory.catch_up(
                    StoredReply(
                        scope=SCOPE, dialogue_id=dialogue_id, turn=turn, record_id=done.record_id or "", stance=None
                    )
                )
                memory._tools().recall.indexer.embed(SCOPE)
        return bodies


def test_a_tutor_is_told_the_same_with_vectors_made_ahead_and_without(tmp_path: Path) -> None:
    before, now = Told(), Told()
    plain = Talk(tmp_path / "plain", tutor=before, ahead=False)
    ahead = Talk(tmp_path / "ahead", tutor=now, ahead=True)
    assert now.memory == before.memory
    assert sum(map(bool, now.memory)) >= len(LINES)
    for one, other in zip(plain.bodies, ahead.bodies, strict=True):
        assert one.reads["memory"].similarities == other.reads["memory"].similarities
        assert one.reads["memory"].status == other.reads["memory"].status
        assert one.reply.text == other.reply.text


def test_the_builtin_tutor_reads_memory_where_the_record_is_asked_and_says_so(tmp_path: Path) -> None:
    plain = Talk(tmp_path / "plain", tutor=None, ahead=False)
    ahead = Talk(tmp_path / "ahead", tutor=None, ahead=True)
    for line, one, other in zip(LINES * 2, plain.bodies, ahead.bodies, strict=True):
        read = other.reads["memory"]
        assert one.reply.text == other.reply.text
        assert one.reads["memory"].similarities == read.similarities
        if line == "what did I get wrong?":
            assert other.reply.move is Move.RECORD_ANSWER
            assert (read.status, read.detail) == ("read", "")
        else:
            assert (read.status, read.ids, read.belief_ids, read.detail) == ("none", (), (), NOT_SHOWN)


def test_a_message_has_one_vector_where_memory_is_told_and_none_where_it_is_not(tmp_path: Path) -> None:
    said = "I think we multiply the bags by the apples first"
    told = Talk(tmp_path / "told", tutor=Told(), ahead=True, lines=(said,))
    builtin = Talk(tmp_path / "builtin", tutor=None, ahead=True, lines=(said,))
    assert told.counted.asked.count(said) == 1
    assert said not in builtin.counted.asked


@pytest.mark.parametrize(
    ("text", "shows_memory", "has_course", "is_made"),
    [
        ("3 + 4 = 7 apples", True, False, True),
        ("3 + 4 = 7 apples", False, True, False),
        ("what is a fraction?", False, True, True),
        ("what is a fraction?", False, False, False),
        ("what did I get wrong with fractions?", False, False, True),
        ("what did I get wrong?", True, False, False),
    ],
)
def test_a_vector_is_begun_where_the_turn_will_compare(
    text: str, shows_memory: bool, has_course: bool, is_made: bool
) -> None:
    counted = Counted()
    vectors = MessageVectors(lambda: counted, shows_memory=shows_memory, has_course=lambda _: has_course)
    vectors.begin(text, subject_id="maths", language="en")
    vectors._pool.shutdown(wait=True)
    assert (text in counted.asked) is is_made


def test_different_texts_do_not_wait_for_each_other() -> None:
    class Together(Counted):
        """Needs two who ask at the same time."""

        barrier = threading.Barrier(2, timeout=5)

        def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
            self.barrier.wait()
            return super().embed(texts, language=language)

    embedder = RememberingEmbedder(Together())
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda text: embedder.embed([text])[0], ("what is a cell", "what is a fraction")))
    assert all(vector is not None for vector in found)


def test_a_vector_that_could_not_be_made_is_tried_again() -> None:
    class Fails(Counted):
        """Once."""

        is_broken = True

        def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
            if self.is_broken:
                self.is_broken = False
                raise ModelError("down")
            return super().embed(texts, language=language)

    embedder = RememberingEmbedder(Fails())
    with pytest.raises(ModelError):
        embedder.embed(["what is a cell"])
    assert embedder.embed(["what is a cell"])[0] is not None
