"""The route a head reads where no rule of a procedural route fires; it may only tighten what the rules said."""

from __future__ import annotations

from preceptor.domain.route import Route
from preceptor.messages.features import shapes_in
from preceptor.messages.head import MessageHead, shipped_head
from preceptor.messages.tokens import fold, tokens_of
from preceptor.messages.word_classes import classes_in

OPEN = frozenset({Route.DIRECT, Route.CONCEPTUAL})
"""Routes that explain, worked text and all: what a wrong route must not fall to."""
SURE = 0.5
"""Chance of the open routes from which one is taken; below, the likeliest other. (chosen: doubt is closed)"""
SURE_AGAINST_RULE = 0.2
"""The same where a rule says "conceptual": its cues are seldom wrong. (chosen: four to one)"""
SURE_OF_STATEMENT = 0.6
"""Chance from which a statement after a reply takes another route than validation. (chosen: better than an even bet)"""

_TRACE_WORDS = frozenset({"TRACE", "ALGO"})
"""Kinds of word that a trace is made of: nodes, lists, passes; names of algorithms."""
_TRACE_SHAPES = frozenset({"valued node", "numbers in a row", "letters in a row"})
_TRACE_SIGNS = frozenset({"one capital", "code", "arrow", "equals"})
"""Shapes that are no sign of a trace alone: a note, a vitamin and a chord have one capital too."""


def learned_route(
    utterance: str, ruled: Route | None, *, answers: bool = False, head: MessageHead | None = None
) -> Route | None:
    """Return the route of an utterance.

    Args:
        utterance: The learner's words.
        ruled: What the rules say; `None`: none fired. A route that withholds solutions stands, whatever the head says,
            and "conceptual" is not loosened to "direct".
        answers: It asks nothing and follows a reply.
        head: Reads it; `None`: the shipped one.
    """
    if (ruled is not None and ruled not in OPEN) or not any(map(str.isalnum, utterance)):
        return ruled
    chances = (head or shipped_head("routes")).chances(utterance)
    withheld = [route for route in Route if route not in OPEN]
    closed = max(withheld, key=lambda route: chances[route])
    if closed is Route.TRACING and not may_be_traced(utterance):
        withheld.remove(closed)
        closed = max(withheld, key=lambda route: chances[route])
    if answers and ruled is None:
        return closed if chances[closed] >= SURE_OF_STATEMENT else None
    if sum(chances[route] for route in OPEN) < (SURE_AGAINST_RULE if ruled is Route.CONCEPTUAL else SURE):
        return closed
    if ruled is Route.CONCEPTUAL or chances[Route.CONCEPTUAL] > chances[Route.DIRECT]:
        return Route.CONCEPTUAL
    return Route.DIRECT


def may_be_traced(utterance: str) -> bool:
    """Whether an utterance has two signs of a trace, one of them a word of traces or searches or values of nodes.

    Without it no head takes a question for a step of a trace: heads have seen few subjects.
    """
    kinds = classes_in(tokens_of(fold(utterance)))
    shapes = shapes_in(utterance)
    n_own = sum(kind in _TRACE_WORDS for kind in kinds) + len(_TRACE_SHAPES & shapes)
    n_beside = len(_TRACE_SIGNS & shapes) + ("SIMULATE" in kinds)
    return n_own >= 1 and n_own + n_beside >= 2
