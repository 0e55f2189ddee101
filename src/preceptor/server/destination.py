"""Where learner text goes, in the words of the page's header."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from preceptor.settings import ProviderSettings, Settings

_VENDORS = {"openai": "api.openai.com", "anthropic": "api.anthropic.com", "google": "Google"}


@dataclass(frozen=True, kw_only=True)
class Destination:
    """One sentence for the header, and whether text leaves this machine."""

    words: str
    leaves: bool


def destination(settings: Settings) -> Destination:
    """Return where a learner's message goes under these settings, over every role that a model plays."""
    roles = (settings.roles.tutor, settings.roles.observer, settings.roles.solver)
    named = [(role.provider or "", role.model or "") for role in roles if role.engine == "llm"]
    if not named:
        return Destination(words="model: none — nothing leaves this machine", leaves=False)
    places = {name: _place(settings.providers.get(name) or ProviderSettings()) for name, _ in named}
    models = ", ".join(dict.fromkeys(model for _, model in named if model)) or "unnamed"
    outside = sorted({place for place in places.values() if place})
    if not outside:
        return Destination(words=f"model: {models}, on this machine — nothing leaves it", leaves=False)
    return Destination(words=f"model: {models} — what you write is sent to {', '.join(outside)}", leaves=True)


def _place(provider: ProviderSettings) -> str:
    """Return the host outside this machine, or "" where the provider is on it."""
    if provider.kind == "local":
        return ""
    if provider.base_url is None:
        return "" if provider.kind == "ollama" else _VENDORS[provider.kind]
    host = urlsplit(provider.base_url).hostname or provider.base_url
    return "" if is_loopback(host) else host


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ip_address(host.strip("[]").split("%")[0]).is_loopback
    except ValueError:
        return False
