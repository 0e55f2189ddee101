"""A language model as the learner of two rounds."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from preceptor.lab.protocols.two_round import RoundTask
from preceptor.models.language_model import LanguageModel
from preceptor.prompts.loader import load_prompt


class WorkOutput(BaseModel):
    """What the learner's model hands in."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    work: Annotated[str, Field(min_length=1, max_length=8000)]
    """The whole solution, one step a line."""


class LlmLearner:
    """Works alone, then again with what it was told; it remembers nothing in between but its own work."""

    def __init__(self, model: LanguageModel, task: RoundTask) -> None:
        """Take the model of the role `learner`."""
        self._model, self._task = model, task
        self._prompt = load_prompt("learner")

    @property
    def engine(self) -> str:
        """Provider and model."""
        return self._model.engine

    async def attempt(self) -> str:
        """Return the first work."""
        return await self._work("", "")

    async def revise(self, work: str, said: str) -> str:
        """Return the second work."""
        return await self._work(work, said)

    async def _work(self, work: str, said: str) -> str:
        prompt = self._prompt.render({"task": self._task.text, "work": work, "said": said})
        return (await self._model.structured(prompt, WorkOutput)).output.work
