"""Opening the repository of an installation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.repository_merger import Merger
from preceptor.experience.retrieval import RetrievalRule
from preceptor.experience.utility import UtilityRule
from preceptor.models.embedder import Embedder, open_embedder
from preceptor.settings import Settings
from preceptor.stores.experiences import ExperienceStore
from preceptor.stores.sql.database import open_database
from preceptor.stores.sql.experiences import SqlExperienceStore


@contextmanager
def experience_store(settings: Settings) -> Iterator[ExperienceStore]:
    """Open the tables of an installation, and close its database at the end.

    Raises:
        StoreError: The database cannot be reached.
    """
    database = open_database(home=settings.home, url=settings.store.url)
    try:
        yield SqlExperienceStore(database)
    finally:
        database.close()


def open_repository(
    settings: Settings, store: ExperienceStore, *, embedder: Embedder | None = None, merger: Merger | None = None
) -> ExperienceRepository:
    """Load the repository that lies in `store`.

    Args:
        settings: Name the embedder and the home folder.
        store: Its tables.
        embedder: One that is open already; `None`: open that of the settings, where its weights are here.
        merger: `None`: the builtin one.

    Raises:
        SettingsError: The entries belong to another embedder; the message names the way out.
    """
    chosen = settings.experience
    return ExperienceRepository(
        store,
        embedder or open_embedder(settings),
        merger=merger,
        merges=chosen.merge,
        rule=UtilityRule(alpha=chosen.alpha, tau_prune=chosen.tau_prune, least_scored_uses=chosen.least_scored_uses),
        folder=settings.home,
    )


def retrieval_rule(settings: Settings) -> RetrievalRule:
    """Return how a live turn chooses, ablations included."""
    chosen = settings.experience
    return RetrievalRule(
        k=chosen.k,
        tau=chosen.tau,
        rewrites=chosen.rewrite,
        filters_state=chosen.state_filter,
        choice=chosen.choice,
    )
