"""The rewriter role played by a language model: error detail and struggle reason become one abstract sentence (A27)."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from preceptor.models.language_model import LanguageModel
from preceptor.models.opening import open_model
from preceptor.models.redactor import Redactor
from preceptor.prompts.loader import load_prompt
from preceptor.settings import Settings


class SentenceOutput(BaseModel):
    """What the rewriter model answers."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    sentence: Annotated[str, Field(max_length=400)]
    """One sentence about the learner's difficulty, free of the problem; empty if the notes are."""


class LlmRewriter:
    """A rewriter that asks a language model; `abstract_sentence` checks what it says and falls back."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._prompt = load_prompt("rewriter")

    async def rewrite(self, error_detail: str, struggle_reason: str) -> str:
        """Return the sentence, on one line."""
        prompt = self._prompt.render({"error_detail": error_detail, "struggle_reason": struggle_reason})
        answer = await self._model.structured(prompt, SentenceOutput)
        return " ".join(answer.output.sentence.split())


def open_llm_rewriter(settings: Settings, redactor: Redactor | None = None) -> LlmRewriter:
    """Return the rewriter on the model that the settings bind to the role.

    Raises:
        SettingsError: The role has no provider or no model, or the provider has no row.
    """
    return LlmRewriter(open_model(settings, "rewriter", redactor))
