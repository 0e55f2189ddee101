"""The observer role."""

from __future__ import annotations

from typing import Protocol

from preceptor.domain.observation import Observation
from preceptor.pedagogy.turn_context import TurnContext


class Observer(Protocol):
    """Records the learner's state in one turn; judges arithmetic, never the person.

    Source: REAT, equation 3, in its online mode: the reply does not exist yet.
    """

    async def observe(self, turn: TurnContext) -> Observation:
        """Return the record of `turn.utterance`."""
        ...
