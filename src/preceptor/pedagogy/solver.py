"""The solver role: a private reference for a problem that came without a solution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from preceptor.domain.problem import Problem
from preceptor.domain.usage import Usage


@dataclass(frozen=True, kw_only=True)
class PrivateReference:
    """A worked solution of the tutor's own; never shown to the learner, and labelled wherever it is used."""

    solution: str
    """One step a line, each with its calculation as `<<48/2=24>>`."""
    answer: str
    engine: str
    usage: Usage | None = None

    def applied_to(self, problem: Problem) -> Problem:
        """Return the problem with this reference as its solution."""
        return replace(problem, solution=self.solution, answer=self.answer)


class Solver(Protocol):
    """Works out a problem for the tutor's own use."""

    async def solve(self, problem: Problem) -> PrivateReference | None:
        """Return a reference whose arithmetic holds; `None` where none could be made.

        Raises:
            ModelError: The model failed.
        """
        ...
