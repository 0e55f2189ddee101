"""What one call to a language model cost: kept with whatever the call made, free of learner text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Usage:
    """The record of one answered call. Unknown is `None`, never 0."""

    role: str
    """The role that asked: "tutor", "observer", "solver"."""
    engine: str
    """The provider's row in the settings, or "local"."""
    model: str
    prompt: str
    """Name of the prompt file."""
    prompt_version: int
    prompt_digest: str
    """SHA-256 of the prompt file, first 12 hex digits."""
    duration_ms: int
    """From the first attempt to the last character, waits between attempts included."""
    input_tokens: int | None = None
    """`None`: the provider did not report it, or the call was ended before it could."""
    output_tokens: int | None = None
    cost_usd: float | None = None
    """`None`: no price is known for this model at this address."""
    retries: int = 0
    """Attempts beyond the first, for whatever reason."""
    repairs: int = 0
    """Attempts among them that were made because an answer was not in the role's output type."""
    dropped: tuple[str, ...] = ()
    """Parameters that the provider refused and that were left out."""
