"""One live turn: safety, read and observe, compose, guard. Experience, memory and course meet here.

It knows nothing of storage or pages: it takes a turn's context and yields what happens.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from preceptor.course.answer_phrases import phrase
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.learner_state import Intent, LearnerState
from preceptor.domain.observation import Observation, Reading, ReadingStatus
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.domain.route import Routed
from preceptor.errors import ModelError
from preceptor.pedagogy.builtin_tutor import BuiltinTutor
from preceptor.pedagogy.observer import Observer
from preceptor.pedagogy.outlook import next_node
from preceptor.pedagogy.phrases.loader import PHRASE_LANGUAGES, load_phrases
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor import Tutor, TutorTurn
from preceptor.safety.care import back_to_task_reply, care_reply
from preceptor.safety.message_screen import screen_message
from preceptor.safety.screen import Screening
from preceptor.settings import Settings
from preceptor.tutoring.context_budget import advice_text, fit, fit_advice
from preceptor.tutoring.course_reader import shown_passages
from preceptor.tutoring.course_turn import CoursePlan, CourseTurns
from preceptor.tutoring.guard import Guard, Refusal
from preceptor.tutoring.memory_reply import MemoryReader, SettledReply, with_memory
from preceptor.tutoring.reads import ABSENT, ExperienceReader, Read, TurnReader, capped

_SENTENCE_END = re.compile(r"[.!?]+[\"”’')\]]*(?=\s)|[。！？]+[”’」）]*|\n+")
"""Where a streamed text has a finished sentence; a point inside a number has no space behind it."""

BACK_TO_TASK_TRIES = 12
"""More than there are wordings: each comes once before one comes again."""

TurnMode = Literal["message", "answer", "check_step", "stuck"]
EarlierMoves = tuple[tuple[Move, int | None], ...]
"""Move and step-graph node of each earlier reply, oldest first."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A guarded piece of the reply, or the word that everything before it is void."""

    text: str
    retracts: bool = False


@dataclass(kw_only=True)
class TurnTrace:
    """Everything that was read, made and refused in one turn, for its record."""

    timings_ms: dict[str, float] = field(default_factory=dict)
    """Milliseconds per stage."""
    reads: dict[str, Read] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)
    screening: Screening | None = None
    observation: Observation | None = None
    reply: Reply | None = None
    plan: CoursePlan | None = None
    """How the course answers this turn; `None`: it is a turn about a problem."""
    failed: str | None = None
    """Why the configured engine's reply was given up; the builtin engine answered instead."""


