"""The critic role: scores one reply on the rubric. It is never told who wrote the reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from preceptor.domain.observation import Observation
from preceptor.domain.rubric import Critique
from preceptor.domain.tutor_evidence import TutorEvidence
from preceptor.pedagogy.turn_context import TurnContext


@dataclass(frozen=True, kw_only=True)
class ReviewedTurn:
    """All that a critic sees of one turn: no author, no engine, no source."""

    context: TurnContext
    """The problem, the history and the learner's utterance."""
    observation: Observation
    """What the observer recorded of that utterance: the critic conditions on it (A17)."""
    reply: str
    previous_moves: tuple[str, ...] = ()
    """The moves of the earlier replies, oldest first; empty: they are read from the history's text."""
    evidence: TutorEvidence | None = None
    """What the observer recorded of the reply itself; `None`: only the utterance was observed."""


class Critic(Protocol):
    """Judges a reply on five dimensions.

    Source: REAT, equation 4.
    """

    async def critique(self, turn: ReviewedTurn) -> Critique:
        """Return the scores of `turn.reply`, caps applied.

        Raises:
            ModelError: The model behind it failed; nothing is scored then.
        """
        ...
