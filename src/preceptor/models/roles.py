"""The roles a model can play, and what the settings say about each."""

from __future__ import annotations

from typing import Literal, get_args

from preceptor.errors import SettingsError
from preceptor.settings import ProviderSettings, RoleSettings, Settings

Role = Literal[
    "tutor",
    "observer",
    "solver",
    "critic",
    "mentor",
    "distiller",
    "rewriter",
    "merger",
    "reflection",
    "concept_reader",
    "transcriber",
    "judge",
    "learner",
]
ROLES: tuple[Role, ...] = get_args(Role)
MODEL_ONLY: frozenset[Role] = frozenset({"solver", "reflection", "transcriber", "judge"})
"""Roles that no builtin engine plays; with `engine = "builtin"` they are left out."""


def role_settings(settings: Settings, role: Role) -> RoleSettings:
    """Return the settings of one role."""
    chosen: RoleSettings = getattr(settings.roles, role)
    return chosen


def role_provider(settings: Settings, role: Role) -> tuple[str, ProviderSettings, str]:
    """Return the provider's name, its settings and the model's name of a role whose engine is `llm`.

    Raises:
        SettingsError: The role has no provider or no model, or the provider has no row.
    """
    chosen = role_settings(settings, role)
    if not chosen.provider:
        raise SettingsError(f"roles.{role}.provider is not set; expected the name of a row of providers")
    if chosen.provider not in settings.providers:
        known = ", ".join(sorted(settings.providers)) or "none is set"
        raise SettingsError(f"roles.{role}.provider: no row {chosen.provider!r} in providers; known: {known}")
    if not chosen.model:
        raise SettingsError(f"roles.{role}.model is not set; expected the provider's name of a model")
    return chosen.provider, settings.providers[chosen.provider], chosen.model