class TurnMaker:
    """Makes replies with the engines that the settings bind to the roles."""

    def __init__(
        self,
        *,
        observer: Observer,
        tutor: Tutor,
        fallback: BuiltinTutor,
        settings: Settings,
        experience: ExperienceReader | None = None,
        memory: TurnReader | None = None,
        course: TurnReader | None = None,
        course_turns: CourseTurns | None = None,
    ) -> None:
        """Take the engines and the reads.

        Args:
            observer: Reads the learner.
            tutor: Makes the reply.
            fallback: Builtin tutor: answers where the guard refused twice or the model failed.
            settings: Limits and shares.
            experience: Slot of teaching experience.
            memory: Slot of learner memory.
            course: Slot of course knowledge.
            course_turns: Decides which turns the course or a trace answers; `None`: none.
        """
        self._observer = observer
        self._tutor = tutor
        self._fallback = fallback
        self._settings = settings
        self._experience = experience
        self._memory = memory
        self._course = course
        self._course_turns = course_turns

    @property
    def shows_memory(self) -> bool:
        """Whether the tutor is told of learner memory in every turn; the builtin one is told only what is asked."""
        return self._tutor is not self._fallback

    async def run(
        self,
        turn: TurnContext,
        trace: TurnTrace,
        *,
        mode: TurnMode = "message",
        rungs: Mapping[int, Rung] | None = None,
        earlier_moves: EarlierMoves = (),
        earlier_routes: tuple[Routed, ...] = (),
        memory: MemoryReader | None = None,
    ) -> AsyncIterator[Observation | Piece]:
        """Yield the observation once it is made, then the reply in guarded pieces; fill the trace.

        Args:
            turn: The problem, the conversation and the utterance.
            trace: Filled as the turn goes on.
            mode: How the message was sent.
            rungs: Highest rung of help already given, by step-graph node.
            earlier_moves: The moves of the earlier replies with their nodes, where they are on record.
            earlier_routes: The routes of earlier turns, oldest first.
            memory: Learner memory of this turn's learner; `None`: the maker's own slot.

        Raises:
            ModelError: The model failed and even the builtin engine could not answer.
        """
        started = time.perf_counter()
        trace.screening = screen_message(turn.utterance, turn.language, problem_text=turn.problem.text)
        trace.timings_ms["safety"] = _since(started)
        if trace.screening.stops_tutoring:
            trace.reply = self._care(turn, trace.screening)
            yield Piece(text=trace.reply.text)
            return
        if trace.screening.kind == "inappropriate":
            trace.reply = self._back_to_task(turn) or await self._off_topic(turn, trace)
            yield Piece(text=trace.reply.text)
            return
        settled = await self._settled(turn, trace, memory if mode == "message" else None)
        if settled is not None:
            trace.reply = settled
            trace.timings_ms["total"] = _since(started)
            yield Piece(text=settled.text)
            return
        observation, tutor_turn = await self._read(
            turn, trace, memory=memory or self._memory, mode=mode, rungs=rungs or {}, earlier_moves=earlier_moves
        )
        trace.plan = await self._plan(tutor_turn, trace.reads["course"], rungs or {}, earlier_routes)
        if trace.plan is not None:
            trace.observation = observation = trace.plan.observation
            tutor_turn = trace.plan.turn
        yield observation
        revealed = self._reveal(tutor_turn) if trace.plan is None else None
        if revealed is not None:
            trace.reply = revealed
            yield Piece(text=revealed.text)
            return
        guard = Guard(turn, observation)
        composing = time.perf_counter()
        async for piece in self._compose(tutor_turn, guard, trace):
            yield piece
        trace.timings_ms["compose"] = _since(composing)
        trace.timings_ms["total"] = _since(started)

    async def _plan(
        self, turn: TutorTurn, read: Read, rungs: Mapping[int, Rung], earlier: tuple[Routed, ...]
    ) -> CoursePlan | None:
        turns = self._course_turns
        if turns is None or not turns.concerns(turn, read):
            return None
        return await asyncio.to_thread(turns.plan, turn, read, rungs=rungs, earlier=earlier)

    def _reveal(self, turn: TutorTurn) -> Reply | None:
        """Return the step itself where the instructor allows it and all hints at this step are used up."""
        used_up = turn.stuck and turn.rung >= self._settings.tutoring.highest_rung
        return self._fallback.reveal(turn) if self._settings.tutoring.allow_reveal and used_up else None

    async def draft(self, turn: TurnContext) -> str:
        """Return what the builtin tutor would say, unguarded: for its own variety, never to be sent."""
        observation = await self._observer.observe(turn)
        text = ""
        async for part in self._fallback.reply(TutorTurn(context=turn, observation=observation)):
            text = part.text if isinstance(part, Reply) else text
        return text

    def _care(self, turn: TurnContext, screening: Screening) -> Reply:
        text = care_reply(
            turn.language,
            contact_text=self._settings.safety.contact_text,
            kind=screening.kind,
            seed=len(turn.history),
        )
        return Reply(text=text, move=Move.CARE, frame=Frame(kind=FrameKind.OPEN), language=turn.language)

    def _back_to_task(self, turn: TurnContext) -> Reply | None:
        """Return one sentence back to the task that was not said yet in this dialogue; `None`: all were said.

        The frame stays as it was: the question before the insult is still open.
        """
        said = {earlier.tutor for earlier in turn.history}
        options = [back_to_task_reply(turn.language, seed=seed) for seed in range(BACK_TO_TASK_TRIES)]
        text = next((option for option in options if option not in said), None)
        if text is None:
            return None
        frame = turn.history[-1].frame if turn.history else None
        return Reply(text=text, move=Move.BACK_TO_TASK, frame=frame, language=turn.language)

    async def _off_topic(self, turn: TurnContext, trace: TurnTrace) -> Reply:
        """Return the builtin tutor's way back, with the step in question."""
        observation = Observation(
            state=LearnerState(intent=Intent.OFF_TOPIC),
            error_detail="",
            struggle_reason="",
            reading=Reading(status=ReadingStatus.UNREAD, read_as="", reason="inappropriate"),
        )
        tutor_turn = TutorTurn(context=turn, observation=observation)
        async for _ in _guarded(self._fallback, tutor_turn, Guard(turn, observation), trace):
            pass
        return trace.reply or _safe_question(tutor_turn, trace)

    async def _read(
        self,
        turn: TurnContext,
        trace: TurnTrace,
        *,
        memory: TurnReader | None,
        mode: TurnMode,
        rungs: Mapping[int, Rung],
        earlier_moves: EarlierMoves,
    ) -> tuple[Observation, TutorTurn]:
        limits = self._settings.tutoring
        remembering = asyncio.create_task(self._slot(memory, turn, limits.memory_cap_s))
        course = asyncio.create_task(self._slot(self._course, turn, limits.course_cap_s))
        observing = time.perf_counter()
        observation = await self._observer.observe(turn)
        trace.timings_ms["observe"] = _since(observing)
        trace.observation = observation
        experience = ABSENT
        if self._experience is not None:
            experience = await capped(self._experience.read(turn, observation), cap_s=limits.experience_cap_s)
        trace.reads = {"memory": await remembering, "course": await course, "experience": experience}
        for name, read in trace.reads.items():
            trace.timings_ms[name] = read.duration_ms
        context = fit(
            memory=trace.reads["memory"].text,
            course=trace.reads["course"].text,
            experience=advice_text(experience.advice),
            settings=limits,
        )
        tutor_turn = TutorTurn(
            context=turn,
            observation=observation,
            rung=_rung_at(turn, observation, rungs),
            stuck=mode == "stuck",
            check_requested=mode == "check_step",
            earlier_moves=earlier_moves,
            experience=fit_advice(experience.advice, context.experience),
            memory=context.memory,
            course=context.course,
            passages=shown_passages(trace.reads["course"], context.course),
        )
        return observation, tutor_turn

    async def _settled(self, turn: TurnContext, trace: TurnTrace, memory: MemoryReader | None) -> Reply | None:
        """Return memory's own reply to what is taught, or asked of the record; a model answers the latter itself."""
        read = await memory.settle(turn, cap_s=self._settings.tutoring.memory_cap_s) if memory else None
        reply = read.memory.reply if read is not None and read.memory is not None else None
        if read is None or reply is None or (reply.move is Move.RECORD_ANSWER and self._tutor is not self._fallback):
            return None
        trace.reads = {"memory": read}
        trace.timings_ms["memory"] = read.duration_ms
        return reply

    async def _slot(self, reader: TurnReader | None, turn: TurnContext, cap_s: float) -> Read:
        return ABSENT if reader is None else await capped(reader.read(turn), cap_s=cap_s)

    def _citing(self, turn: TutorTurn) -> Tutor:
        """Return the tutor, its citations checked where it was shown passages; the builtin one quotes none."""
        if not turn.passages or self._course_turns is None or self._tutor is self._fallback:
            return self._tutor
        return self._course_turns.citing(self._tutor)

    async def _compose(self, turn: TutorTurn, guard: Guard, trace: TurnTrace) -> AsyncIterator[Piece]:
        """Try the tutor, once more with the guard's reasons, then the builtin engine."""
        sent = False
        tutors = trace.plan.tutors if trace.plan else (*[self._citing(turn)] * 2, self._last(trace))
        for place, tutor in enumerate(tutors):
            if trace.failed is not None and tutor is not tutors[-1]:
                continue
            asked = _with_reasons(turn, trace.refusals) if place else turn
            retract = sent
            try:
                async for piece in _guarded(tutor, asked, guard, trace):
                    yield Piece(text=piece, retracts=retract)
                    retract, sent = False, True
            except ModelError as error:
                trace.failed = f"{type(error).__name__}: {error}"
                continue
            if trace.reply is not None:
                trace.reply = with_memory(trace.reply, trace.reads["memory"])
                return
        trace.reply = _safe_question(turn, trace)
        yield Piece(text=trace.reply.text, retracts=sent)

    def _last(self, trace: TurnTrace) -> Tutor:
        """Return who answers where the configured tutor did not: on the record its builtin answer, else the engine."""
        read = trace.reads["memory"].memory
        return self._fallback if read is None or read.reply is None else SettledReply(read.reply)


