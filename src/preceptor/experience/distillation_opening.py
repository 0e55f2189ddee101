"""Opening a distillation: roles, rule and the repository that the settings name, and the way of running them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Literal

from preceptor.domain.dialogue import Dialogue
from preceptor.errors import InputError
from preceptor.experience.builtin_distiller import BuiltinDistiller
from preceptor.experience.builtin_mentor import BuiltinMentor
from preceptor.experience.dialogue_reviews import builtin_roles, review_in_processes, review_together
from preceptor.experience.distillation import Distillation, DistillationProgress
from preceptor.experience.engines import (
    open_critic,
    open_distiller,
    open_mentor,
    open_merger,
    open_reflection,
    open_rewriter,
)
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.repository_opening import open_repository
from preceptor.experience.revision_rule import RevisionRule
from preceptor.experience.turn_review import DialogueReview, FullObserver, ReviewRule, Roles
from preceptor.experience.turn_reviewer import TurnReviewer
from preceptor.models.embedder import Embedder
from preceptor.models.roles import Role, role_settings
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.settings import Settings
from preceptor.stores.distilled_turns import DistilledTurnStore
from preceptor.stores.experiences import ExperienceStore

EngineChoice = Literal["builtin", "llm"]
_ROLES: tuple[Role, ...] = ("observer", "critic", "mentor", "distiller", "rewriter", "merger")


def review_rule(settings: Settings) -> ReviewRule:
    """Return thresholds and switches of the settings."""
    chosen = settings.experience
    rule = RevisionRule(tau_rev=chosen.tau_rev, tau_min=chosen.tau_min, gamma=chosen.gamma, gate_min=chosen.gate_min)
    return ReviewRule(rule=rule, rounds=chosen.mentor_rounds, gate=chosen.gate)


def open_roles(settings: Settings, *, engine: EngineChoice | None = None) -> Roles:
    """Return who plays which part.

    Args:
        settings: Bind each role; hold the ablations.
        engine: `builtin`: builtin engines whatever the settings bind; `llm`: at least one role must be a model's;
            `None`: as the settings bind them.

    Raises:
        InputError: `llm` was asked for and no role is bound to a model.
        SettingsError: A role is bound to `llm` without provider or model.
        ConsentError: Text would leave this machine without the owner's consent.
    """
    bound = {role: role_settings(settings, role).engine for role in _ROLES}
    by_model = {role for role, kind in bound.items() if kind == "llm"}
    rewrites, reflects = settings.experience.rewrite, settings.experience.roles == "reflection"
    if engine == "builtin" or (engine is None and not by_model and not reflects):
        return builtin_roles(rewrites=rewrites)
    if not by_model and not reflects:
        raise InputError(f"--engine llm needs a role bound to a model: set roles.<{'|'.join(_ROLES)}>.engine = llm")
    names = {role: role_settings(settings, role) for role in _ROLES}
    return Roles(
        observer=_observer(settings),
        critic=open_critic(settings),
        mentor=open_mentor(settings, BuiltinMentor()),
        distiller=open_distiller(settings, BuiltinDistiller()),
        rewriter=open_rewriter(settings) if rewrites else None,
        reflector=open_reflection(settings) if reflects else None,
        engines=tuple(
            (role, f"{one.provider}/{one.model}" if role in by_model else "builtin") for role, one in names.items()
        ),
    )


class OpenDistillation:
    """Everything of one run; builtin engines work in several processes, models are asked several at a time."""

    def __init__(
        self,
        settings: Settings,
        store: ExperienceStore,
        done: DistilledTurnStore,
        *,
        engine: EngineChoice | None = None,
        concurrency: int | None = None,
        batch: str,
        simulated: bool = False,
        embedder: Embedder | None = None,
        repository: ExperienceRepository | None = None,
    ) -> None:
        """Open roles and repository.

        Args:
            settings: Everything.
            store: The repository's tables.
            done: Keeps where each turn ended.
            engine: See `open_roles`.
            concurrency: Dialogues at once; `None`: 2.
            batch: Names the run in the provenance.
            simulated: Whether the learners are scripted.
            embedder: One that is open already.
            repository: One that is open already.
        """
        self.settings = settings
        self.roles = open_roles(settings, engine=engine)
        self.done = done
        self.repository = repository or open_repository(
            settings, store, embedder=embedder, merger=None if engine == "builtin" else open_merger(settings)
        )
        self._concurrency = concurrency or DEFAULT_CONCURRENCY
        self._batch = batch
        self._simulated = simulated

    async def run(
        self, dialogues: Iterable[Dialogue], progress: Callable[[DistillationProgress], None] | None = None
    ) -> DistillationProgress:
        """Distil dialogues in their order, and return how the run went."""
        distillation = Distillation(self.repository, self.done, batch=self._batch, progress=progress)
        return await distillation.run(self._reviews(dialogues))

    def _reviews(self, dialogues: Iterable[Dialogue]) -> AsyncIterator[DialogueReview]:
        rule = review_rule(self.settings)
        if self.roles.made_by == "builtin" and self._concurrency > 1:
            return review_in_processes(
                dialogues,
                self.done.digests,
                processes=self._concurrency,
                rule=rule,
                rewrites=self.roles.rewriter is not None,
                batch=self._batch,
                simulated=self._simulated,
            )
        reviewer = TurnReviewer(self.roles, rule, batch=self._batch, simulated=self._simulated)
        return review_together(dialogues, reviewer, self.done.digests, concurrency=self._concurrency)


DEFAULT_CONCURRENCY = 2
"""Dialogues under way at once where nothing else is asked for. (chosen: two cores; two calls of a model)"""


def _observer(settings: Settings) -> FullObserver:
    builtin = BuiltinObserver()
    if role_settings(settings, "observer").engine == "builtin":
        return builtin
    from preceptor.pedagogy.llm_observer import open_llm_observer
    from preceptor.safety.redaction import PersonalDataRedactor

    return open_llm_observer(settings, builtin, PersonalDataRedactor())
