"""Tutoring one learner after another: starts dialogues, runs turns, keeps everything on record.

The learner's message is stored before anything is computed. A turn runs on by itself; whoever wants to see it
follows its events and may come back after a break.
"""

from __future__ import annotations

import asyncio
import uuid
from datetime import UTC
from functools import cached_property, partial

from preceptor.course.open_courses import OpenCourses
from preceptor.domain.principal import Principal
from preceptor.domain.problem import Problem
from preceptor.errors import BusyError, InputError, NotFoundError
from preceptor.memory.nightly_schedule import NightlySchedule, open_nights
from preceptor.memory.time_phrases import zone_of
from preceptor.pedagogy.solver import Solver
from preceptor.record.kinds import (
    AnswerBody,
    new_episode,
)
from preceptor.record.record import Record
from preceptor.settings import Settings
from preceptor.stores.consents import Consent
from preceptor.tutoring.course_dialogue import course_problem
from preceptor.tutoring.distillation_schedule import DistillationSchedule
from preceptor.tutoring.events import TurnEvent
from preceptor.tutoring.experience_desk import ExperienceDesk
from preceptor.tutoring.experience_outcome import OutcomeScorer
from preceptor.tutoring.instructor_desk import InstructorDesk
from preceptor.tutoring.live_courses import LiveCourses
from preceptor.tutoring.live_memory import LiveMemory
from preceptor.tutoring.memory_desk import MemoryDesk
from preceptor.tutoring.memory_sources import with_memory_sources
from preceptor.tutoring.message_intake import MessageIntake
from preceptor.tutoring.message_vectors import MessageVectors
from preceptor.tutoring.opening import opening_episodes, own_problem
from preceptor.tutoring.stored_dialogue import (
    StoredDialogue,
    dialogue_view,
    load_dialogue,
)
from preceptor.tutoring.teaching_consent import decide
from preceptor.tutoring.turn import TurnMaker, TurnMode
from preceptor.tutoring.turn_run import TurnRun
from preceptor.tutoring.turn_work import SavedMessage, TurnWork
from preceptor.tutoring.views import (
    DialogueSummary,
    DialogueView,
)

SUBJECT = "maths"


