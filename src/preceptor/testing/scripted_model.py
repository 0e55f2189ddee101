"""A language model that answers from a script and remembers what it was asked."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from preceptor.domain.usage import Usage
from preceptor.errors import ModelOutputError
from preceptor.models.language_model import Completion, ModelT
from preceptor.prompts.loader import RenderedPrompt


class ScriptedModel:
    """Gives its answers in order: text, a dict for an output type, or an error to raise."""

    def __init__(
        self, answers: Sequence[str | dict[str, Any] | Exception], *, role: str = "tutor", small: bool = False
    ) -> None:
        self._answers = list(answers)
        self._role = role
        self._small = small
        self.prompts: list[RenderedPrompt] = []
        """What it was asked, in order."""

    @property
    def engine(self) -> str:
        """A name that no provider has."""
        return "scripted/model"

    @property
    def small(self) -> bool:
        """As told."""
        return self._small

    async def structured(self, prompt: RenderedPrompt, output: type[ModelT]) -> Completion[ModelT]:
        """Return the next answer as a value of `output`."""
        answer = self._next(prompt)
        if not isinstance(answer, dict):
            raise ModelOutputError("scripted/model has text where an output type is asked for")
        return Completion(output=output.model_validate(answer), usage=self._usage(prompt))

    async def stream(
        self, prompt: RenderedPrompt, *, enough: Callable[[str], bool] | None = None
    ) -> AsyncGenerator[str | Completion[str]]:
        """Yield the next answer word by word, then the whole."""
        answer = self._next(prompt)
        if not isinstance(answer, str):
            raise ModelOutputError("scripted/model has an output type where text is asked for")
        text = ""
        for piece in answer.split(" "):
            said = piece if not text else " " + piece
            text += said
            yield said
            if enough is not None and enough(text):
                break
        yield Completion(output=text, usage=self._usage(prompt))

    def _next(self, prompt: RenderedPrompt) -> str | dict[str, Any]:
        self.prompts.append(prompt)
        if not self._answers:
            raise AssertionError(f"the script has no answer left for prompt {prompt.name}")
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _usage(self, prompt: RenderedPrompt) -> Usage:
        return Usage(
            role=self._role,
            engine="scripted",
            model="model",
            prompt=prompt.name,
            prompt_version=prompt.version,
            prompt_digest=prompt.digest,
            duration_ms=0,
        )
