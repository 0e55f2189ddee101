"""Takes a learner's message in: the dialogue is read, the message stored, and nothing is answered before that."""

from __future__ import annotations

from preceptor.domain.principal import Principal
from preceptor.domain.scope import Scope
from preceptor.errors import BusyError
from preceptor.record.kinds import AnswerBody, new_episode
from preceptor.record.record import Record
from preceptor.tutoring.live_memory import LiveMemory
from preceptor.tutoring.message_vectors import MessageVectors
from preceptor.tutoring.stored_dialogue import load_dialogue, spoken
from preceptor.tutoring.turn_work import SavedMessage


class MessageIntake:
    """Stores messages; safe to use from several threads."""

    def __init__(self, *, record: Record, memory: LiveMemory | None, vectors: MessageVectors | None) -> None:
        """Keep the record and what is told of a message while it is stored.

        Args:
            record: Where messages are kept.
            memory: Names the concepts of a message; `None`: none are named.
            vectors: Makes its vector meanwhile; `None`: it is made when it is asked for.
        """
        self._record = record
        self._memory = memory
        self._vectors = vectors

    def save(self, principal: Principal, dialogue_id: str, answer: AnswerBody, *, time_zone: str) -> SavedMessage:
        """Store a message as the dialogue's next turn; it is on disk when this returns.

        Raises:
            BusyError: The last message has no reply yet.
            NotFoundError: The principal has no such dialogue.
            InputError: The message holds what cannot be stored.
        """
        stored = load_dialogue(self._record.log, principal.learner_id, dialogue_id)
        if stored.turns and stored.turns[-1].record is None:
            raise BusyError("the last message has no reply yet: resume it first")
        subject_id, language = stored.problem.subject_id, stored.language
        if self._vectors is not None:
            self._vectors.begin(spoken(answer, language), subject_id=subject_id, language=language)
        scope = Scope(learner_id=principal.learner_id, subject_id=subject_id)
        named = self._memory.concept_ids(scope, answer.text, language) if self._memory is not None else ()
        turn = stored.turns[-1].turn + 1 if stored.turns else 1
        saved = self._record.log.append(
            new_episode(
                answer,
                learner_id=principal.learner_id,
                subject_id=subject_id,
                dialogue_id=dialogue_id,
                turn=turn,
                parent_id=stored.question_id,
                language=language,
                time_zone=time_zone,
                concept_ids=named,
            )
        )
        return SavedMessage(
            learner_id=principal.learner_id,
            stored=stored,
            turn=turn,
            utterance=answer.text,
            mode=answer.mode,
            answer_id=saved.episode_id,
            time_zone=time_zone,
        )
