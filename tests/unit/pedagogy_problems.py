"""Invented problems with worked solutions, and a short way to observe a turn on one of them."""

from __future__ import annotations

from preceptor.domain.dialogue import Turn
from preceptor.domain.frame import Frame
from preceptor.domain.observation import Observation
from preceptor.domain.problem import Problem
from preceptor.maths.step_graph import StepGraph, build_step_graph
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.turn_context import TurnContext

PROBLEMS: dict[str, tuple[str, str]] = {
    "loaves": (
        "Lena packs 24 lunch boxes with 2 sandwiches each. A loaf makes 12 sandwiches and costs $3. "
        "How much does Lena spend on loaves?",
        "She makes 24*2=48 sandwiches.\nShe needs 48/12=4 loaves.\nThey cost 4*3=$12.\n#### 12",
    ),
    "stamps": (
        "Omar has 35 stamps. Mia has 14 fewer stamps than Omar. How many stamps do they have together?",
        "Mia has 35-14=21 stamps.\nTogether they have 35+21=56 stamps.\n#### 56",
    ),
    "bus": (
        "A school takes 100 pupils on a trip. Each bus holds 30 pupils. How many buses are needed?",
        "100/30=3.33, so they need 4 buses.\n#### 4",
    ),
    "coat": (
        "A coat costs $80. It is 25% off. Tax of $5 is added to the lower price. What does Ida pay?",
        "The discount is 80*.25=$20.\nThe lower price is 80-20=$60.\nShe pays 60+5=$65.\n#### 65",
    ),
    "walk": (
        "Noor walks for 2 hours and 90 minutes more after lunch. How many minutes does Noor walk in all?",
        "2 hours are 2*60=120 minutes.\nIn all 120+90=210 minutes.\n#### 210",
    ),
    "fair": (
        "At a fair Pia buys 3 rides at $4 each, a drink for $2 and a mask for $7. How much does she spend?",
        "The rides cost 3*4=$12.\nIn all she spends 12+2+7=$21.\n#### 21",
    ),
    "garden": (
        "A garden has 6 rows of 15 tulips. Ben picks 18 tulips for his aunt. How many tulips are left in the garden?",
        "There are 6*15=90 tulips.\nAfter picking there are 90-18=72 tulips left.\n#### 72",
    ),
    "ribbon": (
        "Ella cuts a ribbon of 96 cm into 8 equal pieces. She uses 3 pieces. How many cm of ribbon does she use?",
        "Each piece is 96/8=12 cm.\nShe uses 12*3=36 cm.\n#### 36",
    ),
}
"""Name → (text, worked solution). None of them is from a data set."""

OBSERVER = BuiltinObserver()


def problem_of(name: str) -> Problem:
    """Return one of the problems."""
    text, solution = PROBLEMS[name]
    return Problem(problem_id=name, text=text, solution=solution)


def graph_of(name: str) -> StepGraph:
    """Return its step graph."""
    text, solution = PROBLEMS[name]
    graph = build_step_graph(text, solution, None)
    assert graph is not None
    return graph


def observe(
    name: str, utterance: str, *history: tuple[str, str], frame: Frame | None = None, language: str = "en"
) -> Observation:
    """Return what the builtin observer records of an utterance after (learner, tutor) turns.

    Args:
        name: Name of the problem.
        utterance: What the learner says now.
        history: Earlier turns; the last tutor text is the pending question.
        frame: What that last reply asks for, where it is recorded.
        language: Language of the session.
    """
    turns = [Turn(learner=learner, tutor=tutor) for learner, tutor in history]
    if frame is not None:
        last = turns[-1] if turns else Turn(learner="", tutor="?")
        turns = [*turns[:-1], Turn(learner=last.learner, tutor=last.tutor, frame=frame)]
    return OBSERVER.observe_now(
        TurnContext(
            problem=problem_of(name), graph=graph_of(name), history=tuple(turns), utterance=utterance, language=language
        )
    )
