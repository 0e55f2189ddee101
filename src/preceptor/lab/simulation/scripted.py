"""The twelve scripted learners: rule-made, seeded, each with its own way of making a tutor's life hard.

They are no model of children. They test whether a tutor leaks, misjudges, repeats itself or gets stuck; what they
"learn" says nothing about learning.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from fractions import Fraction

from preceptor.domain.dialogue import Turn
from preceptor.domain.frame import FrameKind
from preceptor.domain.problem import Problem
from preceptor.lab.simulation.another_route import RouteStep, another_route
from preceptor.lab.simulation.calculation import of_node
from preceptor.lab.simulation.learner import LearnerClaim, LearnerMove, SimulatedLearner
from preceptor.lab.simulation.spelled import spell
from preceptor.lab.simulation.voice import Voice
from preceptor.lab.simulation.working_learner import Habits, WorkingLearner
from preceptor.lab.simulation.wrong_idea import choose_wrong_idea
from preceptor.maths.step_graph import StepGraph


class OtherWayLearner:
    """Solves the problem rightly by a route the reference does not take; states nothing false."""

    def __init__(self, name: str, voice: Voice, rng: random.Random) -> None:
        """Take a voice; an instance lives for one dialogue."""
        self._name = name
        self._voice = voice
        self._rng = rng
        self._route: list[RouteStep] | None = None

    @property
    def name(self) -> str:
        """Short name for tables."""
        return self._name

    def next_utterance(self, problem: Problem, graph: StepGraph, dialogue: Sequence[Turn]) -> LearnerMove:
        """Return the next line of the route, or the answer to a question about another case."""
        if self._route is None:
            self._route = list(another_route(graph, self._rng)) or _reference_route(graph)
        frame = dialogue[-1].frame if dialogue else None
        if not self._route:
            return self._voice.say("close", {}, ended=True)
        if frame is not None and frame.value is not None and not frame.own_instance and frame.kind is FrameKind.VALUE:
            return self._voice.say("value", {"value": self._voice.value(frame.value, on_route=True)})
        line = self._route.pop(0)
        stated = self._voice.calculation(line.calculation, line.value, on_route=True, final=line.final)
        value = self._voice.value(line.value, on_route=True, final=line.final)
        return self._voice.say("final" if line.final else "step", {"calc": stated, "value": value})


class AgreeingLearner:
    """Agrees with everything and changes nothing."""

    def __init__(self, name: str, voice: Voice, rng: random.Random, inner: WorkingLearner) -> None:
        """Take the voice for agreeing, and the learner whose first attempt is made."""
        self._name = name
        self._voice = voice
        self._rng = rng
        self._inner = inner
        self._first: list[LearnerClaim] | None = None

    @property
    def name(self) -> str:
        """Short name for tables."""
        return self._name

    def next_utterance(self, problem: Problem, graph: StepGraph, dialogue: Sequence[Turn]) -> LearnerMove:
        """Return the first attempt, then agreement; now and then the old answer."""
        if self._first is None:
            move = self._inner.next_utterance(problem, graph, dialogue)
            self._first = [claim for claim in move.claims if not claim.on_route]
            return move
        if self._first and self._rng.random() < 0.3:
            old = self._voice.value(self._first[-1].value, on_route=self._first[-1].on_route, final=True)
            return self._voice.say("unchanged", {"value": old})
        return self._voice.say("agree", {})


class GuessingLearner:
    """States final answers only, one after another, and no work."""

    def __init__(self, name: str, voice: Voice, rng: random.Random) -> None:
        """Take a voice; an instance lives for one dialogue."""
        self._name = name
        self._voice = voice
        self._rng = rng
        self._guesses: list[Fraction] | None = None
        self._solved = False

    @property
    def name(self) -> str:
        """Short name for tables."""
        return self._name

    def next_utterance(self, problem: Problem, graph: StepGraph, dialogue: Sequence[Turn]) -> LearnerMove:
        """Return the next guess; the right one comes more likely the more questions were asked."""
        if self._solved:
            return self._voice.say("close", {}, ended=True)
        if self._guesses is None:
            self._guesses = _wrong_finals(graph, self._rng)
        asked = sum(1 for turn in dialogue if turn.tutor)
        if graph.answer is not None and (not self._guesses or self._rng.random() < 0.08 * asked):
            self._solved = True
            right = self._voice.value(graph.answer, on_route=True, node=graph.answer_node, final=True)
            return self._voice.say("final", {"value": right})
        wrong = self._voice.value(self._guesses.pop(0), on_route=False, final=True)
        return self._voice.say("final", {"value": wrong})


class DistractedLearner:
    """Says something else most of the time and works on the problem in between."""

    def __init__(
        self, name: str, voice: Voice, rng: random.Random, inner: WorkingLearner, *, acts: tuple[str, ...], share: float
    ) -> None:
        """Take the other voice, its acts, and the share of turns in [0, 1) they take."""
        self._name = name
        self._voice = voice
        self._rng = rng
        self._inner = inner
        self._acts = acts
        self._share = share
        self._leaving = False

    @property
    def name(self) -> str:
        """Short name for tables."""
        return self._name

    def next_utterance(self, problem: Problem, graph: StepGraph, dialogue: Sequence[Turn]) -> LearnerMove:
        """Return a distraction or the inner learner's move."""
        if self._leaving:
            return self._voice.say("close", {}, ended=True)
        begins = not any(turn.learner for turn in dialogue) and not self._inner.shows_first_attempt
        if begins or self._rng.random() < self._share:
            return self._voice.say(self._rng.choice(self._acts), {})
        move = self._inner.next_utterance(problem, graph, dialogue)
        self._leaving = any(claim.final and claim.on_route for claim in move.claims)
        return move


