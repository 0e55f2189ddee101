"""The scripted learner that fits a task."""

from __future__ import annotations

from preceptor.errors import InputError
from preceptor.lab.protocols.maths_task import MathsTask
from preceptor.lab.protocols.scripted_maths_learner import ScriptedMathsLearner
from preceptor.lab.protocols.scripted_trace_learner import ScriptedTraceLearner
from preceptor.lab.protocols.trace_task import TraceTask
from preceptor.lab.protocols.two_round import RevisingLearner, RoundTask


def open_scripted_learner(task: RoundTask, number: int, *, seed: int) -> RevisingLearner:
    """Return a fresh scripted learner; the same task, number and seed give the same.

    Raises:
        InputError: There is no scripted learner for such a task.
    """
    if isinstance(task, TraceTask):
        return ScriptedTraceLearner(task, number, seed=seed)
    if isinstance(task, MathsTask):
        return ScriptedMathsLearner(task, number, seed=seed)
    raise InputError(f"task {task.task_id}: scripted learners work on traces and word problems only")
