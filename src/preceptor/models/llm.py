"""The `llm` engine's boundary: one `LanguageModel` for every provider, on pydantic-ai.

It owns consent, redaction, the deadline, retries, refused parameters, reasoning kept out of the answer and broken-off
answers. It knows nothing of tutoring.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import Any
from weakref import WeakKeyDictionary

from pydantic import BaseModel, ValidationError
from pydantic_ai import exceptions as vendor
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import (
    BinaryContent,
    ModelRequest,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.output import OutputObjectDefinition

from preceptor.domain.usage import Usage
from preceptor.errors import ModelOutputError
from preceptor.models.call import Call, Pauses
from preceptor.models.destination import leaves_machine, provider_host, require_consent
from preceptor.models.faults import CallPlace, as_cut, as_too_long
from preceptor.models.language_model import Completion, ModelT
from preceptor.models.provider import vendor_model
from preceptor.models.reasoning import OrphanReasoningError, ReasoningFilter, without_reasoning
from preceptor.models.redactor import Redactor, StreamRestorer
from preceptor.models.roles import Role
from preceptor.prompts.loader import PromptImage, RenderedPrompt, load_prompt
from preceptor.settings import ModelSettings, ProviderSettings, RoleSettings

_NO_END = "finish_reason"
"""In the message of the client library's error for a stream that ends without one."""
_FENCE = re.compile(r"^```[a-zA-Z]*\s*|\s*```$")
VendorFactory = Callable[[], Model[Any]]


