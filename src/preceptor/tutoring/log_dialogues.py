"""The dialogues of the log that may be distilled: of learners who allow it, under links that lead to nobody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from preceptor.domain.dialogue import Dialogue
from preceptor.domain.reply import MEMORY_MOVES
from preceptor.errors import NotFoundError
from preceptor.record.record import Record
from preceptor.record.views import RecordedTurn, read_dialogue, read_turns

MOST_DIALOGUES = 100_000
"""Dialogues of one learner that are looked at, the latest. (chosen: no learner has so many)"""


def dialogues_for_teaching(record: Record) -> Iterator[Dialogue]:
    """Yield every dialogue of every learner who allows it, oldest first, in a fixed order.

    Each has its keyed link in place of its id; learner and subject are named nowhere in it.
    """
    for learner_id in record.consents.learners():
        yield from dialogues_of_learner(record, learner_id)


def dialogues_of_learner(record: Record, learner_id: str) -> Iterator[Dialogue]:
    """Yield a learner's dialogues, oldest first, whether they allow it or not: the caller has asked."""
    spans = record.log.dialogues(learner_id, limit=MOST_DIALOGUES)
    for span in sorted(spans, key=lambda one: (one.started_at, one.dialogue_id)):
        try:
            yield linked_dialogue(record, learner_id, span.dialogue_id)
        except NotFoundError:
            continue


def linked_dialogue(record: Record, learner_id: str, dialogue_id: str) -> Dialogue:
    """Return one dialogue under its keyed link; turns flagged for safety or about the record are without their reply.

    So nothing is distilled from them.

    Raises:
        NotFoundError: The learner has no such dialogue, or it was erased.
    """
    dialogue = read_dialogue(record.log, learner_id, dialogue_id)
    recorded = read_turns(record.log, learner_id, dialogue_id)
    passed = {place for place, turn in enumerate(recorded) if turn.flags or _is_about_record(turn)}
    turns = tuple(replace(turn, tutor=None) if place in passed else turn for place, turn in enumerate(dialogue.turns))
    return replace(dialogue, dialogue_id=record.source_link(dialogue_id), turns=turns)


def _is_about_record(turn: RecordedTurn) -> bool:
    return turn.record is not None and turn.record.reply.move in MEMORY_MOVES
