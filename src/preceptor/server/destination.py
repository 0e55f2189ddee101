"""Where learner text goes, over all roles, in the words of the page's header."""

from __future__ import annotations

from dataclasses import dataclass

from preceptor.models.destination import leaves_machine, provider_host
from preceptor.models.roles import ROLES, role_settings
from preceptor.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Destination:
    """One sentence for the header, and whether text leaves this machine."""

    words: str
    leaves: bool


def destination(settings: Settings) -> Destination:
    """Return where a learner's message goes under these settings."""
    roles = [role_settings(settings, role) for role in ROLES]
    bound = [role for role in roles if role.engine == "llm"]
    if not bound:
        return Destination(words="model: none — nothing leaves this machine", leaves=False)
    models = ", ".join(dict.fromkeys(role.model or "unnamed" for role in bound))
    providers = [settings.providers[role.provider] for role in bound if role.provider in settings.providers]
    outside = sorted({provider_host(provider) for provider in providers if leaves_machine(provider)})
    if not outside:
        return Destination(words=f"model: {models}, on this machine — nothing leaves it", leaves=False)
    return Destination(words=f"model: {models} — what you write is sent to {', '.join(outside)}", leaves=True)
