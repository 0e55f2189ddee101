"""The judge role: takes texts apart, checks statements, and never fills in a verdict that did not come."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from preceptor.errors import ModelOutputError
from preceptor.models.language_model import LanguageModel, ModelT
from preceptor.prompts.loader import load_prompt

MAX_STATEMENTS = 40
"""Of one text. (chosen: a reply has at most some ten)"""
N_QUESTIONS = 3
"""Questions made from an answer. (seed: KITE uses RAGAS, whose default this is)"""
_MARKER = re.compile(r"\s*\[\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]")


class StatementsOutput(BaseModel):
    """What a text states."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    statements: Annotated[list[Annotated[str, Field(min_length=1, max_length=600)]], Field(max_length=MAX_STATEMENTS)]
    """One fact each."""


class Verdict(BaseModel):
    """One statement's."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    number: Annotated[int, Field(ge=1)]
    """Of the statement."""
    reason: Annotated[str, Field(max_length=300)]
    """A few words."""
    supported: bool
    """The source says it, or it follows from the source alone."""


class SupportOutput(BaseModel):
    """Every statement's verdict."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    verdicts: Annotated[list[Verdict], Field(max_length=MAX_STATEMENTS)]
    """In the order of the statements."""


class QuestionsOutput(BaseModel):
    """Questions to an answer."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    questions: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=400)]],
        Field(min_length=N_QUESTIONS, max_length=N_QUESTIONS),
    ]
    """Three, different in wording."""
    avoids_answering: bool
    """It says that it does not know, or only asks back."""


class ContextOutput(BaseModel):
    """How far passages hold an answer."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    reason: Annotated[str, Field(max_length=400)]
    """What is there and what is missing."""
    score: Annotated[int, Field(ge=0, le=2)]
    """2 all that is needed, 1 part of it, 0 nothing."""


@dataclass(kw_only=True)
class Judge:
    """Asks the model of the role `judge`.

    Every method raises ModelError where no verdict came, and ModelOutputError where what came is not one.
    """

    model: LanguageModel
    calls: int = 0
    dropped: set[str] = field(default_factory=set)
    """Parameters that the provider refused: with "temperature" among them the verdicts are not at temperature 0."""

    async def statements(self, question: str, text: str) -> list[str]:
        """Return what a text states; empty: nothing."""
        found = await self._ask(
            "judge_statements", {"question": question, "text": without_markers(text)}, StatementsOutput
        )
        return found.statements

    async def supported(self, statements: Sequence[str], source: str) -> list[bool]:
        """Return for each statement whether a source supports it."""
        numbered = "\n".join(f"{place}. {one}" for place, one in enumerate(statements, start=1))
        found = await self._ask("judge_support", {"source": source, "statements": numbered}, SupportOutput)
        numbers = [one.number for one in found.verdicts]
        if numbers != list(range(1, len(statements) + 1)):
            given = ", ".join(map(str, numbers[:MAX_STATEMENTS])) or "none"
            raise ModelOutputError(f"verdicts expected on statements 1 to {len(statements)}, got on {given}")
        return [one.supported for one in found.verdicts]

    async def questions(self, answer: str) -> QuestionsOutput:
        """Return questions that an answer would be the answer to."""
        return await self._ask("judge_questions", {"answer": without_markers(answer)}, QuestionsOutput)

    async def context_score(self, question: str, passages: str) -> int:
        """Return how far passages hold an answer, 0 to 2."""
        return (await self._ask("judge_context", {"question": question, "passages": passages}, ContextOutput)).score

    async def _ask(self, name: str, inputs: Mapping[str, str], output: type[ModelT]) -> ModelT:
        self.calls += 1
        found = await self.model.structured(load_prompt(name).render(inputs), output)
        self.dropped |= set(found.usage.dropped)
        return found.output


def without_markers(text: str) -> str:
    """Return a reply without the numbers of its citations."""
    return _MARKER.sub("", text)