async def _guarded(tutor: Tutor, turn: TutorTurn, guard: Guard, trace: TurnTrace) -> AsyncIterator[str]:
    """Yield whole sentences that the guard lets pass; stop at the first that it refuses."""
    trace.reply = None
    sent, waiting = "", ""
    whole: Reply | None = None
    async for part in tutor.reply(turn):
        if isinstance(part, Reply):
            whole = part
            continue
        waiting += part
        *finished, waiting = _split(waiting)
        for sentence in finished:
            refusal = _checked(guard, sent, sentence, trace)
            if refusal is not None:
                trace.refusals.append(refusal)
                return
            sent = f"{sent} {sentence}".strip()
            yield sentence
    if waiting.strip():
        refusal = _checked(guard, sent, waiting.strip(), trace)
        if refusal is not None:
            trace.refusals.append(refusal)
            return
        yield waiting.strip()
    trace.reply = whole


def _checked(guard: Guard, sent: str, sentence: str, trace: TurnTrace) -> Refusal | None:
    started = time.perf_counter()
    refusal = guard.check(sent, sentence)
    trace.timings_ms["guard"] = trace.timings_ms.get("guard", 0.0) + _since(started)
    return refusal


def _split(text: str) -> list[str]:
    """Split into finished sentences and the unfinished rest, which comes last and may be empty."""
    parts: list[str] = []
    place = 0
    for end in _SENTENCE_END.finditer(text):
        sentence = text[place : end.end()].strip()
        if sentence:
            parts.append(sentence)
        place = end.end()
    return [*parts, text[place:]]


