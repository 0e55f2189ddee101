"""The observer's offline mode: the reply is known, so what the tutor did is recorded too."""

from __future__ import annotations

from typing import Protocol

from preceptor.domain.observation import Observation
from preceptor.domain.tutor_evidence import TutorEvidence
from preceptor.pedagogy.turn_context import TurnContext


class ReplyObserver(Protocol):
    """Records what a reply does; judges nothing. An observer that has both modes is one observer (A10).

    Source: REAT, equation 3.
    """

    async def observe_reply(self, turn: TurnContext, observation: Observation, reply: str) -> TutorEvidence:
        """Return the record of `reply`, given to `turn.utterance`.

        Args:
            turn: The problem, the history and the learner's utterance.
            observation: This observer's record of that utterance.
            reply: What the tutor answered.

        Raises:
            ModelError: The model behind it failed.
        """
        ...
