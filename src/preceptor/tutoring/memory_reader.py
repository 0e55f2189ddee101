"""The live turn's read of learner memory: the block, and the replies that are memory's own to make.

Nothing waits for it past its cap. What the learner teaches and what they ask of their own record is settled here, after
safety and before any maths is read into it.
"""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass
from datetime import datetime

from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.learner_state import Intent, LearnerState
from preceptor.domain.observation import Observation, Reading, ReadingStatus
from preceptor.domain.reply import Move, Reply
from preceptor.domain.scope import Scope
from preceptor.memory.block import MemoryBlock
from preceptor.memory.phrase_table import fold
from preceptor.memory.record_answers import answer_record, back_to_task, confirm_teaching
from preceptor.memory.record_questions import RecordQuestion, record_question
from preceptor.memory.teaching import Teaching, may_teach
from preceptor.memory.time_phrases import read_time
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.tutoring.guard import Guard
from preceptor.tutoring.live_memory import LiveMemory
from preceptor.tutoring.reads import MemoryRead, Read, capped

_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？؟])\s*|\n+|(?<=:)\s+(?=[A-ZÄÖÜ¿])")
_WHERE = re.compile(r"^(?:where|wo|wobei|donde|ou|اين)\b|哪里|哪儿|错在哪")
_HERE = re.compile(
    r"\b(?:here|this (?:step|one|line|problem|time)|just now|hier|dieser? (?:schritt|aufgabe|zeile)|aqui|est[ae] paso"
    r"|ici|cette (?:etape|ligne))\b|هنا|هذه (?:الخطوة|المسالة)|这里|这一步|这道题|这题"
)
_FIGURE = re.compile(r"\d")
"""Asked in the middle of a problem, a question with one of these is about the step at hand, not about the record."""
_WITHHELD = frozenset({"unsafe", "final_answer", "unreached_step"})
"""What the guard must not find in a memory that is told; a wrong line of the learner's own is told as one."""
NOT_SHOWN = "not read: the tutor of this turn uses no memory"
_NOT_READ = Observation(
    state=LearnerState(intent=Intent.OFF_TOPIC),
    error_detail="",
    struggle_reason="",
    reading=Reading(status=ReadingStatus.UNREAD, read_as="", reason="memory"),
)
"""For the guard: nothing of this message was read as work."""


@dataclass(frozen=True, kw_only=True)
class TurnOwner:
    """Whose turn it is, and when."""

    scope: Scope
    dialogue_id: str
    now: datetime
    """Timezone-aware."""
    time_zone: str
    """The learner's IANA zone."""


