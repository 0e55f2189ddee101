"""From settings to a model: the one place that knows which providers run here and which are called.

Importing this costs nothing; the client libraries are imported when a model is opened.
"""

from __future__ import annotations

from preceptor.errors import ConsentError
from preceptor.models.destination import leaves_machine
from preceptor.models.language_model import LanguageModel
from preceptor.models.redactor import Redactor, Unredacted
from preceptor.models.roles import Role, role_provider, role_settings
from preceptor.settings import Settings


def open_model(settings: Settings, role: Role, redactor: Redactor | None) -> LanguageModel:
    """Return the model that plays a role under these settings; nothing is loaded or sent yet.

    Args:
        settings: Everything.
        role: A role whose engine is `llm`.
        redactor: Takes personal data out of what leaves this machine; may be `None` where nothing does.

    Raises:
        SettingsError: The role has no provider or no model, or the provider has no row.
        ConsentError: Text would leave this machine without a redactor.
    """
    from preceptor.models.llm import ProviderModel
    from preceptor.models.local import local_model

    name, provider, model = role_provider(settings, role)
    if redactor is None and leaves_machine(provider):
        raise ConsentError(f"{name} is outside this machine, and nothing takes personal data out of what is sent to it")
    deadline_s = settings.models.deadline_s
    make = (lambda: local_model(settings.home, model, timeout_s=deadline_s)) if provider.kind == "local" else None
    return ProviderModel(
        role=role,
        name=name,
        provider=provider,
        model=model,
        role_settings=role_settings(settings, role),
        limits=settings.models,
        redactor=redactor or Unredacted(),
        make=make,
    )
