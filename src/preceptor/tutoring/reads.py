"""The three reads of a turn. Each is a slot: what is not installed reads as "none"."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from preceptor.course.retrieved import RetrievedPassages
from preceptor.domain.observation import Observation
from preceptor.domain.reply import Reply
from preceptor.errors import PreceptorError
from preceptor.experience.retrieval import Retrieved
from preceptor.memory.record_answers import Found
from preceptor.memory.teaching import Teaching
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor import ExperienceAdvice

ReadStatus = Literal["none", "read", "dropped", "absent", "failed"]


@dataclass(frozen=True, kw_only=True)
class MemoryRead:
    """What a read of memory found beside the text for the prompt."""

    reply: Reply | None = None
    """The builtin reply to a question about the record, or to what the learner taught; `None`: it is neither."""
    found: Found | None = None
    """How far the record answers; `None`: it was not asked."""
    taught: Teaching | None = None
    """What the learner taught: to be stored with the turn."""
    belief_ids: tuple[str, ...] = ()
    concept_ids: tuple[str, ...] = ()
    """Concepts that the message is about."""


@dataclass(frozen=True, kw_only=True)
class Read:
    """What one read brought, and how it went."""

    status: ReadStatus
    """`absent`: nothing is installed in this slot; `dropped`: its cap passed and it was not awaited;
    `failed`: it broke, and the turn went on without it."""
    text: str = ""
    ids: tuple[str, ...] = ()
    similarities: tuple[float, ...] = ()
    advice: tuple[ExperienceAdvice, ...] = field(default=())
    retrieved: Retrieved | None = None
    """Of the read of experience: what was asked and what there was (A30)."""
    found: RetrievedPassages | None = None
    """Of the read of the course: every stage's scores, and how likely the course answers."""
    memory: MemoryRead | None = None
    """Of the read of memory: what it found beside its text; `None`: nothing."""
    detail: str = ""
    """Why nothing was read; empty where something was."""
    duration_ms: float = 0.0


ABSENT = Read(status="absent")


class TurnReader(Protocol):
    """Learner memory or course knowledge: reads from the utterance alone, never waits for the observer."""

    async def read(self, turn: TurnContext) -> Read:
        """Return what is worth telling the tutor."""
        ...


class ExperienceReader(Protocol):
    """Teaching experience: needs the observed learner state."""

    async def read(self, turn: TurnContext, observation: Observation) -> Read:
        """Return the experience for this state, or none."""
        ...


async def capped(reading: Awaitable[Read], *, cap_s: float) -> Read:
    """Await a read for at most `cap_s` seconds; past it return `dropped`. A read that breaks is `failed`, no error."""
    started = time.perf_counter()
    try:
        return await asyncio.wait_for(reading, timeout=cap_s)
    except TimeoutError:
        return Read(status="dropped", duration_ms=(time.perf_counter() - started) * 1000)
    except PreceptorError as error:
        failed = (time.perf_counter() - started) * 1000
        return Read(status="failed", detail=type(error).__name__, duration_ms=failed)
