"""What a scripted learner has understood of one problem so far."""

from __future__ import annotations

import random
from fractions import Fraction

from preceptor.domain.frame import Frame, FrameKind
from preceptor.lab.simulation.calculation import needed_nodes
from preceptor.lab.simulation.wrong_idea import WrongIdea
from preceptor.maths.step_graph import StepGraph, recompute_all

_INSIGHT = (0.35, 0.6, 0.85, 1.0)
"""Chance to see one's wrong idea after so many helpful questions about it."""


class Understanding:
    """Steps the learner has stated rightly, the wrong idea it began with, and whether it still holds it."""

    def __init__(self, graph: StepGraph, idea: WrongIdea | None, rng: random.Random) -> None:
        """Begin with a wrong idea; `None`: none fits this problem."""
        self.graph = graph
        self.needed = needed_nodes(graph)
        self.idea = idea
        self.reached: set[int] = set()
        self.cured = idea is None
        self._rng = rng
        self._helped = 0

    @property
    def solved(self) -> bool:
        """Whether the learner has stated the answer's own step rightly."""
        return self.graph.answer_node in self.reached

    def reach(self, node: int) -> None:
        """Note that a step was stated rightly; the wrong idea there is gone."""
        self.reached.add(node)
        if self.idea is not None and node == self.idea.node:
            self.cured = True

    def hear(self, frame: Frame | None) -> None:
        """Take in the tutor's question: one about the wrong step, or a changed case, helps against the wrong idea."""
        if frame is None or frame.kind is FrameKind.OPEN or self.idea is None:
            return
        if frame.node in (self.idea.node, None) or not frame.own_instance:
            self._helped += 1

    def sees_it(self) -> bool:
        """Return whether the learner gets the step of its wrong idea right this time; once seen it stays seen."""
        if not self.cured:
            self.cured = self._rng.random() < _INSIGHT[min(self._helped, len(_INSIGHT) - 1)]
        return self.cured

    def target(self, frame: Frame | None, *, directly: bool = False) -> int:
        """Return the step the next utterance is about: the one asked for, or the first that is missing for it.

        Args:
            frame: The tutor's question.
            directly: Answer the step asked for even if what it needs was not said: a bare number for another step
                would be a wrong answer to the question.
        """
        asked = frame.node if frame is not None and frame.own_instance else None
        if asked is not None and asked in self.needed and directly:
            return asked
        if asked is None or asked not in self.needed:
            asked = next((node for node in self.needed if node not in self.reached), self.needed[-1])
        return self._first_missing(asked)

    def carried(self, node: int) -> Fraction | None:
        """Return the wrong value that the wrong idea at an earlier step gives here; `None`: it does not reach here."""
        if self.idea is None or self.cured or self.idea.node == node or self.idea.calculation is None:
            return None
        wrong = recompute_all(self.graph, self.idea.node, value=self.idea.value).get(node)
        return wrong if wrong is not None and wrong > 0 and wrong != self.graph.nodes[node].value else None

    def _first_missing(self, node: int) -> int:
        for source in self.graph.nodes[node].inputs:
            if source is not None and source not in self.reached:
                return self._first_missing(source)
        return node
