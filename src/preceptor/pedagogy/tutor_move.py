"""Which kind of move a reply is, told from its text and what came before it."""

from __future__ import annotations

from preceptor.domain.tutor_evidence import TutorMove
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor_move_features import move_features
from preceptor.pedagogy.tutor_move_head import MoveHead, shipped_move_head


def classify_move(reply: str, context: TurnContext, *, head: MoveHead | None = None) -> TutorMove:
    """Return the most likely move of a reply.

    Args:
        reply: What the tutor said.
        context: The problem, the history before it and the utterance it answers; empty where the tutor opens.
        head: `None`: the one of the package.
    """
    chances = move_probabilities(reply, context, head=head)
    return max(chances, key=lambda move: chances[move])


def move_probabilities(reply: str, context: TurnContext, *, head: MoveHead | None = None) -> dict[TutorMove, float]:
    """Return how likely each move is; they sum to 1."""
    return (head or shipped_move_head()).probabilities(move_features(reply, context))
