"""Dialogues and turns, computed from the log each time: nothing here is stored a second time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from preceptor.domain.dialogue import Dialogue, Turn
from preceptor.domain.episode import Episode
from preceptor.domain.problem import Problem
from preceptor.errors import NotFoundError
from preceptor.record.episode_log import EpisodeLog
from preceptor.record.kinds import (
    AnswerBody,
    BodyT,
    CheckBody,
    HintBody,
    QuestionBody,
    RevealBody,
    SafetyFlagBody,
    TurnRecordBody,
    body_of,
)


@dataclass(frozen=True, kw_only=True)
class RecordedTurn:
    """One turn of a dialogue with everything on record about it. Erased payloads are missing from it."""

    turn: int
    answer: AnswerBody | None
    """What the learner wrote; `None` where the tutor opened, or erased."""
    answer_id: str | None
    answered_at: datetime | None
    record: TurnRecordBody | None
    """The reply; `None` while it is being made, or erased. The last one where a broken reply was made again."""
    record_id: str | None
    checks: tuple[CheckBody, ...] = ()
    hints: tuple[HintBody, ...] = ()
    reveals: tuple[RevealBody, ...] = ()
    flags: tuple[SafetyFlagBody, ...] = ()

    @property
    def pending(self) -> bool:
        """Whether the learner wrote something to which no whole reply is on record."""
        replied = self.record_id is not None and (self.record is None or self.record.completed)
        return self.answer is not None and not replied


@dataclass(frozen=True, kw_only=True)
class DialogueOverview:
    """One line of a learner's list of dialogues."""

    dialogue_id: str
    subject_id: str
    problem: Problem | None
    """`None`: the dialogue is not about a problem, or its question was erased."""
    reply_language: str
    started_at: datetime
    last_activity_at: datetime
    turns: int
    """Learner messages so far."""
    solved: bool
    pending: bool
    """The last message has no whole reply yet."""


@dataclass(frozen=True, kw_only=True)
class PendingTurn:
    """A learner's message that waits for its reply, after a crash or a failed model."""

    learner_id: str
    subject_id: str
    dialogue_id: str
    turn: int
    answer: AnswerBody
    answer_id: str


def list_dialogues(log: EpisodeLog, learner_id: str, *, limit: int = 100) -> tuple[DialogueOverview, ...]:
    """Return a learner's dialogues, the latest active first; those wholly erased are left out."""
    overviews = []
    for span in log.dialogues(learner_id, limit=limit):
        episodes = log.list(
            learner_id, dialogue_id=span.dialogue_id, kinds=("question", "answer", "turn_record", "safety_flag")
        )
        if all(episode.body is None for episode in episodes):
            continue
        question = _opening_question(episodes)
        turns = _group_turns(episodes)
        overviews.append(
            DialogueOverview(
                dialogue_id=span.dialogue_id,
                subject_id=span.subject_id,
                problem=question.problem if question else None,
                reply_language=question.reply_language if question else "en",
                started_at=span.started_at,
                last_activity_at=span.last_activity_at,
                turns=sum(turn.answer_id is not None for turn in turns),
                solved=any(
                    turn.record and turn.record.observation and turn.record.observation.solved for turn in turns
                ),
                pending=bool(turns) and turns[-1].pending,
            )
        )
    return tuple(overviews)


def read_dialogue(log: EpisodeLog, learner_id: str, dialogue_id: str) -> Dialogue:
    """Return one dialogue as a value, with what each reply asks for.

    Raises:
        NotFoundError: The learner has no such dialogue, or it was erased.
    """
    episodes = _episodes(log, learner_id, dialogue_id)
    question = _opening_question(episodes)
    return Dialogue(
        dialogue_id=dialogue_id,
        problem=question.problem if question else None,
        turns=tuple(
            Turn(
                learner=turn.answer.text if turn.answer else "",
                tutor=turn.record.reply.text if turn.record else None,
                frame=turn.record.reply.frame if turn.record else None,
            )
            for turn in _group_turns(episodes)
        ),
        persona=question.persona if question else None,
        source=question.source if question else None,
        licence=question.licence if question else None,
        subject_id=episodes[0].subject_id,
    )


