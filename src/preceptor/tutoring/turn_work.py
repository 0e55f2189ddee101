"""Answers one stored message: the turn is made, published piece by piece, kept, and handed to what follows it."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass
from functools import partial

from preceptor.domain.observation import Observation
from preceptor.domain.problem import Problem
from preceptor.domain.scope import Scope
from preceptor.errors import ModelError, PreceptorError
from preceptor.pedagogy.solver import Solver
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.record.kinds import (
    AnswerBody,
    QuestionBody,
    new_episode,
)
from preceptor.record.record import Record
from preceptor.settings import Settings
from preceptor.stores.protocols import TurnDraft
from preceptor.tutoring.course_dialogue import is_course_conversation
from preceptor.tutoring.distillation_schedule import AnsweredTurn, DistillationSchedule
from preceptor.tutoring.events import TurnEvent
from preceptor.tutoring.experience_outcome import OutcomeScorer, UsedTurn
from preceptor.tutoring.live_memory import LiveMemory, StoredReply, stance_of
from preceptor.tutoring.memory_reader import TurnMemory, TurnOwner
from preceptor.tutoring.memory_sources import reply_sources
from preceptor.tutoring.sources import course_sources
from preceptor.tutoring.stored_dialogue import (
    TUTORS_OWN,
    StoredDialogue,
    graph_of,
    spoken,
)
from preceptor.tutoring.tracing_tutor import states_problem
from preceptor.tutoring.turn import Piece, TurnMaker, TurnMode, TurnTrace
from preceptor.tutoring.turn_record import memory_read_of, turn_episodes
from preceptor.tutoring.turn_run import TurnRun
from preceptor.tutoring.unanswered import note_unanswered
from preceptor.tutoring.views import (
    reading_event,
)


@dataclass(frozen=True, kw_only=True)
class SavedMessage:
    """A learner's message that is on record and has no reply yet."""

    learner_id: str
    stored: StoredDialogue
    """The dialogue as it was before this turn."""
    turn: int
    utterance: str
    mode: TurnMode
    answer_id: str | None
    """Its episode."""
    time_zone: str

    @property
    def dialogue_id(self) -> str:
        """Of the dialogue."""
        return self.stored.dialogue_id

    @property
    def scope(self) -> Scope:
        """Whose memory may be read."""
        return Scope(learner_id=self.learner_id, subject_id=self.stored.problem.subject_id)


