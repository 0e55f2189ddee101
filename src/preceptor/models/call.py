"""One call to a model with all its attempts: what is left of the deadline, what was refused, what it cost."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pydantic_ai import exceptions as vendor
from pydantic_ai.messages import ModelResponse
from pydantic_ai.settings import ModelSettings as VendorSettings

from preceptor.domain.usage import Usage
from preceptor.errors import ModelTimeoutError
from preceptor.models.faults import CallPlace, as_model_error, is_unreadable, refused_parameter, retry_wait_s
from preceptor.prompts.loader import RenderedPrompt
from preceptor.settings import ModelSettings, RoleSettings


@dataclass(frozen=True, kw_only=True)
class Pauses:
    """How waiting between attempts is done; tests replace it."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


@dataclass(kw_only=True)
class Call:
    """The state of one call."""

    place: CallPlace
    prompt: RenderedPrompt
    role: RoleSettings
    limits: ModelSettings
    pauses: Pauses
    refused: set[str]
    """Parameters this model has refused, now or in an earlier call; shared with the model."""
    structured: bool
    started: float = field(default_factory=time.monotonic)
    retries: int = 0
    repairs: int = 0
    failures: int = 0
    """Attempts that failed and may be made again, of `limits.max_retries`."""

    @property
    def deadline(self) -> float:
        """When the whole call ends, on the monotonic clock, seconds."""
        return self.started + self.limits.deadline_s

    def remaining(self) -> asyncio.Timeout:
        """Return a scope that ends at the deadline."""
        return asyncio.timeout(max(0.0, self.deadline - time.monotonic()))

    def timed_out(self) -> ModelTimeoutError:
        """Return the error for a passed deadline."""
        return ModelTimeoutError(
            f"{self.place.provider} at {self.place.host} did not finish within {self.limits.deadline_s:g} s "
            f"(models.deadline_s), after {self.retries + 1} attempts"
        )

    def settings(self) -> VendorSettings:
        """Return what is sent beside the prompt; retries are ours, never the client library's."""
        chosen = VendorSettings(max_retries=0, timeout=self.limits.deadline_s)
        if self.role.temperature is not None and "temperature" not in self.refused:
            chosen["temperature"] = self.role.temperature
        if self.role.max_tokens is not None and "max_tokens" not in self.refused:
            chosen["max_tokens"] = self.role.max_tokens
        return chosen

    @property
    def schema_sent(self) -> bool:
        """Whether the provider is asked to hold the answer to a schema."""
        return self.structured and "response_format" not in self.refused

    def _sent(self) -> frozenset[str]:
        names = {name for name in ("temperature", "max_tokens") if name in self.settings()}
        return frozenset(names | ({"response_format"} if self.schema_sent else set()))

    async def recover(self, error: vendor.ModelAPIError | vendor.UnexpectedModelBehavior) -> None:
        """Prepare another attempt after a failed one, or raise our error if another would not help.

        Raises:
            ModelError: It would not, or no retry is left.
            ModelTimeoutError: The wait the provider asks for does not fit into the deadline.
        """
        if is_unreadable(error) and not self.repairs:
            self.repairs += 1
            self.retries += 1
            return
        if not isinstance(error, vendor.ModelAPIError):
            raise as_model_error(error, self.place) from None
        parameter = refused_parameter(error, self._sent())
        if parameter:
            self.refused.add(parameter)
            self.retries += 1
            return
        wait_s = retry_wait_s(error, attempt=self.failures, chance=self.pauses.chance)
        if wait_s is None or self.failures >= self.limits.max_retries:
            raise as_model_error(error, self.place) from None
        if time.monotonic() + wait_s >= self.deadline:
            raise self.timed_out() from None
        await self.pauses.sleep(wait_s)
        self.failures += 1
        self.retries += 1

    def usage(self, response: ModelResponse | None, *, priced: bool, free: bool) -> Usage:
        """Return the record of this call.

        Args:
            response: What the last attempt gave; `None`: it was ended before the provider could say.
            priced: The provider is the vendor itself, so that a published price holds.
            free: The model runs in this process.
        """
        tokens = response.usage if response is not None and not response.usage.unmeasured_requests else None
        if tokens is not None and not (tokens.input_tokens or tokens.output_tokens):
            tokens = None
        return Usage(
            role=self.place.role,
            engine=self.place.provider,
            model=self.place.model,
            prompt=self.prompt.name,
            prompt_version=self.prompt.version,
            prompt_digest=self.prompt.digest,
            duration_ms=round((time.monotonic() - self.started) * 1000),
            input_tokens=tokens.input_tokens if tokens else None,
            output_tokens=tokens.output_tokens if tokens else None,
            cost_usd=0.0 if free else _cost(response) if priced and tokens else None,
            retries=self.retries,
            repairs=self.repairs,
            dropped=tuple(sorted(self.refused - (set() if self.structured else {"response_format"}))),
        )


def _cost(response: ModelResponse | None) -> float | None:
    if response is None:
        return None
    try:
        return float(response.cost().total_price)
    except (LookupError, ValueError, AssertionError):
        return None
