"""What went wrong in a call, whether to try again and when, and how to say it without the learner's text.

Provider errors may quote the request, so none of their wording is passed on.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from pydantic_ai import exceptions as vendor

from preceptor.errors import ModelCutError, ModelError, ModelOutputError

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 8.0
"""Waits double from the first to the longest, each shortened by up to half at random. (chosen)"""
_RETRIED_STATUS = frozenset({408, 409, 425, 429})
_REFUSED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("temperature", ("temperature",)),
    ("max_tokens", ("max_tokens", "max_completion_tokens", "max_output_tokens")),
    ("response_format", ("response_format", "json_schema", "output_format")),
)


@dataclass(frozen=True, kw_only=True)
class CallPlace:
    """Which call it was, for messages."""

    role: str
    provider: str
    host: str
    model: str


def retry_wait_s(
    error: vendor.ModelAPIError, *, attempt: int, chance: Callable[[], float] = random.random
) -> float | None:
    """Return how long to wait before another try, seconds; `None`: another try would not help.

    Args:
        error: What the attempt raised.
        attempt: 0 after the first attempt.
        chance: Source of the jitter, [0, 1).
    """
    if not _is_transient(error):
        return None
    if error.retry_after is not None:
        return error.retry_after + chance() * FIRST_WAIT_S
    longest: float = min(FIRST_WAIT_S * 2**attempt, LONGEST_WAIT_S)
    return longest * (1 - chance() / 2)


def _is_transient(error: vendor.ModelAPIError) -> bool:
    if isinstance(error, vendor.ModelQuotaExceededError | vendor.ModelRequestRejectedError):
        return False
    if isinstance(error, vendor.ModelHTTPError):
        return error.status_code in _RETRIED_STATUS or error.status_code >= 500
    return isinstance(
        error,
        vendor.ModelConnectionError
        | vendor.ModelRateLimitError
        | vendor.ModelUnavailableError
        | vendor.ModelServerError,
    )


def is_unreadable(error: vendor.AgentRunError) -> bool:
    """Whether a provider answered, but not with a completion: bad JSON, or a missing part."""
    return type(error) in {vendor.ModelAPIError, vendor.UnexpectedModelBehavior}


def refused_parameter(error: vendor.ModelAPIError, sent: frozenset[str]) -> str | None:
    """Return which parameter among those sent a provider objects to; `None`: none that it names."""
    if not isinstance(error, vendor.ModelHTTPError) or error.status_code not in {400, 422}:
        return None
    named, message = _param_and_message(error.body)
    for words in (named, message):
        for parameter, spellings in _REFUSED:
            if parameter in sent and any(spelling in words for spelling in spellings):
                return parameter
    return None


def _param_and_message(body: object) -> tuple[str, str]:
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            return str(inner.get("param") or "").lower(), str(inner.get("message") or inner.get("detail") or "").lower()
        return "", str(inner).lower()
    return "", str(body or "").lower()


def as_model_error(error: vendor.AgentRunError, place: CallPlace) -> ModelError:
    """Return our error for what a provider's call raised."""
    row = f"providers.{place.provider}"
    if isinstance(error, vendor.ContentFilterError):
        return ModelOutputError(f"{place.provider}: the provider's filter withheld the answer")
    if isinstance(error, vendor.UnexpectedModelBehavior):
        return ModelOutputError(f"{place.provider}: the answer of {place.model} is not what its interface promises")
    status = f" (HTTP {error.status_code})" if isinstance(error, vendor.ModelHTTPError) else ""
    if isinstance(error, vendor.ModelAuthenticationError):
        return ModelError(f"{place.provider} at {place.host} refused the key{status}: check {row}.api_key")
    if isinstance(error, vendor.ModelNotFoundError):
        return ModelError(
            f"{place.provider} at {place.host} has no model {place.model!r}{status}: "
            f"check roles.{place.role}.model and {row}.base_url"
        )
    if isinstance(error, vendor.ModelQuotaExceededError):
        return ModelError(f"{place.provider}: the account of {row}.api_key has nothing left to spend{status}")
    if isinstance(error, vendor.ModelContextWindowExceededError):
        return ModelError(f"{place.provider}: the prompt is longer than {place.model} can read{status}")
    if isinstance(error, vendor.ModelConnectionError):
        return ModelError(f"{place.provider} at {place.host} cannot be reached: check {row}.base_url")
    if isinstance(error, vendor.ModelRateLimitError):
        return ModelError(f"{place.provider}: too many requests{status}; every retry was refused, too")
    if status:
        return ModelError(f"{place.provider} at {place.host} failed{status}")
    return ModelOutputError(f"{place.provider} at {place.host} answered with something that is not a completion")


def as_cut(place: CallPlace) -> ModelCutError:
    """Return the error for an answer that broke off."""
    return ModelCutError(f"{place.provider}: the answer of {place.model} broke off before it was finished")


def as_too_long(place: CallPlace) -> ModelCutError:
    """Return the error for an answer that reached its limit of tokens."""
    return ModelCutError(
        f"{place.provider}: the answer of {place.model} reached its limit before it was finished: "
        f"raise roles.{place.role}.max_tokens"
    )
