"""The boundary that roles see: a prompt goes in, text or a value of an output type comes out, with its usage."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from preceptor.domain.usage import Usage
from preceptor.prompts.loader import RenderedPrompt

OutputT = TypeVar("OutputT")
ModelT = TypeVar("ModelT", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class Completion(Generic[OutputT]):
    """What a model answered."""

    output: OutputT
    usage: Usage


class LanguageModel(Protocol):
    """One model at one provider, playing one role.

    Every method raises:
        ConsentError: Text would leave this machine and the owner has not agreed; nothing was sent.
        ModelTimeoutError: The total deadline passed.
        ModelOutputError: It answered, but with nothing, or not in the output type even when asked again.
        ModelCutError: The answer broke off before the model said that it was finished.
        ModelError: Anything else that failed; the message names provider and setting and holds no learner text.
    """

    @property
    def engine(self) -> str:
        """Provider and model, for records: "school/qwen3-8b"."""
        ...

    @property
    def small(self) -> bool:
        """The model runs in this process: it is only of use when it is held to a narrow output type."""
        ...

    async def structured(self, prompt: RenderedPrompt, output: type[ModelT]) -> Completion[ModelT]:
        """Return the answer as a value of `output`."""
        ...

    def stream(
        self, prompt: RenderedPrompt, *, enough: Callable[[str], bool] | None = None
    ) -> AsyncGenerator[str | Completion[str]]:
        """Yield pieces of the answer as they come, then once, last, the whole.

        Args:
            prompt: What is sent.
            enough: Asked after each piece with the text so far; true ends the call, and the text counts as whole.
        """
        ...
