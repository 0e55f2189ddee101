"""KITE's routes: which kind of help a learner's words ask for, and how much of it the route gives (K12 to K17).

Cues lie in the one rule table (`pedagogy/intent_cues.toml`); this module orders them, and asks a head where none that
withholds fires (`learned_route.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from preceptor.domain.reply import Rung
from preceptor.domain.route import PRECEDENCE, PROCEDURAL, Route, Routed
from preceptor.pedagogy.intent_cues import signals_in
from preceptor.tutoring.learned_route import learned_route

_SIGNALS = {
    "tracing_route": Route.TRACING,
    "debugging_route": Route.DEBUGGING,
    "validation_route": Route.VALIDATION,
    "answer_evaluation_route": Route.ANSWER_EVALUATION,
    "conceptual_route": Route.CONCEPTUAL,
    "direct_route": Route.DIRECT,
}
_WORK = ("asks_for_work", "ask_answer")
"""The task itself is to be done: no solution on any route."""


@dataclass(frozen=True, kw_only=True)
class Help:
    """What one route may give in one reply. (seed: KITE names the kinds; every number: chosen)."""

    n_sentences: int
    """Sentences quoted from the files, at most."""
    tiered: bool
    """Help grows with each attempt: first where to look, then a sentence, then what to compare."""
    worked: bool
    """Worked calculations and code of the files may be quoted."""
    question: str
    """Which questions close the reply: a section of the course phrases."""


HELP: dict[Route, Help] = {
    Route.DIRECT: Help(n_sentences=3, tiered=False, worked=True, question="check_in"),
    Route.CONCEPTUAL: Help(n_sentences=3, tiered=False, worked=True, question="reflect"),
    Route.VALIDATION: Help(n_sentences=1, tiered=True, worked=False, question="compare"),
    Route.ANSWER_EVALUATION: Help(n_sentences=2, tiered=True, worked=False, question="complete"),
    Route.DEBUGGING: Help(n_sentences=1, tiered=True, worked=False, question="self_check"),
    Route.TRACING: Help(n_sentences=1, tiered=True, worked=False, question="trace"),
}


def route_of(
    utterance: str,
    *,
    traces: bool = False,
    earlier: tuple[Routed, ...] = (),
    stuck: bool = False,
    answers: bool = False,
    highest: int = 4,
) -> Routed:
    """Return the route of one utterance.

    Args:
        utterance: The learner's words.
        traces: They hold steps of a trace of the problem at hand.
        earlier: Routes of the dialogue's earlier turns, oldest first.
        stuck: The learner pressed "I'm stuck": the last route goes on, with more help.
        answers: They ask nothing and follow a reply: what they state is looked at, where no cue says otherwise.
        highest: Highest tier of help.
    """
    fired = signals_in(utterance, (*_SIGNALS, *_WORK))
    route: Route | None = Route.TRACING if traces else learned_route(utterance, ruled_route(fired), answers=answers)
    if route is None or (stuck and earlier):
        route = earlier[-1].route if stuck and earlier else Route.VALIDATION if answers else Route.DIRECT
    attempt = _attempt(route, earlier)
    tier = min(attempt + int(stuck and not earlier), highest) if HELP[route].tiered else int(Rung.NONE)
    return Routed(
        route=route,
        cues=fired,
        procedural=route in PROCEDURAL or any(name in fired for name in _WORK),
        tier=tier,
        attempt=attempt,
    )


def ruled_route(fired: tuple[str, ...]) -> Route | None:
    """Return the first route of the precedence that a signal stands for; `None`: none fired."""
    routes = {route for name, route in _SIGNALS.items() if name in fired}
    return next((one for one in PRECEDENCE if one in routes), None)


def rules_of(utterance: str) -> Route | None:
    """Return the route that the rules alone give; `None`: no cue fires."""
    return ruled_route(signals_in(utterance, tuple(_SIGNALS)))


def _attempt(route: Route, earlier: tuple[Routed, ...]) -> int:
    """Return how many turns in a row, this one included, took this route: another route begins anew."""
    n = 1
    for one in reversed(earlier):
        if one.route is not route:
            break
        n += 1
    return n