def read_turns(log: EpisodeLog, learner_id: str, dialogue_id: str) -> tuple[RecordedTurn, ...]:
    """Return one dialogue's turns in order, with everything on record about each.

    Raises:
        NotFoundError: The learner has no such dialogue, or it was erased.
    """
    return _group_turns(_episodes(log, learner_id, dialogue_id))


def pending_turn(log: EpisodeLog, learner_id: str, dialogue_id: str) -> PendingTurn | None:
    """Return the dialogue's last message if it has no whole reply yet."""
    episodes = log.list(learner_id, dialogue_id=dialogue_id, kinds=("answer", "turn_record"))
    turns = _group_turns(episodes)
    if not turns or not turns[-1].pending:
        return None
    last = turns[-1]
    assert last.answer is not None
    assert last.answer_id is not None
    return PendingTurn(
        learner_id=learner_id,
        subject_id=episodes[-1].subject_id,
        dialogue_id=dialogue_id,
        turn=last.turn,
        answer=last.answer,
        answer_id=last.answer_id,
    )


def pending_turns(log: EpisodeLog, learner_id: str, *, limit: int = 100) -> tuple[PendingTurn, ...]:
    """Return what waits for a reply in a learner's latest dialogues, the latest active first."""
    found = (pending_turn(log, learner_id, span.dialogue_id) for span in log.dialogues(learner_id, limit=limit))
    return tuple(waiting for waiting in found if waiting is not None)


def _episodes(log: EpisodeLog, learner_id: str, dialogue_id: str) -> tuple[Episode, ...]:
    episodes = log.list(learner_id, dialogue_id=dialogue_id)
    if all(episode.body is None for episode in episodes):
        raise NotFoundError(f"learner {learner_id!r} has no dialogue {dialogue_id!r}")
    return episodes


def _opening_question(episodes: Sequence[Episode]) -> QuestionBody | None:
    first = next((episode for episode in episodes if episode.kind == QuestionBody.kind), None)
    return body_of(first, QuestionBody) if first else None


def _group_turns(episodes: Sequence[Episode]) -> tuple[RecordedTurn, ...]:
    by_turn: dict[int, list[Episode]] = {}
    for episode in episodes:
        if episode.turn is not None:
            by_turn.setdefault(episode.turn, []).append(episode)
    return tuple(
        _recorded_turn(turn, found)
        for turn, found in sorted(by_turn.items())
        if any(episode.kind in (AnswerBody.kind, TurnRecordBody.kind) for episode in found)
    )


def _recorded_turn(turn: int, episodes: Sequence[Episode]) -> RecordedTurn:
    answer = next((episode for episode in episodes if episode.kind == AnswerBody.kind), None)
    record = next((episode for episode in reversed(episodes) if episode.kind == TurnRecordBody.kind), None)
    return RecordedTurn(
        turn=turn,
        answer=body_of(answer, AnswerBody) if answer else None,
        answer_id=answer.episode_id if answer else None,
        answered_at=answer.occurred_at if answer else None,
        record=body_of(record, TurnRecordBody) if record else None,
        record_id=record.episode_id if record else None,
        checks=_bodies(episodes, CheckBody),
        hints=_bodies(episodes, HintBody),
        reveals=_bodies(episodes, RevealBody),
        flags=_bodies(episodes, SafetyFlagBody),
    )


def _bodies(episodes: Sequence[Episode], expected: type[BodyT]) -> tuple[BodyT, ...]:
    found = (body_of(episode, expected) for episode in episodes if episode.kind == expected.kind)
    return tuple(body for body in found if body is not None)
