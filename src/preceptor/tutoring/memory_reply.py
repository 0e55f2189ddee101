"""How learner memory meets the live turn: what settles a message by itself, and what a reply was shown of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Protocol

from preceptor.domain.reply import Reply
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor import TutorTurn
from preceptor.tutoring.reads import Read, TurnReader


class MemoryReader(TurnReader, Protocol):
    """Learner memory of one turn. `tutoring.memory_reader.TurnMemory` is one."""

    async def settle(self, turn: TurnContext, *, cap_s: float) -> Read | None:
        """Return the read where the message teaches or asks of the record; `None`: it is about the task."""
        ...


class SettledReply:
    """A tutor that says a reply that is made already."""

    def __init__(self, reply: Reply) -> None:
        """Keep the reply."""
        self._reply = reply

    async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        """Yield the reply, whatever the turn."""
        yield self._reply.text
        yield self._reply


def with_memory(reply: Reply, read: Read) -> Reply:
    """Return a model's reply with the memories it was shown; the builtin engine's as it is, it reads none."""
    if reply.engine == "builtin" or not read.ids or reply.memory_ids:
        return reply
    return replace(reply, memory_ids=read.ids)
