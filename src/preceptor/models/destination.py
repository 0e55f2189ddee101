"""Where a provider is reached, whether that is outside this machine, and the owner's consent to it."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from preceptor.errors import ConsentError
from preceptor.settings import ProviderSettings

VENDOR_URLS = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com",
    "ollama": "http://127.0.0.1:11434/v1",
}
"""Where each kind is reached when its row has no base_url."""


def provider_url(provider: ProviderSettings) -> str:
    """Return the address of a provider; empty for `local`."""
    return "" if provider.kind == "local" else provider.base_url or VENDOR_URLS[provider.kind]


def provider_host(provider: ProviderSettings) -> str:
    """Return the host of a provider; empty for `local`."""
    return urlsplit(provider_url(provider)).hostname or ""


def leaves_machine(provider: ProviderSettings) -> bool:
    """Whether text sent to this provider leaves this machine."""
    return provider.kind != "local" and not _is_loopback(provider_host(provider))


def destination(name: str, provider: ProviderSettings) -> str:
    """Return, for people, where text goes that is sent to the provider of this row."""
    if not leaves_machine(provider):
        return "stays on this machine"
    return f"goes to {provider_host(provider)} ({name})"


def require_consent(name: str, provider: ProviderSettings) -> None:
    """Refuse to go on where text would leave this machine and the owner has not agreed.

    Raises:
        ConsentError: It would, and they have not; the message says how to agree.
    """
    if leaves_machine(provider) and not provider.consent:
        variable = f"PRECEPTOR_PROVIDERS__{name.upper()}__CONSENT=true"
        raise ConsentError(
            f"what a learner writes would be sent to {provider_host(provider)}: if you agree, set "
            f"`consent = true` under [providers.{name}] in config.toml, or {variable}"
        )


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
