"""The mentor role: names what is weak in a reply, and gives a better one with what can be learnt from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from preceptor.domain.experience import Strategy
from preceptor.domain.rubric import Critique
from preceptor.domain.usage import Usage
from preceptor.experience.critic import ReviewedTurn


@dataclass(frozen=True, kw_only=True)
class Flaw:
    """One weakness of the reply as it was given."""

    code: str
    """`answer_giving`, `pseudo_scaffolding`, `weak_diagnosis`, `superficial_empathy`, `rigidity`, `loss_of_focus`, or
    a word of a model."""
    said: str
    """The weakness in a sentence about this turn."""


@dataclass(frozen=True, kw_only=True)
class Revision:
    """The better reply, and what it teaches. Texts other than `reply` and `flaws` carry nothing of the problem."""

    flaws: tuple[Flaw, ...]
    """Named before the reply was rewritten."""
    reply: str
    """r*: what the tutor should have said in this very turn."""
    template: str
    """The reply without its problem; gaps in square brackets."""
    strategy: Strategy = Strategy.OTHER
    strategy_notes: tuple[str, ...] = ()
    """Teaching advice, in order."""
    pitfalls: tuple[str, ...] = ()
    """What to avoid here."""
    struggle_handling: str = ""
    """What to do where the struggle goes on."""
    addresses: str = ""
    """How the new reply answers the flaws."""
    move: str = ""
    """The builtin move behind it; empty where a model wrote it."""
    engine: str = "builtin"
    usage: Usage | None = None
    """The model call behind it; `None`: no model was asked."""


class Mentor(Protocol):
    """Rewrites a reply that eq. 5 sends to revision.

    Source: REAT, equation 6 and Appendix G.3.
    """

    async def revise(
        self, turn: ReviewedTurn, critique: Critique, *, earlier: Sequence[tuple[Revision, Critique]] = ()
    ) -> Revision | None:
        """Return a revision of `turn.reply`, or `None` where there is nothing better to offer.

        Args:
            turn: Problem, history, utterance, the observer's record of both sides (`turn.observation`,
                `turn.evidence`) and the reply as it was given.
            critique: The critic's record of that reply.
            earlier: The revisions of earlier rounds with their critiques, which did not pass the gate, oldest first.

        Raises:
            ModelError: The model behind it failed.
        """
        ...
