"""The three reads of a turn. Each is a slot: what is not installed reads as "none"."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from preceptor.domain.observation import Observation
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor import ExperienceAdvice

ReadStatus = Literal["none", "read", "dropped", "absent"]


@dataclass(frozen=True, kw_only=True)
class Read:
    """What one read brought, and how it went."""

    status: ReadStatus
    """`absent`: nothing is installed in this slot; `dropped`: its cap passed and it was not awaited."""
    text: str = ""
    ids: tuple[str, ...] = ()
    similarities: tuple[float, ...] = ()
    advice: tuple[ExperienceAdvice, ...] = field(default=())
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
    """Await a read for at most `cap_s` seconds; past it return `dropped`."""
    started = time.perf_counter()
    try:
        result = await asyncio.wait_for(reading, timeout=cap_s)
    except TimeoutError:
        return Read(status="dropped", duration_ms=(time.perf_counter() - started) * 1000)
    return result