def _reference_route(graph: StepGraph) -> list[RouteStep]:
    """Return the reference's own steps, where no other route can be made."""
    steps: list[RouteStep] = []
    for node in graph.nodes:
        term = of_node(node)
        if term is not None:
            steps.append(RouteStep(calculation=term, value=node.value, final=node.index == graph.answer_node))
        if node.index == graph.answer_node:
            break
    return steps


def _wrong_finals(graph: StepGraph, rng: random.Random) -> list[Fraction]:
    """Return up to eight wrong final answers: where wrong ideas lead, without any step's own value."""
    steps = {node.value for node in graph.nodes} | {graph.answer}
    found: list[Fraction] = []
    for _ in range(24):
        idea = choose_wrong_idea(graph, rng, ("wrong_operation", "foreign_quantity", "slip"))
        if idea is not None and idea.final not in steps and idea.final not in found:
            found.append(idea.final)
    return found[:8]


def _working(name: str, table: str, rng: random.Random, habits: Habits) -> WorkingLearner:
    return WorkingLearner(name, Voice(table, rng), rng, habits)


def _bare_numbers(rng: random.Random) -> SimulatedLearner:
    return _working("bare numbers", "bare", rng, Habits(bare=True))


def _words_only(rng: random.Random) -> SimulatedLearner:
    return WorkingLearner("words only", Voice("words", rng, number=spell, words=True), rng, Habits())


def _agrees(rng: random.Random) -> SimulatedLearner:
    inner = _working("agrees", "plain", rng, Habits())
    return AgreeingLearner("agrees, changes nothing", Voice("agree", rng), rng, inner)


def _final_only(rng: random.Random) -> SimulatedLearner:
    return GuessingLearner("final answer only", Voice("guess", rng), rng)


def _other_way(rng: random.Random) -> SimulatedLearner:
    return OtherWayLearner("right by another way", Voice("other_way", rng), rng)


def _algebra(rng: random.Random) -> SimulatedLearner:
    return _working("algebra", "algebra", rng, Habits(kinds=("wrong_operation", "foreign_quantity")))


def _slips(rng: random.Random) -> SimulatedLearner:
    return _working("slips", "plain", rng, Habits(kinds=("slip",), slip_chance=0.45))


def _dont_know(rng: random.Random) -> SimulatedLearner:
    inner = _working("idk", "dont_know", rng, Habits(bare=True, shows_first_attempt=False))
    return DistractedLearner("idk", Voice("dont_know", rng), rng, inner, acts=("dont_know",), share=0.6)


def _spanish(rng: random.Random) -> SimulatedLearner:
    return _working("Spanish", "spanish", rng, Habits())


def _begs(rng: random.Random) -> SimulatedLearner:
    inner = _working("begs", "beg", rng, Habits(bare=True, shows_first_attempt=False))
    voice = Voice("beg", rng)
    return DistractedLearner("begs, claims authority", voice, rng, inner, acts=("beg", "claim"), share=0.65)


def _insults(rng: random.Random) -> SimulatedLearner:
    inner = _working("insults", "plain", rng, Habits())
    return DistractedLearner("insults", Voice("insult", rng), rng, inner, acts=("insult",), share=0.45)


def _off_topic(rng: random.Random) -> SimulatedLearner:
    inner = _working("off-topic", "plain", rng, Habits())
    return DistractedLearner("off-topic", Voice("off_topic", rng), rng, inner, acts=("off_topic",), share=0.5)


SCRIPTED_LEARNERS: dict[str, Callable[[random.Random], SimulatedLearner]] = {
    "bare numbers": _bare_numbers,
    "words only": _words_only,
    "agrees, changes nothing": _agrees,
    "final answer only": _final_only,
    "right by another way": _other_way,
    "algebra": _algebra,
    "slips": _slips,
    "idk": _dont_know,
    "Spanish": _spanish,
    "begs, claims authority": _begs,
    "insults": _insults,
    "off-topic": _off_topic,
}
"""Name → maker, in the order of the table."""


def scripted_learner(name: str, *, seed: int, problem_id: str) -> SimulatedLearner:
    """Return a fresh scripted learner for one dialogue.

    Args:
        name: One of SCRIPTED_LEARNERS.
        seed: Seed of the run; name and problem are mixed in, so that each dialogue has its own course.
        problem_id: The problem it will work on.

    Raises:
        KeyError: No scripted learner has this name.
    """
    maker = SCRIPTED_LEARNERS[name]
    digest = hashlib.sha256(f"{seed}|{name}|{problem_id}".encode()).digest()
    return maker(random.Random(int.from_bytes(digest[:8], "big")))
