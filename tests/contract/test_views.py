"""Dialogues, turns and the safety queue, computed from a log on either database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import count

import pytest

from preceptor.domain.claim import Claim
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.learner_state import LearnerState
from preceptor.domain.observation import JudgedClaim, Observation, Reading, ReadingStatus
from preceptor.domain.principal import LOCAL_OWNER, Principal
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.errors import InputError, NotFoundError
from preceptor.record.erasure_scope import ErasureScope
from preceptor.record.kinds import (
    AnswerBody,
    Body,
    CheckBody,
    HintBody,
    QuestionBody,
    SafetyFlagBody,
    TurnRecordBody,
    new_episode,
)
from preceptor.record.record import Record
from preceptor.record.record_key import RecordKey
from preceptor.record.views import list_dialogues, pending_turn, pending_turns, read_dialogue, read_turns
from preceptor.stores.protocols import TurnDraft
from preceptor.stores.sql.database import Database

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PROBLEM = Problem(problem_id="p1", text="How many halves are 3 wholes?", solution="3 / (1/2) = 6", answer="6")
FRAME = Frame(kind=FrameKind.VALUE, node=0, value=Fraction(1, 2))
PUPIL = Principal(learner_id="ana", roles=frozenset({"learner"}))


@pytest.fixture
def record(database: Database) -> Record:
    seconds = count()
    return Record(database, RecordKey(bytes(32)), clock=lambda: NOON + timedelta(seconds=next(seconds)))


def _add(record: Record, body: Body, turn: int | None, dialogue_id: str = "d1", learner_id: str = "ana") -> str:
    new = new_episode(body, learner_id=learner_id, subject_id="maths", dialogue_id=dialogue_id, turn=turn)
    return record.log.append(new).episode_id


def _reply(text: str, *, completed: bool = True, solved: bool = False) -> TurnRecordBody:
    observation = Observation(
        state=LearnerState(),
        error_detail="",
        struggle_reason="",
        reading=Reading(status=ReadingStatus.READ, read_as="6"),
        solved=solved,
    )
    reply = Reply(text=text, move=Move.ASK_NEXT_QUANTITY, rung=Rung.NUDGE, node=0, frame=FRAME)
    return TurnRecordBody(reply=reply, observation=observation, completed=completed)


def _claim(text: str) -> JudgedClaim:
    claim = Claim(start=0, end=len(text), text=text, value=Fraction(text))
    return JudgedClaim(claim=claim, mark="wrong", node=0, read_as=text)


def test_a_dialogue_is_read_back_with_problem_turns_and_frames(record: Record) -> None:
    _add(record, QuestionBody(problem=PROBLEM, persona="shy", source="s", licence="l"), 0)
    _add(record, TurnRecordBody(reply=Reply(text="Hello", move=Move.GREET)), 0)
    _add(record, AnswerBody(text="5"), 1)
    _add(record, _reply("Look again"), 1)
    _add(record, AnswerBody(text="6", mode="check_step"), 2)
    dialogue = read_dialogue(record.log, "ana", "d1")
    assert dialogue.problem == PROBLEM
    assert [(turn.learner, turn.tutor) for turn in dialogue.turns] == [("", "Hello"), ("5", "Look again"), ("6", None)]
    assert dialogue.turns[1].frame == FRAME
    assert (dialogue.persona, dialogue.source, dialogue.licence) == ("shy", "s", "l")


def test_a_turn_is_read_back_with_everything_on_record_about_it(record: Record) -> None:
    answer_id = _add(record, AnswerBody(text="5"), 0)
    _add(record, CheckBody(judged=_claim("5")), 0)
    _add(record, CheckBody(judged=_claim("7/2")), 0)
    _add(record, HintBody(rung=Rung.LOCATE, node=0), 0)
    _add(record, SafetyFlagBody(category="cannot_follow", severity="notice"), 0)
    record_id = _add(record, _reply("Look again"), 0)
    (turn,) = read_turns(record.log, "ana", "d1")
    assert (turn.answer_id, turn.record_id, turn.pending) == (answer_id, record_id, False)
    assert [check.judged.claim.value for check in turn.checks] == [5, Fraction(7, 2)]
    assert [hint.rung for hint in turn.hints] == [Rung.LOCATE]
    assert [flag.category for flag in turn.flags] == ["cannot_follow"]
    assert turn.record == _reply("Look again")


def test_a_message_without_a_whole_reply_is_pending(record: Record) -> None:
    _add(record, QuestionBody(problem=PROBLEM), None)
    assert pending_turn(record.log, "ana", "d1") is None
    answer_id = _add(record, AnswerBody(text="5"), 0)
    waiting = pending_turn(record.log, "ana", "d1")
    assert waiting is not None
    assert (waiting.turn, waiting.answer.text, waiting.answer_id, waiting.subject_id) == (0, "5", answer_id, "maths")
    _add(record, _reply("Look ag", completed=False), 0)
    assert pending_turns(record.log, "ana") == (waiting,)
    _add(record, _reply("Look again"), 0)
    assert pending_turn(record.log, "ana", "d1") is None
    assert [turn.tutor for turn in read_dialogue(record.log, "ana", "d1").turns] == ["Look again"]


def test_a_draft_goes_when_the_whole_reply_is_on_record_and_not_before(record: Record) -> None:
    for turn in (0, 1):
        record.drafts.put(
            TurnDraft(learner_id="ana", dialogue_id="d1", turn=turn, text="Look", last_event_id=1, updated_at=NOON)
        )
    _add(record, AnswerBody(text="5"), 0)
    _add(record, _reply("Look ag", completed=False), 0)
    assert [draft.turn for draft in record.drafts.list_for_learner("ana")] == [0, 1]
    _add(record, _reply("Look again"), 0)
    assert [draft.turn for draft in record.drafts.list_for_learner("ana")] == [1]


def test_dialogues_are_listed_with_what_a_list_shows(record: Record) -> None:
    _add(record, QuestionBody(problem=PROBLEM, reply_language="zh"), None)
    _add(record, AnswerBody(text="6"), 0)
    _add(record, _reply("Yes", solved=True), 0)
    _add(record, QuestionBody(text="What is a half?"), None, "d2")
    _add(record, AnswerBody(text="hm"), 0, "d2")
    second, first = list_dialogues(record.log, "ana")
    assert (first.dialogue_id, first.problem, first.turns, first.solved, first.pending) == (
        "d1",
        PROBLEM,
        1,
        True,
        False,
    )
    assert (first.reply_language, first.started_at, first.last_activity_at) == ("zh", NOON, NOON + timedelta(seconds=2))
    assert (second.dialogue_id, second.problem, second.solved, second.pending) == ("d2", None, False, True)
    assert list_dialogues(record.log, "ben") == ()


def test_an_erased_dialogue_is_not_listed_and_not_found(record: Record) -> None:
    _add(record, QuestionBody(problem=PROBLEM), None)
    _add(record, AnswerBody(text="6"), 0)
    record.log.erase("ana", ErasureScope(dialogue_id="d1"))
    assert list_dialogues(record.log, "ana") == ()
    assert pending_turn(record.log, "ana", "d1") is None
    with pytest.raises(NotFoundError):
        read_dialogue(record.log, "ana", "d1")


def test_one_erased_message_leaves_the_rest_readable(record: Record) -> None:
    said = _add(record, AnswerBody(text="my name is …"), 0)
    _add(record, _reply("Look again"), 0)
    record.log.erase("ana", ErasureScope(episode_ids=(said,)))
    (turn,) = read_turns(record.log, "ana", "d1")
    assert (turn.answer, turn.answer_id, turn.pending) == (None, said, False)
    assert [(turn.learner, turn.tutor) for turn in read_dialogue(record.log, "ana", "d1").turns] == [("", "Look again")]


def test_another_learner_s_dialogue_is_not_found(record: Record) -> None:
    _add(record, AnswerBody(text="6"), 0)
    with pytest.raises(NotFoundError):
        read_turns(record.log, "ben", "d1")


def test_an_instructor_sees_flags_of_all_learners_newest_first(record: Record) -> None:
    _add(record, SafetyFlagBody(category="self_harm"), 0)
    _add(record, SafetyFlagBody(category="abuse", severity="notice"), 3, "d2", "ben")
    newest, oldest = record.safety_queue.list(LOCAL_OWNER)
    assert (newest.category, newest.learner_id, newest.turn, newest.severity) == ("abuse", "ben", 3, "notice")
    assert (oldest.category, oldest.dialogue_id, oldest.flagged_at, oldest.accesses) == ("self_harm", "d1", NOON, ())


def test_opening_a_flagged_transcript_is_on_record(record: Record) -> None:
    _add(record, AnswerBody(text="a sad thing"), 0)
    _add(record, SafetyFlagBody(category="self_harm"), 0)
    opened = record.safety_queue.open(LOCAL_OWNER, "ana", "d1")
    assert opened.turns[0].learner == "a sad thing"
    (flag,) = record.safety_queue.list(LOCAL_OWNER)
    assert [(access.reader_id, access.learner_id) for access in flag.accesses] == [("local", "ana")]


def test_a_transcript_without_a_flag_is_its_learner_s_only(record: Record) -> None:
    _add(record, AnswerBody(text="private"), 0)
    with pytest.raises(InputError, match="no flag"):
        record.safety_queue.open(LOCAL_OWNER, "ana", "d1")
    assert record.accesses.list_for_dialogue("ana", "d1") == []


def test_the_queue_is_closed_to_learners(record: Record) -> None:
    _add(record, SafetyFlagBody(category="self_harm"), 0)
    with pytest.raises(InputError, match="instructor"):
        record.safety_queue.list(PUPIL)
    with pytest.raises(InputError, match="instructor"):
        record.safety_queue.open(PUPIL, "ana", "d1")