class TurnWork:
    """Answers stored messages; one instance serves every dialogue of a session."""

    def __init__(
        self,
        *,
        record: Record,
        maker: TurnMaker,
        settings: Settings,
        solver: Solver | None,
        outcomes: OutcomeScorer | None,
        distillation: DistillationSchedule | None,
        memory: LiveMemory | None,
    ) -> None:
        """Take what `TutoringSession` was given."""
        self._record = record
        self._maker = maker
        self._settings = settings
        self._solver = solver
        self._outcomes = outcomes
        self._distillation = distillation
        self._memory = memory

    async def answer(self, run: TurnRun, message: SavedMessage) -> None:
        """Make the reply, publish it piece by piece, and end with `done` or `failed`.

        Whatever goes wrong, the run ends: the message is on record, and the dialogue can be resumed.
        """
        try:
            await self._answer(run, message)
        except PreceptorError as error:
            await run.publish(TurnEvent(event_id=0, kind="failed", turn=run.turn, text=type(error).__name__))
        finally:
            if not run.finished:
                await run.publish(TurnEvent(event_id=0, kind="failed", turn=run.turn, text="Error"))

    async def _answer(self, run: TurnRun, message: SavedMessage) -> None:
        trace = TurnTrace()
        scope = message.scope
        problem = await self._with_reference(message)
        context = TurnContext(
            problem=problem,
            graph=graph_of(problem),
            history=message.stored.history,
            utterance=spoken(AnswerBody(text=message.utterance, mode=message.mode), message.stored.language),
            language=message.stored.language,
        )
        sent = ""
        async for part in self._maker.run(
            context,
            trace,
            mode=message.mode,
            rungs=message.stored.rungs(),
            earlier_moves=message.stored.moves,
            earlier_routes=message.stored.routes,
            memory=self._turn_memory(message),
        ):
            if isinstance(part, Observation):
                await run.publish(reading_event(run.turn, part))
                continue
            sent = await self._publish_piece(run, message, sent, part)
        saved = await asyncio.to_thread(self._store, run, message, trace)
        reply = trace.reply
        assert reply is not None
        ids = {"learner_id": message.learner_id, "dialogue_id": message.dialogue_id}
        if trace.plan is not None:
            await asyncio.to_thread(note_unanswered, self._record, trace, message.utterance, **ids)
        if self._memory is not None:
            self._memory.put(
                StoredReply(
                    scope=scope,
                    dialogue_id=message.dialogue_id,
                    turn=run.turn,
                    record_id=saved,
                    stance=stance_of(trace),
                )
            )
        if self._outcomes is not None and reply.used_experience_ids:
            used = UsedTurn(learner_id=message.learner_id, dialogue_id=message.dialogue_id, turn=run.turn)
            self._outcomes.put(used)
        if self._distillation is not None:
            self._distillation.put(
                AnsweredTurn(learner_id=message.learner_id, dialogue_id=message.dialogue_id, turn=run.turn)
            )
        await run.publish(
            TurnEvent(
                event_id=0,
                kind="done",
                turn=run.turn,
                text=reply.text,
                rung=int(reply.rung),
                move=reply.move.value,
                engine=reply.engine,
                record_id=saved,
                language=reply.language,
                sources=(*course_sources(reply), *reply_sources(self._record.episodes, scope.learner_id, reply)),
                grounding=reply.grounding.status if reply.grounding else "",
                route=trace.plan.routed.route.value if trace.plan else "",
                trace_state=trace.plan.trace_state if trace.plan else None,
                memory_read=memory_read_of(trace),
            )
        )

    async def _with_reference(self, message: SavedMessage) -> Problem:
        """Return the problem, with a private reference of the tutor's own where a solver is bound and none is known.

        The reference is stored as a second `question` episode of the dialogue, by the solver's name.
        """
        stored = message.stored
        problem = stored.problem
        known = problem.solution is not None or problem.answer is not None
        if self._solver is None or known or is_course_conversation(problem) or states_problem(problem):
            return problem
        try:
            reference = await self._solver.solve(problem)
        except ModelError:
            return problem
        if reference is None:
            return problem
        solved = reference.applied_to(problem)
        episode = new_episode(
            QuestionBody(problem=solved, reply_language=stored.language, source=TUTORS_OWN),
            learner_id=message.learner_id,
            subject_id=problem.subject_id,
            dialogue_id=stored.dialogue_id,
            turn=message.turn,
            actor=reference.engine,
            provenance="system",
            language=problem.language,
        )
        await asyncio.to_thread(self._record.log.append, episode)
        return solved

    async def _publish_piece(self, run: TurnRun, message: SavedMessage, sent: str, piece: Piece) -> str:
        if piece.retracts:
            await run.publish(TurnEvent(event_id=0, kind="retracted", turn=run.turn))
            sent = ""
        sent = f"{sent} {piece.text}".strip()
        event = await run.publish(TurnEvent(event_id=0, kind="delta", turn=run.turn, text=piece.text))
        if self._settings.roles.tutor.engine == "llm":
            draft = TurnDraft(
                learner_id=message.learner_id,
                dialogue_id=message.dialogue_id,
                turn=run.turn,
                text=sent,
                last_event_id=event.event_id,
                updated_at=self._record.clock(),
            )
            await asyncio.to_thread(self._record.drafts.put, draft)
        return sent

    def _store(self, run: TurnRun, message: SavedMessage, trace: TurnTrace) -> str:
        """Append checks, hint, flag and turn record in one transaction; return the record's id."""
        make = partial(
            new_episode,
            learner_id=message.learner_id,
            subject_id=message.stored.problem.subject_id,
            dialogue_id=message.dialogue_id,
            turn=run.turn,
            parent_id=message.answer_id,
            language=message.stored.language,
            time_zone=message.time_zone,
        )
        record_id = uuid.uuid4().hex
        self._record.log.append_many(
            turn_episodes(
                trace,
                make,
                asked_for_help=message.mode == "stuck",
                last_event_id=run.last_event_id,
                record_id=record_id,
            )
        )
        return record_id

    def _turn_memory(self, message: SavedMessage) -> TurnMemory | None:
        if self._memory is None:
            return None
        owner = TurnOwner(
            scope=message.scope,
            dialogue_id=message.dialogue_id,
            now=self._record.clock(),
            time_zone=message.time_zone,
        )
        return TurnMemory(self._memory, owner, is_shown=self._maker.shows_memory)
