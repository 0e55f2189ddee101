"""A trace of a search algorithm as a two-round task: graded and answered by the course's own checker."""

from __future__ import annotations

import tomllib
from functools import cached_property
from importlib import resources

from preceptor.domain.reply import Rung
from preceptor.errors import InputError
from preceptor.lab.protocols.transitions import Grade, grade_of
from preceptor.lab.protocols.two_round import Feedback
from preceptor.tracing.checking import TraceVerdict, check_trace
from preceptor.tracing.feedback import step_number, trace_feedback
from preceptor.tracing.problem import Algorithm
from preceptor.tracing.problem_reader import parse_problem
from preceptor.tracing.rules import CourseRules
from preceptor.tracing.search import SearchMachine, SearchState
from preceptor.tracing.trace_leak import find_trace_leak, trace_secrets
from preceptor.tracing.trace_reader import read_trace

TUTOR_ENGINE = "builtin trace checker"


class TraceTask:
    """One search problem whose whole trace is to be handed in."""

    tutor_engine = TUTOR_ENGINE

    def __init__(
        self,
        task_id: str,
        text: str,
        *,
        rules: CourseRules | None = None,
        tier: Rung = Rung.LOCATE,
        language: str = "en",
    ) -> None:
        """Read a problem.

        Args:
            task_id: Name.
            text: As `parse_problem` reads it; it must name an algorithm.
            rules: The course's; `None`: textbook defaults.
            tier: Strength of help.
            language: Of the feedback.

        Raises:
            InputError: The text is no problem, or names no algorithm.
        """
        self.task_id, self.text, self.language = task_id, text.strip(), language
        self.problem = parse_problem(text, source=task_id)
        if self.problem.algorithm is None:
            raise InputError(f"{task_id}: the problem names no algorithm; expected one of {', '.join(Algorithm)}")
        self.algorithm: Algorithm = self.problem.algorithm
        self.rules = rules or CourseRules()
        self._tier = tier

    @cached_property
    def machine(self) -> SearchMachine:
        """The algorithm under the most usual reading of the rules."""
        return SearchMachine(self.problem, self.algorithm, self.rules.variants(self.algorithm)[0])

    @cached_property
    def run(self) -> list[SearchState]:
        """One legal run, the state before the first expansion first."""
        return self.machine.runs()

    def verdict(self, work: str) -> TraceVerdict:
        """Return what the checker says to a trace that is handed in as finished."""
        trace = read_trace(work, self.problem, self.algorithm)
        return check_trace(trace, self.problem, self.rules, self.algorithm, whole=True)

    def grade(self, work: str) -> Grade:
        """Return the share of expansions before the first wrong step; not applicable where nothing can be decided.

        Counted against the length of one legal run; with open ties another legal run may differ by a few steps.
        """
        verdict = self.verdict(work)
        if verdict.status in {"unread", "undecided"}:
            return grade_of(None, correct=False)
        if verdict.status == "right_so_far":
            share = verdict.right_steps / self._length
        else:
            share = (step_number(verdict) - 1) / self._length
        return grade_of(min(1.0, share), correct=verdict.status == "complete")

    async def feedback(self, work: str) -> Feedback:
        """Return the checker's feedback, screened by the rules of what must not be said about this trace."""
        verdict = self.verdict(work)
        text = trace_feedback(verdict, self._tier, self.language).text
        asked = verdict.fault.node if verdict.fault else None
        return Feedback(text=text, leak=find_trace_leak(text, trace_secrets(verdict), asked=asked))

    @property
    def _length(self) -> int:
        return max(1, len(self.run) - 1)


def sample_trace_tasks(tier: Rung = Rung.LOCATE) -> list[TraceTask]:
    """Return our own search problems."""
    file = resources.files(__package__) / "trace_problems.toml"
    rows = tomllib.loads(file.read_text(encoding="utf-8"))
    return [TraceTask(f"trace-{name}", row["text"], tier=tier) for name, row in rows.items()]
