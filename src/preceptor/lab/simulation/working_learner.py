"""A scripted learner who works on the problem: starts with a wrong idea, answers what is asked, and gets on."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from preceptor.domain.dialogue import Turn
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.problem import Problem
from preceptor.lab.simulation.calculation import Calculation, Term, of_node
from preceptor.lab.simulation.learner import LearnerMove
from preceptor.lab.simulation.understanding import Understanding
from preceptor.lab.simulation.voice import Stated, Voice, as_final
from preceptor.lab.simulation.wrong_idea import WrongKind, choose_wrong_idea
from preceptor.maths.step_graph import StepGraph

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "last")
_SIGN_WORDS = {
    "+": ("+", "add", "plus", "sum", "together", "more"),
    "-": ("-", "−", "subtract", "minus", "take", "less", "left"),
    "*": ("×", "*", "multipl", "times", "x"),
    "/": ("÷", "/", "divid", "split", "share"),
    "^": ("^", "power"),
}


@dataclass(frozen=True, kw_only=True)
class Habits:
    """How a working learner works."""

    kinds: tuple[WrongKind, ...] = ("wrong_operation", "foreign_quantity", "stopped_early")
    """Wrong ideas it may begin with."""
    bare: bool = False
    """States values only, never a calculation."""
    slip_chance: float = 0.06
    """Chance of a slip in the arithmetic of a step, the first time it is stated."""
    shows_first_attempt: bool = True
    """Begins with an attempt of its own; else it only answers."""
    small_case_chance: float = 0.9
    """Chance to answer a changed or smaller case rightly."""


class WorkingLearner:
    """Answers the pending question in its own way; wrong at first, right after helpful questions."""

    def __init__(self, name: str, voice: Voice, rng: random.Random, habits: Habits) -> None:
        """Take a voice and habits; an instance lives for one dialogue."""
        self._name = name
        self._voice = voice
        self._rng = rng
        self._habits = habits
        self._mind: Understanding | None = None
        self._slipped: set[int] = set()

    @property
    def name(self) -> str:
        """Short name for tables."""
        return self._name

    @property
    def shows_first_attempt(self) -> bool:
        """Whether it begins with an attempt of its own."""
        return self._habits.shows_first_attempt

    def next_utterance(self, problem: Problem, graph: StepGraph, dialogue: Sequence[Turn]) -> LearnerMove:
        """Return the next move."""
        if self._mind is None:
            self._mind = Understanding(graph, choose_wrong_idea(graph, self._rng, self._habits.kinds), self._rng)
            if self.shows_first_attempt and not any(turn.learner for turn in dialogue):
                return self._opening(self._mind)
        mind = self._mind
        if mind.solved:
            return self._voice.say("close", {}, ended=True)
        frame = dialogue[-1].frame if dialogue else None
        mind.hear(frame)
        if frame is not None:
            answered = self._answer_of_kind(mind, frame)
            if answered is not None:
                return answered
        return self._step(mind, mind.target(frame, directly=self._habits.bare))

    # -- the first attempt --------------------------------------------------------------------------------

    def _opening(self, mind: Understanding) -> LearnerMove:
        idea = mind.idea
        if idea is None:
            return self._step(mind, mind.target(None))
        final = self._voice.value(idea.final, on_route=idea.on_route, final=True)
        if self._habits.bare:
            return self._voice.say("open_final", {"value": final})
        before = [node for node in mind.needed if node < idea.node]
        steps = [step for node in before[-2:] if (step := self._right(mind, node)) is not None]
        wrong = self._wrong(mind)
        if wrong is not None and self._rng.random() < 0.3:
            return self._worded("open_step", mind.graph, idea.node, wrong, idea.calculation)
        shown = (*steps, wrong) if wrong is not None else tuple(steps)
        if not shown:
            return self._worded("step", mind.graph, mind.needed[0], *self._right_with_term(mind, mind.needed[0]))
        for step in steps:
            if step.node is not None:
                mind.reach(step.node)
        return self._voice.say("open_chain", {"steps": shown, "final": final})

    # -- answers to the pending question -------------------------------------------------------------------

    def _answer_of_kind(self, mind: Understanding, frame: Frame) -> LearnerMove | None:
        if not frame.own_instance and frame.value is not None:
            right = self._rng.random() < self._habits.small_case_chance
            value = frame.value if right else frame.value + 1
            return self._voice.say("value", {"value": self._voice.value(value, on_route=right)})
        if frame.kind is FrameKind.VALUE and frame.node is None and frame.value is not None:
            return self._told(mind, frame.value)
        if frame.kind is FrameKind.CHOICE and frame.options and self._voice.has("choice"):
            return self._choose(mind, frame)
        if frame.kind is FrameKind.YES_NO and self._voice.has("yes") and self._rng.random() < 0.6:
            return self._voice.say(self._rng.choice(["yes", "no"]), {})
        wants_words = frame.kind is FrameKind.OPERATION or (
            frame.kind in (FrameKind.EXPLAIN, FrameKind.RESTATE) and self._rng.random() < 0.4
        )
        if wants_words and self._voice.has("operation"):
            return self._operation(mind, frame)
        return None

    def _told(self, mind: Understanding, value: Fraction) -> LearnerMove:
        """Work out a bare calculation that the tutor wrote; it may be the value of a step."""
        node = next((one for one in mind.needed if mind.graph.nodes[one].value == value), None)
        if node is not None:
            mind.reach(node)
        final = node is not None and node == mind.graph.answer_node
        return self._voice.say("value", {"value": self._voice.value(value, on_route=True, node=node, final=final)})

    def _operation(self, mind: Understanding, frame: Frame) -> LearnerMove | None:
        node = mind.target(frame)
        term = self._idea_term(mind, node)
        if term is None:
            return None
        act = "operation" if frame.kind is FrameKind.OPERATION else "explain"
        return self._voice.say(act, {"expr": self._voice.expression(term)})

    def _choose(self, mind: Understanding, frame: Frame) -> LearnerMove:
        node = mind.target(frame)
        term = self._idea_term(mind, node)
        scores = [_likeness(option, term) for option in frame.options]
        best = max(range(len(scores)), key=lambda place: (scores[place], self._rng.random()))
        ordinal = _ORDINALS[min(best, len(_ORDINALS) - 1)]
        return self._voice.say("choice", {"option": frame.options[best].strip(" .?"), "ordinal": ordinal})

    def _idea_term(self, mind: Understanding, node: int) -> Term | None:
        """Return what the learner would calculate at a step: its wrong idea there, or the right calculation."""
        if mind.idea is not None and node == mind.idea.node and not mind.sees_it():
            return mind.idea.calculation
        return of_node(mind.graph.nodes[node])

    # -- a step ------------------------------------------------------------------------------------------

    def _step(self, mind: Understanding, node: int) -> LearnerMove:
        idea = mind.idea
        if idea is not None and node == idea.node and not mind.cured:
            if not mind.sees_it():
                return self._insist(mind)
            stated, term = self._right_with_term(mind, node)
            if node != mind.graph.answer_node:
                mind.reach(node)
                return self._worded("retry", mind.graph, node, stated, term)
        carried = mind.carried(node) if self._habits.bare else None
        if carried is not None and not mind.sees_it():
            final = node == mind.graph.answer_node
            return self._voice.say("value", {"value": self._voice.value(carried, on_route=False, final=final)})
        slip = self._slip(mind, node)
        if slip is not None:
            return slip
        mind.reach(node)
        stated, term = self._right_with_term(mind, node)
        if node == mind.graph.answer_node:
            return self._worded("final", mind.graph, node, as_final(stated), term)
        return self._worded("step", mind.graph, node, stated, term)

    def _insist(self, mind: Understanding) -> LearnerMove:
        """State the wrong idea once more."""
        assert mind.idea is not None
        wrong = self._wrong(mind)
        if wrong is None or self._habits.bare:
            is_final = mind.idea.node == mind.graph.answer_node
            final = self._voice.value(mind.idea.value, on_route=mind.idea.on_route, final=is_final)
            return self._voice.say("value", {"value": final})
        return self._worded("again", mind.graph, mind.idea.node, wrong, mind.idea.calculation)

    def _slip(self, mind: Understanding, node: int) -> LearnerMove | None:
        """Return a slip in a step's arithmetic, sometimes put right in the same breath; at most once a step."""
        term = of_node(mind.graph.nodes[node])
        right = mind.graph.nodes[node].value
        if term is None or node in self._slipped or self._rng.random() >= self._habits.slip_chance:
            return None
        self._slipped.add(node)
        off = right + self._rng.choice([-2, -1, 1, 2, 10])
        if off <= 0 or off in {one.value for one in mind.graph.nodes}:
            return None
        if self._habits.bare:
            return self._voice.say("value", {"value": self._voice.value(off, on_route=False, node=node)})
        wrong = self._voice.calculation(term, off, on_route=False, node=node)
        if self._voice.has("self_correct") and self._rng.random() < 0.4:
            mind.reach(node)
            stated = self._voice.calculation(
                term, right, on_route=True, node=node, final=node == mind.graph.answer_node
            )
            return self._voice.say("self_correct", {"wrong": wrong, "calc": stated})
        return self._worded("step", mind.graph, node, wrong, term)

    def _wrong(self, mind: Understanding) -> Stated | None:
        idea = mind.idea
        if idea is None or idea.calculation is None:
            return None
        return self._voice.calculation(idea.calculation, idea.value, on_route=False, node=idea.node)

    def _right(self, mind: Understanding, node: int) -> Stated | None:
        term = of_node(mind.graph.nodes[node])
        if term is None:
            return None
        return self._voice.calculation(term, mind.graph.nodes[node].value, on_route=True, node=node)

    def _right_with_term(self, mind: Understanding, node: int) -> tuple[Stated, Term | None]:
        """Return the step as it is to be stated: a calculation, or a bare value where that is habit or all there is."""
        term = of_node(mind.graph.nodes[node])
        stated = None if self._habits.bare else self._right(mind, node)
        if stated is None:
            return self._voice.value(mind.graph.nodes[node].value, on_route=True, node=node), None
        return stated, term

    def _worded(self, act: str, graph: StepGraph, node: int, stated: Stated, term: Term | None) -> LearnerMove:
        """Word a step; without a calculation, or in a voice that has no words for the act, as a bare value."""
        if term is None or self._habits.bare or not self._voice.has(act):
            plain = self._voice.value(stated.value, on_route=stated.on_route, node=node, final=stated.final)
            return self._voice.say("value", {"value": plain})
        bare = Stated(
            text=self._voice.value(stated.value, on_route=stated.on_route).text,
            value=stated.value,
            on_route=stated.on_route,
            arithmetic_holds=stated.arithmetic_holds,
            node=node,
            final=stated.final,
        )
        return self._voice.say(act, {"calc": stated, "value": bare, "equation": self._voice.equation(term)})


def _likeness(option: str, term: Term | None) -> float:
    """Return how much an offered choice looks like a calculation: its operator and its numbers."""
    if not isinstance(term, Calculation):
        return 0.0
    text = option.lower()
    score = 2.0 if any(word in text for word in _SIGN_WORDS[term.operator]) else 0.0
    return score + sum(0.5 for number in _numbers(term) if str(number) in text.replace(",", ""))


def _numbers(term: Term) -> list[Fraction]:
    if isinstance(term, Calculation):
        return _numbers(term.left) + _numbers(term.right)
    return [term.value]
