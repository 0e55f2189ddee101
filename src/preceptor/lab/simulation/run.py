"""Runs simulated learners against a tutor and counts what must not happen: leaks, false marks, repeated sentences."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from preceptor.domain.dialogue import Turn
from preceptor.domain.frame import Frame
from preceptor.domain.observation import JudgedClaim
from preceptor.domain.problem import Problem
from preceptor.lab.simulation.learner import LearnerClaim, LearnerMove, SimulatedLearner
from preceptor.maths.step_graph import StepGraph

MAX_TURNS = 15
"""Learner turns of one dialogue (A44)."""

_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:\.(?=\d)[^.!?。！？\n]*)*[.!?。！？]*")
"""A point inside a number ends no sentence."""


@dataclass(frozen=True, kw_only=True)
class TutorAnswer:
    """What the tutor under test did in one turn."""

    text: str
    frame: Frame | None = None
    """What the reply asks for, if the tutor says; the learner answers it."""
    claims: tuple[JudgedClaim, ...] = ()
    """The marks it gave to what the learner wrote in this turn."""
    solved: bool | None = None
    """Whether it takes the problem as solved; `None`: it does not say."""
    note: str = ""
    """Anything that helps to read a transcript: move, engine."""


class TutorUnderTest(Protocol):
    """A tutor in one dialogue about one problem."""

    async def take(self, utterance: str) -> TutorAnswer:
        """Answer one learner utterance; the tutor keeps the conversation itself."""
        ...


LeakOracle = Callable[[Problem, StepGraph, Sequence[Turn], str], bool]
"""(problem, graph, conversation whose last turn is the one replied to, reply) → the reply gives something away."""

OpenTutor = Callable[[Problem, StepGraph], Awaitable[tuple[TutorUnderTest, TutorAnswer | None]]]
"""Opens a tutor for one problem; with its opening words, if it has any."""


@dataclass(frozen=True, kw_only=True)
class SimulatedTurn:
    """One turn with what went wrong in it."""

    move: LearnerMove
    answer: TutorAnswer
    leaked: bool
    false_right: int
    """Claims marked right that the simulator knows to be wrong."""
    false_wrong: int
    """Claims marked wrong that the simulator knows to be right."""
    repeated: tuple[str, ...]
    """Sentences of the reply that the tutor has said before in this dialogue."""


@dataclass(frozen=True, kw_only=True)
class Transcript:
    """One dialogue of one learner on one problem."""

    learner: str
    problem_id: str
    opening: TutorAnswer | None
    turns: tuple[SimulatedTurn, ...]
    solved: bool
    """The learner stated the right final answer."""
    recognised: bool | None
    """The tutor took it as solved in the turn in which the learner did, or later; `None`: it never says."""

    @property
    def leaks(self) -> int:
        """Replies that gave something away."""
        return sum(turn.leaked for turn in self.turns)

    @property
    def false_right(self) -> int:
        """Wrong claims marked right."""
        return sum(turn.false_right for turn in self.turns)

    @property
    def false_wrong(self) -> int:
        """Right claims marked wrong."""
        return sum(turn.false_wrong for turn in self.turns)

    @property
    def right_claims(self) -> int:
        """Claims the simulator knows to be right: what a false ✗ is counted against."""
        return sum(claim.on_route is True for turn in self.turns for claim in turn.move.claims)

    @property
    def wrong_claims(self) -> int:
        """Claims the simulator knows to be wrong: what a false ✓ is counted against."""
        return sum(claim.on_route is False for turn in self.turns for claim in turn.move.claims)

    @property
    def repeated(self) -> int:
        """Tutor sentences said before."""
        return sum(len(turn.repeated) for turn in self.turns)


@dataclass(kw_only=True)
class _Course:
    """What has happened so far in a running dialogue."""

    turns: list[SimulatedTurn] = field(default_factory=list)
    history: list[Turn] = field(default_factory=list)
    said: set[str] = field(default_factory=set)


async def run_dialogue(
    learner: SimulatedLearner,
    problem: Problem,
    graph: StepGraph,
    tutor: TutorUnderTest,
    *,
    opening: TutorAnswer | None = None,
    leaks: LeakOracle | None = None,
    max_turns: int = MAX_TURNS,
) -> Transcript:
    """Let a learner and a tutor talk until the learner leaves, the answer is stated and replied to, or turns run out.

    Args:
        learner: A fresh one; it lives for this dialogue.
        problem: What is worked on.
        graph: Its worked solution.
        tutor: A fresh one.
        opening: What the tutor said first.
        leaks: Says whether a reply gives something away; `None`: not counted.
        max_turns: Learner turns.

    Raises:
        ValueError: The solution gives no final answer: right and wrong could not be told apart.
    """
    if graph.answer is None or graph.answer_node is None or graph.inconsistent:
        raise ValueError(f"problem {problem.problem_id!r}: its solution gives no final answer to check against")
    course = _Course()
    if opening is not None:
        course.history.append(Turn(learner="", tutor=opening.text, frame=opening.frame))
        course.said.update(sentences(opening.text))
    solved, recognised = False, None
    while len(course.turns) < max_turns:
        move = learner.next_utterance(problem, graph, course.history)
        answer = await tutor.take(move.text)
        course.turns.append(_counted(course, problem, graph, move, answer, leaks))
        course.history.append(Turn(learner=move.text, tutor=answer.text, frame=answer.frame))
        if answer.solved is not None:
            recognised = bool(recognised) or answer.solved
        solved = solved or any(claim.final and claim.on_route for claim in move.claims)
        if move.ended:
            break
    return Transcript(
        learner=learner.name,
        problem_id=problem.problem_id,
        opening=opening,
        turns=tuple(course.turns),
        solved=solved,
        recognised=recognised,
    )


def sentences(text: str) -> list[str]:
    """Return a reply's sentences, folded for comparison; those of one or two words are left out."""
    found = [" ".join(part.split()).casefold().strip() for part in _SENTENCE.findall(text)]
    return [part for part in found if len(part.split()) > 2 or len(part) > 24]