class TurnMemory:
    """`MemoryReader` of one turn; what was read once is not read again."""

    def __init__(self, memory: LiveMemory, owner: TurnOwner, *, is_shown: bool = True) -> None:
        """Keep memory and whose turn it is.

        Args:
            memory: What is read.
            owner: Whose turn it is, and when.
            is_shown: The tutor is told of memory in a turn about the problem. False: only what is taught or asked of
                the record is read; nothing else would be used.
        """
        self._memory = memory
        self._owner = owner
        self._is_shown = is_shown
        self._read: Read | None = None
        self._is_concerned: bool | None = None

    async def settle(self, turn: TurnContext, *, cap_s: float) -> Read | None:
        """Return the read where the message teaches or asks of the record; `None`: it is about the task."""
        if not self._concerns(turn):
            return None
        self._read = await capped(self.read(turn), cap_s=cap_s)
        return self._read

    async def read(self, turn: TurnContext) -> Read:
        """Return the block for this message, or why there is none.

        Raises:
            StoreError: The database cannot be read.
        """
        if self._read is None and not self._is_shown and not self._concerns(turn):
            self._read = Read(status="none", detail=NOT_SHOWN)
        if self._read is None:
            finding = asyncio.ensure_future(asyncio.to_thread(self._find, turn))
            finding.add_done_callback(_taken)
            self._read = await asyncio.shield(finding)
        return self._read

    def _concerns(self, turn: TurnContext) -> bool:
        """Whether the message teaches or asks of the record."""
        if self._is_concerned is None:
            self._is_concerned = may_teach(turn.utterance, turn.language) or self._asks_record(turn)
        return self._is_concerned

    def _asks_record(self, turn: TurnContext) -> bool:
        asked = record_question(turn.utterance, turn.language)
        return asked is not None and self._is_about_record(asked, turn)

    def _is_about_record(self, asked: RecordQuestion, turn: TurnContext) -> bool:
        """Whether a question is about the record and not about what was just said.

        "Explain it again", "where did I go wrong", "what did I get wrong here" and "what did we do with the 9" are,
        only where they name a time.
        """
        said = fold(turn.utterance)
        about_this = bool(turn.history) and (
            _HERE.search(said) is not None
            or (asked.kind == "got_wrong" and _WHERE.search(fold(asked.phrase)) is not None)
            or (asked.kind == "what_done" and _FIGURE.search(said) is not None)
        )
        if not about_this and asked.kind != "explain_again":
            return True
        owner = self._owner
        reading = read_time(turn.utterance, language=turn.language, now=owner.now, time_zone=owner.time_zone)
        return reading.window is not None or bool(reading.unread)

    def _find(self, turn: TurnContext) -> Read:
        started = time.perf_counter()
        owner = self._owner
        taught = self._memory.teaching(owner.scope, turn.utterance, turn.language)
        if taught is not None:
            found = MemoryRead(reply=_confirmation(taught, turn), taught=taught, concept_ids=_ids(taught))
            return Read(status="none", memory=found, detail="taught", duration_ms=_since(started))
        block = self._memory.block(
            owner.scope,
            turn.utterance,
            now=owner.now,
            time_zone=owner.time_zone,
            language=turn.language,
            dialogue_id=owner.dialogue_id,
            may_ask_record=self._asks_record(turn),
        )
        return Read(
            status="read" if block.text else "none",
            text=block.text,
            ids=block.episode_ids,
            similarities=block.similarities,
            memory=self._found(block, turn),
            detail=_detail(block),
            duration_ms=_since(started),
        )

    def _found(self, block: MemoryBlock, turn: TurnContext) -> MemoryRead:
        beliefs = tuple(one.belief_id for one in block.beliefs)
        if block.record_question is None:
            return MemoryRead(belief_ids=beliefs, concept_ids=block.concept_ids)
        guard = Guard(turn, _NOT_READ)

        def may_say(text: str) -> bool:
            refusal = guard.check("", text)
            return refusal is None or refusal.reason not in _WITHHELD

        answer = answer_record(block, may_say=may_say)
        reply = _reply(answer.text, answer.language, Move.RECORD_ANSWER, turn, answer.episode_ids)
        return MemoryRead(reply=reply, found=answer.found, belief_ids=beliefs, concept_ids=block.concept_ids)


def _confirmation(taught: Teaching, turn: TurnContext) -> Reply:
    return _reply(confirm_teaching(taught), taught.language, Move.TAUGHT, turn)


def _reply(text: str, language: str, move: Move, turn: TurnContext, ids: tuple[str, ...] = ()) -> Reply:
    """Return the reply with the way back to the question that is open; what was pending stays pending."""
    last = turn.history[-1] if turn.history else None
    frame = last.frame if last else None
    questions = _questions(last.tutor or "") if last and frame and frame.kind is not FrameKind.OPEN else []
    if questions:
        text = f"{text}\n\n{back_to_task(language, questions[-1].strip())}"
    return Reply(text=text, move=move, frame=frame or Frame(kind=FrameKind.OPEN), language=language, memory_ids=ids)


def _questions(said: str) -> list[str]:
    return [sentence for sentence in _SENTENCES.split(said) if sentence.rstrip().endswith(("?", "？", "؟"))]


def _detail(block: MemoryBlock) -> str:
    if block.unread_time:
        return "time not read"
    if block.window is None:
        return "" if block.text else "nothing on record"
    empty = ", no record" if block.window_is_empty else ""
    return f"{block.window.first_day.isoformat()} to {block.window.last_day.isoformat()}{empty}"


def _ids(taught: Teaching) -> tuple[str, ...]:
    return (taught.concept_id,) if taught.concept_id else ()


def _taken(finding: asyncio.Future[Read]) -> None:
    """Take up the error of a read that nobody waits for any more."""
    if not finding.cancelled():
        finding.exception()


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