def _with_reasons(turn: TutorTurn, refusals: list[Refusal]) -> TutorTurn:
    reasons = tuple(f"{refusal.reason}: {refusal.sentence}" for refusal in refusals)
    return replace(turn, avoid=reasons)


def _safe_question(turn: TutorTurn, trace: TurnTrace) -> Reply:
    """Return the problem's own first sentence as a question: it cannot hold anything that is not public."""
    if turn.routed is not None:
        text = phrase(turn.context.language, "ask_more", turn=len(turn.context.history))
        return Reply(
            text=text, move=Move.ANSWER_QUESTION, frame=Frame(kind=FrameKind.OPEN), language=turn.context.language
        )
    language = turn.context.language.split("-")[0]
    phrases = load_phrases(language if language in PHRASE_LANGUAGES else "en")
    lines = phrases.variants("say.safe")
    text = lines[len(turn.context.history) % len(lines)]
    return Reply(
        text=text,
        move=Move.MEANING_OF_PHRASE,
        frame=Frame(kind=FrameKind.EXPLAIN),
        language=phrases.language,
        notes=tuple(f"refused: {refusal.reason}" for refusal in trace.refusals),
    )


def _rung_at(turn: TurnContext, observation: Observation, rungs: Mapping[int, Rung]) -> Rung:
    """Return the help already given at the step this turn is about."""
    node = observation.first_wrong_node
    if node is None and turn.graph is not None:
        following = next_node(turn.graph, observation.reached)
        node = following.index if following else None
    return rungs.get(-1 if node is None else node, Rung.NONE)


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