class ProviderModel:
    """A model at a provider, playing one role."""

    def __init__(
        self,
        *,
        role: Role,
        name: str,
        provider: ProviderSettings,
        model: str,
        role_settings: RoleSettings,
        limits: ModelSettings,
        redactor: Redactor,
        make: VendorFactory | None = None,
        pauses: Pauses | None = None,
    ) -> None:
        """Bind a role to a model; nothing is loaded or sent yet.

        Args:
            role: The role it plays.
            name: The provider's row in the settings.
            provider: That row.
            model: The provider's name of the model.
            role_settings: Temperature and longest answer.
            limits: Deadline and retries.
            redactor: Takes personal data out of what leaves this machine.
            make: Makes the pydantic-ai model, in a thread; `None`: from the row.
            pauses: How waiting is done; `None`: really.
        """
        self._place = CallPlace(role=role, provider=name, host=provider_host(provider) or "this machine", model=model)
        self._provider = provider
        self._role = role_settings
        self._limits = limits
        self._redactor = redactor
        self._make = make or (lambda: vendor_model(name, provider, model, timeout_s=limits.deadline_s))
        self._pauses = pauses or Pauses()
        self._made: WeakKeyDictionary[asyncio.AbstractEventLoop, Model[Any]] = WeakKeyDictionary()
        self._refused: set[str] = set()
        self._hold_back = False
        """This model's reasoning comes without an opening tag: an answer is passed on only when it is whole."""

    @property
    def engine(self) -> str:
        """Provider and model, for records."""
        return f"{self._place.provider}/{self._place.model}"

    @property
    def small(self) -> bool:
        """The model runs in this process."""
        return self._provider.kind == "local"

    async def structured(self, prompt: RenderedPrompt, output: type[ModelT]) -> Completion[ModelT]:
        """Return the answer as a value of `output`; asked once more if it is not one."""
        call = self._call(prompt, structured=True)
        user, mapping = self._redacted(prompt.user)
        messages: list[ModelRequest | ModelResponse] = [_request(prompt.system, user, prompt.images)]
        while True:
            response = await self._answer(call, messages, output)
            text = without_reasoning(response.text or "")
            try:
                value = self._parsed(text, mapping, output)
            except (ValidationError, json.JSONDecodeError) as error:
                if call.repairs:
                    raise ModelOutputError(self._unfit(response)) from None
                messages = [*messages, *_repair(prompt.system, text, error)]
                call.repairs += 1
                call.retries += 1
                continue
            return Completion(output=value, usage=self._usage(call, response))

    async def stream(
        self, prompt: RenderedPrompt, *, enough: Callable[[str], bool] | None = None
    ) -> AsyncGenerator[str | Completion[str]]:
        """Yield pieces of the answer, then the whole; nothing is tried again once a piece was yielded."""
        call = self._call(prompt, structured=False)
        user, mapping = self._redacted(prompt.user)
        messages = [_request(prompt.system, user, prompt.images)]
        text = ""
        while True:
            answer = _Answer()
            ended = False
            try:
                async with aclosing(self._pieces(call, messages, mapping, answer)) as pieces:
                    async for piece in pieces:
                        text += piece
                        yield piece
                        if enough is not None and enough(text):
                            ended = True
                            break
            except (vendor.ModelAPIError, vendor.UnexpectedModelBehavior) as error:
                if text:
                    raise as_cut(self._place) from None
                await call.recover(error)
                continue
            if text.strip():
                response = None if ended else answer.response
                yield Completion(output=text.strip(), usage=self._usage(call, response))
                return
            if call.repairs:
                raise ModelOutputError(f"{self.engine} answered with nothing but reasoning, or nothing at all")
            call.repairs += 1
            call.retries += 1

    async def _pieces(
        self, call: Call, messages: Sequence[ModelRequest | ModelResponse], mapping: Mapping[str, str], answer: _Answer
    ) -> AsyncGenerator[str]:
        """Yield one attempt's answer without reasoning, with personal data put back."""
        thinking, restorer = ReasoningFilter(), StreamRestorer(self._redactor, mapping)
        held = ""
        try:
            async with aclosing(self._raw_pieces(call, messages, answer)) as pieces:
                async for raw in pieces:
                    if self._hold_back:
                        held += raw
                    elif piece := restorer.feed(thinking.feed(raw)):
                        yield piece
        except OrphanReasoningError:
            self._hold_back = True
            raise ModelOutputError(
                f"{self.engine} did not mark where its reasoning begins; its next replies are held back until whole"
            ) from None
        rest = without_reasoning(held) if self._hold_back else thinking.finish()
        if piece := restorer.feed(rest) + restorer.finish():
            yield piece

    async def _raw_pieces(
        self, call: Call, messages: Sequence[ModelRequest | ModelResponse], answer: _Answer
    ) -> AsyncGenerator[str]:
        """Yield one attempt's text as it comes, each wait inside the deadline; fill `answer` at the end."""
        model = await self._vendor()
        try:
            async with AsyncExitStack() as stack:
                async with call.remaining():
                    opened = model_request_stream(
                        model,
                        messages,
                        model_settings=call.settings(),
                        model_request_parameters=ModelRequestParameters(),
                    )
                    streamed = await stack.enter_async_context(opened)
                events = aiter(streamed)
                while True:
                    async with call.remaining():
                        event = await anext(events, None)
                    if event is None:
                        break
                    if piece := _text_of(event):
                        yield piece
                answer.response = self._whole(streamed)
        except TimeoutError:
            raise call.timed_out() from None
        except vendor.ModelAPIError as error:
            if type(error) is vendor.ModelAPIError and _NO_END in error.message:
                raise as_cut(self._place) from None
            raise

    def _whole(self, streamed: StreamedResponse) -> ModelResponse:
        """Return the finished answer, or refuse one that was not finished."""
        if streamed.finish_reason == "length":
            raise as_too_long(self._place)
        if streamed.finish_reason == "content_filter":
            raise ModelOutputError(f"{self._place.provider}: the provider's filter withheld the answer")
        if streamed.finish_reason is None:
            raise as_cut(self._place)
        return streamed.get()

    async def _answer(
        self, call: Call, messages: Sequence[ModelRequest | ModelResponse], output: type[BaseModel]
    ) -> ModelResponse:
        """Return one whole answer, after as many attempts as are allowed."""
        model = await self._vendor()
        definition = OutputObjectDefinition(json_schema=output.model_json_schema(), name=output.__name__, strict=True)
        while True:
            native = call.schema_sent and model.profile.get("supports_json_schema_output", False)
            parameters = ModelRequestParameters(
                output_mode="native" if native else "prompted", output_object=definition, allow_text_output=False
            )
            try:
                async with call.remaining():
                    return await model_request(
                        model, messages, model_settings=call.settings(), model_request_parameters=parameters
                    )
            except TimeoutError:
                raise call.timed_out() from None
            except (vendor.ModelAPIError, vendor.UnexpectedModelBehavior) as error:
                await call.recover(error)

    def _parsed(self, text: str, mapping: Mapping[str, str], output: type[ModelT]) -> ModelT:
        """Read JSON leniently in form (fences, raw line breaks in strings), strictly in content."""
        value = json.loads(_FENCE.sub("", text.strip()), strict=False)
        return output.model_validate(self._restored(value, mapping))

    def _restored(self, value: Any, mapping: Mapping[str, str]) -> Any:
        if isinstance(value, str):
            return self._redactor.restore(value, mapping)
        if isinstance(value, list):
            return [self._restored(item, mapping) for item in value]
        if isinstance(value, dict):
            return {key: self._restored(item, mapping) for key, item in value.items()}
        return value

    def _unfit(self, response: ModelResponse) -> str:
        reason = f"raise roles.{self._place.role}.max_tokens" if response.finish_reason == "length" else "twice"
        return f"{self.engine} did not answer in the output type of the {self._place.role}: {reason}"

    def _call(self, prompt: RenderedPrompt, *, structured: bool) -> Call:
        require_consent(self._place.provider, self._provider)
        return Call(
            place=self._place,
            prompt=prompt,
            role=self._role,
            limits=self._limits,
            pauses=self._pauses,
            refused=self._refused,
            structured=structured,
        )

    def _redacted(self, text: str) -> tuple[str, Mapping[str, str]]:
        return self._redactor.redact(text) if leaves_machine(self._provider) else (text, {})

    def _usage(self, call: Call, response: ModelResponse | None) -> Usage:
        return call.usage(response, priced=self._provider.base_url is None, free=self.small)

    async def _vendor(self) -> Model[Any]:
        """Return this event loop's client: connections cannot be shared between loops."""
        loop = asyncio.get_running_loop()
        if loop not in self._made:
            self._made[loop] = await asyncio.to_thread(self._make)
        return self._made[loop]


class _Answer:
    """Where a finished attempt leaves its response."""

    response: ModelResponse | None = None


def _request(system: str, user: str, images: Sequence[PromptImage] = ()) -> ModelRequest:
    pictures = [BinaryContent(data=image.content, media_type=image.media_type) for image in images]
    return ModelRequest(parts=[UserPromptPart(content=[user, *pictures] if pictures else user)], instructions=system)


def _repair(system: str, answer: str, error: ValueError) -> list[ModelRequest | ModelResponse]:
    """Return what is added to the conversation after an answer that is not in the output type."""
    prompt = load_prompt("repair").render({"answer": answer, "faults": _faults(error)})
    reply = ModelResponse(parts=[TextPart(content=answer or "-")])
    return [reply, _request(system, f"{prompt.system}\n\n{prompt.user}")]


def _faults(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        return "\n".join(f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}" for item in error.errors())
    return str(error)


def _text_of(event: ModelResponseStreamEvent) -> str:
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""
