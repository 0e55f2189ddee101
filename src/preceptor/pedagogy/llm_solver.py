"""The solver role played by a language model; every calculation it writes is computed again here."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from preceptor.domain.problem import Problem
from preceptor.maths.claims import read_claims
from preceptor.models.language_model import LanguageModel
from preceptor.models.opening import open_model
from preceptor.models.redactor import Redactor
from preceptor.pedagogy.solver import PrivateReference
from preceptor.prompts.loader import load_prompt
from preceptor.settings import Settings

ATTEMPTS = 2
"""A solution whose arithmetic does not hold is asked for once more. (chosen)"""


class SolverStep(BaseModel):
    """One step of a worked solution."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    sentence: Annotated[str, Field(max_length=200)]
    """What is computed, in one short sentence."""
    expression: Annotated[str, Field(max_length=80)]
    """The calculation: numbers, + - * / and brackets only."""
    result: Annotated[str, Field(max_length=30)]
    """What the expression gives, a number without a unit."""


class SolverOutput(BaseModel):
    """What the solver model answers."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    steps: Annotated[list[SolverStep], Field(max_length=16)]
    """In order; empty if the problem cannot be solved from what it says."""
    answer: Annotated[str, Field(max_length=30)]
    """The number that the problem asks for, without a unit; empty if it cannot be solved."""


class LlmSolver:
    """A solver that asks a language model and checks its arithmetic."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._prompt = load_prompt("solver")

    async def solve(self, problem: Problem) -> PrivateReference | None:
        """Return a reference whose every step computes and whose answer is one of its results."""
        prompt = self._prompt.render({"problem": problem.text})
        for _ in range(ATTEMPTS):
            answer = await self._model.structured(prompt, SolverOutput)
            if not answer.output.steps:
                return None
            if _holds(answer.output):
                return PrivateReference(
                    solution=_text(answer.output),
                    answer=answer.output.answer,
                    engine=self._model.engine,
                    usage=answer.usage,
                )
        return None


def _holds(said: SolverOutput) -> bool:
    results = set()
    for step in said.steps:
        claims = read_claims(f"{step.expression} = {step.result}")
        if len(claims) != 1 or claims[0].true is not True:
            return False
        results.add(claims[0].value)
    stated = read_claims(said.answer)
    return len(stated) == 1 and stated[0].value in results


def _text(said: SolverOutput) -> str:
    lines = [f"{step.sentence} <<{step.expression}={step.result}>>{step.result}" for step in said.steps]
    return "\n".join([*lines, f"#### {said.answer}"])


def open_llm_solver(settings: Settings, redactor: Redactor | None = None) -> LlmSolver:
    """Return the solver on the model that the settings bind to the role.

    Raises:
        SettingsError: The role has no provider or no model, or the provider has no row.
    """
    return LlmSolver(open_model(settings, "solver", redactor))
