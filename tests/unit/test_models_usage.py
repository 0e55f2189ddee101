"""What a call cost is what was reported and published, or unknown."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.usage import RequestUsage

from preceptor.models.call import Call, Pauses
from preceptor.models.faults import CallPlace
from preceptor.prompts.loader import RenderedPrompt
from preceptor.settings import ModelSettings, RoleSettings


def call() -> Call:
    return Call(
        place=CallPlace(role="tutor", provider="cloud", host="api.openai.com", model="gpt-4o-mini"),
        prompt=RenderedPrompt(name="tutor", version=1, digest="d", system="s", user="u"),
        role=RoleSettings(),
        limits=ModelSettings(),
        pauses=Pauses(),
        refused=set(),
        structured=False,
    )


def response(model: str, *, input_tokens: int, output_tokens: int) -> ModelResponse:
    return ModelResponse(
        parts=[TextPart(content="x")],
        usage=RequestUsage(input_tokens=input_tokens, output_tokens=output_tokens),
        model_name=model,
        provider_name="openai",
        timestamp=datetime(2026, 6, 1, tzinfo=UTC),
    )


def test_published_price_of_the_vendor_is_used() -> None:
    """gpt-4o-mini: 0.15 USD a million tokens in, 0.60 out, as its vendor's price list says."""
    million = response("gpt-4o-mini", input_tokens=1_000_000, output_tokens=1_000_000)
    assert call().usage(million, priced=True, free=False).cost_usd == pytest.approx(0.75)


def test_price_elsewhere_or_of_an_unknown_model_is_unknown() -> None:
    some = response("gpt-4o-mini", input_tokens=10, output_tokens=10)
    assert call().usage(some, priced=False, free=False).cost_usd is None
    other = response("our-own-model", input_tokens=10, output_tokens=10)
    assert call().usage(other, priced=True, free=False).cost_usd is None


def test_model_in_this_process_costs_nothing() -> None:
    assert call().usage(response("x", input_tokens=1, output_tokens=1), priced=False, free=True).cost_usd == 0.0


def test_tokens_that_were_not_reported_are_unknown() -> None:
    silent = response("gpt-4o-mini", input_tokens=0, output_tokens=0)
    usage = call().usage(silent, priced=True, free=False)
    assert (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (None, None, None)
    assert call().usage(None, priced=True, free=False).input_tokens is None
