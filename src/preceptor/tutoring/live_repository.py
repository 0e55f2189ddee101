"""The repository of experience in a running program: loaded at first need, never in a learner's way."""

from __future__ import annotations

import threading
from collections.abc import Callable

from preceptor.errors import MissingExtraError, ModelError, SettingsError
from preceptor.experience.difficulty_head import KindOrder
from preceptor.experience.difficulty_opening import open_kind_order
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.repository_opening import open_repository
from preceptor.experience.starter import begin_with_starter
from preceptor.models.embedder import Embedder, open_embedder
from preceptor.settings import Settings
from preceptor.stores.experiences import ExperienceStore

EMPTY = "the repository is empty"
OFF = "switched off in the settings"
LOADING = "it is being loaded"


class LiveRepository:
    """Loads the repository once there is an entry, and says why where it cannot. Safe to use from several threads."""

    def __init__(
        self,
        settings: Settings,
        store: ExperienceStore,
        *,
        embedder: Callable[[], Embedder | None] | None = None,
    ) -> None:
        """Load nothing yet.

        Args:
            settings: Name the embedder and the rule of utility.
            store: The tables.
            embedder: Gives one that is shared with others; `None`: the settings' is opened when it is needed.
        """
        self._settings = settings
        self._store = store
        self._embedder = embedder or (lambda: open_embedder(settings))
        self._lock = threading.Lock()
        self._repository: ExperienceRepository | None = None
        self._reason = EMPTY
        self._by_kind: KindOrder | None = None
        self._looked_at: int | None = None

    @property
    def by_kind(self) -> KindOrder | None:
        """Orders what a turn finds by the kind of mistake; `None`: not loaded, too large, or another embedder."""
        return self._by_kind

    @property
    def loaded(self) -> ExperienceRepository | None:
        """The repository where it is loaded already; never waits."""
        return self._repository if self._settings.experience.enabled else None

    def open(self) -> tuple[ExperienceRepository | None, str]:
        """Return the repository, or `None` with why there is none. May take as long as loading does.

        A repository that could not be loaded is tried again once somebody has changed it.

        Raises:
            StoreError: The database cannot be read.
        """
        if not self._settings.experience.enabled:
            return None, OFF
        with self._lock:
            if self._repository is None:
                self._load()
            return self._repository, "" if self._repository else self._reason

    def look(self) -> tuple[ExperienceRepository | None, str]:
        """Return the same without waiting for another thread that is loading it."""
        if self._lock.acquire(blocking=False):
            self._lock.release()
            return self.open()
        return self.loaded, "" if self.loaded else LOADING

    def _load(self) -> None:
        revision = self._store.revision()
        if revision == self._looked_at:
            return
        self._looked_at = revision
        begins = revision == 0 and self._settings.experience.starter
        if not begins and not self._store.embedders():
            self._reason = EMPTY
            return
        try:
            embedder = self._embedder()
            repository = open_repository(self._settings, self._store, embedder=embedder)
            if begins:
                begin_with_starter(repository)
            self._by_kind = open_kind_order(repository, embedder)
            self._repository = repository
        except (SettingsError, ModelError, MissingExtraError) as error:
            self._reason = str(error)
