"""Two rounds of a simulated learner: work alone, hear something, revise; once with feedback, once without.

A learner who is told nothing but "check again" also revises, and some of what follows a tutor's words would have come
without them. So every row is run twice from the same first work, and only the difference is put down to the feedback.
Nothing here is learning: what improves is one simulated revision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from preceptor.errors import InputError, ModelError, ModelOutputError
from preceptor.lab.protocols.transitions import Cell, Grade, cell_of

Arm = Literal["feedback", "control"]
ARMS: tuple[Arm, ...] = ("feedback", "control")
CHECK_AGAIN = {
    "en": "Please check your work again.",
    "zh": "请再检查一遍你的解答。",
}
"""What the learner of the control arm is told; English where there is no other."""
MECHANISM_CHECK = "mechanism check, not evidence of tutoring quality"
"""Stands on every report with a scripted learner or a builtin tutor."""
REVISION_ONLY = "improvement in simulated revision quality, to be read with caution; it is not learning"
"""Stands on every other report (seed: KITE, on its own figures)."""


@dataclass(frozen=True, kw_only=True)
class Feedback:
    """What the tutor said to a learner's work."""

    text: str
    leak: str | None
    """What it gives away, by the leak screen of its kind of task; `None`: nothing."""


class RoundTask(Protocol):
    """Something to work on, with its grading and its tutor."""

    @property
    def task_id(self) -> str:
        """Name; rows of one task hang together."""
        ...

    @property
    def text(self) -> str:
        """What the learner sees."""
        ...

    @property
    def language(self) -> str:
        """Tag."""
        ...

    @property
    def tutor_engine(self) -> str:
        """What makes the feedback: builtin, or provider and model."""
        ...

    def grade(self, work: str) -> Grade:
        """Return how right a work is."""
        ...

    async def feedback(self, work: str) -> Feedback:
        """Return what the tutor says to it, screened.

        Raises:
            ModelError: No reply was made.
        """
        ...


class RevisingLearner(Protocol):
    """One learner on one task; the same words give the same revision, in either arm."""

    @property
    def engine(self) -> str:
        """Scripted, or provider and model."""
        ...

    async def attempt(self) -> str:
        """Return the work of the first round."""
        ...

    async def revise(self, work: str, said: str) -> str:
        """Return the work of the second round after these words."""
        ...


OpenLearner = Callable[[RoundTask, int], RevisingLearner]
"""(task, number of the learner) → a fresh learner."""


@dataclass(frozen=True, kw_only=True)
class RoundRow:
    """One learner on one task in one arm."""

    task_id: str
    learner: int
    arm: Arm
    first: str
    said: str
    second: str
    before: Grade | None
    """`None`: there was nothing to grade, see `failure`."""
    after: Grade | None
    leak: str | None = None
    failure: str | None = None
    """Why the row is unscored; it is counted and never turned into a grade."""
    parse_failure: bool = False
    """The failure was an answer that could not be read in its output type."""

    @property
    def cell(self) -> Cell:
        """Where it stands in the transition table."""
        return cell_of(self.before, self.after)


@dataclass(frozen=True, kw_only=True)
class TwoRoundRun:
    """All rows, and what made them."""

    rows: tuple[RoundRow, ...]
    learner_engines: tuple[str, ...]
    tutor_engines: tuple[str, ...]

    @property
    def label(self) -> str:
        """What the figures may be taken for."""
        made = (*self.learner_engines, *self.tutor_engines)
        simulated = any(engine.startswith(("scripted", "builtin")) for engine in made)
        return MECHANISM_CHECK if simulated else REVISION_ONLY


async def run_two_rounds(tasks: Sequence[RoundTask], open_learner: OpenLearner, *, n_learners: int) -> TwoRoundRun:
    """Run every learner on every task in both arms.

    Args:
        tasks: At least one.
        open_learner: Gives a learner that makes the same first work each time it is opened, or whose first work is
            kept: the first round is run once and shared by both arms.
        n_learners: Learners a task, at least 1.

    Raises:
        ValueError: No task, or n_learners below 1.
        InputError: Two tasks have one id.
    """
    if not tasks or n_learners < 1:
        raise ValueError(f"need at least one task and one learner, got {len(tasks)} and {n_learners}")
    ids = Counter(task.task_id for task in tasks)
    if len(ids) < len(tasks):
        raise InputError(f"task {ids.most_common(1)[0][0]!r} stands twice; expected every task once")
    rows: list[RoundRow] = []
    engines: dict[str, None] = {}
    for task in tasks:
        for number in range(n_learners):
            learner = open_learner(task, number)
            engines[learner.engine] = None
            rows += await _both_arms(task, learner, number)
    return TwoRoundRun(
        rows=tuple(rows),
        learner_engines=tuple(engines),
        tutor_engines=tuple(dict.fromkeys(task.tutor_engine for task in tasks)),
    )


async def _both_arms(task: RoundTask, learner: RevisingLearner, number: int) -> list[RoundRow]:
    try:
        first = await learner.attempt()
    except ModelError as error:
        return [_failed(task, number, arm, error, first="") for arm in ARMS]
    before = task.grade(first)
    return [await _second_round(task, learner, number, arm, first, before) for arm in ARMS]


async def _second_round(
    task: RoundTask, learner: RevisingLearner, number: int, arm: Arm, first: str, before: Grade
) -> RoundRow:
    said = Feedback(text="", leak=None)
    try:
        if arm == "feedback":
            said = await task.feedback(first)
        else:
            said = Feedback(text=CHECK_AGAIN.get(task.language.split("-")[0], CHECK_AGAIN["en"]), leak=None)
        second = await learner.revise(first, said.text)
    except ModelError as error:
        return _failed(task, number, arm, error, first=first, said=said, before=before)
    return RoundRow(
        task_id=task.task_id,
        learner=number,
        arm=arm,
        first=first,
        said=said.text,
        second=second,
        before=before,
        after=task.grade(second),
        leak=said.leak,
    )


def _failed(
    task: RoundTask,
    number: int,
    arm: Arm,
    error: ModelError,
    *,
    first: str,
    said: Feedback | None = None,
    before: Grade | None = None,
) -> RoundRow:
    return RoundRow(
        task_id=task.task_id,
        learner=number,
        arm=arm,
        first=first,
        said=said.text if said else "",
        second="",
        before=before,
        after=None,
        leak=said.leak if said else None,
        failure=str(error),
        parse_failure=isinstance(error, ModelOutputError),
    )