def _counted(
    course: _Course,
    problem: Problem,
    graph: StepGraph,
    move: LearnerMove,
    answer: TutorAnswer,
    leaks: LeakOracle | None,
) -> SimulatedTurn:
    asked = [*course.history, Turn(learner=move.text)]
    false_right, false_wrong = _false_marks(move.claims, answer.claims)
    said = sentences(answer.text)
    repeated = tuple(part for place, part in enumerate(said) if part in course.said or part in said[:place])
    course.said.update(said)
    return SimulatedTurn(
        move=move,
        answer=answer,
        leaked=leaks is not None and leaks(problem, graph, asked, answer.text),
        false_right=false_right,
        false_wrong=false_wrong,
        repeated=repeated,
    )


def _false_marks(stated: Sequence[LearnerClaim], judged: Sequence[JudgedClaim]) -> tuple[int, int]:
    """Return (wrong claims marked right, right claims marked wrong); a mark belongs to the claim it stands on.

    A calculation that holds but leads nowhere may be marked right "by arithmetic", not "by the reference".
    """
    right = wrong = 0
    for mark in judged:
        known = _claim_at(stated, mark)
        if known is None or mark.claim.withdrawn:
            continue
        if mark.mark == "right" and known.on_route is False:
            right += not (mark.judged_by == "arithmetic" and known.arithmetic_holds)
        if mark.mark == "wrong" and known.on_route:
            wrong += 1
    return right, wrong


def _claim_at(stated: Sequence[LearnerClaim], mark: JudgedClaim) -> LearnerClaim | None:
    """Return the stated claim under a mark: overlapping, of the same value; `None`: the tutor read something else."""
    for claim in stated:
        overlaps = claim.start < mark.claim.end and mark.claim.start < claim.end
        if overlaps and mark.claim.value in (claim.value, None):
            return claim
    return None
