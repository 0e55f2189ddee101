"""The transcriber role played by a language model that can see."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from preceptor.errors import InputError
from preceptor.models.language_model import LanguageModel
from preceptor.models.opening import open_model
from preceptor.models.redactor import Redactor
from preceptor.prompts.loader import PromptImage, load_prompt
from preceptor.settings import Settings
from preceptor.tracing.transcriber import MAX_TRANSCRIPT_CHARS, DraftTranscript


class TranscriberOutput(BaseModel):
    """What the transcriber model answers."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    text: Annotated[str, Field(max_length=MAX_TRANSCRIPT_CHARS)]
    """The trace as it stands in the picture, one line a line; empty if there is none."""


class LlmTranscriber:
    """Asks a language model to copy a picture's text."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._prompt = load_prompt("transcriber")

    async def transcribe(self, picture: PromptImage, problem_text: str) -> DraftTranscript:
        """Return what the model read; nothing of it is checked here."""
        prompt = replace(self._prompt.render({"problem": problem_text}), images=(picture,))
        answer = await self._model.structured(prompt, TranscriberOutput)
        text = answer.output.text.replace("\x00", "").strip()
        if not text:
            raise InputError("no trace could be read in the picture; take it again, or type the trace")
        return DraftTranscript(text=text, engine=self._model.engine, usage=answer.usage)


def open_llm_transcriber(settings: Settings, redactor: Redactor | None = None) -> LlmTranscriber:
    """Return the transcriber on the model that the settings bind to the role.

    Raises:
        SettingsError: The role has no provider or no model, or the provider has no row.
        ConsentError: The picture would leave this machine without a redactor.
    """
    return LlmTranscriber(open_model(settings, "transcriber", redactor))
