"""Which engine plays the roles that distil experience, as the settings bind them.

Mentor and distiller have a builtin engine of their own; it is given, so that this module stays free of the pipeline.
Modules that need a language model are imported when a role is bound to one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from preceptor.errors import SettingsError
from preceptor.experience.abstract_sentence import BuiltinRewriter, Rewriter
from preceptor.experience.builtin_critic import BuiltinCritic
from preceptor.experience.critic import Critic
from preceptor.experience.distiller import Distiller
from preceptor.experience.mentor import Mentor
from preceptor.experience.repository_merger import BuiltinMerger, Merger
from preceptor.models.roles import Role, role_settings
from preceptor.safety.redaction import PersonalDataRedactor
from preceptor.settings import Settings

if TYPE_CHECKING:
    from preceptor.experience.llm_reflection import LlmReflection


def open_critic(settings: Settings, *, order_seed: int | None = None) -> Critic:
    """Return the critic that the settings name.

    Args:
        settings: Everything.
        order_seed: Shuffles the criteria in a model's prompt; `None`: the rubric's order.

    Raises:
        SettingsError: As every function here: the role is bound to `llm` without provider or model.
        ConsentError: As every function here: text would leave this machine without the owner's consent.
    """
    if not _by_model(settings, "critic"):
        return BuiltinCritic()
    from preceptor.experience.llm_critic import open_llm_critic

    return open_llm_critic(settings, PersonalDataRedactor(), order_seed=order_seed)


def open_mentor(settings: Settings, builtin: Mentor) -> Mentor:
    """Return the mentor that the settings name, or `builtin`."""
    if not _by_model(settings, "mentor"):
        return builtin
    from preceptor.experience.llm_mentor import open_llm_mentor

    return open_llm_mentor(settings, PersonalDataRedactor())


def open_distiller(settings: Settings, builtin: Distiller) -> Distiller:
    """Return the distiller that the settings name, or `builtin`."""
    if not _by_model(settings, "distiller"):
        return builtin
    from preceptor.experience.llm_distiller import open_llm_distiller

    return open_llm_distiller(settings, PersonalDataRedactor())


def open_rewriter(settings: Settings) -> Rewriter:
    """Return the rewriter that the settings name."""
    if not _by_model(settings, "rewriter"):
        return BuiltinRewriter()
    from preceptor.experience.llm_rewriter import open_llm_rewriter

    return open_llm_rewriter(settings, PersonalDataRedactor())


def open_merger(settings: Settings) -> Merger:
    """Return the merger that the settings name."""
    if not _by_model(settings, "merger"):
        return BuiltinMerger()
    from preceptor.experience.llm_merger import open_llm_merger

    return open_llm_merger(settings, PersonalDataRedactor())


def open_reflection(settings: Settings) -> LlmReflection:
    """Return the one call in place of observer, critic and mentor; only a model can play it.

    Raises:
        SettingsError: The role is not bound to `llm`.
    """
    if not _by_model(settings, "reflection"):
        raise SettingsError("roles.reflection.engine must be llm where experience.roles is reflection; got builtin")
    from preceptor.experience.llm_reflection import open_llm_reflection

    return open_llm_reflection(settings, PersonalDataRedactor())


def _by_model(settings: Settings, role: Role) -> bool:
    bound = role_settings(settings, role)
    if bound.engine == "builtin":
        return False
    if not bound.provider or not bound.model:
        raise SettingsError(
            f"roles.{role}: engine is llm, so provider and model must be set; "
            f"got provider={bound.provider!r}, model={bound.model!r}"
        )
    return True
