"""A provider's row of settings made into a pydantic-ai model. Everything vendor-specific is here."""

from __future__ import annotations

import importlib
import logging
from typing import Any

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.models import Model
from pydantic_ai.models.ollama import OllamaModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.ollama import OllamaProvider
from pydantic_ai.providers.openai import OpenAIProvider

from preceptor.errors import MissingExtraError, ModelError
from preceptor.models.destination import leaves_machine, provider_url
from preceptor.settings import ProviderSettings

NO_KEY = "no-key"
"""Sent where the key is empty: the client library wants one, a server on this machine ignores it."""
CONNECT_TIMEOUT_S = 10.0
_NEVER = ("\x00think", "\x00/think")
"""Reasoning tags are filtered by `models/reasoning.py`, also where they come in pieces."""


def vendor_model(name: str, provider: ProviderSettings, model: str, *, timeout_s: float) -> Model[Any]:
    """Return the pydantic-ai model for a provider that is reached over HTTP.

    Args:
        name: The provider's row, for messages.
        provider: Its settings; not of kind `local`.
        model: The provider's name of the model.
        timeout_s: Longest silence of the connection, seconds.

    Raises:
        MissingExtraError: The kind needs an extra that is not installed.
        ModelError: The kind cannot work without a key and none is set.
    """
    for library in ("openai", "httpx2", "httpcore2", "anthropic", "google_genai"):
        # At DEBUG these write requests with the learner's text in them.
        logging.getLogger(library).setLevel(logging.WARNING)
    if provider.kind == "anthropic":
        return _anthropic(name, provider, model, timeout_s)
    if provider.kind == "google":
        return _google(name, provider, model, timeout_s)
    return _openai_compatible(provider, model, timeout_s)


def _openai_compatible(provider: ProviderSettings, model: str, timeout_s: float) -> Model[Any]:
    client = AsyncOpenAI(
        base_url=provider_url(provider),
        api_key=provider.api_key.get_secret_value() or NO_KEY,
        http_client=_http_client(provider, timeout_s),
        max_retries=0,
    )
    if provider.kind == "ollama":
        ollama = OllamaProvider(openai_client=client)
        return OllamaModel(model, provider=ollama, profile=_merged(OllamaProvider.model_profile(model), _COMPATIBLE))
    profile = _VENDOR if provider.base_url is None else _COMPATIBLE
    return OpenAIChatModel(
        model,
        provider=OpenAIProvider(openai_client=client),
        profile=_merged(OpenAIProvider.model_profile(model), profile),
    )


_VENDOR = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True, thinking_tags=_NEVER)
_COMPATIBLE = OpenAIModelProfile(
    openai_chat_streaming_requires_finish_reason=True,
    openai_chat_supports_max_completion_tokens=False,
    openai_supports_strict_tool_definition=False,
    json_schema_transformer=None,
    supports_json_schema_output=True,
    supports_json_object_output=False,
    thinking_tags=_NEVER,
)
"""Servers other than the vendor's know `max_tokens`, and hold to a schema's bounds, which strict mode drops."""


def _merged(base: ModelProfile | None, ours: ModelProfile) -> ModelProfile:
    return {**(base or {}), **ours}


def _anthropic(name: str, provider: ProviderSettings, model: str, timeout_s: float) -> Model[Any]:
    models = _extra("pydantic_ai.models.anthropic", "anthropic")
    providers = _extra("pydantic_ai.providers.anthropic", "anthropic")
    made: Model[Any] = models.AnthropicModel(
        model,
        provider=providers.AnthropicProvider(
            api_key=_key(name, provider), base_url=provider_url(provider), http_client=_http_client(provider, timeout_s)
        ),
    )
    return made


def _google(name: str, provider: ProviderSettings, model: str, timeout_s: float) -> Model[Any]:
    models = _extra("pydantic_ai.models.google", "google")
    providers = _extra("pydantic_ai.providers.google", "google")
    made: Model[Any] = models.GoogleModel(
        model,
        provider=providers.GoogleProvider(
            api_key=_key(name, provider), base_url=provider_url(provider), http_client=_http_client(provider, timeout_s)
        ),
    )
    return made


def _extra(module: str, extra: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"the provider kind {extra!r} needs the extra {extra!r}: pip install 'preceptor[{extra}]'"
        ) from error


def _key(name: str, provider: ProviderSettings) -> str:
    key = provider.api_key.get_secret_value()
    if not key:
        raise ModelError(f"providers.{name}.api_key is empty, and {provider.kind} answers nothing without a key")
    return key


def _http_client(provider: ProviderSettings, timeout_s: float) -> httpx2.AsyncClient:
    """Never follows a redirect, which could lead off this machine; a loopback address never goes through a proxy."""
    outside = leaves_machine(provider)
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S)),
        follow_redirects=False,
        trust_env=outside,
        limits=httpx2.Limits(max_connections=100, max_keepalive_connections=20 if outside else 0),
    )