class TutoringSession:
    """The one way in for page and terminal; every call takes its scope from the principal."""

    def __init__(
        self,
        *,
        record: Record,
        maker: TurnMaker,
        settings: Settings,
        solver: Solver | None = None,
        outcomes: OutcomeScorer | None = None,
        distillation: DistillationSchedule | None = None,
        desk: ExperienceDesk | None = None,
        courses: LiveCourses | None = None,
        memory: LiveMemory | None = None,
        course_files: OpenCourses | None = None,
        vectors: MessageVectors | None = None,
    ) -> None:
        """Take the record, the engines and the limits.

        Args:
            record: Where everything is kept.
            maker: The engines of a turn.
            settings: The limits.
            solver: Makes references for problems without one.
            outcomes: Scores turns that used an experience; started already, closed with the session.
            distillation: Distils once enough turns came together; started already, closed with the session.
            desk: The instructor's view of teaching experience.
            courses: Searched by the maker; started already, closed with the session.
            memory: What is remembered of learners; started already, closed with the session. `None`: nothing is.
            course_files: The same courses for whoever reads or changes them; started by its user, closed with the
                session.
            vectors: Makes a message's vector while it is stored; closed with the session. `None`: when it is asked for.
        """
        self.course_files = course_files
        self._vectors = vectors
        self._memory = memory
        self._nights: NightlySchedule | None = None
        self._courses = courses
        self._desk = desk
        self._distillation = distillation
        self._outcomes = outcomes
        self._record = record
        self._settings = settings
        self._runs: dict[tuple[str, str], TurnRun] = {}
        self._turns_today: dict[str, tuple[str, int]] = {}
        self._intake = MessageIntake(record=record, memory=memory, vectors=vectors)
        self._work = TurnWork(
            record=record,
            maker=maker,
            settings=settings,
            solver=solver,
            outcomes=outcomes,
            distillation=distillation,
            memory=memory,
        )

    def close(self) -> None:
        """Finish what is scored in the background, then close the record."""
        parts = (
            self._outcomes,
            self._distillation,
            self.course_files,
            self._courses,
            self._memory,
            self._nights,
            self._vectors,
        )
        for part in parts:
            if part is not None:
                part.close()
        self._record.close()

    def start_nights(self) -> None:
        """Work through memory's nights in the background while the session is open: now, then every night."""
        self._nights = open_nights(self._record, self._settings)
        self._nights.start()

    # -- problems and dialogues ---------------------------------------------------------------------------

    def problems(self, principal: Principal, *, search: str = "", limit: int = 50, offset: int = 0) -> list[Problem]:
        """Return problems of the bank."""
        return self._record.problems.find(subject_id=SUBJECT, text=search, limit=limit, offset=offset)

    def start(
        self,
        principal: Principal,
        *,
        problem_id: str | None = None,
        text: str | None = None,
        answer: str | None = None,
        language: str | None = None,
        subject_id: str | None = None,
        time_zone: str | None = None,
    ) -> str:
        """Begin a dialogue and return its id.

        Args:
            principal: Who is asking.
            problem_id: A problem of the bank.
            text: The learner's own problem, in place of `problem_id`.
            answer: Its answer, where known.
            language: Reply language; `None`: the settings' language.
            subject_id: A course to talk about, with an exercise in `text` or without.
            time_zone: The learner's IANA zone; `None`: the settings'.

        Raises:
            InputError: Neither or both of problem_id and text were given, text is empty or too long, or the time zone
                is not known.
            NotFoundError: No such problem, or no such course.
        """
        language = language or self._settings.language
        limit = self._settings.server.max_utterance_chars
        if subject_id is not None:
            if problem_id is not None or answer is not None:
                raise InputError("a conversation about a course takes a text at most, no problem_id and no answer")
            problem = course_problem(self._record.courses, subject_id, text, language=language, limit=limit)
        elif problem_id is not None and text is None:
            problem = self._record.problems.get(problem_id)
        elif text is not None and problem_id is None:
            problem = own_problem(text, answer, limit=limit)
        else:
            raise InputError("give either problem_id or text, not both and not neither")
        dialogue_id = uuid.uuid4().hex
        make = partial(
            new_episode,
            learner_id=principal.learner_id,
            subject_id=problem.subject_id,
            dialogue_id=dialogue_id,
            turn=0,
            time_zone=self._zone(time_zone),
        )
        named = self._memory.problem_concepts(problem) if self._memory is not None else ()
        self._record.log.append_many(opening_episodes(problem, language, self._settings, make, concept_ids=named))
        return dialogue_id

    def dialogues(self, principal: Principal, *, limit: int = 100) -> list[DialogueSummary]:
        """Return the principal's dialogues, the latest active first."""
        summaries = []
        for span in self._record.log.dialogues(principal.learner_id, limit=limit):
            try:
                stored = self._load(principal, span.dialogue_id)
            except NotFoundError:
                continue
            title = stored.problem.text if len(stored.problem.text) <= 80 else stored.problem.text[:79] + "…"
            summaries.append(
                DialogueSummary(
                    dialogue_id=span.dialogue_id, title=title, last_at=span.last_activity_at, solved=stored.solved
                )
            )
        return summaries

    def dialogue(self, principal: Principal, dialogue_id: str) -> DialogueView:
        """Return one dialogue as its learner may see it.

        Raises:
            NotFoundError: The principal has no such dialogue.
        """
        stored = self._load(principal, dialogue_id)
        return with_memory_sources(dialogue_view(stored), stored, self._record.episodes, principal.learner_id)

    @property
    def experience(self) -> ExperienceDesk:
        """The instructor's desk for teaching experience.

        Raises:
            NotFoundError: This session was opened without one.
        """
        if self._desk is None:
            raise NotFoundError("this session has no view of teaching experience")
        return self._desk

    @cached_property
    def instructor_desk(self) -> InstructorDesk:
        """What an instructor sees of learners' dialogues."""
        return InstructorDesk(self._record)

    @cached_property
    def memory_desk(self) -> MemoryDesk:
        """What is remembered of the principal, for the page about it."""
        settle = self._memory.settle if self._memory is not None else (lambda: None)
        return MemoryDesk(self._record, self._settings, self._release, settle)

    def _release(self, learner_id: str) -> None:
        """Let go of the replies that are held for pages that resume; refuse while one is being made."""
        held = {key: run for key, run in self._runs.items() if key[0] == learner_id}
        if not all(run.finished for run in held.values()):
            raise BusyError("a reply is still being made: forget once it is there")
        for key in held:
            self._runs.pop(key, None)

    def teaching_consent(self, principal: Principal) -> Consent | None:
        """Return whether the learner's dialogues may teach the tutor; `None`: they were never asked."""
        return self._record.consents.get(principal.learner_id)

    def decide_teaching(self, principal: Principal, *, use_for_teaching: bool) -> Consent:
        """Store whether the learner's dialogues may teach the tutor."""
        return decide(self._record, principal.learner_id, use_for_teaching=use_for_teaching)

    # -- turns --------------------------------------------------------------------------------------------

    def running(self, principal: Principal, dialogue_id: str) -> TurnRun | None:
        """Return the dialogue's running turn, or the last one where it has just finished."""
        return self._runs.get((principal.learner_id, dialogue_id))

    async def submit(
        self,
        principal: Principal,
        dialogue_id: str,
        utterance: str,
        *,
        mode: TurnMode = "message",
        time_zone: str | None = None,
    ) -> TurnRun:
        """Store the learner's message, then start the reply.

        Args:
            principal: Who is asking.
            dialogue_id: Which dialogue.
            utterance: The message.
            mode: How it was sent.
            time_zone: The learner's IANA zone; `None`: the settings'.

        Raises:
            InputError: The message is empty (unless stuck), too long, or holds NUL; the time zone is not known.
            BusyError: A turn of this dialogue is running, or the day's limit is reached.
            NotFoundError: The principal has no such dialogue.
        """
        self._check_message(utterance, mode)
        zone = self._zone(time_zone)
        key = (principal.learner_id, dialogue_id)
        running = self._runs.get(key)
        if running is not None and not running.finished:
            raise BusyError("another reply of this dialogue is still being made")
        self._count_turn(principal.learner_id)
        placeholder = TurnRun(dialogue_id=dialogue_id, turn=-1)
        self._runs[key] = placeholder
        if self._memory is not None:
            self._memory.turns.begins()
        try:
            answer = AnswerBody(text=utterance, mode=mode)
            message = await asyncio.to_thread(self._intake.save, principal, dialogue_id, answer, time_zone=zone)
        except BaseException:
            if self._runs.get(key) is placeholder:
                del self._runs[key]
            raise
        finally:
            if self._memory is not None:
                self._memory.turns.ends()
        return await self._begin(message)

    async def resume(self, principal: Principal, dialogue_id: str) -> TurnRun | None:
        """Make the reply to a message that has none, after a crash or a failed model; `None`: there is none."""
        key = (principal.learner_id, dialogue_id)
        running = self._runs.get(key)
        if running is not None and not running.finished:
            return running
        stored = await asyncio.to_thread(self._load, principal, dialogue_id)
        if not stored.turns or stored.turns[-1].record is not None:
            return None
        last = stored.turns[-1]
        assert last.answer is not None
        again = self._runs.get(key)
        if again is not None and not again.finished:
            return again
        said = self._record.log.get(principal.learner_id, last.answer_id or "")
        return await self._begin(
            SavedMessage(
                learner_id=principal.learner_id,
                stored=stored,
                turn=last.turn,
                utterance=last.answer.text,
                mode=last.answer.mode,
                answer_id=last.answer_id,
                time_zone=said.time_zone,
            )
        )

    async def _begin(self, message: SavedMessage) -> TurnRun:
        run = TurnRun(dialogue_id=message.dialogue_id, turn=message.turn)
        self._runs[message.learner_id, message.dialogue_id] = run
        await run.publish(TurnEvent(event_id=0, kind="saved", turn=message.turn, episode_id=message.answer_id))
        run.task = asyncio.create_task(self._work.answer(run, message))
        if self._memory is not None:
            self._memory.turns.begins()
            run.task.add_done_callback(self._memory.turns.ended)
        return run

    # -- checks -------------------------------------------------------------------------------------------

    def _check_message(self, utterance: str, mode: TurnMode) -> None:
        limit = self._settings.server.max_utterance_chars
        if len(utterance) > limit:
            raise InputError(f"a message may have {limit} characters, this one has {len(utterance)}")
        if "\x00" in utterance:
            raise InputError("a message must not contain the NUL character")
        if not utterance.strip() and mode in ("message", "answer"):
            raise InputError("the message is empty: expected some words or a number")

    def _count_turn(self, learner_id: str) -> None:
        today = self._record.clock().astimezone(UTC).date().isoformat()
        day, count = self._turns_today.get(learner_id, (today, 0))
        count = count + 1 if day == today else 1
        limit = self._settings.server.turns_per_day
        if count > limit:
            raise BusyError(f"the day's limit of {limit} turns is reached")
        self._turns_today[learner_id] = (today, count)

    # -- memory -------------------------------------------------------------------------------------------

    def _zone(self, given: str | None) -> str:
        return zone_of(given or self._settings.time_zone).key

    # -- reading the log ----------------------------------------------------------------------------------

    def _load(self, principal: Principal, dialogue_id: str) -> StoredDialogue:
        return load_dialogue(self._record.log, principal.learner_id, dialogue_id)
