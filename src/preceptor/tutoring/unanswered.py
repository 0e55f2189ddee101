"""Questions to which a course had nothing: kept for its instructor, forgotten with the dialogue."""

from __future__ import annotations

from preceptor.pedagogy.intent import asks_question
from preceptor.record.record import Record
from preceptor.stores.courses import UnansweredQuestion
from preceptor.tutoring.turn import TurnTrace


def note_unanswered(record: Record, trace: TurnTrace, utterance: str, *, learner_id: str, dialogue_id: str) -> bool:
    """Keep a turn's question where the course did not answer it; return whether it was kept."""
    read = trace.reads.get("course")
    if trace.plan is None or read is None or read.found is None or read.found.in_course:
        return False
    if not asks_question(utterance):
        return False
    found = read.found
    record.courses.add_unanswered(
        UnansweredQuestion(
            subject_id=found.subject_id,
            learner_id=learner_id,
            dialogue_id=dialogue_id,
            question=utterance.strip(),
            asked_at=record.clock(),
            details={
                "answerable": found.answerable,
                "best_score": found.passages[0].score if found.passages else None,
                "unknown_words": list(found.unknown_words),
            },
        )
    )
    return True
